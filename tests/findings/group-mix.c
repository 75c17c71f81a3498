/* SPDX-License-Identifier: GPL-2.0-only */
#include "cacheline_layout.h"
#define line_aligned __attribute__((aligned(64)))
/* as upstream has them */
#define __cacheline_group_begin(GROUP) unsigned char __cacheline_group_begin__##GROUP[0]
#define __cacheline_group_end(GROUP) unsigned char __cacheline_group_end__##GROUP[0]

struct good {
	long a __cacheline_in(tx), b __cacheline_in(tx);
	long other line_aligned;
} line_aligned good;

struct mixed {
	long a __cacheline_in(tx); /* expect: note: 'a' is here */
	long b __cacheline_in(tx);
	long other; /* expect: warning: 'other' is not of group 'tx', but shares a 64-byte line with its 'a', at 6 of 8 placements (0, 8, 16, 24, 32, 40): move it, or start a line behind the group [-Wcacheline-group-mix] */
} mixed;

struct two {
	long a __cacheline_in(tx) line_aligned; /* expect: note: 'a' is here */
	long b __cacheline_in(rx); /* expect: warning: 'b' is not of group 'tx', but shares a 64-byte line with its 'a', always: move it, or start a line behind the group [-Wcacheline-group-mix] */
} two;

struct of_both {
	long a __cacheline_in(tx) __cacheline_in(rx); /* expect: note: 'a' is here */
	long b __cacheline_in(tx); /* expect: note: 'b' is here */
	long c __cacheline_in(rx); /* expect: warning: 'c' is not of group 'tx', but shares a 64-byte line with its 'b', always: move it, or start a line behind the group [-Wcacheline-group-mix] */
	long other; /* expect: warning: 'other' is not of group 'tx', but shares a 64-byte line with its 'a', always: move it, or start a line behind the group [-Wcacheline-group-mix] */
} line_aligned of_both;

struct upstream {
	__cacheline_group_begin(dev_read_rx) line_aligned;
	long max, min;
	__cacheline_group_end(dev_read_rx);
	__cacheline_group_begin(dev_read_tx);
	long queue;
	__cacheline_group_end(dev_read_tx);
	__cacheline_group_begin(dev_write_rx) line_aligned; /* expect: note: group 'dev_write_rx' begins here */
	long count;
	__cacheline_group_end(dev_write_rx);
	__cacheline_group_begin(dev_read_mostly); /* expect: warning: group 'dev_read_mostly' is read-mostly, but shares a 64-byte line with the written group 'dev_write_rx', always: start a line between them [-Wcacheline-group-mix] */
	long limit;
	__cacheline_group_end(dev_read_mostly);
	__cacheline_group_begin(dev_write_tx) line_aligned;
	long sent;
	__cacheline_group_end(dev_write_tx);
} upstream;

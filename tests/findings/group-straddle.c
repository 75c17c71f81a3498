/* SPDX-License-Identifier: GPL-2.0-only */
#include "cacheline_layout.h"
#define line_aligned __attribute__((aligned(64)))
/* as upstream has them */
#define __cacheline_group_begin(GROUP) unsigned char __cacheline_group_begin__##GROUP[0]
#define __cacheline_group_end(GROUP) unsigned char __cacheline_group_end__##GROUP[0]

struct good {
	__cacheline_group_begin(read) line_aligned;
	long a, b;
	__cacheline_group_end(read);
	long c;
} good;

struct straddles {
	long first[6];
	__cacheline_group_begin(read); /* expect: warning: group 'read' has 32 bytes, which need 1 64-byte lines, but touches one more, at 3 of 8 placements (0, 8, 56): start it on a line [-Wcacheline-group-straddle] */
	long a[4];
	__cacheline_group_end(read);
} straddles;

struct begun_only {
	long first[7];
	__cacheline_group_begin(read);
	long a[2];
} begun_only;

/* one run: each path reads a part of it, and it needs the two lines that it touches */
struct run {
	long first[5];
	__cacheline_group_begin(read_tx);
	long a[2];
	__cacheline_group_end(read_tx);
	__cacheline_group_begin(read_txrx);
	long b[4];
	__cacheline_group_end(read_txrx);
	__cacheline_group_begin(read_rx);
	long c[4];
	__cacheline_group_end(read_rx);
} line_aligned run;

/* no run: a member between */
struct no_run {
	long first[4];
	__cacheline_group_begin(read_tx);
	long a[2];
	__cacheline_group_end(read_tx);
	long other __cacheline_read_mostly;
	__cacheline_group_begin(read_rx); /* expect: warning: group 'read_rx' has 16 bytes, which need 1 64-byte lines, but touches one more, always: start it on a line [-Wcacheline-group-straddle] */
	long b[2];
	__cacheline_group_end(read_rx);
} line_aligned no_run;

struct long_run {
	long first[5];
	__cacheline_group_begin(write_tx); /* expect: warning: groups 'write_tx' to 'write_rx' have 64 bytes, which need 1 64-byte lines, but touch one more, always: start them on a line [-Wcacheline-group-straddle] */
	long a[2];
	__cacheline_group_end(write_tx);
	__cacheline_group_begin(write_rx);
	long b[6];
	__cacheline_group_end(write_rx);
} line_aligned long_run;

/* only where an object starts at 48 or 56, which the markers do not speak of */
struct at_start {
	__cacheline_group_begin(read);
	long a[3];
	__cacheline_group_end(read);
	long b;
} at_start;

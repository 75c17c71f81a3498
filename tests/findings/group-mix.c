/* SPDX-License-Identifier: GPL-2.0-only */
#include "cacheline_layout.h"
#define line_aligned __attribute__((aligned(64)))

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

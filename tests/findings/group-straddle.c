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

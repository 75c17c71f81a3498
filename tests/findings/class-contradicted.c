/* SPDX-License-Identifier: GPL-2.0-only */
/* An annotation and a group that say different things. Writers are in tests/accesses/class-contradicted.c. */
#include "cacheline_layout.h"
#define BEGIN(GROUP) unsigned char __cacheline_group_begin__##GROUP[0]
#define END(GROUP) unsigned char __cacheline_group_end__##GROUP[0]
#define line_aligned __attribute__((aligned(64)))

struct contradicted {
	BEGIN(dev_read_tx) line_aligned;
	long mtu;
	long sent __cacheline_written; /* expect: warning: 'sent' is written (annotation), but stands in the read-mostly group 'dev_read_tx': move it, or take one of the two back [-Wcacheline-class-contradicted] */
	END(dev_read_tx);
	BEGIN(dev_write) line_aligned;
	long users;
	struct { long limit __cacheline_read_mostly; }; /* expect: warning: 'limit' is read-mostly (annotation), but stands in the written group 'dev_write': move it, or take one of the two back [-Wcacheline-class-contradicted] */
	END(dev_write);
	BEGIN(any) line_aligned;		/* says no class */
	long state __cacheline_written;
	END(any);
} contradicted;

struct by_annotation {
	long hits __cacheline_in(stats_read) __cacheline_written; /* expect: warning: 'hits' is written (annotation), but stands in the read-mostly group 'stats_read': move it, or take one of the two back [-Wcacheline-class-contradicted] */
	long misses __cacheline_in(stats_write) __cacheline_written line_aligned;
} line_aligned by_annotation;

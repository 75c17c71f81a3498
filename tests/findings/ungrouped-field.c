/* SPDX-License-Identifier: GPL-2.0-only */
#include "cacheline_layout.h"
#define line_aligned __attribute__((aligned(64)))
#define BEGIN(GROUP) unsigned char __cacheline_group_begin__##GROUP[0]
#define END(GROUP) unsigned char __cacheline_group_end__##GROUP[0]

typedef struct { int counter; } atomic_t;

struct dev {
	long id;				/* nobody knows, and it was there before */
	BEGIN(dev_read_tx); /* expect: note: group 'dev_read_tx' begins here */ /* expect: note: group 'dev_read_tx' begins here */ /* expect: note: group 'dev_read_tx' begins here */
	long queue;
	END(dev_read_tx);
	long between; /* expect: warning: 'between' stands between groups and in none, but shares a 64-byte line with 'dev_read_tx', always: move it into a group, or away from them [-Wcacheline-ungrouped-field] */
	BEGIN(dev_read_rx);
	long limit;
	END(dev_read_rx);
	long name;
	long sent __cacheline_written; /* expect: warning: 'sent' is written (annotation) and in no group, but shares a 64-byte line with the read-mostly group 'dev_read_tx', always: move it [-Wcacheline-ungrouped-field] */
	atomic_t users; /* expect: warning: 'users' is written (type) and in no group, but shares a 64-byte line with the read-mostly group 'dev_read_tx', always: move it [-Wcacheline-ungrouped-field] */
	long far[8];
	atomic_t elsewhere;
} line_aligned dev;

struct counted {
	BEGIN(counted_write); /* expect: note: group 'counted_write' begins here */
	long bytes;
	END(counted_write);
	atomic_t users;				/* one is as good as the other */
	long max __cacheline_read_mostly; /* expect: warning: 'max' is read-mostly (annotation) and in no group, but shares a 64-byte line with the written group 'counted_write', always: move it [-Wcacheline-ungrouped-field] */
} line_aligned counted;

struct as_the_group {
	BEGIN(of_read);
	long limit;
	END(of_read);
	long max __cacheline_read_mostly;
} line_aligned as_the_group;

struct apart {
	BEGIN(apart_read);
	long limit;
	END(apart_read);
	atomic_t users line_aligned;
	long between;
	BEGIN(apart_write) line_aligned;
	long bytes;
	END(apart_write);
} apart;

struct nothing_grouped {
	long max __cacheline_read_mostly line_aligned;
	atomic_t users;
} nothing_grouped;

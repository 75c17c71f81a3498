/* SPDX-License-Identifier: GPL-2.0-only */
#include "cacheline_layout.h"
#define line_aligned __attribute__((aligned(64)))

struct lock {
	int count;
	long owner; /* expect: note: 'm.owner' is here */
};

/* 56 bytes between the two part them for every start at a multiple of 8; seed 002 */
struct good {
	long tree __cacheline_apart(lock);
	char between[56];
	long lock;
} good;

struct v2 {
	long tree __cacheline_apart(lock); /* expect: warning: 'tree' is to be apart from 'lock', but shares a 64-byte line with it, at 1 of 8 placements (0): 56 bytes between them, or an aligned line, part them [-Wcacheline-shared-apart] */
	char between[48];
	long lock; /* expect: note: 'lock' is here */
} v2;

struct path {
	struct lock m;
	union {
		long a;
		int b __cacheline_apart(m.owner); /* expect: warning: 'b' is to be apart from 'm.owner', but shares a 64-byte line with it, at 7 of 8 placements (0, 8, 16, 24, 32, 40, 56): 56 bytes between them, or an aligned line, part them [-Wcacheline-shared-apart] */
	};
} path;

/* on one place nothing parts them, but they were said to be apart */
union overlap {
	long a __cacheline_apart(b); /* expect: warning: 'a' is to be apart from 'b', but shares a 64-byte line with it, always: 56 bytes between them, or an aligned line, part them [-Wcacheline-shared-apart] */
	long b; /* expect: note: 'b' is here */
} overlap;
struct bits {
	int a:3 __cacheline_apart(b); /* expect: warning: 'a' is to be apart from 'b', but shares a 64-byte line with it, always: 60 bytes between them, or an aligned line, part them [-Wcacheline-shared-apart] */
	int b:5; /* expect: note: 'b' is here */
} bits;

/* struct_group(): its second struct has no 'lock' */
struct grouped {
	union {
		struct { long a __cacheline_apart(lock); }; /* expect: warning: 'a' is to be apart from 'lock', but shares a 64-byte line with it, always: 63 bytes between them, or an aligned line, part them [-Wcacheline-shared-apart] */
		struct { long a __cacheline_apart(lock); } config;
	};
	long lock; /* expect: note: 'lock' is here */
} line_aligned grouped;

/* case C12: the kernel's task_struct, whose first member stays and whose others are in a nameless struct, to be shuffled */
#define randomized_struct_fields_start struct {
#define randomized_struct_fields_end };
struct task {
	struct thread_info { long flags; /* expect: note: 'thread_info.flags' is here */ } thread_info;
	randomized_struct_fields_start
	void *stack;
	int usage __cacheline_apart(thread_info.flags); /* expect: warning: 'usage' is to be apart from 'thread_info.flags', but shares a 64-byte line with it, always: 63 bytes between them, or an aligned line, part them [-Wcacheline-shared-apart] */
	randomized_struct_fields_end
} line_aligned task;

struct wrong {
	long a __cacheline_apart(nobody); /* expect: error: the annotation of 'a' names 'nobody', which is no member of the struct [-Wcacheline-shared-apart] */
} wrong;

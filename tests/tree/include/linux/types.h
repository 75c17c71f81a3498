/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _LINUX_TYPES_H
#define _LINUX_TYPES_H

typedef unsigned char		u8, __u8;
typedef unsigned short		u16, umode_t;
typedef unsigned int		u32, __u32, dev_t, errseq_t;
typedef int			s32;
typedef long long		s64, loff_t;
typedef unsigned long long	u64, blkcnt_t, netdev_features_t;
typedef unsigned long		pgoff_t;
typedef unsigned long		size_t;
typedef unsigned int __bitwise	gfp_t;

typedef _Bool			bool;
enum { false, true };
#define NULL			((void *)0)

typedef struct { u32 val; } kuid_t;
typedef struct { u32 val; } kgid_t;
typedef struct { int counter; } atomic_t;
typedef struct { s64 counter; } atomic64_t, atomic_long_t;

struct list_head {
	struct list_head *next, *prev;
};

struct hlist_node {
	struct hlist_node *next, **pprev;
};

struct hlist_head {
	struct hlist_node *first;
};

/* the low bits of a pointer to one carry marks */
struct callback_head {
	struct callback_head *next;
	void (*func)(struct callback_head *head);
} __attribute__((aligned(sizeof(void *))));
#define rcu_head callback_head

struct timespec64 {
	s64 tv_sec;
	long tv_nsec;
};

#endif

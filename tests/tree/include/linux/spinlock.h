/* SPDX-License-Identifier: GPL-2.0-only */
/* Locks that spin, what lock debugging adds to every lock, and work for later. */
#ifndef __LINUX_SPINLOCK_H
#define __LINUX_SPINLOCK_H

#include <linux/kernel.h>

#ifdef CONFIG_LOCKDEP
struct lockdep_map {
	struct lock_class_key *key;
	struct lock_class *class_cache[2];
	const char *name;
	u8 wait_type_outer, wait_type_inner, lock_type;
};
#endif

typedef struct raw_spinlock {
#if defined(CONFIG_SMP) || defined(CONFIG_LOCKDEP)
	u32 slock;
#endif
#ifdef CONFIG_LOCKDEP
	unsigned int magic, owner_cpu;
	void *owner;
	struct lockdep_map dep_map;
#endif
} raw_spinlock_t;

typedef struct spinlock {
	union {
		struct raw_spinlock rlock;
	};
} spinlock_t;

#define DEFINE_RAW_SPINLOCK(name)	raw_spinlock_t name = { }

void spin_lock_init(spinlock_t *lock);
void raw_spin_lock(raw_spinlock_t *lock);
void raw_spin_unlock(raw_spinlock_t *lock);

struct timer_list {
	struct hlist_node entry;
	unsigned long expires;
	void (*function)(struct timer_list *timer);
	u32 flags;
#ifdef CONFIG_LOCKDEP
	struct lockdep_map lockdep_map;
#endif
};

struct work_struct {
	atomic_long_t data;
	struct list_head entry;
	void (*func)(struct work_struct *work);
#ifdef CONFIG_LOCKDEP
	struct lockdep_map lockdep_map;
#endif
};

struct rcu_work {
	struct work_struct work;
	struct rcu_head rcu;
	struct workqueue_struct *wq;
};

bool schedule_work(struct work_struct *work);

#endif

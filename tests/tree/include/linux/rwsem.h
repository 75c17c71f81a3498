/* SPDX-License-Identifier: GPL-2.0-only */
/* Locks that sleep: many readers or one writer, and just one. */
#ifndef _LINUX_RWSEM_H
#define _LINUX_RWSEM_H

#include <linux/spinlock.h>

/* those that spin for it, by the CPU of the last */
struct optimistic_spin_queue {
	atomic_t tail;
};

struct rw_semaphore {
	atomic_long_t count;
	/* whom to watch while spinning; read and written without the lock */
	atomic_long_t owner;
#ifdef CONFIG_SMP
	struct optimistic_spin_queue osq;
#endif
	raw_spinlock_t wait_lock;
	struct list_head wait_list;
#ifdef CONFIG_LOCKDEP
	struct lockdep_map dep_map;
#endif
};

struct mutex {
	atomic_long_t owner;
	raw_spinlock_t wait_lock;
#ifdef CONFIG_SMP
	struct optimistic_spin_queue osq;
#endif
	struct list_head wait_list;
#ifdef CONFIG_LOCKDEP
	struct lockdep_map dep_map;
#endif
};

typedef struct wait_queue_head {
	spinlock_t lock;
	struct list_head head;
} wait_queue_head_t;

void init_rwsem(struct rw_semaphore *sem);
void down_read(struct rw_semaphore *sem);
void up_read(struct rw_semaphore *sem);
void down_write(struct rw_semaphore *sem);
void up_write(struct rw_semaphore *sem);
void mutex_init(struct mutex *lock);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
#include "cacheline_layout.h"

#define rcu_head callback_head

struct callback_head {
	struct callback_head *next;
	void (*func)(struct callback_head *head);
};

/* of 32768 CPUs */
typedef struct cpumask {
	unsigned long bits[512];
} cpumask_t;

/* case B15, commit 24171a5a4a95 */
struct q_vector {
	cpumask_t affinity_mask __cacheline_read_mostly;
	struct rcu_head rcu; /* expect: warning: 'rcu' lies at 4096, where kfree_rcu() cannot free the struct: move it to below 4096 [-Wcacheline-kfree-rcu-offset] */
} far;

struct moved {
	struct rcu_head rcu __cacheline_read_mostly;
	cpumask_t affinity_mask;
} moved;

struct near {
	char text[4088] __cacheline_read_mostly;
	struct rcu_head rcu;
	cpumask_t affinity_mask;
} near;

/* a padding of 4096-byte lines: what seed 003 broke */
struct cgroup_root {
	struct {
		char usage __attribute__((aligned(4096))) __cacheline_written;
		union {
			long flags __attribute__((aligned(4096)));
			struct rcu_head rcu; /* expect: warning: 'rcu' lies at 4096, where kfree_rcu() cannot free the struct: move it to below 4096 [-Wcacheline-kfree-rcu-offset] */
		};
	};
} root;

/* nobody watches its layout, as nobody frees srcu_data: told when it is asked for */
struct unwatched {
	cpumask_t affinity_mask;
	struct rcu_head rcu;
} unwatched;

/* large in itself, and so freed by call_rcu() */
struct large {
	char text[8192] __cacheline_read_mostly;
	struct rcu_head rcu;
} large;

/* the mask alone does not do it: without it too */
struct task {
	cpumask_t affinity_mask __cacheline_read_mostly;
	char state[4096];
	struct rcu_head rcu;
} task;

/* none of these is what kfree_rcu() takes */
struct others {
	cpumask_t mask __cacheline_read_mostly;
	struct rcu_head *pointer;
	struct rcu_head array[2];
	struct q_vector inside;
} others;

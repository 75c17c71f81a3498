/* SPDX-License-Identifier: GPL-2.0-only */
#define rcu_head callback_head

struct callback_head {
	struct callback_head *next;
	void (*func)(struct callback_head *head);
};

/* a cpumask of 32768 CPUs in front of it: commit 24171a5a4a95 */
struct q_vector {
	unsigned long affinity_mask[512];
	struct rcu_head rcu; /* expect: warning: 'rcu' lies at 4096, where kfree_rcu() cannot free the struct: move it to below 4096 [-Wcacheline-kfree-rcu-offset] */
} far;

struct near {
	char text[4088];
	struct rcu_head rcu;
	char more[4096];
} near;

/* a padding of a virtual SMP machine's lines: what seed 003 broke */
struct cgroup_root {
	struct {
		char usage __attribute__((aligned(4096)));
		union {
			long flags __attribute__((aligned(4096)));
			struct rcu_head rcu; /* expect: warning: 'rcu' lies at 4096, where kfree_rcu() cannot free the struct: move it to below 4096 [-Wcacheline-kfree-rcu-offset] */
		};
	};
} root;

/* none of these is what kfree_rcu() takes */
struct others {
	char text[8192];
	struct rcu_head *pointer;
	struct rcu_head array[2];
	struct q_vector inside;
} others;

// SPDX-License-Identifier: GPL-2.0-only
#include "stub.h"

/* case B15 */
struct vector {
	int index;
	cpumask_t affinity;
	struct rcu_head rcu;
};

/* seed 003: padding, on machines whose lines are pages */
struct root {
	struct list_head list;
	CACHELINE_PADDING(_pad_);
	long count;
	struct rcu_head rcu;
};

struct per_cpu {
	struct plain *cpus[NR_CPUS];
	struct rcu_head rcu;
};

struct mended {
	struct rcu_head rcu;
	cpumask_t affinity;
};

struct small {
	long a[4];
	struct cpumask *mask;
	struct rcu_head rcu;
};

void release(struct vector *v, struct root *root, struct per_cpu *p)
{
	kfree_rcu(v, rcu); /* expect: warning: kfree_rcu() wants struct vector.rcu below 4096, and what lies in front of it grows with the configuration [-Wcacheline-kfree-rcu-offset] */
	kfree_rcu(root, rcu); /* expect: warning: kfree_rcu() wants struct root.rcu below 4096, and what lies in front of it grows with the configuration [-Wcacheline-kfree-rcu-offset] */
	kfree_rcu(p, rcu); /* expect: warning: kfree_rcu() wants struct per_cpu.rcu below 4096, and what lies in front of it grows with the configuration [-Wcacheline-kfree-rcu-offset] */
}

void harmless(struct mended *m, struct small *s, struct route_table *t)
{
	kfree_rcu(m, rcu); /* expect (every): warning: kfree_rcu() wants struct mended.rcu below 4096 [-Wcacheline-kfree-rcu-offset] */
	kfree_rcu(s, rcu); /* expect (every): warning: kfree_rcu() wants struct small.rcu below 4096 [-Wcacheline-kfree-rcu-offset] */
	kfree_rcu(first_node(t), rcu); /* expect (every): warning: kfree_rcu() wants rcu of first_node(t) below 4096 [-Wcacheline-kfree-rcu-offset] */
}

// SPDX-License-Identifier: GPL-2.0-only
/* One bad allocation, and none of the others is: what is refused later must not take it along. */
#include "stub.h"

struct timer {
	struct list_head list;
	spinlock_t lock ____cacheline_aligned_in_smp;
};

struct plain {
	long count;
};

struct kmem_cache *timer_cache(void)
{
	return kmem_cache_create("timer", sizeof(struct timer), 0, SLAB_ACCOUNT, NULL); /* expect: warning: kmem_cache_create() is told no alignment: struct timer starts at any multiple of 8, not on a line [-Wcacheline-alloc-alignment] */
}

int harmless(struct device *dev)
{
	struct plain *plain = devm_kzalloc(dev, sizeof(struct plain), GFP_KERNEL); /* expect (every): warning: devm_kzalloc() puts struct plain behind a header of its own, not on a line [-Wcacheline-alloc-alignment] */
	struct net_device *net = alloc_etherdev(sizeof(struct plain)); /* expect (every): warning: alloc_etherdev() puts struct plain behind another struct, at a multiple of 32 [-Wcacheline-alloc-alignment] */

	return plain && net && alloc_percpu(struct timer);
}

static const struct plain one = { 1 };

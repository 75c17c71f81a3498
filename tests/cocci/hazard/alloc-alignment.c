// SPDX-License-Identifier: GPL-2.0-only
#include "stub.h"

struct plain {
	long count;
};

/* case A10 */
struct timer {
	struct list_head list;
	spinlock_t lock ____cacheline_aligned_in_smp;
};

struct ring {
	long head;
} ____cacheline_aligned;

/* case B17 */
struct class {
	void *call[20];
} __aligned(32);

struct kmem_cache *caches[8];

void cache_init(unsigned int flags)
{
	caches[0] = kmem_cache_create("timer", sizeof(struct timer), 0, SLAB_ACCOUNT, NULL); /* expect: warning: kmem_cache_create() is told no alignment: struct timer starts at any multiple of 8, not on a line [-Wcacheline-alloc-alignment] */
	caches[1] = kmem_cache_create("ring", sizeof(struct ring), 8, 0, NULL); /* expect: warning: kmem_cache_create() is told no alignment: struct ring starts at any multiple of 8, not on a line [-Wcacheline-alloc-alignment] */
	caches[2] = kmem_cache_create("plain", sizeof(struct plain), 0, 0, NULL); /* expect (every): warning: kmem_cache_create() is told no alignment: struct plain starts at any multiple of 8, not on a line [-Wcacheline-alloc-alignment] */
	caches[3] = kmem_cache_create("timer", sizeof(struct timer), __alignof__(struct timer), SLAB_ACCOUNT, NULL);
	caches[4] = kmem_cache_create("timer", sizeof(struct timer), 0, SLAB_HWCACHE_ALIGN | SLAB_PANIC, NULL);
	caches[5] = kmem_cache_create("timer", sizeof(struct timer), 64, 0, NULL);
	caches[6] = KMEM_CACHE(timer, SLAB_PANIC);
	caches[7] = kmem_cache_create("timer", sizeof(struct timer), 0, flags, NULL);
}

int probe(struct device *dev)
{
	struct ring *ring = devm_kzalloc(dev, sizeof(*ring), GFP_KERNEL); /* expect: warning: devm_kzalloc() puts struct ring behind a header of its own, not on a line [-Wcacheline-alloc-alignment] */
	struct plain *plain = devm_kzalloc(dev, sizeof(struct plain), GFP_KERNEL); /* expect (every): warning: devm_kzalloc() puts struct plain behind a header of its own, not on a line [-Wcacheline-alloc-alignment] */
	struct net_device *net = alloc_etherdev(sizeof(struct ring)); /* expect: warning: alloc_etherdev() puts struct ring behind another struct, at a multiple of 32 [-Wcacheline-alloc-alignment] */
	struct net_device *small = alloc_etherdev(sizeof(struct plain)); /* expect (every): warning: alloc_etherdev() puts struct plain behind another struct, at a multiple of 32 [-Wcacheline-alloc-alignment] */
	struct ring *grown = kzalloc(sizeof(*grown), GFP_KERNEL);

	return ring && plain && net && small && grown;
}

struct ring *percpu(void)
{
	struct ring *ring = __alloc_percpu(sizeof(struct ring), __alignof__(u64)); /* expect: warning: __alloc_percpu() is told another alignment than that of struct ring [-Wcacheline-alloc-alignment] */

	ring = __alloc_percpu(sizeof(struct ring), 8); /* expect: warning: __alloc_percpu() is told another alignment than that of struct ring [-Wcacheline-alloc-alignment] */
	ring = __alloc_percpu(sizeof(struct ring), __alignof__(struct ring));
	ring = __alloc_percpu(sizeof(*ring), __alignof__(*ring));
	return alloc_percpu(struct ring);
}

static const struct class idle __section("__idle_class"); /* expect: warning: 'idle' in a section of its own: struct class may be aligned further there than in an array, align the variable [-Wcacheline-alloc-alignment] */
static const struct class fair __used __section("__fair_class") = { .call = { } }; /* expect: warning: 'fair' in a section of its own: struct class may be aligned further there than in an array, align the variable [-Wcacheline-alloc-alignment] */
static const struct class stop __section("__stop_class") __aligned(32);
static const struct class elsewhere = { .call = { } };
static const struct plain small __section("__small"); /* expect (every): warning: 'small' in a section of its own: struct plain may be aligned further there than in an array, align the variable [-Wcacheline-alloc-alignment] */

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _LINUX_SLAB_H
#define _LINUX_SLAB_H

#include <linux/kernel.h>

#define GFP_KERNEL		((__force gfp_t)0xcc0u)
#define SLAB_HWCACHE_ALIGN	0x00002000U	/* objects start a line */
#define SLAB_RECLAIM_ACCOUNT	0x00020000U
#define SLAB_ACCOUNT		0x04000000U

struct kmem_cache *kmem_cache_create(const char *name, unsigned int size, unsigned int align,
				     unsigned int flags, void (*ctor)(void *object));
void *kmem_cache_alloc(struct kmem_cache *cache, gfp_t gfp);
void kmem_cache_free(struct kmem_cache *cache, void *object);
void *kzalloc(size_t size, gfp_t gfp);
void kfree(const void *object);

void __kfree_rcu(struct rcu_head *head, size_t offset);

/* the offset travels in place of a function, whose address is never below a page */
#define kfree_rcu(ptr, member) do { \
	BUILD_BUG_ON(offsetof(typeof(*(ptr)), member) >= 4096); \
	__kfree_rcu(&(ptr)->member, offsetof(typeof(*(ptr)), member)); \
} while (0)

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* What the inputs of this folder need to compile. */
#include "../stub.h"

typedef unsigned short u16, __be16;
typedef unsigned int __be32;
typedef unsigned long long u64, __le64;
typedef unsigned long size_t;
typedef _Bool bool;

#define true 1
#define false 0
#define NULL ((void *)0)
#define __force
#define __user
#define offsetof(type, member) __builtin_offsetof(type, member)
#define sizeof_field(type, member) sizeof(((type *)0)->member)
#define offsetofend(type, member) (offsetof(type, member) + sizeof_field(type, member))

void *memset(void *to, int value, size_t length);
void *memcpy(void *to, const void *from, size_t length);
int memcmp(const void *a, const void *b, size_t length);
#define memset_startat(p, value, member) \
	memset((char *)(p) + offsetof(typeof(*(p)), member), value, sizeof(*(p)) - offsetof(typeof(*(p)), member))
#define memset_after(p, value, member) \
	memset((char *)(p) + offsetofend(typeof(*(p)), member), value, sizeof(*(p)) - offsetofend(typeof(*(p)), member))

struct bundle;
struct bundle *bundle_of(void *p);

#define GFP_KERNEL 1
#define SLAB_ACCOUNT 2
#define SLAB_HWCACHE_ALIGN 4
#define SLAB_PANIC 8
#define __section(name) __attribute__((section(name)))
#define __used __attribute__((used))
#define KMEM_CACHE(s, flags) kmem_cache_create(#s, sizeof(struct s), __alignof__(struct s), flags, NULL)
struct kmem_cache;
struct kmem_cache *kmem_cache_create(const char *name, unsigned int size, unsigned int align, unsigned int flags, void (*ctor)(void *));
struct device;
void *devm_kzalloc(struct device *dev, size_t size, gfp_t flags);
void *kzalloc(size_t size, gfp_t flags);
struct net_device;
struct net_device *alloc_etherdev(int size);
void *__alloc_percpu(size_t size, size_t align);
#define alloc_percpu(type) ((type *)__alloc_percpu(sizeof(type), __alignof__(type)))

#define BUILD_BUG_ON(condition) ((void)sizeof(char[1 - 2 * !!(condition)]))
#define BUILD_BUG_ON_MSG(condition, text) BUILD_BUG_ON(condition)
#define static_assert(condition, ...) _Static_assert(condition, #condition)
#define container_of(p, type, member) ((type *)((char *)(p) - offsetof(type, member)))
#define DEFINE(symbol, value) asm volatile("\n->" #symbol : : "i" (value))
#define OFFSET(symbol, structure, member) DEFINE(symbol, offsetof(struct structure, member))

#define NR_CPUS 64
typedef struct cpumask { unsigned long bits[NR_CPUS / 64]; } cpumask_t;
struct rcu_head { struct rcu_head *next; void (*func)(struct rcu_head *head); };
#define kfree_rcu(p, member) ((void)sizeof(char[1 - 2 * (offsetof(typeof(*(p)), member) >= 4096)]))
struct route_table;
struct route_node { struct rcu_head rcu; };
struct route_node *first_node(struct route_table *table);

#define READ_ONCE(x) (*(const volatile typeof(x) *)&(x))
#define WRITE_ONCE(x, value) ((void)(*(volatile typeof(x) *)&(x) = (value)))
void set_bit(long nr, volatile unsigned long *to);
void clear_bit(long nr, volatile unsigned long *to);
int test_and_set_bit(long nr, volatile unsigned long *to);
int test_bit(long nr, const volatile unsigned long *from);
void atomic_set(atomic_t *to, int value);

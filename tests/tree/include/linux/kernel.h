/* SPDX-License-Identifier: GPL-2.0-only */
/* What every file here uses: sizes and offsets, lists, atomic variables. */
#ifndef _LINUX_KERNEL_H
#define _LINUX_KERNEL_H

#include <linux/cache.h>
#include <linux/types.h>

#define LONG_MAX		((long)(~0UL >> 1))
#define PAGE_SIZE		4096UL
#define PATH_MAX		4096
#define ENOMEM			12

#define offsetof(type, member)	__builtin_offsetof(type, member)
#define offsetofend(type, member)	(offsetof(type, member) + sizeof(((type *)0)->member))
#define container_of(ptr, type, member)	((type *)((char *)(ptr) - offsetof(type, member)))
#define struct_size(p, array, count)	(sizeof(*(p)) + sizeof((p)->array[0]) * (count))

#define BUILD_BUG_ON(condition)	_Static_assert(!(condition), "BUILD_BUG_ON: " #condition)
#define min(x, y)		((x) < (y) ? (x) : (y))
#define DECLARE_BITMAP(name, bits)	unsigned long name[((bits) + 63) / 64]

/* members that have a name together, NAME, and still their own */
#define struct_group(NAME, MEMBERS...) \
	union { struct { MEMBERS }; struct { MEMBERS } NAME; }

void *memset(void *to, int value, size_t size);

#define LIST_HEAD(name)	struct list_head name = { .next = &(name), .prev = &(name) }

static inline void INIT_LIST_HEAD(struct list_head *list)
{
	list->next = list->prev = list;
}

void list_add_tail(struct list_head *entry, struct list_head *list);
void list_del_init(struct list_head *entry);

#define atomic_read(v)		READ_ONCE((v)->counter)
#define atomic_long_read(v)	READ_ONCE((v)->counter)
#define atomic_set(v, i)	WRITE_ONCE((v)->counter, i)
#define atomic_long_set(v, i)	WRITE_ONCE((v)->counter, i)

bool atomic_dec_and_test(atomic_t *v);
bool atomic_inc_unless_negative(atomic_t *v);
void atomic_long_inc(atomic_long_t *v);
void atomic_long_add(long nr, atomic_long_t *v);
long atomic_long_add_return(long nr, atomic_long_t *v);
long atomic_long_sub_return(long nr, atomic_long_t *v);
long atomic_long_xchg(atomic_long_t *v, long value);

#endif

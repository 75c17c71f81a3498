// SPDX-License-Identifier: GPL-2.0-only
/* Where objects come from, and what is initialised by position: "object: ..." and "initialiser: ..." behind each line. */
struct point {
	int x, y;
};

struct line {
	struct point from, to;
	struct point *more;
};

extern struct line elsewhere;
struct line here __attribute__((aligned(64)));	/* object: static here 64 0 struct line */
static struct point named = { .y = 1, .x = 2 };	/* object: static named 0 0 struct point */
static struct point zero = { 0 };		/* object: static zero 0 0 struct point */
static struct point placed = { 1, 2 };		/* object: static placed 0 0 struct point; initialiser: placed 2 struct point */
static struct point list[] = { { 1, 2 }, [1] = { .x = 1 } };	/* object: static list 0 0 struct point; initialiser: list 2 struct point */
struct line half = { .from = { 3 } };		/* object: static half 0 0 struct line; initialiser: half 1 struct point */
struct point *kzalloc(unsigned long size, int flags);
struct line *kmalloc_array(unsigned long nr, unsigned long size, int flags);

void *allocated(int nr)
{
	struct point local;			/* object: stack local 0 0 struct point */
	struct point *p = kzalloc(sizeof(*p), 0);	/* object: kzalloc  0 0 struct point */
	struct line *lines = kmalloc_array(nr, sizeof(struct line) + 2 * sizeof(local), 0);	/* object: kmalloc_array  0 0 struct line */

	*p = (struct point) { 1, 2 };		/* initialiser:  2 struct point */
	return nr ? (void *)p : lines;
}

/* case A10: a cache whose objects do not start where their type asks for, the cure of it, and what begins a line anyway */
struct k_itimer {
	int it_id;
	int it_lock __attribute__((aligned(64)));
} __attribute__((aligned(64)));

#define SLAB_HWCACHE_ALIGN 0x2000
struct kmem_cache *kmem_cache_create(const char *name, unsigned int size, unsigned int align, unsigned int flags, void (*ctor)(void *));

void caches(struct kmem_cache **cache)
{
	cache[0] = kmem_cache_create("before", sizeof(struct k_itimer), 0, 0, 0);	/* object: kmem_cache_create  0 0 struct k_itimer */
	cache[1] = kmem_cache_create("after", sizeof(struct k_itimer), __alignof__(struct k_itimer), 0, 0);	/* object: kmem_cache_create  64 0 struct k_itimer */
	cache[2] = kmem_cache_create("lines", sizeof(struct k_itimer), 0, SLAB_HWCACHE_ALIGN, 0);	/* object: kmem_cache_create  0 1 struct k_itimer */
}

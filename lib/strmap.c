/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "arena.h"
#include "strmap.h"

uint64_t hash_bytes(const char *s, size_t len, uint64_t seed)
{
	uint64_t h = 0xcbf29ce484222325ULL ^ (seed * 0x9e3779b97f4a7c15ULL);

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)s[i]) * 0x100000001b3ULL;
	/* FNV leaves the high bits of short strings alike */
	h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ULL;
	h = (h ^ (h >> 27)) * 0x94d049bb133111ebULL;
	return h ^ (h >> 31);
}

static struct strmap_entry **find_slot(const struct strmap *map, const char *key, size_t len)
{
	size_t i = hash_bytes(key, len, 0) & (map->nr_slots - 1);

	for (;;) {
		struct strmap_entry *e = map->slots[i];

		if (!e || (e->len == len && !memcmp(e->key, key, len)))
			return &map->slots[i];
		i = (i + 1) & (map->nr_slots - 1);
	}
}

static void grow(struct strmap *map)
{
	struct strmap bigger = { .nr_slots = map->nr_slots ? map->nr_slots * 2 : 16, .nr = map->nr };

	bigger.slots = arena_alloc(bigger.nr_slots * sizeof(*bigger.slots));
	for (size_t i = 0; i < map->nr_slots; i++) {
		struct strmap_entry *e = map->slots[i];

		if (e)
			*find_slot(&bigger, e->key, e->len) = e;
	}
	*map = bigger;
}

struct strmap_entry *strmap_get(const struct strmap *map, const char *key, size_t len)
{
	return map->nr ? *find_slot(map, key, len) : NULL;
}

void strmap_add(struct strmap *map, const char *key, size_t len, uint32_t value)
{
	struct strmap_entry **slot;

	if (map->nr * 2 >= map->nr_slots)
		grow(map);
	slot = find_slot(map, key, len);
	if (!*slot) {
		*slot = arena_alloc(sizeof(**slot));
		(*slot)->key = key;
		(*slot)->len = len;
		map->nr++;
	}
	*ARENA_PUSH((*slot)->values, (*slot)->nr, (*slot)->room) = value;
}

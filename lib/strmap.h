/* SPDX-License-Identifier: GPL-2.0-only */
/* From strings to lists of numbers. Keys stay the caller's; memory is the arena's. */
#ifndef LINEKEEPER_STRMAP_H
#define LINEKEEPER_STRMAP_H

#include <stddef.h>
#include <stdint.h>

struct strmap_entry {
	const char *key;		/* not ended by a NUL: len bytes */
	size_t len;
	uint32_t *values;
	size_t nr, room;
};

struct strmap {
	struct strmap_entry **slots;	/* a power of two of them */
	size_t nr_slots, nr;
};

/* puts value at the end of key's list */
void strmap_add(struct strmap *map, const char *key, size_t len, uint32_t value);

/* or NULL */
struct strmap_entry *strmap_get(const struct strmap *map, const char *key, size_t len);

/* a hash of len bytes; two seeds give two independent ones */
uint64_t hash_bytes(const char *s, size_t len, uint64_t seed);

#endif

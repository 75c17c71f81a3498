/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory for sparse's allocators, by way of the linker (-Wl,--wrap=blob_alloc). sparse maps 32 KiB at a time and then has
 * a page fault for each page; these faults are a third of what a parse costs. Here pages come many at a time, as huge ones
 * where the system has them. Nothing is given back: a checker lives for one translation unit.
 */
#include <sys/mman.h>

#include "arena.h"

#define PIECE	(2UL << 20)		/* bytes; a huge page, and a multiple of sparse's CHUNK */
#define ROOM	(32UL << 20)		/* addresses that are taken at once */

void *__wrap_blob_alloc(unsigned long size);
void __wrap_blob_free(void *addr, unsigned long size);

static char *map_room(unsigned long size)
{
	char *room = mmap(NULL, size + PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (room == MAP_FAILED)
		fatal("out of memory (%lu bytes)", size);
	room += -(unsigned long)room % PIECE;
	madvise(room, size, MADV_HUGEPAGE);
	return room;
}

void *__wrap_blob_alloc(unsigned long size)
{
	static char *next, *ready, *end;	/* up to ready there are pages */

	if (size > (unsigned long)(end - next)) {
		unsigned long room = size > ROOM ? size + -size % PIECE : ROOM;

		next = ready = map_room(room);
		end = next + room;
	}
	next += size;
	while (ready < next) {
#ifdef MADV_POPULATE_WRITE		/* else they come one by one, when they are touched */
		madvise(ready, PIECE, MADV_POPULATE_WRITE);
#endif
		ready += PIECE;
	}
	return next - size;
}

void __wrap_blob_free(void *addr, unsigned long size)
{
	(void)addr, (void)size;
}

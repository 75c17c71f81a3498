/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory for sparse's allocators, by way of the linker (-Wl,--wrap=blob_alloc). sparse maps 32 KiB at a time and then has
 * a page fault for each page; these faults are a third of what a parse costs. Here pages come many at a time. Nothing
 * is given back: a checker lives for one translation unit.
 */
#include <sys/mman.h>

#include "arena.h"

#define ROOM	(256UL << 10)		/* at least sparse's CHUNK, a multiple of it */

void *__wrap_blob_alloc(unsigned long size);
void __wrap_blob_free(void *addr, unsigned long size);

void *__wrap_blob_alloc(unsigned long size)
{
	static char *next;
	static unsigned long left;

	if (size > left) {
		left = size > ROOM ? size : ROOM;
		next = mmap(NULL, left, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
		if (next == MAP_FAILED)
			fatal("out of memory (%lu bytes)", left);
	}
	left -= size;
	next += size;
	return next - size;
}

void __wrap_blob_free(void *addr, unsigned long size)
{
	(void)addr, (void)size;
}

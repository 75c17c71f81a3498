/* SPDX-License-Identifier: GPL-2.0-only */
#include <stddef.h>

#include "slab.h"

#define PAGE		4096
#define MIN_OBJECTS	16
#define MAX_PAGES	8

unsigned int slab_size_for(unsigned long long size)
{
	unsigned int pages = 1;

	while (pages < MAX_PAGES && size * MIN_OBJECTS > pages * PAGE)
		pages *= 2;
	return pages * PAGE;
}

unsigned long long slab_objects(unsigned long long size, unsigned int align, unsigned int slab_size)
{
	unsigned int step = align > 8 ? align : 8;

	if (!size || size > slab_size)
		return 0;
	return slab_size / ((size + step - 1) / step * step);
}

unsigned int kmalloc_bucket(unsigned long long size)
{
	static const unsigned int buckets[] = {
		8, 16, 32, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096, 8192,
	};

	for (size_t i = 0; i < sizeof(buckets) / sizeof(buckets[0]); i++)
		if (size <= buckets[i])
			return buckets[i];
	return 0;
}

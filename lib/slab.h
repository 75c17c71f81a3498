/* SPDX-License-Identifier: GPL-2.0-only */
/* What an object's size costs in the kernel's allocators. Sizes and alignments in bytes. */
#ifndef LINEKEEPER_SLAB_H
#define LINEKEEPER_SLAB_H

/*
 * A slab of SLUB's for objects of size: as few pages of 4 KiB as hold 16, at most 8 (mm/slub.c: calculate_order(), as with four
 * CPUs; with more it prefers larger ones, up to the same 8).
 */
unsigned int slab_size_for(unsigned long long size);

/*
 * How many objects fit into a slab of slab_size bytes: each takes its size rounded up to its alignment,
 * at least 8 (mm/slab_common.c: calculate_alignment()).
 */
unsigned long long slab_objects(unsigned long long size, unsigned int align, unsigned int slab_size);

/*
 * The kmalloc cache that serves a request of size: 8 to 8192 in powers of two, and 96 and 192
 * (mm/slab_common.c: kmalloc_info[], with 4 KiB pages). 0: larger, straight from the page allocator.
 */
unsigned int kmalloc_bucket(unsigned long long size);

#endif

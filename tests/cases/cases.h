/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the inputs of this folder need of a kernel, in our own words. Lines of 64 bytes.
 */
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef struct { long counter; } atomic_long_t;

struct list_head { struct list_head *next, *prev; };

#define __aligned(n)		__attribute__((__aligned__(n)))
#define __packed		__attribute__((__packed__))
#define CLA			__aligned(64)

/* markers of a group, and one line's padding; without SMP there is none */
#define GB(group)		u8 __begin_##group[0]
#define GE(group)		u8 __end_##group[0]
#define GB_AL(group)		u8 __begin_##group[0] CLA
#define GE_AL(group)		u8 __end_##group[0] __aligned(8); u8 __pad_##group[0] CLA
#ifdef UP
#define CACHELINE_PADDING(name)
#else
#define CACHELINE_PADDING(name)	struct { char x[0]; } name CLA
#endif

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __LINUX_CACHE_H
#define __LINUX_CACHE_H

#include <asm/cache.h>

#define SMP_CACHE_BYTES		L1_CACHE_BYTES
#define ____cacheline_aligned	__attribute__((aligned(SMP_CACHE_BYTES)))

#ifdef CONFIG_SMP
# define ____cacheline_aligned_in_smp	____cacheline_aligned
# define ____cacheline_internodealigned_in_smp	__attribute__((aligned(INTERNODE_CACHE_BYTES)))

/* takes no room itself; what follows starts a line */
struct cacheline_padding {
	char x[0];
} ____cacheline_internodealigned_in_smp;
# define CACHELINE_PADDING(name)	struct cacheline_padding name
#else
# define ____cacheline_aligned_in_smp
# define ____cacheline_internodealigned_in_smp
# define CACHELINE_PADDING(name)
#endif

/* members between a begin and an end are used together; the markers take no room */
#define __cacheline_group_begin(GROUP)	__u8 __cacheline_group_begin__##GROUP[0]
#define __cacheline_group_end(GROUP)	__u8 __cacheline_group_end__##GROUP[0]

#define __group_start(TYPE, GROUP)	offsetof(TYPE, __cacheline_group_begin__##GROUP)
#define __group_stop(TYPE, GROUP)	offsetof(TYPE, __cacheline_group_end__##GROUP)

#define CACHELINE_ASSERT_GROUP_MEMBER(TYPE, GROUP, MEMBER) \
	BUILD_BUG_ON(offsetof(TYPE, MEMBER) < __group_start(TYPE, GROUP) || \
		     offsetofend(TYPE, MEMBER) > __group_stop(TYPE, GROUP))
#define CACHELINE_ASSERT_GROUP_SIZE(TYPE, GROUP, SIZE) \
	BUILD_BUG_ON(__group_stop(TYPE, GROUP) - __group_start(TYPE, GROUP) > (SIZE))

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* What the inputs of this folder need to compile. */
#include "../../include/cacheline_layout.h"

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned int spinlock_t, errseq_t, gfp_t;
typedef unsigned long pgoff_t;
typedef struct { int counter; } atomic_t;
typedef struct { long counter; } atomic_long_t;
struct list_head { struct list_head *next, *prev; };
struct rb_root_cached { void *root, *leftmost; };
struct rw_semaphore { atomic_long_t count, owner; u8 rest[24]; };
struct xarray { u32 lock, flags; void *head; };
struct cgroup_rstat_cpu { int dummy; };
struct cgroup_base_stat { long sums[6]; };

#define __rcu
#define __percpu
#define __randomize_layout
#define __aligned(x) __attribute__((aligned(x)))
#define ____cacheline_aligned __aligned(64)
#define ____cacheline_aligned_in_smp __aligned(64)
#define ____cacheline_internodealigned_in_smp __aligned(64)
#define CACHELINE_PADDING(name) struct { char x[0]; } __aligned(64) name
#define __cacheline_group_begin(group) char group##__begin[0]
#define __cacheline_group_end(group) char group##__end[0]
#define __cacheline_group_begin_aligned(group) char group##__begin[0] __aligned(64)
#define __cacheline_group_end_aligned(group) char group##__end[0] __aligned(64)
#define DECLARE_BITMAP(name, bits) unsigned long name[(bits) / 64]
#define DECLARE_FLEX_ARRAY(type, name) struct { struct { } name##_empty; type name[]; }
#define GUEST_HANDLE(type) type *
#define __deprecated
#define KABI_RESERVE(n) unsigned long reserved##n;
#define randomized_struct_fields_start struct {
#define randomized_struct_fields_end };
#define struct_group(name, ...) union { struct { __VA_ARGS__ }; struct { __VA_ARGS__ } name; }

/* SPDX-License-Identifier: GPL-2.0-only */
/// Part address_space.i_mmap, which is changed, from i_mmap_rwsem, which others spin on.
///
/// Thread: "[PATCH] fs/address_space: add alignment padding for i_map and i_mmap_rwsem to mitigate a false sharing",
/// 2023-06-28 to 2023-07-16: UnixBench shell +2.5 % (v1), +5.3 % (v2).
///
/// An address_space starts at any multiple of 8. Two members are on different lines of 64 bytes for every one
/// of these when at least 56 bytes lie between them: on 64-bit, nrpages to private_list are 56. v2 left 32, which
/// is why upstream moved i_mmap_rwsem once more in 2024, to where the default puts it.
//
// Confidence: High
// Copyright: (C) 2026 linekeeper's authors
// Options: --no-includes --include-headers
// Requires: 1.2
// Struct: address_space
// Promise: apart(address_space.i_mmap, address_space.i_mmap_rwsem)
// Promise (!v1): growth(address_space) <= 0
// Promise (v1): growth(address_space) <= 64
//
//	struct address_space {			struct address_space {
//		...					...
//		struct rb_root_cached i_mmap;		struct rb_root_cached i_mmap;
//		struct rw_semaphore i_mmap_rwsem;	unsigned long nrpages;
//		unsigned long nrpages;		->	...
//		...					struct list_head private_list;
//		struct list_head private_list;		struct rw_semaphore i_mmap_rwsem;
//		void *private_data;			void *private_data;
//	};					};
//
// -D v1: as first sent, i_mmap_rwsem aligned to a line, which grows the struct and all that embed it.
// -D v2: as merged, i_mmap_rwsem behind flags: no proof, the two may still meet. The default parts them there too.

virtual patch, context, org, report
virtual v1, v2

@align depends on patch && v1@
attribute name ____cacheline_aligned_in_smp;
@@
struct address_space {
	...
	struct rb_root_cached i_mmap;
-	struct rw_semaphore i_mmap_rwsem;
+	struct rw_semaphore i_mmap_rwsem ____cacheline_aligned_in_smp;
	...
}

@behind_flags depends on patch && v2@
@@
struct address_space {
	...
	struct rb_root_cached i_mmap;
-	struct rw_semaphore i_mmap_rwsem;
	...
	unsigned long flags;
+	struct rw_semaphore i_mmap_rwsem;
	...
}

@behind_list depends on patch && !v1 && !v2@
identifier behind = {private_list, i_private_list};
@@
struct address_space {
	...
	struct rb_root_cached i_mmap;
	...
-	struct rw_semaphore i_mmap_rwsem;
	...
	struct list_head behind;
+	struct rw_semaphore i_mmap_rwsem;
	...
}

@found depends on context@
identifier behind = {private_list, i_private_list};
@@
struct address_space {
	...
*	struct rb_root_cached i_mmap;
	...
*	struct rw_semaphore i_mmap_rwsem;
	...
	struct list_head behind;
	...
}

@near depends on org || report@
identifier behind = {private_list, i_private_list};
position p;
@@
struct address_space {
	...
	struct rb_root_cached i_mmap;
	...
	struct rw_semaphore i_mmap_rwsem@p;
	...
	struct list_head behind;
	...
}

@initialize:python depends on report@
@@
show = coccilib.report.print_report

@initialize:python depends on org@
@@
show = coccilib.org.print_todo

@script:python depends on report || org@
p << near.p;
l << near.behind;
@@
show(p[0], "address_space.i_mmap_rwsem is spun on beside i_mmap, which its holder changes: move it behind " + l)

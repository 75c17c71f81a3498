/* SPDX-License-Identifier: GPL-2.0-only */
/// Say that address_space.i_mmap_rwsem is to be apart from i_mmap.
///
/// The cure is seeds/address_space_i_mmap.cocci: this holds the struct to it.
//
// Confidence: High
// Copyright: (C) 2026 linekeeper's authors
// Options: --no-includes --include-headers
// Requires: 1.2
// Struct: address_space
//
//	struct rw_semaphore i_mmap_rwsem;	->	struct rw_semaphore i_mmap_rwsem __cacheline_apart(i_mmap);
//
// The macros are those of cacheline_layout.h. What has its annotation is left as it is.

virtual patch, context, org, report

@rwsem_said@
attribute name __cacheline_apart;
symbol i_mmap;
position p;
@@
struct address_space {
	...
	struct rw_semaphore i_mmap_rwsem@p __cacheline_apart(i_mmap);
	...
}

@rwsem depends on patch@
attribute name __cacheline_apart;
symbol i_mmap;
position p != rwsem_said.p;
@@
struct address_space {
	...
-	struct rw_semaphore i_mmap_rwsem@p;
+	struct rw_semaphore i_mmap_rwsem __cacheline_apart(i_mmap);
	...
}

@rwsem_found depends on context@
position p != rwsem_said.p;
@@
struct address_space {
	...
*	struct rw_semaphore i_mmap_rwsem@p;
	...
}

@rwsem_near depends on org || report@
position p != rwsem_said.p;
@@
struct address_space {
	...
	struct rw_semaphore i_mmap_rwsem@p;
	...
}

@initialize:python depends on report@
@@
show = coccilib.report.print_report

@initialize:python depends on org@
@@
show = coccilib.org.print_todo

@script:python depends on report || org@
p << rwsem_near.p;
@@
show(p[0], "address_space.i_mmap_rwsem is to be apart from i_mmap: say __cacheline_apart(i_mmap)")

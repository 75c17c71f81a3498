/* SPDX-License-Identifier: GPL-2.0-only */
/// Move page_counter.parent to the end, away from usage.
///
/// usage is written at every charge; parent is read by every charge that climbs the hierarchy, on the same
/// line. Thread: "[PATCH v2] mm: page_counter: relayout structure to reduce false sharing", 2021-01-19:
/// will-it-scale malloc1 +8.9 % and +7.1 %, pagefault2 up to +9.9 %, fio up to +4.5 %.
//
// Confidence: High
// Copyright: (C) 2026 linekeeper's authors
// Options: --no-includes --include-headers
// Requires: 1.2
// Struct: page_counter
// Promise: growth(page_counter) <= 0
// Promise (!revert): apart(page_counter.usage, page_counter.parent)
//
//	struct page_counter {			struct page_counter {
//		atomic_long_t usage;			atomic_long_t usage;
//		...				->	...
//		unsigned long max;			unsigned long max;
//		struct page_counter *parent;		...
//		...					unsigned long failcnt;
//		unsigned long failcnt;			struct page_counter *parent;
//	};					};
//
// -D revert puts it back behind max.

virtual patch, context, org, report
virtual revert

@apply depends on patch && !revert@
@@
struct page_counter {
	...
	unsigned long max;
-	struct page_counter *parent;
	...
+	struct page_counter *parent;
}

@back depends on patch && revert@
@@
struct page_counter {
	...
	unsigned long max;
+	struct page_counter *parent;
	...
-	struct page_counter *parent;
}

@found depends on context && !revert@
@@
struct page_counter {
	...
	unsigned long max;
*	struct page_counter *parent;
	...
	unsigned long failcnt;
	...
}

@near depends on (org || report) && !revert@
position p;
@@
struct page_counter {
	...
	unsigned long max;
	struct page_counter *parent@p;
	...
	unsigned long failcnt;
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
@@
show(p[0], "page_counter.parent is read on the line that usage is written on: move it to the end")

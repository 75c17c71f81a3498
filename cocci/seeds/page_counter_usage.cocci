/* SPDX-License-Identifier: GPL-2.0-only */
/// Give page_counter.usage a line of its own, and the limits that every charge reads another.
///
/// Thread: "[PATCH v2 2/3] mm: page_counter: rearrange struct page_counter fields", 2022-08-25,
/// <20220825000506.239406-3>: netperf TCP_SENDFILE 10482.7 -> 12413.7 Mbps (+18.4 %). mem_cgroup, which embeds several
/// page_counters, grows: 4032 -> 4416 bytes there.
//
// Confidence: High
// Copyright: (C) 2026 linekeeper's authors
// Options: --no-includes --include-headers
// Requires: 1.2
// Struct: page_counter
// Promise (!revert): isolated(page_counter.usage)
// Promise (!revert): apart(page_counter.usage, page_counter.parent)
// Promise (!revert): apart(page_counter.watermark, page_counter.max)
// Promise (!revert): apart(page_counter.failcnt, page_counter.min)
// Promise (!revert): growth(page_counter) <= 80
// Promise (revert): growth(page_counter) < 0
//
//	struct page_counter {			struct page_counter {
//		atomic_long_t usage;			atomic_long_t usage;
//		unsigned long min;			CACHELINE_PADDING(_pad1_);
//		unsigned long low;			...
//		unsigned long high;	->		CACHELINE_PADDING(_pad2_);
//		unsigned long max;			unsigned long min;
//		...					unsigned long low;
//		struct page_counter *parent;		unsigned long high;
//	};						unsigned long max;
//							struct page_counter *parent;
//						} ____cacheline_internodealigned_in_smp;
//
// After page_counter_parent.cocci. -D revert takes it out again.

virtual patch, context, org, report
virtual revert

@apply depends on patch && !revert@
declarer name CACHELINE_PADDING;
attribute name ____cacheline_internodealigned_in_smp;
symbol _pad1_, _pad2_;
@@
struct page_counter {
	...
	atomic_long_t usage;
+	CACHELINE_PADDING(_pad1_);
-	unsigned long min;
-	unsigned long low;
-	unsigned long high;
-	unsigned long max;
	...
+	CACHELINE_PADDING(_pad2_);
+	unsigned long min;
+	unsigned long low;
+	unsigned long high;
+	unsigned long max;
	struct page_counter *parent;
-}
+} ____cacheline_internodealigned_in_smp
;

@back depends on patch && revert@
declarer name CACHELINE_PADDING;
attribute name ____cacheline_internodealigned_in_smp;
symbol _pad1_, _pad2_;
@@
struct page_counter {
	...
	atomic_long_t usage;
-	CACHELINE_PADDING(_pad1_);
+	unsigned long min;
+	unsigned long low;
+	unsigned long high;
+	unsigned long max;
	...
-	CACHELINE_PADDING(_pad2_);
-	unsigned long min;
-	unsigned long low;
-	unsigned long high;
-	unsigned long max;
	...
}
- ____cacheline_internodealigned_in_smp
;

@found depends on context && !revert@
@@
struct page_counter {
	...
*	atomic_long_t usage;
	unsigned long min;
	...
}

@shared depends on (org || report) && !revert@
position p;
@@
struct page_counter {
	...
	atomic_long_t usage@p;
	unsigned long min;
	...
}

@initialize:python depends on report@
@@
show = coccilib.report.print_report

@initialize:python depends on org@
@@
show = coccilib.org.print_todo

@script:python depends on report || org@
p << shared.p;
@@
show(p[0], "page_counter.usage is written on a line that every charge reads: give it one of its own")

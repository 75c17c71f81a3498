/* SPDX-License-Identifier: GPL-2.0-only */
/// Say which members of page_counter every charge reads or writes, and that usage is to be alone.
///
/// The cure is seeds/page_counter_usage.cocci, behind seeds/page_counter_parent.cocci: this holds the struct to it.
//
// Confidence: High
// Copyright: (C) 2026 linekeeper's authors
// Options: --no-includes --include-headers
// Requires: 1.2
// Struct: page_counter
//
//	atomic_long_t usage;		->	atomic_long_t usage __cacheline_isolated;
//	unsigned long watermark;	->	unsigned long watermark __cacheline_written;
//	unsigned long max;		->	unsigned long max __cacheline_read_mostly;
//
// The macros are those of cacheline_layout.h. What has its annotation is left as it is.

virtual patch, context, org, report

@usage_said@
attribute name __cacheline_isolated;
position p;
@@
struct page_counter {
	...
	atomic_long_t usage@p __cacheline_isolated;
	...
}

@usage depends on patch@
attribute name __cacheline_isolated;
position p != usage_said.p;
@@
struct page_counter {
	...
-	atomic_long_t usage@p;
+	atomic_long_t usage __cacheline_isolated;
	...
}

@usage_found depends on context@
position p != usage_said.p;
@@
struct page_counter {
	...
*	atomic_long_t usage@p;
	...
}

@usage_near depends on org || report@
position p != usage_said.p;
@@
struct page_counter {
	...
	atomic_long_t usage@p;
	...
}

@parent_said@
attribute name __cacheline_read_mostly;
position p;
@@
struct page_counter {
	...
	struct page_counter *parent@p __cacheline_read_mostly;
	...
}

@parent depends on patch@
attribute name __cacheline_read_mostly;
position p != parent_said.p;
@@
struct page_counter {
	...
-	struct page_counter *parent@p;
+	struct page_counter *parent __cacheline_read_mostly;
	...
}

@parent_found depends on context@
position p != parent_said.p;
@@
struct page_counter {
	...
*	struct page_counter *parent@p;
	...
}

@parent_near depends on org || report@
position p != parent_said.p;
@@
struct page_counter {
	...
	struct page_counter *parent@p;
	...
}

@limit_said@
attribute name __cacheline_read_mostly;
identifier f = {min, low, high, max};
position p;
@@
struct page_counter {
	...
	unsigned long f@p __cacheline_read_mostly;
	...
}

@limit depends on patch@
attribute name __cacheline_read_mostly;
identifier f = {min, low, high, max};
position p != limit_said.p;
@@
struct page_counter {
	...
-	unsigned long f@p;
+	unsigned long f __cacheline_read_mostly;
	...
}

@limit_found depends on context@
identifier f = {min, low, high, max};
position p != limit_said.p;
@@
struct page_counter {
	...
*	unsigned long f@p;
	...
}

@limit_near depends on org || report@
identifier f = {min, low, high, max};
position p != limit_said.p;
@@
struct page_counter {
	...
	unsigned long f@p;
	...
}

@mark_said@
attribute name __cacheline_written;
identifier f = {watermark, local_watermark, failcnt};
position p;
@@
struct page_counter {
	...
	unsigned long f@p __cacheline_written;
	...
}

@mark depends on patch@
attribute name __cacheline_written;
identifier f = {watermark, local_watermark, failcnt};
position p != mark_said.p;
@@
struct page_counter {
	...
-	unsigned long f@p;
+	unsigned long f __cacheline_written;
	...
}

@mark_found depends on context@
identifier f = {watermark, local_watermark, failcnt};
position p != mark_said.p;
@@
struct page_counter {
	...
*	unsigned long f@p;
	...
}

@mark_near depends on org || report@
identifier f = {watermark, local_watermark, failcnt};
position p != mark_said.p;
@@
struct page_counter {
	...
	unsigned long f@p;
	...
}

@initialize:python depends on report@
@@
show = coccilib.report.print_report

@initialize:python depends on org@
@@
show = coccilib.org.print_todo

@script:python depends on report || org@
p << usage_near.p;
@@
show(p[0], "page_counter.usage is to be alone on its line: say __cacheline_isolated")

@script:python depends on report || org@
p << parent_near.p;
@@
show(p[0], "page_counter.parent is read by every charge: say __cacheline_read_mostly")

@script:python depends on report || org@
p << limit_near.p;
f << limit_near.f;
@@
show(p[0], "page_counter." + f + " is read by every charge: say __cacheline_read_mostly")

@script:python depends on report || org@
p << mark_near.p;
f << mark_near.f;
@@
show(p[0], "page_counter." + f + " is written by charges: say __cacheline_written")

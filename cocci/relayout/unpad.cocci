/* SPDX-License-Identifier: GPL-2.0-only */
/// Take a CACHELINE_PADDING() out of a struct.
//
// Confidence: High
// Copyright: (C) 2026 linekeeper's authors
// Options: --no-includes --include-headers
// Requires: 1.2
// Promise: growth(${STRUCT}) <= 0
//
// -D STRUCT=NAME, and -D NAME=NAME for another name than _pad_
//
//	struct s {				struct s {
//		atomic_t hits;				atomic_t hits;
//		CACHELINE_PADDING(_pad_);  ->		struct s *up;
//		struct s *up;			};
//	};
//
//	-D STRUCT=s

virtual patch, context, org, report

@script:python named@
given << virtual.NAME = "_pad_";
padding;
@@
coccinelle.padding = cocci.make_ident(given)

@there@
declarer name CACHELINE_PADDING;
identifier virtual.STRUCT, named.padding;
position p;
@@
struct STRUCT {
	...
	CACHELINE_PADDING(padding@p);
	...
}

@take depends on patch@
declarer name CACHELINE_PADDING;
identifier virtual.STRUCT, named.padding;
@@
struct STRUCT {
	...
-	CACHELINE_PADDING(padding);
	...
}

@shown depends on context@
declarer name CACHELINE_PADDING;
identifier virtual.STRUCT, named.padding;
@@
struct STRUCT {
	...
*	CACHELINE_PADDING(padding);
	...
}

@initialize:python depends on report@
@@
show = coccilib.report.print_report

@initialize:python depends on org@
@@
show = coccilib.org.print_todo

@script:python depends on report || org@
p << there.p;
s << virtual.STRUCT;
n << named.padding;
@@
show(p[0], "CACHELINE_PADDING(%s) goes out of %s" % (n, s))

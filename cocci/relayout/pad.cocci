/* SPDX-License-Identifier: GPL-2.0-only */
/// Put a CACHELINE_PADDING() behind a member: what follows starts a line.
//
// Confidence: High
// Copyright: (C) 2026 linekeeper's authors
// Options: --no-includes --include-headers
// Requires: 1.2
//
// -D STRUCT=NAME -D AFTER=NAME, and -D NAME=NAME for another name than _pad_
//
//	struct s {			struct s {
//		atomic_t hits;			atomic_t hits;
//		struct s *up;	->		CACHELINE_PADDING(_pad_);
//	};					struct s *up;
//					};
//
//	-D STRUCT=s -D AFTER=hits
//
// AFTER may also be a member of an anonymous struct in STRUCT. A padding of that name that is there already is left alone.

virtual patch, context, org, report

@script:python named@
given << virtual.NAME = "_pad_";
padding;
@@
coccinelle.padding = cocci.make_ident(given)

@there_already@
declarer name CACHELINE_PADDING;
identifier virtual.STRUCT, named.padding;
@@
struct STRUCT {
	...
	CACHELINE_PADDING(padding);
	...
}

@where depends on !there_already@
identifier virtual.STRUCT, virtual.AFTER;
type T;
expression E;
declarer D != {__cacheline_group_begin, __cacheline_group_begin_aligned};
field G;
position p;
@@
struct STRUCT {
	...
(
(
	T AFTER@p;
|
	T AFTER@p:E;
|
	D(..., AFTER@p, ...);
)
&
	G
)
	...
}

@where_inside depends on !there_already && !where@
identifier virtual.STRUCT, virtual.AFTER;
type T;
expression E;
declarer D != {__cacheline_group_begin, __cacheline_group_begin_aligned};
field G;
position p;
@@
struct STRUCT {
	...
	struct {
		...
(
(
		T AFTER@p;
|
		T AFTER@p:E;
|
		D(..., AFTER@p, ...);
)
&
		G
)
		...
	};
	...
}

@put depends on patch@
declarer name CACHELINE_PADDING;
identifier virtual.STRUCT, named.padding;
field where.G;
@@
struct STRUCT {
	...
	G
+	CACHELINE_PADDING(padding);
	...
}

@put_inside depends on patch@
declarer name CACHELINE_PADDING;
identifier virtual.STRUCT, named.padding;
field where_inside.G;
@@
struct STRUCT {
	...
	struct {
		...
		G
+		CACHELINE_PADDING(padding);
		...
	};
	...
}

@shown depends on context@
identifier virtual.STRUCT;
field where.G;
@@
struct STRUCT {
	...
*	G
	...
}

@shown_inside depends on context@
identifier virtual.STRUCT;
field where_inside.G;
@@
struct STRUCT {
	...
	struct {
		...
*		G
		...
	};
	...
}

@initialize:python depends on report@
@@
show = coccilib.report.print_report

@initialize:python depends on org@
@@
show = coccilib.org.print_todo

@script:python depends on report || org@
p << where.p = [];
q << where_inside.p = [];
s << virtual.STRUCT;
a << virtual.AFTER;
n << named.padding;
@@
for place in p or q:
    show(place, "CACHELINE_PADDING(%s) goes behind %s.%s" % (n, s, a))

/* SPDX-License-Identifier: GPL-2.0-only */
/// Open a cache line group before a member of a struct and close it behind the same or a later one.
//
// Confidence: High
// Copyright: (C) 2026 linekeeper's authors
// Options: --no-includes --include-headers
// Requires: 1.2
//
// -D STRUCT=NAME -D FIRST=NAME -D LAST=NAME -D GROUP=NAME, and -D aligned for a group that has its lines for itself
//
//	struct s {			struct s {
//		atomic_t hits;			atomic_t hits;
//		struct s *up;	->		__cacheline_group_begin(s_read);
//		char name[120];			struct s *up;
//	};					char name[120];
//						__cacheline_group_end(s_read);
//					};
//
//	-D STRUCT=s -D FIRST=up -D LAST=name -D GROUP=s_read
//
// For kernels that have the macros: 6.8 and later, -D aligned 6.11 and later.

virtual patch, context, org, report
virtual aligned

@there_already@
declarer name __cacheline_group_begin, __cacheline_group_begin_aligned;
identifier virtual.STRUCT, virtual.GROUP;
@@
struct STRUCT {
	...
(
	__cacheline_group_begin(GROUP);
|
	__cacheline_group_begin_aligned(GROUP, ...);
)
	...
}

@first depends on !there_already@
identifier virtual.STRUCT, virtual.FIRST;
type T;
expression E;
declarer D;
field F;
position p;
@@
struct STRUCT {
	...
(
(
	T FIRST@p;
|
	T FIRST@p:E;
|
	D(..., FIRST@p, ...);
)
&
	F
)
	...
}

@last depends on !there_already@
identifier virtual.STRUCT, virtual.LAST;
type T;
expression E;
declarer D;
field G;
position p;
@@
struct STRUCT {
	...
(
(
	T LAST@p;
|
	T LAST@p:E;
|
	D(..., LAST@p, ...);
)
&
	G
)
	...
}

@single@
identifier virtual.STRUCT;
field first.F, last.G;
@@
struct STRUCT {
	...
(
	F
&
	G
)
	...
}

@in_order@
identifier virtual.STRUCT;
field first.F, last.G;
@@
struct STRUCT {
	...
	F
	...
	G
	...
}

@around depends on patch && !aligned && !single@
declarer name __cacheline_group_begin, __cacheline_group_end;
identifier virtual.STRUCT, virtual.GROUP;
field first.F, last.G;
@@
struct STRUCT {
	...
+	__cacheline_group_begin(GROUP);
	F
	...
	G
+	__cacheline_group_end(GROUP);
	...
}

@around_one depends on patch && !aligned && single@
declarer name __cacheline_group_begin, __cacheline_group_end;
identifier virtual.STRUCT, virtual.GROUP;
field first.F;
@@
struct STRUCT {
	...
+	__cacheline_group_begin(GROUP);
	F
+	__cacheline_group_end(GROUP);
	...
}

@aligned_around depends on patch && aligned && !single@
declarer name __cacheline_group_begin_aligned, __cacheline_group_end_aligned;
identifier virtual.STRUCT, virtual.GROUP;
field first.F, last.G;
@@
struct STRUCT {
	...
+	__cacheline_group_begin_aligned(GROUP);
	F
	...
	G
+	__cacheline_group_end_aligned(GROUP);
	...
}

@aligned_around_one depends on patch && aligned && single@
declarer name __cacheline_group_begin_aligned, __cacheline_group_end_aligned;
identifier virtual.STRUCT, virtual.GROUP;
field first.F;
@@
struct STRUCT {
	...
+	__cacheline_group_begin_aligned(GROUP);
	F
+	__cacheline_group_end_aligned(GROUP);
	...
}

@shown depends on context && !single@
identifier virtual.STRUCT;
field first.F, last.G;
@@
struct STRUCT {
	...
*	F
	...
*	G
	...
}

@shown_one depends on context && single@
identifier virtual.STRUCT;
field first.F;
@@
struct STRUCT {
	...
*	F
	...
}

@initialize:python depends on report@
@@
show = coccilib.report.print_report

@initialize:python depends on org@
@@
show = coccilib.org.print_todo

@script:python depends on (report || org) && (single || in_order)@
p << first.p;
q << last.p;
s << virtual.STRUCT;
f << virtual.FIRST;
l << virtual.LAST;
g << virtual.GROUP;
@@
show(p[0], "%s.%s to %s become group %s" % (s, f, l, g))

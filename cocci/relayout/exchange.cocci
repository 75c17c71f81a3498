/* SPDX-License-Identifier: GPL-2.0-only */
/// Exchange two members of a struct.
//
// Confidence: High
// Copyright: (C) 2026 linekeeper's authors
// Options: --no-includes --include-headers
// Requires: 1.2
//
// -D STRUCT=NAME -D A=NAME -D B=NAME
//
//	struct s {			struct s {
//		atomic_t hits;			atomic_t hits;
//		struct s *up;	->		char name[120];
//		char name[120];			struct s *up;
//	};				};
//
//	-D STRUCT=s -D A=up -D B=name
//
// A member that shares its declaration (`int a, b;`) is left alone, and the report says so: what stands behind
// it in the declaration could not keep its place.

virtual patch, context, org, report

// `other` is declared on a line of its own: in one list with A, "A" would be but a word.
@shared_a@
identifier virtual.STRUCT, virtual.A;
identifier other != A;
type T, T2;
expression E, E2;
position p;
@@
struct STRUCT {
	...
(
(
	T A@p;
|
	T A@p:E;
)
&
(
	T2 other;
|
	T2 other:E2;
)
)
	...
}

@shared_b@
identifier virtual.STRUCT, virtual.B;
identifier other != B;
type T, T2;
expression E, E2;
position p;
@@
struct STRUCT {
	...
(
(
	T B@p;
|
	T B@p:E;
)
&
(
	T2 other;
|
	T2 other:E2;
)
)
	...
}

// The members, whole, whatever declares them.
@one depends on !shared_a && !shared_b@
identifier virtual.STRUCT, virtual.A;
type T;
expression E;
declarer D != {__cacheline_group_begin, __cacheline_group_begin_aligned};
field F;
position p;
@@
struct STRUCT {
	...
(
(
	T A@p;
|
	T A@p:E;
|
	D(..., A@p, ...);
)
&
	F
)
	...
}

@two depends on !shared_a && !shared_b@
identifier virtual.STRUCT, virtual.B;
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
	T B@p;
|
	T B@p:E;
|
	D(..., B@p, ...);
)
&
	G
)
	...
}

@down depends on patch@
identifier virtual.STRUCT;
field one.F, two.G;
@@
struct STRUCT {
	...
-	F
+	G
	...
-	G
+	F
	...
}

@up depends on patch && !down@
identifier virtual.STRUCT;
field one.F, two.G;
@@
struct STRUCT {
	...
-	G
+	F
	...
-	F
+	G
	...
}

@shown_down depends on context@
identifier virtual.STRUCT;
field one.F, two.G;
@@
struct STRUCT {
	...
*	F
	...
*	G
	...
}

@shown_up depends on context@
identifier virtual.STRUCT;
field one.F, two.G;
@@
struct STRUCT {
	...
*	G
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

@script:python depends on report || org@
p << one.p;
q << two.p;
s << virtual.STRUCT;
a << virtual.A;
b << virtual.B;
@@
show(p[0], "%s.%s and %s.%s are exchanged" % (s, a, s, b))

@script:python depends on report || org@
p << shared_a.p;
s << virtual.STRUCT;
a << virtual.A;
@@
show(p[0], "%s.%s shares its declaration with another member, it is not exchanged" % (s, a))

@script:python depends on report || org@
p << shared_b.p;
s << virtual.STRUCT;
b << virtual.B;
@@
show(p[0], "%s.%s shares its declaration with another member, it is not exchanged" % (s, b))

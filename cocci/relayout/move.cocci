/* SPDX-License-Identifier: GPL-2.0-only */
/// Move a member of a struct: behind another one, to the front or to the end.
//
// Confidence: High
// Copyright: (C) 2025 linekeeper's authors
// Options: --no-includes --include-headers
// Requires: 1.2
//
// -D STRUCT=NAME -D FIELD=NAME and one of -D AFTER=NAME, -D front, -D end
//
//	struct s {			struct s {
//		atomic_t hits;			atomic_t hits;
//		struct s *up;	->		char name[120];
//		char name[120];			struct s *up;
//	};				};
//
//	-D STRUCT=s -D FIELD=up -D AFTER=name

virtual patch, context, org, report
virtual front, end

// One of `a, b` becomes a declaration of its own, so that what moves is always a whole one.
@shared@
identifier virtual.STRUCT, virtual.FIELD, o != FIELD;
type T, T2;
@@
struct STRUCT {
	...
(
	T FIELD;
&
	T2 o;
)
	...
}

@split depends on patch@
identifier virtual.STRUCT, virtual.FIELD;
type shared.T;
@@
struct STRUCT {
	...
-	T FIELD;
++	T FIELD;
	...
}

@shared_bits@
identifier virtual.STRUCT, virtual.FIELD, o != FIELD;
type T, T2;
expression E, E2;
@@
struct STRUCT {
	...
(
	T FIELD:E;
&
	T2 o:E2;
)
	...
}

@split_bits depends on patch@
identifier virtual.STRUCT, virtual.FIELD;
type shared_bits.T;
expression shared_bits.E;
@@
struct STRUCT {
	...
-	T FIELD:E;
++	T FIELD:E;
	...
}

@what@
identifier virtual.STRUCT, virtual.FIELD;
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
	T FIELD@p;
|
	T FIELD@p:E;
|
	D(..., FIELD@p, ...);
)
&
	F
)
	...
}

@where@
identifier virtual.STRUCT, virtual.AFTER;
type T;
expression E;
declarer D != {__cacheline_group_begin, __cacheline_group_begin_aligned};
field G;
@@
struct STRUCT {
	...
(
(
	T AFTER;
|
	T AFTER:E;
|
	D(..., AFTER, ...);
)
&
	G
)
	...
}

@there_already@
identifier virtual.STRUCT;
field what.F, where.G;
@@
struct STRUCT {
	...
	G
	F
	...
}

@down depends on patch && !there_already@
identifier virtual.STRUCT;
field what.F, where.G;
@@
struct STRUCT {
	...
-	F
	...
	G
+	F
	...
}

@up depends on patch && !there_already@
identifier virtual.STRUCT;
field what.F, where.G;
@@
struct STRUCT {
	...
	G
+	F
	...
-	F
	...
}

@to_front depends on patch && front@
identifier virtual.STRUCT;
field what.F;
@@
struct STRUCT {
+	F
	...
-	F
	...
}

@to_end depends on patch && end@
identifier virtual.STRUCT;
field what.F;
@@
struct STRUCT {
	...
-	F
	...
+	F
}

/* SPDX-License-Identifier: GPL-2.0-only */
/// Exchange two members of a struct.
//
// Confidence: High
// Copyright: (C) 2025 linekeeper's authors
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

virtual patch, context, org, report

// One of `a, b` becomes a declaration of its own, so that what moves is always a whole one.
@shared_a@
identifier virtual.STRUCT, virtual.A, o != A;
type T, T2;
@@
struct STRUCT {
	...
(
	T A;
&
	T2 o;
)
	...
}

@split_a depends on patch@
identifier virtual.STRUCT, virtual.A;
type shared_a.T;
@@
struct STRUCT {
	...
-	T A;
++	T A;
	...
}

@shared_b@
identifier virtual.STRUCT, virtual.B, o != B;
type T, T2;
@@
struct STRUCT {
	...
(
	T B;
&
	T2 o;
)
	...
}

@split_b depends on patch@
identifier virtual.STRUCT, virtual.B;
type shared_b.T;
@@
struct STRUCT {
	...
-	T B;
++	T B;
	...
}

@a@
identifier virtual.STRUCT, virtual.A;
type T;
expression E;
declarer D != {__cacheline_group_begin, __cacheline_group_begin_aligned};
field FA;
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
	FA
)
	...
}

@b@
identifier virtual.STRUCT, virtual.B;
type T;
expression E;
declarer D != {__cacheline_group_begin, __cacheline_group_begin_aligned};
field FB;
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
	FB
)
	...
}

@ab depends on patch@
identifier virtual.STRUCT;
field a.FA, b.FB;
@@
struct STRUCT {
	...
-	FA
+	FB
	...
-	FB
+	FA
	...
}

@ba depends on patch && !ab@
identifier virtual.STRUCT;
field a.FA, b.FB;
@@
struct STRUCT {
	...
-	FB
+	FA
	...
-	FA
+	FB
	...
}

/* SPDX-License-Identifier: GPL-2.0-only */
/// Align a member of a struct to a line, by ____cacheline_aligned_in_smp.
//
// Confidence: High
// Copyright: (C) 2026 linekeeper's authors
// Options: --no-includes --include-headers
// Requires: 1.2
//
// -D STRUCT=NAME -D FIELD=NAME
//
//	struct s {			struct s {
//		struct s *up;			struct s *up;
//		atomic_t hits;	->		atomic_t hits ____cacheline_aligned_in_smp;
//	};				};
//
//	-D STRUCT=s -D FIELD=hits
//
// The struct is then aligned too, and so is every struct that embeds it. What follows FIELD stays on its line: pad.cocci parts it.
// A bit-field is left alone. spatch 1.3 prints a pointer to an array as an array of pointers: let linekeeper apply the rule to one.

virtual patch, context, org, report

@there_already@
attribute name ____cacheline_aligned, ____cacheline_aligned_in_smp;
identifier virtual.STRUCT, virtual.FIELD;
type T;
declarer D;
@@
struct STRUCT {
	...
(
	T FIELD ____cacheline_aligned;
|
	T FIELD ____cacheline_aligned_in_smp;
|
	D(..., FIELD, ...) ____cacheline_aligned;
|
	D(..., FIELD, ...) ____cacheline_aligned_in_smp;
)
	...
}

// One of `a, b` becomes a declaration of its own.
// (`other` is declared on a line of its own: in one list with FIELD, "FIELD" would be but a word.)
@shared@
identifier virtual.STRUCT, virtual.FIELD;
identifier other != FIELD;
type T, T2;
@@
struct STRUCT {
	...
(
	T FIELD;
&
	T2 other;
)
	...
}

@split depends on patch && !there_already@
identifier virtual.STRUCT, virtual.FIELD;
type shared.T;
@@
struct STRUCT {
	...
-	T FIELD;
++	T FIELD;
	...
}

@what depends on !there_already@
identifier virtual.STRUCT, virtual.FIELD;
type T;
declarer D;
position p;
@@
struct STRUCT {
	...
(
	T FIELD@p;
|
	D(..., FIELD@p, ...);
)
	...
}

@align depends on patch@
attribute name ____cacheline_aligned_in_smp;
identifier virtual.STRUCT, virtual.FIELD;
type what.T;
@@
struct STRUCT {
	...
-	T FIELD;
+	T FIELD ____cacheline_aligned_in_smp;
	...
}

@align_macro depends on patch@
attribute name ____cacheline_aligned_in_smp;
identifier virtual.STRUCT, virtual.FIELD;
declarer what.D;
@@
struct STRUCT {
	...
	D(..., FIELD, ...)
+	____cacheline_aligned_in_smp
	;
	...
}

@shown depends on context@
identifier virtual.STRUCT, virtual.FIELD;
type what.T;
@@
struct STRUCT {
	...
*	T FIELD;
	...
}

@shown_macro depends on context@
identifier virtual.STRUCT, virtual.FIELD;
declarer what.D;
@@
struct STRUCT {
	...
*	D(..., FIELD, ...);
	...
}

@initialize:python depends on report@
@@
show = coccilib.report.print_report

@initialize:python depends on org@
@@
show = coccilib.org.print_todo

@script:python depends on report || org@
p << what.p;
s << virtual.STRUCT;
f << virtual.FIELD;
@@
show(p[0], "%s.%s becomes ____cacheline_aligned_in_smp" % (s, f))

/* SPDX-License-Identifier: GPL-2.0-only */
/// Move a member of a struct behind another one, to the front, or to the end.
//
// Confidence: High
// Copyright: (C) 2026 linekeeper's authors
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
//
// FIELD and AFTER may also be members of an anonymous struct in STRUCT, of the same one or not.

virtual patch, context, org, report
virtual front, end

// One of `a, b` becomes a declaration of its own, so that what moves is always a whole one.
// (`other` is declared on a line of its own: in one list with FIELD, "FIELD" would be but a word.)
@shared@
identifier virtual.STRUCT, virtual.FIELD;
identifier other != FIELD;
type T, T2;
expression E, E2;
@@
struct STRUCT {
	...
(
(
	T FIELD;
|
	T FIELD:E;
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

@split_bits depends on patch@
identifier virtual.STRUCT, virtual.FIELD;
type shared.T;
expression shared.E;
@@
struct STRUCT {
	...
-	T FIELD:E;
++	T FIELD:E;
	...
}

// The member, whole, whatever declares it.
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

@what_inside depends on !what@
identifier virtual.STRUCT, virtual.FIELD;
type T;
expression E;
declarer D != {__cacheline_group_begin, __cacheline_group_begin_aligned};
field F;
position p;
@@
struct STRUCT {
	...
	struct {
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
	};
	...
}

// The member that it is to stand behind.
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

@where_inside depends on !where@
identifier virtual.STRUCT, virtual.AFTER;
type T;
expression E;
declarer D != {__cacheline_group_begin, __cacheline_group_begin_aligned};
field G;
@@
struct STRUCT {
	...
	struct {
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
	};
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

@up depends on patch && !there_already && !down@
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

// Into, out of and between anonymous structs: first out, then in.
@take depends on patch && where_inside@
identifier virtual.STRUCT;
field what.F;
@@
struct STRUCT {
	...
-	F
	...
}

@take_inside depends on patch && (where || where_inside || front || end)@
identifier virtual.STRUCT;
field what_inside.F;
@@
struct STRUCT {
	...
	struct {
		...
-		F
		...
	};
	...
}

@put_inside depends on take@
identifier virtual.STRUCT;
field what.F, where_inside.G;
@@
struct STRUCT {
	...
	struct {
		...
		G
+		F
		...
	};
	...
}

@put_from_inside depends on take_inside@
identifier virtual.STRUCT;
field what_inside.F, where.G;
@@
struct STRUCT {
	...
	G
+	F
	...
}

@put_inside_from_inside depends on take_inside@
identifier virtual.STRUCT;
field what_inside.F, where_inside.G;
@@
struct STRUCT {
	...
	struct {
		...
		G
+		F
		...
	};
	...
}

@first_already depends on front@
identifier virtual.STRUCT;
field what.F;
@@
struct STRUCT {
	F
	...
}

@to_front depends on patch && front && !first_already@
identifier virtual.STRUCT;
field what.F;
@@
struct STRUCT {
+	F
	...
-	F
	...
}

@to_front_from_inside depends on take_inside && front@
identifier virtual.STRUCT;
field what_inside.F;
@@
struct STRUCT {
+	F
	...
}

@last_already depends on end@
identifier virtual.STRUCT;
field what.F;
@@
struct STRUCT {
	...
	F
}

@to_end depends on patch && end && !last_already@
identifier virtual.STRUCT;
field what.F;
@@
struct STRUCT {
	...
-	F
	...
+	F
}

@to_end_from_inside depends on take_inside && end@
identifier virtual.STRUCT;
field what_inside.F;
@@
struct STRUCT {
	...
+	F
}

@shown depends on context && !there_already && !first_already && !last_already@
identifier virtual.STRUCT;
field what.F;
@@
struct STRUCT {
	...
*	F
	...
}

@shown_inside depends on context@
identifier virtual.STRUCT;
field what_inside.F;
@@
struct STRUCT {
	...
	struct {
		...
*		F
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

@script:python depends on (report || org) && (where || where_inside) && !there_already@
p << what.p = [];
q << what_inside.p = [];
s << virtual.STRUCT;
f << virtual.FIELD;
a << virtual.AFTER;
@@
for place in p or q:
    show(place, "%s.%s moves behind %s" % (s, f, a))

@script:python depends on (report || org) && front && !first_already@
p << what.p = [];
q << what_inside.p = [];
s << virtual.STRUCT;
f << virtual.FIELD;
@@
for place in p or q:
    show(place, "%s.%s moves to the front" % (s, f))

@script:python depends on (report || org) && end && !last_already@
p << what.p = [];
q << what_inside.p = [];
s << virtual.STRUCT;
f << virtual.FIELD;
@@
for place in p or q:
    show(place, "%s.%s moves to the end" % (s, f))

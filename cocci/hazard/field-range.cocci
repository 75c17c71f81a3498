/* SPDX-License-Identifier: GPL-2.0-only */
/// Code that clears, copies or compares several members at once: which ones depends on the order in the struct.
/// A member that a relayout moves across an end of the range is cleared no longer, or is from now on.
///
/// Threads: 20230420182508.2417582-1 (netdev: a member that had left a memset_after() in xfrm), 20210727205855.411487-20, -55,
/// -58 (such ranges, and struct_group() for them).
//
// Confidence: Moderate
// Copyright: (C) 2026 linekeeper's authors
// Options: --no-includes --include-headers
// Requires: 1.2
//
//	memset(&c->init, 0, sizeof(*c) - offsetof(struct conn, init))	->	memset_startat(c, 0, init), which says it,
//										or struct_group(), which holds it together

virtual context, org, report

@initialize:python depends on report@
@@
show = coccilib.report.print_report

@initialize:python depends on org@
@@
show = coccilib.org.print_todo

@initialize:python depends on report || org@
@@
import re

def edge(word):
    return "behind" if word in ("offsetofend", "memset_after") else "from"

def found(p, text, *names):
    show(p[0], "warning: %s: the order of members decides what that is [-Wcacheline-field-range]" %
         (text % tuple(re.sub(r"(?<!\bstruct)(?<!\bunion) ", "", name) for name in names)))

// From one member to another, in whatever call; a constant for assembly is no range: layout-assert tells of it.
@between@
identifier fn != DEFINE;
identifier start = {offsetof, offsetofend}, stop = {offsetof, offsetofend};
type T;
expression f, g;
position p;
@@
fn@p(..., stop(T, g) - start(T, f), ...)

// From a member to the end.
@to_end@
identifier fn = {memset, memcpy, memmove, memcmp, memchr_inv, copy_to_user, copy_from_user};
identifier start = {offsetof, offsetofend};
type T;
expression a, b, f;
expression size;
position p != between.p;
@@
fn@p(a, b, size - start(T, f))

// From the start to a member.
@till@
identifier fn = {memset, memcpy, memmove, memcmp, memchr_inv, copy_to_user, copy_from_user};
identifier stop = {offsetof, offsetofend};
type T;
expression a, b, g;
position p;
@@
fn@p(a, b, stop(T, g))

@named@
identifier fn = {memset_after, memset_startat};
type T;
T *e;
expression c, f;
position p;
@@
fn@p(e, c, f)

@unnamed@
identifier fn = {memset_after, memset_startat};
expression e, c, f;
position p != named.p;
@@
fn@p(e, c, f)

// The other ways have no word that spatch could search for: first the few calls with a sum for a length, which is fast.
@minus@
identifier fn = {memset, memcpy, memmove, memcmp};
expression a, b, x, y;
position p;
@@
fn@p(a, b, x - y)

@plus@
identifier fn = {memset, memcpy, memmove, memcmp};
expression a, b, x, y;
position p;
@@
fn@p(a, b, x + y)

@many@
identifier fn = {memset, memcpy, memmove, memcmp};
expression a, b, x, y;
position p;
@@
fn@p(a, b, x * y)

// All behind an embedded struct; not of headers of packets, whose length is a number in them.
@behind@
identifier minus.fn;
identifier S;
struct S *e;
type T;
expression a, y;
expression x : script:python() { "sizeof" in x };
position minus.p, q;
@@
fn@p@q(\(e + 1\|(T)(e + 1)\), a, x - y)

// From the address of one member to that of another.
@pointers@
identifier minus.fn;
expression a, b, e;
type T1, T2;
identifier f, g;
position minus.p, q;
@@
fn@p@q(a, b, \((T1)&e->g - (T2)&e->f\|(T1)&e.g - (T2)&e.f\))

// As many bytes as two members have.
@sum@
identifier plus.fn;
expression a, b, e;
identifier f, g;
position plus.p, q;
@@
fn@p@q(a, b, \(sizeof(e->f) + sizeof(e->g)\|sizeof(e.f) + sizeof(e.g)\))

@times@
identifier many.fn;
expression a, e;
constant N;
identifier f;
position many.p, q;
@@
(
fn@p@q(\(&e->f\|&e.f\), a, \(sizeof(e->f) * N\|sizeof(e.f) * N\))
|
fn@p@q(a, \(&e->f\|&e.f\), \(sizeof(e->f) * N\|sizeof(e.f) * N\))
)

// What was made for it.
@group@
identifier S, g;
declarer D = {struct_group, struct_group_attr, struct_group_tagged};
position p;
@@
struct S {
	...
	D@p(g, ...);
	...
}

@depends on context@
identifier group.S, group.g;
declarer group.D;
position group.p;
@@
struct S {
	...
*	D@p(g, ...);
	...
}

@depends on context@
identifier to_end.fn;
position to_end.p;
@@
* fn@p(...)

@depends on context@
identifier between.fn;
position between.p;
@@
* fn@p(...)

@depends on context@
identifier till.fn;
position till.p;
@@
* fn@p(...)

@depends on context@
identifier named.fn;
position named.p;
@@
* fn@p(...)

@depends on context@
identifier unnamed.fn;
position unnamed.p;
@@
* fn@p(...)

@depends on context@
identifier minus.fn;
position behind.q;
@@
* fn@q(...)

@depends on context@
identifier plus.fn;
position sum.q;
@@
* fn@q(...)

@depends on context@
identifier many.fn;
position times.q;
@@
* fn@q(...)

@depends on context@
identifier minus.fn;
position pointers.q;
@@
* fn@q(...)

@script:python depends on report || org@
p << to_end.p;
fn << to_end.fn;
start << to_end.start;
t << to_end.T;
f << to_end.f;
@@
found(p, "%s() covers the end " + edge(start) + " %s.%s", fn, t, f)

@script:python depends on report || org@
p << between.p;
fn << between.fn;
t << between.T;
f << between.f;
g << between.g;
start << between.start;
stop << between.stop;
@@
found(p, "%s() covers " + "what is behind " * (start == "offsetofend") + "%s.%s up to " + "the end of " * (stop == "offsetofend") + "%s",
      fn, t, f, g)

@script:python depends on report || org@
p << till.p;
fn << till.fn;
t << till.T;
g << till.g;
stop << till.stop;
@@
found(p, "%s() covers the start up to " + "the end of " * (stop == "offsetofend") + "%s.%s", fn, t, g)

@script:python depends on report || org@
p << named.p;
fn << named.fn;
t << named.T;
f << named.f;
@@
found(p, "%s() covers the end " + edge(fn) + " %s.%s", fn, t, f)

@script:python depends on report || org@
p << unnamed.p;
fn << unnamed.fn;
e << unnamed.e;
f << unnamed.f;
@@
found(p, "%s() covers the end " + edge(fn) + " %s of %s", fn, f, e)

@script:python depends on report || org@
p << behind.q;
fn << minus.fn;
s << behind.S;
@@
found(p, "%s() covers what is behind an embedded struct %s", fn, s)

@script:python depends on report || org@
p << sum.q;
fn << plus.fn;
e << sum.e;
f << sum.f;
g << sum.g;
@@
found(p, "%s() covers %s and %s of %s", fn, f, g, e)

@script:python depends on report || org@
p << times.q;
fn << many.fn;
e << times.e;
f << times.f;
n << times.N;
@@
found(p, "%s() covers %s members of %s from %s", fn, n, e, f)

@script:python depends on report || org@
p << pointers.q;
fn << minus.fn;
e << pointers.e;
f << pointers.f;
g << pointers.g;
@@
found(p, "%s() covers %s up to %s of %s", fn, f, g, e)

@script:python depends on report || org@
p << group.p;
s << group.S;
g << group.g;
@@
found(p, "struct %s.%s is a group that is used as a whole", s, g)

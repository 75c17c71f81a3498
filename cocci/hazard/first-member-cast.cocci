/* SPDX-License-Identifier: GPL-2.0-only */
/// A cast between pointers to two structs: right only as long as one is the first member of the other, or both begin alike.
/// A relayout that puts something in front breaks it, and no compiler says so.
///
/// Threads: 20191220174742.7449-3 (io_uring: the file must be first), 20240618032753.3502528-1 (bfq_group.pd).
//
// Confidence: Moderate
// Copyright: (C) 2026 linekeeper's authors
// Options: --no-includes --include-headers
// Requires: 1.2
//
//	return (struct route *)dst;	->	return container_of(dst, struct route, dst);
//
// Comments that say "must be first" are not seen by spatch.

virtual context, org, report

// Socket addresses, and the headers of packets: nobody moves their members.
@cast@
identifier A !~ "^sockaddr\|hdr$", B;
struct A *e;
position p : script:python(A, B, e) { A != B and " + " not in e };
@@
	(struct B@p *)e

@inner@
identifier cast.A, cast.B, f;
position q;
@@
struct B {
	struct A f@q;
	...
};

@outer@
identifier cast.A, cast.B, f;
position q;
@@
struct A {
	struct B f@q;
	...
};

@helper@
identifier to, x, B !~ "^sockaddr";
position p;
@@
#define to(x) ((struct B@p *)(x))

@asserted@
identifier f;
type T;
position p;
@@
BUILD_BUG_ON@p(\(offsetof(T, f) != 0\|offsetof(T, f)\))

@declared@
identifier f;
declarer D = {static_assert, _Static_assert};
type T;
position p;
@@
(
	D@p(\(offsetof(T, f) == 0\|!offsetof(T, f)\));
|
	D@p(\(offsetof(T, f) == 0\|!offsetof(T, f)\), ...);
)

@depends on context@
identifier cast.B;
position cast.p;
expression e;
@@
*	(struct B@p *)e

@depends on context@
identifier helper.to, helper.x, helper.B;
position helper.p;
@@
* #define to(x) ((struct B@p *)(x))

@depends on context@
position asserted.p;
@@
* BUILD_BUG_ON@p(...)

@depends on context@
declarer declared.D;
position declared.p;
@@
*	D@p(...);

@initialize:python depends on report@
@@
show = coccilib.report.print_report

@initialize:python depends on org@
@@
show = coccilib.org.print_todo

@initialize:python depends on report || org@
@@
seen = set()

def found(p, text):
    here = (p[0].file, p[0].line, p[0].column)
    if here not in seen:
        seen.add(here)
        show(p[0], "warning: %s [-Wcacheline-first-member-cast]" % text)

@script:python depends on report || org@
p << cast.p;
a << cast.A;
b << cast.B;
f << inner.f;
@@
found(p, "struct %s is cast to struct %s: struct %s.%s must stay the first member" % (a, b, b, f))

@script:python depends on report || org@
p << cast.p;
a << cast.A;
b << cast.B;
f << outer.f;
@@
found(p, "struct %s is cast to struct %s: struct %s.%s must stay the first member" % (a, b, a, f))

@script:python depends on report || org@
p << cast.p;
a << cast.A;
b << cast.B;
@@
found(p, "struct %s is cast to struct %s: one must stay the first member of the other" % (a, b))

@script:python depends on report || org@
p << helper.p;
to << helper.to;
b << helper.B;
@@
found(p, "%s() casts to struct %s: what it is given must stay the first member" % (to, b))

@script:python depends on report || org@
p << asserted.p;
t << asserted.T;
f << asserted.f;
@@
found(p, "%s.%s must stay the first member" % (t, f))

@script:python depends on report || org@
p << declared.p;
t << declared.T;
f << declared.f;
@@
found(p, "%s.%s must stay the first member" % (t, f))

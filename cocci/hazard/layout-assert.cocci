/* SPDX-License-Identifier: GPL-2.0-only */
/// A place that knows an offset or a size: a relayout must change it too, or the build breaks, or assembly reads the wrong word.
///
/// Threads: 202404082207.HCEdQhUO (lkp: a group's size, asserted for 64-bit, on armv7), YdRUO4tJWN81WVut (asm-offsets of task_struct).
//
// Confidence: High
// Copyright: (C) 2026 linekeeper's authors
// Options: --no-includes --include-headers
// Requires: 1.2
//
//	BUILD_BUG_ON(sizeof(struct bio) > 128);
//
// Numbers in comments, and immediates in assembly, are not seen by spatch. That a member is the first: first-member-cast.

virtual context, org, report

@first@
type T;
identifier f;
position p;
@@
BUILD_BUG_ON@p(\(offsetof(T, f) != 0\|offsetof(T, f)\))

@declared_first@
declarer D = {static_assert, _Static_assert};
type T;
identifier f;
position p;
@@
(
	D@p(\(offsetof(T, f) == 0\|!offsetof(T, f)\));
|
	D@p(\(offsetof(T, f) == 0\|!offsetof(T, f)\), ...);
)

// In a function, and outside.
@member@
identifier fn = {BUILD_BUG_ON, BUILD_BUG_ON_MSG, BUILD_BUG_ON_NOT_POWER_OF_2, compiletime_assert, static_assert, _Static_assert};
identifier of = {offsetof, offsetofend};
type T;
expression f;
position p != first.p;
@@
fn@p(<+... of(T, f) ...+>, ...)

// offsetof(typeof(*e), f), where the struct has a name all the same.
@known@
identifier fn = {BUILD_BUG_ON, BUILD_BUG_ON_MSG, BUILD_BUG_ON_NOT_POWER_OF_2, compiletime_assert, static_assert, _Static_assert};
identifier of = {offsetof, offsetofend};
identifier S;
struct S *e;
expression f;
position p;
@@
fn@p(<+... of(typeof(*e), f) ...+>, ...)

@size@
identifier fn = {BUILD_BUG_ON, BUILD_BUG_ON_MSG, BUILD_BUG_ON_NOT_POWER_OF_2, compiletime_assert, static_assert, _Static_assert};
identifier S;
struct S x;
position p;
@@
fn@p(<+... \(sizeof(struct S)\|sizeof(x)\) ...+>, ...)

@declared_member@
declarer D = {static_assert, _Static_assert};
identifier of = {offsetof, offsetofend};
type T;
expression f;
position p != declared_first.p;
@@
	D@p(<+... of(T, f) ...+>, ...);

@declared_size@
declarer D = {static_assert, _Static_assert};
identifier S;
struct S x;
position p;
@@
	D@p(<+... \(sizeof(struct S)\|sizeof(x)\) ...+>, ...);

// For assembly.
@define@
identifier symbol;
type T;
expression f;
position p;
@@
DEFINE@p(symbol, <+... offsetof(T, f) ...+>)

@define_size@
identifier symbol, S;
position p;
@@
DEFINE@p(symbol, <+... sizeof(struct S) ...+>)

@offset@
identifier symbol, S;
expression f;
position p;
@@
OFFSET@p(symbol, S, f)

@depends on context@
identifier member.fn;
position member.p;
@@
* fn@p(...)

@depends on context@
identifier size.fn;
position size.p;
@@
* fn@p(...)

@depends on context@
position define.p;
@@
* DEFINE@p(...)

@depends on context@
position define_size.p;
@@
* DEFINE@p(...)

@depends on context@
position offset.p;
@@
* OFFSET@p(...)

@depends on context@
declarer declared_member.D;
position declared_member.p;
@@
*	D@p(...);

@depends on context@
declarer declared_size.D;
position declared_size.p;
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
import re

seen = set()

def found(p, text, name, by=None):
    name = re.sub(r"(?<!\bstruct)(?<!\bunion) ", "", name)
    here = [(p[0].file, p[0].line, p[0].column, key) for key in (name, by) if key]
    if here[0] not in seen:
        seen.update(here)
        show(p[0], "warning: %s %s [-Wcacheline-layout-assert]" % (text, name))

@script:python depends on report || org@
p << known.p;
fn << known.fn;
s << known.S;
e << known.e;
f << known.f;
@@
member = f.replace(" ", "")
found(p, "%s() relies on the place of" % fn, "struct %s.%s" % (s, member), "typeof(*%s).%s" % (e.replace(" ", ""), member))

@script:python depends on report || org@
p << member.p;
fn << member.fn;
t << member.T;
f << member.f;
@@
found(p, "%s() relies on the place of" % fn, "%s.%s" % (t, f))

@script:python depends on report || org@
p << declared_member.p;
fn << declared_member.D;
t << declared_member.T;
f << declared_member.f;
@@
found(p, "%s() relies on the place of" % fn, "%s.%s" % (t, f))

@script:python depends on report || org@
p << size.p;
fn << size.fn;
s << size.S;
@@
found(p, "%s() relies on the size of" % fn, "struct " + s)

@script:python depends on report || org@
p << declared_size.p;
fn << declared_size.D;
s << declared_size.S;
@@
found(p, "%s() relies on the size of" % fn, "struct " + s)

@script:python depends on report || org@
p << define.p;
t << define.T;
f << define.f;
@@
found(p, "assembly relies on the place of", "%s.%s" % (t, f))

@script:python depends on report || org@
p << offset.p;
s << offset.S;
f << offset.f;
@@
found(p, "assembly relies on the place of", "struct %s.%s" % (s, f))

@script:python depends on report || org@
p << define_size.p;
s << define_size.S;
@@
found(p, "assembly relies on the size of", "struct " + s)

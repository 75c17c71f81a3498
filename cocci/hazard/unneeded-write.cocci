/* SPDX-License-Identifier: GPL-2.0-only */
/// A flag of a shared object that is set without a look whether it is set: the write takes the line from all who only read it,
/// each time. No relayout cures that; a test first does (Documentation/kernel-hacking/false-sharing.rst: commits 292648ac5cf1,
/// 7b1002f7cfe5).
///
/// Thread: 171144036756.10875.522861210199899067 (root_domain.overutilized: newidle_balance from 6.78 % to nothing).
//
// Confidence: Low
// Copyright: (C) 2026 linekeeper's authors
// Options: --no-includes --include-headers
// Requires: 1.2
//
//	WRITE_ONCE(rq->rd->overutilized, 1);	->	if (READ_ONCE(rq->rd->overutilized) != 1)
//								WRITE_ONCE(rq->rd->overutilized, 1);
//
// Told where the object is reached through another one's pointer, as what many share is; the value is a constant, and not zero;
// and nothing on the way there looks at the member. Where the store is meant to order something, leave it.
// Not where an object begins or ends, as the function's name says: the flag was cleared before. Nor what asks for a wakeup, where
// the look behind it may count on the write, nor what says that something failed, which is no traffic, or is at work, which it was not.
// With -D every: a plain "a->b->f = true" too, most of which is set-up code.

virtual patch, context, org, report
virtual every

@initialize:python@
@@
import re

LIFE = re.compile(r"(?:^|_)(?:alloc|close|connect|create|init|load|new|open|probe|release|remove|resume|start|stop|suspend|unload)(?:_|$)")
RARE = re.compile(r"(?:\b|_)ERR|BUSY|NOSPACE|WAKEUP")

def often(p):
    """Whether it may be written so again and again."""
    return not LIFE.search(p[0].current_element)

@once@
symbol true;
expression E, x;
identifier g, f;
constant C !~ "^\(0\|NULL\)$";
position p : script:python() { often(p) };
position q;
@@
WRITE_ONCE@p(\(E->g->f\&x@q\), \(C\|true\))

@once_seen exists@
expression once.x;
position once.p, other != once.q;
@@
x@other
... when any
WRITE_ONCE@p(...)

// An array in the object itself is none of another's: its element is reached by the brackets.
@bit@
expression E;
expression x : script:python() { "]" not in x.split("->")[-1] };
identifier g;
identifier f !~ "quirk";
expression n : script:python() { not RARE.search(n) };
position p : script:python() { often(p) };
position q;
@@
set_bit@p(n, &\(E->g->f\&x@q\))

@bit_seen exists@
expression bit.x;
position bit.p, other != bit.q;
@@
x@other
... when any
set_bit@p(...)

// A bit that is set for as long as something lasts was not set before.
@bit_cleared exists@
expression bit.x, bit.n;
position bit.p;
@@
set_bit@p(n, &x)
... when any
\(clear_bit\|clear_bit_unlock\|test_and_clear_bit\)(n, &x)

// Another bit says that it is the first time.
@bit_first@
position bit.p;
@@
if (!test_and_set_bit(...)) {
<+... set_bit@p(...) ...+>
}

@atomic@
expression E, x;
identifier g;
identifier f !~ "busy\|ref\|cnt\|count";
position p : script:python() { often(p) };
position q;
@@
atomic_set@p(&\(E->g->f\&x@q\), 1)

@atomic_seen exists@
expression atomic.x;
position atomic.p, other != atomic.q;
@@
x@other
... when any
atomic_set@p(...)

@depends on patch && !once_seen@
expression once.x, value;
position once.p;
@@
-	WRITE_ONCE@p(x, value);
+	if (READ_ONCE(x) != value)
+		WRITE_ONCE(x, value);

@plain depends on every@
symbol true;
expression E, x;
identifier g, f;
position p : script:python() { often(p) };
position q;
@@
\(E->g->f\&x@q\) =@p true

@plain_seen exists@
expression plain.x;
position plain.p, other != plain.q;
@@
x@other
... when any
x =@p true

@depends on patch && !plain_seen@
expression plain.x;
position plain.p;
@@
-	x =@p true;
+	if (!x)
+		x = true;

@depends on context && !once_seen@
position once.p;
@@
* WRITE_ONCE@p(...)

@depends on context && !bit_seen && !bit_cleared && !bit_first@
position bit.p;
@@
* set_bit@p(...)

@depends on context && !atomic_seen@
position atomic.p;
@@
* atomic_set@p(...)

@depends on context && !plain_seen@
expression plain.x;
position plain.p;
@@
* x =@p true

@initialize:python depends on report@
@@
show = coccilib.report.print_report

@initialize:python depends on org@
@@
show = coccilib.org.print_todo

@script:python depends on (report || org) && !once_seen@
p << once.p;
x << once.x;
@@
show(p[0], "warning: %s is written whether or not it is set: READ_ONCE() first [-Wcacheline-unneeded-write]" %
     x.replace(" ", ""))

@script:python depends on (report || org) && !bit_seen && !bit_cleared && !bit_first@
p << bit.p;
x << bit.x;
@@
show(p[0], "warning: %s is written whether or not it is set: test_bit() first [-Wcacheline-unneeded-write]" %
     x.replace(" ", ""))

@script:python depends on (report || org) && !atomic_seen@
p << atomic.p;
x << atomic.x;
@@
show(p[0], "warning: %s is written whether or not it is set: atomic_read() first [-Wcacheline-unneeded-write]" %
     x.replace(" ", ""))

@script:python depends on (report || org) && !plain_seen@
p << plain.p;
x << plain.x;
@@
show(p[0], "warning: %s is written whether or not it is set: test it first [-Wcacheline-unneeded-write]" %
     x.replace(" ", ""))

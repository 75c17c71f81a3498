/* SPDX-License-Identifier: GPL-2.0-only */
/// kfree_rcu(p, rcu) wants the offset of rcu to be below 4096. What a relayout, or a large configuration, puts in front of it counts.
///
/// Threads: 20250723005936.1023697-1 (commit 24171a5a4a95: a cpumask in front of it, in three network drivers), and "cgroup: Avoid
/// false cacheline sharing of read mostly rstat_cpu" of 2023, which broke linux-next's allmodconfig.
//
// Confidence: High
// Copyright: (C) 2026 linekeeper's authors
// Options: --no-includes --include-headers
// Requires: 1.2
//
//	struct vector {			struct vector {
//		cpumask_t mask;			struct rcu_head rcu;
//		struct rcu_head rcu;	->	cpumask_t mask;
//	};				};
//
//	kfree_rcu(v, rcu);
//
// Without -D every: only structs that the same file (or what spatch is told to read) defines with something in front of the
// rcu_head that grows with the configuration. -D every: each member that kfree_rcu() is called on.

virtual context, org, report
virtual every

@initialize:python@
@@
import re

def grows(fields):
    return bool(re.search("cpumask_t|struct cpumask [^*]|nodemask_t|NR_CPUS|MAX_NUMNODES|CACHELINE|cacheline", str(fields)))

@front@
identifier S, f;
type T = {struct rcu_head, struct callback_head};
field list before;
position q : script:python(before) { grows(before) };
@@
struct S {
	before
	T f@q;
	...
};

@near@
identifier fn = {kfree_rcu, kvfree_rcu};
identifier front.S, front.f;
struct S *e;
position p;
@@
fn@p(e, f)

@typed depends on every@
identifier fn = {kfree_rcu, kvfree_rcu};
identifier S;
struct S *e;
expression f;
position p != near.p;
@@
fn@p(e, f)

@untyped depends on every@
identifier fn = {kfree_rcu, kvfree_rcu};
expression e, f;
position p != {near.p, typed.p};
@@
fn@p(e, f)

@depends on context@
identifier near.fn;
position near.p;
@@
* fn@p(...)

@depends on context@
identifier typed.fn;
position typed.p;
@@
* fn@p(...)

@depends on context@
identifier untyped.fn;
position untyped.p;
@@
* fn@p(...)

@initialize:python depends on report@
@@
show = coccilib.report.print_report

@initialize:python depends on org@
@@
show = coccilib.org.print_todo

@initialize:python depends on report || org@
@@
def found(p, text):
    show(p[0], "warning: %s [-Wcacheline-kfree-rcu-offset]" % text)

@script:python depends on report || org@
p << near.p;
fn << near.fn;
s << front.S;
f << front.f;
@@
found(p, "%s() wants struct %s.%s below 4096, and what lies in front of it grows with the configuration" % (fn, s, f))

@script:python depends on report || org@
p << typed.p;
fn << typed.fn;
s << typed.S;
f << typed.f;
@@
found(p, "%s() wants struct %s.%s below 4096" % (fn, s, f.replace(" ", "")))

@script:python depends on report || org@
p << untyped.p;
fn << untyped.fn;
e << untyped.e;
f << untyped.f;
@@
found(p, "%s() wants %s of %s below 4096" % (fn, f.replace(" ", ""), e.replace(" ", "")))

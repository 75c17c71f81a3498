/* SPDX-License-Identifier: GPL-2.0-only */
/// Where an object starts is up to who allocates it: the alignment of a struct is but a wish. A relayout that aligns a member or
/// the struct to a line is in vain, and its promises of "never on one line" with it, when the allocator does not know.
///
/// Threads: 174186548465.14745.14172763285747190520 (k_itimer: commit 5fa75a432f1a had to change the slab cache too),
/// 159428435768.4006.17156231921502478446 (sched_class: objects of a section are no array).
//
// Confidence: Moderate
// Copyright: (C) 2026 linekeeper's authors
// Options: --no-includes --include-headers
// Requires: 1.2
//
//	kmem_cache_create("timers", sizeof(struct k_itimer), 0, SLAB_ACCOUNT, NULL)
//		->	kmem_cache_create("timers", sizeof(struct k_itimer), __alignof__(struct k_itimer), SLAB_ACCOUNT, NULL)
//
// Without -D every: only structs that the same file (or what spatch is told to read) defines as aligned to more than 8 bytes.

virtual context, org, report
virtual every

@initialize:python@
@@
import re

known = set()

def large(text):
    """Whether an alignment, or an attribute, is of more than 8 bytes."""
    return re.search(r"cacheline|CACHE|SMP_|PAGE_SIZE", text) or any(int(n, 0) > 8 for n in re.findall(r"\b(?:0x)?\d+\b", text))

def sectioned(place):
    """Whether the declaration that begins here names a section, and no alignment."""
    with open(place.file, errors="replace") as source:
        text = "".join(source.readlines()[int(place.line) - 1:])
    head = re.split("[;=]", text, maxsplit=1)[0]
    return "section(" in head and "align" not in head

@initialize:python depends on every@
@@
class All:
    def __contains__(self, name):
        return True

known = All()

@initialize:python depends on report@
@@
show = coccilib.report.print_report

@initialize:python depends on org@
@@
show = coccilib.org.print_todo

@initialize:python depends on report || org@
@@
def found(p, text):
    show(p[0], "warning: %s [-Wcacheline-alloc-alignment]" % text)

@whole depends on !every@
identifier S;
attribute a;
position p;
@@
struct S@p { ... } a;

@script:python@
s << whole.S;
a << whole.a;
@@
if "align" in a and large(a):
    known.add(s)

@part depends on !every@
identifier S, f;
type T;
attribute a;
position p;
@@
struct S@p {
	...
	T f a;
	...
};

@script:python@
s << part.S;
a << part.a;
@@
if "align" in a and large(a):
    known.add(s)

// Each kind of allocation is told at once: a later rule whose matches are all refused would take those of earlier rules along.
@cache@
identifier fn = {kmem_cache_create, kmem_cache_create_usercopy};
identifier S;
struct S *x;
expression label, align, flags;
position p;
@@
fn@p(label, \(sizeof(struct S)\|sizeof(*x)\), align, flags, ...)

@script:python@
s << cache.S;
align << cache.align;
flags << cache.flags;
@@
if s not in known or not align.isdigit() or large(align) or not re.match("0$|.*SLAB_", flags) or "SLAB_HWCACHE_ALIGN" in flags:
    cocci.include_match(False)

@depends on context@
identifier cache.fn;
position cache.p;
@@
* fn@p(...)

@script:python depends on report || org@
p << cache.p;
fn << cache.fn;
s << cache.S;
@@
found(p, "%s() is told no alignment: struct %s starts at any multiple of 8, not on a line" % (fn, s))

@managed@
identifier fn = {devm_kzalloc, devm_kmalloc, devm_kcalloc, devm_kmalloc_array};
identifier S;
struct S *x;
position p;
@@
fn@p(..., \(sizeof(struct S)\|sizeof(*x)\), ...)

@script:python@
s << managed.S;
@@
if s not in known:
    cocci.include_match(False)

@depends on context@
identifier managed.fn;
position managed.p;
@@
* fn@p(...)

@script:python depends on report || org@
p << managed.p;
fn << managed.fn;
s << managed.S;
@@
found(p, "%s() puts struct %s behind a header of its own, not on a line" % (fn, s))

@behind@
identifier fn = {alloc_etherdev, alloc_etherdev_mq, alloc_etherdev_mqs, devm_alloc_etherdev, devm_alloc_etherdev_mqs,
		 alloc_netdev, alloc_netdev_mq, alloc_netdev_mqs, alloc_candev, alloc_candev_mqs, ieee80211_alloc_hw, wiphy_new};
identifier S;
struct S *x;
position p;
@@
fn@p(..., \(sizeof(struct S)\|sizeof(*x)\), ...)

@script:python@
s << behind.S;
@@
if s not in known:
    cocci.include_match(False)

@depends on context@
identifier behind.fn;
position behind.p;
@@
* fn@p(...)

@script:python depends on report || org@
p << behind.p;
fn << behind.fn;
s << behind.S;
@@
found(p, "%s() puts struct %s behind another struct, at a multiple of 32" % (fn, s))

@percpu@
identifier fn = {__alloc_percpu, __alloc_percpu_gfp, __alloc_reserved_percpu};
identifier S;
struct S *x;
expression align;
position p;
@@
fn@p(\(sizeof(struct S)\|sizeof(*x)\), align, ...)

@script:python@
s << percpu.S;
align << percpu.align;
@@
if s not in known or large(align) or not re.match(r"\d+$|sizeof|.*alignof.* (long|int|u64|void)\b", align):
    cocci.include_match(False)

@depends on context@
identifier percpu.fn;
position percpu.p;
@@
* fn@p(...)

@script:python depends on report || org@
p << percpu.p;
fn << percpu.fn;
s << percpu.S;
@@
found(p, "%s() is told another alignment than that of struct %s" % (fn, s))

// A pattern can have one attribute, and "__used __section(...)" are two: the text says more.
@placed@
identifier S, x;
position p;
@@
(
struct S x@p;
|
struct S x@p = ...;
)

@script:python@
s << placed.S;
p << placed.p;
@@
if s not in known or not sectioned(p[0]):
    cocci.include_match(False)

@depends on context@
identifier S, x;
position placed.p;
@@
(
*struct S x@p;
|
*struct S x@p
	= ...;
)

@script:python depends on report || org@
p << placed.p;
s << placed.S;
x << placed.x;
@@
found(p, "'%s' in a section of its own: struct %s may be aligned further there than in an array, align the variable" % (x, s))

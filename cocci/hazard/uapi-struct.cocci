/* SPDX-License-Identifier: GPL-2.0-only */
/// A struct that others outside the kernel read by offset: user space, a wire, a device, a boot loader. It is never reordered.
///
/// Thread: 20210430120013.28875-1 (xt_SECMARK: a kernel's own field in front of what user space compares; a second revision
/// of the struct was the only way out).
//
// Confidence: High
// Copyright: (C) 2026 linekeeper's authors
// Options: --no-includes --include-headers
// Requires: 1.2
//
//	struct frame { __be16 type; __le32 length; };	->	leave it; add a new revision, or a kernel's struct beside it
//
// By the path (include/uapi, asm/bootparam.h and its like), and by members of a fixed byte order.

virtual context, org, report

@initialize:python@
@@
import re

OUTSIDE = ("/uapi/", "xen/interface/", "asm/bootparam.h", "linux/kexec.h")
FIXED = r"(const )?(__)?([us](8|16|32|64)|u?int(8|16|32|64)_t|[bl]e(16|32|64)|sum16|wsum)\b|(unsigned |signed )?char\b|(struct|union) "
INSIDE = r"\*|struct (list_head|hlist_|rcu_head|callback_head|rb_|timer_list|work_struct|completion|mutex)"

def outside(place):
    return any(part in place.file for part in OUTSIDE)

def ordered(fields):
    """A member that has a byte order, if all have sizes that are the same everywhere, and none is of use to the kernel only."""
    text = re.sub(r"\} ?[^;]*", "", str(fields)).replace("{", ";")
    if not all(re.match(FIXED, field.strip() + " ") and not re.search(INSIDE, field) for field in text.split(";") if field.strip()):
        return None
    return re.search(r"\b__(?:[bl]e(?:16|32|64)|sum16) (\w+)", text)

@whole@
identifier S;
field list fields;
position p;
@@
struct S@p { fields };

@script:python@
p << whole.p;
fields << whole.fields;
@@
if not outside(p[0]) and not ordered(fields):
    cocci.include_match(False)

@depends on context@
identifier S;
position whole.p;
@@
*struct S@p
{ ... };

@initialize:python depends on report@
@@
show = coccilib.report.print_report

@initialize:python depends on org@
@@
show = coccilib.org.print_todo

@script:python depends on report || org@
p << whole.p;
s << whole.S;
fields << whole.fields;
@@
show(p[0], "warning: struct %s is read outside the kernel, as %s says: never move its members [-Wcacheline-uapi-struct]" %
     (s, "its file" if outside(p[0]) else "the byte order of '%s'" % ordered(fields).group(1)))

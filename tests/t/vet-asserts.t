#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""linekeeper vet: asserts of other files on structs that a series changes: those that fail are found, those that cannot cost no parse."""

import re
import sys
import tempfile
from pathlib import Path

sys.path[:0] = ["tests", "scripts"]
from lk import vet_asserts  # noqa: E402
from tap import check, done, small_tree  # noqa: E402
from vet_series import Files, mail, show, vet  # noqa: E402

COUNTER = "include/linux/page_counter.h"
EDIT = (r"^\tunsigned long watermark;", "\tunsigned int watermark, local_watermark;\n\tunsigned long more[2];")
# what the kernel has in other headers
HEAD = """#include <linux/page_counter.h>
#define static_assert _Static_assert
#define sizeof_field(type, member) sizeof(((type *)0)->member)
#define offsetof(type, member) __builtin_offsetof(type, member)
#define __compiletime_assert(condition, msg, name) do { __attribute__((__noreturn__)) extern void name(void) __attribute__((__error__(msg))); \\
	if (!(condition)) name(); } while (0)
#undef BUILD_BUG_ON
#define BUILD_BUG_ON(condition) __compiletime_assert(!(condition), "BUILD_BUG_ON failed: " #condition, __compiletime_assert_1)
"""


def function(text: str) -> str:
    """One with a variable that only it knows."""
    return f"static inline void f(struct page_counter *p)\n{{\n\t{text}\n}}"


# an assert on struct page_counter; does it hold with the change, and does its text tell that?
FAILS, HOLDS, SURELY = "fails", "holds", "surely holds"
ASSERTS = (
    ("static_assert(sizeof(struct page_counter) == 112, \"\");", FAILS),
    ("static_assert(offsetof(struct page_counter, failcnt) == 104, \"\");", FAILS),
    ("static_assert(offsetof(struct page_counter, elow) == 72 &&\n\t      sizeof(struct page_counter) < 113, \"\");", FAILS),
    ("#define alias failcnt\nstatic_assert(offsetof(struct page_counter, alias) == 104, \"\");", FAILS),
    ("#define CHECK_PLACE(elow, at) static_assert(offsetof(struct page_counter, elow) == at, \"\")\nCHECK_PLACE(failcnt, 104);", FAILS),
    ("static_assert(sizeof_field(struct page_counter, watermark) == 8, \"\");", FAILS),
    ("static_assert(sizeof(((struct page_counter *)0)->watermark) == 8, \"\");", FAILS),
    ("static_assert(sizeof_field(struct page_counter, failcnt) == 8, \"\");", SURELY),
    ("static_assert(offsetof(struct page_counter, elow) == 72, \"\");", SURELY),
    ("static_assert(sizeof(struct page_counter *) == 8, \"\");", HOLDS),
    (function("BUILD_BUG_ON(sizeof(*p) != 112);"), FAILS),
    (function("BUILD_BUG_ON(offsetof(typeof(*p), failcnt) != offsetof(typeof(*p), elow) + 32);"), FAILS),
    (function("BUILD_BUG_ON(sizeof(p->watermark) != 8);"), FAILS),
    (function("struct page_counter own;\n\n\tBUILD_BUG_ON(sizeof(own) != 112);"), FAILS),
    (function("static_assert(sizeof(*p) == 112, \"\");"), FAILS),
    (function("BUILD_BUG_ON(offsetof(struct page_counter, failcnt) != 104);"), FAILS),
    (function("BUILD_BUG_ON(sizeof(*p) < 112);"), HOLDS),
    (function("BUILD_BUG_ON(p->watermark > sizeof(*p));"), HOLDS),
    (function("BUILD_BUG_ON(offsetof(typeof(*p), elow) != 72);"), SURELY),
    (function("BUILD_BUG_ON(sizeof(p->failcnt) != 8);"), SURELY),
    ("typedef struct page_counter p;\n" + function("BUILD_BUG_ON(sizeof(*(p)) != 112);"), FAILS),
    ("typedef struct page_counter p;\n" + function("BUILD_BUG_ON(sizeof(*(p)) < 112);"), HOLDS),
)
STRUCT = {"name": "page_counter", "file": COUNTER, "line": 7, "before": {"size": 112}, "after": {"size": 128}, "changed": [
    {"name": "watermark", "before": {"offset": 96, "size": 8}, "after": {"offset": 96, "size": 4}},
    {"name": "local_watermark", "before": None, "after": {"offset": 100, "size": 4}},
    {"name": "more", "before": None, "after": {"offset": 104, "size": 16}},
    {"name": "failcnt", "before": {"offset": 104, "size": 8}, "after": {"offset": 120, "size": 8}}]}


# numbers of a header, and as a series leaves them; what is asserted against them
ROOM = "include/linux/room.h"
NUMBERS = "#define ROOM\t\t112\n#define ROOM_LEFT\t(ROOM - 16)\n#define OTHER\t\t112\nenum {\n\tFEW,\n\tMANY = 8,\n\tMORE,\n};\n"
LESS = (("ROOM\\t\\t112", "ROOM\t\t64"), ("\\tMANY = 8,", "\tMANY = 4,"))
AGAINST = (
    ("static_assert(sizeof(struct page_counter) <= ROOM, \"\");", True),
    ("static_assert(sizeof(struct page_counter) <=\n\t      ROOM_LEFT + 16, \"\");", True),
    (function("BUILD_BUG_ON(offsetof(typeof(*p), elow) != 8 * MORE);"), True),
    ("static_assert(sizeof(struct page_counter) <= OTHER + FEW, \"\");", False),
    ("static_assert(OTHER / ROOM == 1, \"\");", False),
)


class State:
    """A tree, as vet_asserts takes a state of a series."""

    def __init__(self, tree: Path) -> None:
        self.tree = tree

    def read(self, name: str) -> str:
        return (self.tree / name).read_text()


# as 6.12 has them: what is wrong is known when the function's body is
GROUPED = """#include <linux/cache.h>
#include <linux/kernel.h>
#include <linux/types.h>
#define __bug_at(condition, text, line) do { \\
	extern void __bug_##line(void) __attribute__((__error__("BUILD_BUG_ON failed: " text))); \\
	if (condition) \\
		__bug_##line(); \\
} while (0)
#define _bug_at(condition, text, line) __bug_at(condition, text, line)
#define BUG_ON(condition) _bug_at(condition, #condition, __LINE__)
#define ASSERT_SIZE(TYPE, GROUP, SIZE) \\
	BUG_ON(offsetof(TYPE, __cacheline_group_end__##GROUP) - offsetofend(TYPE, __cacheline_group_begin__##GROUP) > SIZE)
#define ASSERT_MEMBER(TYPE, GROUP, MEMBER) \\
	BUG_ON(!(offsetof(TYPE, MEMBER) >= offsetofend(TYPE, __cacheline_group_begin__##GROUP) && \\
		 offsetofend(TYPE, MEMBER) <= offsetof(TYPE, __cacheline_group_end__##GROUP)))
struct grouped {
	void *before;
	u32 first;
	__cacheline_group_begin(hot);
	u32 a;
	u32 b;
	u32 c;
	__cacheline_group_end(hot);
	long cold;
};
void grouped_check(void);
void grouped_check(void)
{
	ASSERT_MEMBER(struct grouped, hot, a);
	ASSERT_MEMBER(struct grouped, hot, b);
	ASSERT_MEMBER(struct grouped, hot, c);
	ASSERT_SIZE(struct grouped, hot, 12);
}
"""
GROUP_EDITS = (
    ("another order", ((r"^\tu32 a;\n\tu32 b;\n", "\tu32 b;\n\tu32 a;\n"),), "", 0),
    ("a group that grows over its limit", ((r"^\tu32 c;\n", "\tu32 c[2];\n"),), r"error: group 'hot' has 16 bytes, but its assert allows 12 \[-Wcacheline-group-size\]", 1),
    ("a member that leaves its group", ((r"^\tu32 c;\n", ""), (r"^\tlong cold;\n", "\\g<0>\tu32 c;\n")),
     r"error: 'c' does not stand in group 'hot', .* \[-Wcacheline-unlisted-member\]", 1),
    ("a group that grows on a machine that is not this one", ((r"^\tu32 b;\n\tu32 c;\n", "\tu64 b;\n"),),
     r"warning: group 'hot' has 16 bytes on arm, .* \[-Wcacheline-group-size\]", 0),
)


def test_groups(tree: Path) -> None:
    """What stops the build is an error; what stops another's is a finding."""
    (tree / "mm/grouped.c").write_text(GROUPED)
    for what, edits, said, status in GROUP_EDITS:
        out = vet(tree, mail("[PATCH] grouped", Files(tree).edit("mm/grouped.c", *edits)))
        check(out.returncode == status and (re.search(rf"^mm/grouped\.c:\d+:\d+: {said}$", out.stderr, re.M) if said else not out.stderr), what, show(out))
    (tree / "mm/grouped.c").write_text(GROUPED.replace("hot, 12", "hot, 11"))
    for what, edit, said in (("a group that was too large already, and is larger now", (r"^\tu32 c;\n", "\tu32 c[2];\n"), "has 16 bytes, but its assert allows 11"),
                             ("one that is as large, under a lower limit", (r"hot, 11", "hot, 10"), "has 12 bytes, but its assert allows 10"),
                             ("one that is as large, with another member", (r"^\tu32 b;\n", "\ts32 b;\n"), ""),
                             ("one that is smaller", (r"^\tu32 a;\n", "\tu16 a;\n"), ""), ("one with more room", (r"hot, 11", "hot, 13"), "")):
        out = vet(tree, mail("[PATCH] grouped", Files(tree).edit("mm/grouped.c", edit)))
        check(out.returncode == bool(said) and (f"error: group 'hot' {said} [" in out.stderr if said else not out.stderr), what, show(out))


with tempfile.TemporaryDirectory() as work:
    tree = small_tree(Path(work))
    for number, (text, verdict) in enumerate(ASSERTS):
        (tree / f"mm/assert{number}.c").write_text(f"{HEAD}{text}\n")
        (tree / "mm/asked.c").write_text(text)
        check(vet_asserts.may_fail(State(tree), "mm/asked.c", [STRUCT]) == (verdict != SURELY), f"{verdict}, by its text: {' '.join(text.split())}")
    (tree / "mm/asked.c").unlink()
    out = vet(tree, mail("[PATCH] counters", Files(tree).edit(COUNTER, EDIT)), "--verbose", "--all-users")
    for number, (text, verdict) in enumerate(ASSERTS):
        check((f"mm/assert{number}.c:" in out.stderr) == (verdict == FAILS) and out.returncode == 1, f"{verdict}: {' '.join(text.split())}", show(out))
    test_groups(tree)

with tempfile.TemporaryDirectory() as work:
    tree = small_tree(Path(work))
    (tree / ROOM).write_text(NUMBERS)
    for number, (text, _) in enumerate(AGAINST):
        (tree / f"mm/against{number}.c").write_text(f"{HEAD}#include <linux/room.h>\n{text}\n")
    out = vet(tree, mail("[PATCH] less room", Files(tree).edit(ROOM, *LESS)))
    for number, (text, fails) in enumerate(AGAINST):
        check((f"mm/against{number}.c:" in out.stderr) == fails and out.returncode == 1,
              f"against a number that {'changed' if fails else 'did not, or no layout'}: {' '.join(text.split())}", show(out))
    unbuilt = "mm/unbuilt.c"
    absent = "static void g(struct absent *p)\n{\n\tint more = p->more;\n\n\tBUILD_BUG_ON(sizeof(p->more) != 4);\n}\n"
    (tree / unbuilt).write_text(f"{HEAD}struct own {{\n\tint one;\n}};\n{absent}")
    out = vet(tree, mail("[PATCH] two", Files(tree).edit(unbuilt, ("int one;", "int one, two;"))))
    check("struct own   4 -> 8 bytes" in out.stdout and (out.stderr, out.returncode) == ("", 0), "a function that cannot be parsed costs its assert, not the unit", show(out))
sys.exit(done())

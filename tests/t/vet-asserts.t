#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""linekeeper vet: asserts of other files on structs that a series changes: those that fail are found, those that cannot cost no parse."""

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
"""
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
)
STRUCT = {"name": "page_counter", "file": COUNTER, "line": 7, "before": {"size": 112}, "after": {"size": 128}, "changed": [
    {"name": "watermark", "before": {"offset": 96, "size": 8}, "after": {"offset": 96, "size": 4}},
    {"name": "local_watermark", "before": None, "after": {"offset": 100, "size": 4}},
    {"name": "more", "before": None, "after": {"offset": 104, "size": 16}},
    {"name": "failcnt", "before": {"offset": 104, "size": 8}, "after": {"offset": 120, "size": 8}}]}


class State:
    """A tree, as vet_asserts takes a state of a series."""

    def __init__(self, tree: Path) -> None:
        self.tree = tree

    def read(self, name: str) -> str:
        return (self.tree / name).read_text()


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
sys.exit(done())

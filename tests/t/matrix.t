#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""linekeeper matrix without a kernel: wrong use, what it refuses, the numbers of kernel/bounds.c."""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, "tests")
from tap import TOP, check, done, linekeeper, run, small_tree  # noqa: E402

sys.path.insert(0, str(TOP / "scripts"))
from lk.errors import WrongUse  # noqa: E402
from lk.kconfig import config_line, environment  # noqa: E402
from lk.matrix import ANNOTATED, GROUPED, structs_in  # noqa: E402
from lk.matrix_read import bounds_unit, only_includes  # noqa: E402
from lk.matrix_report import html, text, unread  # noqa: E402
from lk.matrix_units import Unit, chosen  # noqa: E402
from lk.tree import Tree  # noqa: E402

BOUNDS = """
#define __GENERATING_BOUNDS_H
#include "x.h"
int main(void)
{
	/* a comment; with words */
	DEFINE(FIRST, 1 << 3);
#ifdef CONFIG_X
	DEFINE(SECOND, sizeof(struct x) +
	       VALUE);
#else
	DEFINE(ZERO, 0);
#endif
	return 0;
}
"""
CALLS = ((), ("a", "--all-groups"), ("--run", "1"), ("a", "--print-jobs"), ("--work", "x", "--run", "1", "--all-groups"), ("a", "-j", "0"),
         ("a", "--tree", ".", "--tree", ".", "--work", "x"))


MARKED = """
struct plain { long a; };
struct a {
	long a ____cacheline_aligned;
};
struct b {
	long a;
} ____cacheline_aligned_in_smp;
struct c {
	long a;
} __cacheline_budget(2);
struct d {
	CACHELINE_PADDING(_pad_);
};
typedef struct {
	long a;
} ____cacheline_aligned e_t;
struct plain_too {
	long a;
};
struct f {
	struct {
		long a;
	} ____cacheline_internodealigned_in_smp b;
};
struct __packed g {
	__cacheline_group_begin(one);
	long a;
};
"""
CHECK = os.path.abspath(os.path.join(os.environ["BUILD"], "cacheline-check"))


def size(folder: Path, *flags: str) -> dict:
    out = run(CHECK, "--once=/dev/null", "--show=none", "--show=linekeeper_bounds", "--", "-m64", *flags, "b.c", cwd=folder)
    shown = json.loads(out.stdout)
    check(shown["files"] == ["b.c", "x.h"] and shown["structs"][0] is None, "the files of a unit, and null for what it has not", shown)
    return {member["name"]: member["size"] - 1 for member in shown["structs"][1]["members"]}


with tempfile.TemporaryDirectory() as name:
    scratch = Path(name)
    for words in CALLS:
        out = linekeeper("matrix", *words, cwd=scratch)
        check(out.returncode == 2 and re.search("error: give|--work is of one", out.stderr), f"wrong use: {' '.join(words)}", out.stderr)
    tree = small_tree(scratch)
    out = linekeeper("matrix", "page_counter", "--tree", tree)
    check(out.returncode == 1 and out.stderr.startswith("refused: ") and "make olddefconfig" in out.stderr,
          "a tree whose kconfig is not built", out.stdout + out.stderr)
    path, os.environ["PATH"] = os.environ["PATH"], str(scratch / "nothing")
    try:
        said = ""
        environment(Tree(str(tree)), str(scratch))
    except WrongUse as err:
        said = str(err)
    os.environ["PATH"] = path
    check(said == "there is no make in PATH, without which the tree's Kconfig cannot be asked: install it", "no make: wrong use, and what to do", said)
    out = linekeeper("matrix", "--run", "0", "--work", scratch / "none", "--tree", tree)
    check(out.returncode == 2 and "has no plan yet" in out.stderr, "jobs without a plan", out.stderr)

    missed = [{"setting": f"M{number}86=y", "because": "X86_32 stays n"} for number in range(3, 7)]
    missed += [{"setting": f"S{number}=y", "because": f"D{number} stays n"} for number in range(10)]
    missed += [{"setting": f"T{number}=y", "because": "D0 stays n"} for number in range(9)]
    lacking = {"struct": "x", "file": "x.h", "changes": [], "symbols": [], "layouts": [], "absent": 2, "unread": [{"why": "x.h:1:2: error: no", "configurations": ["A=y", "B=y"]}]}
    table = {"structs": [lacking], "arch": "x86", "machine": "x86_64", "bits": 64, "not_reached": missed, "not_varied": [{"symbol": "SIZE", "because": "a number without a range stays 7"}], "pairs_left": 3, "unknown": [f"U{number}" for number in range(9)], "generated": ["include/generated/a.h"], "randstruct": "", "configurations": 0, "parses": 0,
             "seconds": {"kconfig": 0, "parses": 0}}
    said = [line for line in text([table]).splitlines() if line.startswith("not reached: ")]
    check(said[0] == "not reached: M386=y, M486=y, M586=y, M686=y: X86_32 stays n" and len(said) == 9 and
          said[1] == "not reached: S0=y, T0=y, T1=y, T2=y, T3=y, T4=y and 4 more: D0 stays n" and
          said[-1] == "not reached: S7=y, S8=y, S9=y (--format json tells why)", "what is not reached: a line for a reason, and no longer than one reads", said)
    caveats = ("2 configurations have no x", "not read in 2 configurations (A=y, B=y): x.h:1:2: error: no", "not varied: SIZE: a number without a range stays 7",
               "not looked at: 3 pairs of settings", "Kconfig has no symbol U0, U1, U2, U3, U4, U5 and 3 more", "the build makes include/generated/a.h: ")
    check(all(line in text([table]) and line in html([table]) for line in caveats), "what a matrix lacks, as text and as a page", text([table]) + html([table]))
    check(unread([table]) == ["x.h: error: not judged: x in 2 configurations of x86_64, as A=y: x.h:1:2: error: no"], "an error", unread([table]))
    check(structs_in(MARKED, ANNOTATED) == ["a", "b", "c", "d", "e_t", "f", "g"] and structs_in(MARKED, GROUPED) == ["g"], "structs with a mark in or behind the body",
          structs_in(MARKED, ANNOTATED))
    check(only_includes("/* a\n * b */\n#include <a.h>\n\n# include \"b.h\" // c\n") and not only_includes("#include <a.h>\n#define B 1\n"), "a header that only includes others")

    (scratch / "x.h").write_text("struct x { long a, b; };\n#define VALUE 4\n", encoding="utf-8")
    (scratch / "b.c").write_text(bounds_unit(BOUNDS), encoding="utf-8")
    check(size(scratch) == {"linekeeper_FIRST": 8, "linekeeper_ZERO": 0}, "numbers of the build", size(scratch))
    check(size(scratch, "-DCONFIG_X") == {"linekeeper_FIRST": 8, "linekeeper_SECOND": 20}, "under another configuration", size(scratch, "-DCONFIG_X"))
    lines = [config_line(*pair) for pair in (("A", "n"), ("B", "m"), ("C", "0x10"), ("D", "a b"), ("E", "-3"))]
    check(lines == ["# CONFIG_A is not set", "CONFIG_B=m", "CONFIG_C=0x10", 'CONFIG_D="a b"', "CONFIG_E=-3"], "lines of a .config", lines)
SLOW = "import sys; sys.path[:0] = ['scripts']; from lk import progress; progress.SECONDS = {seconds}; progress.progress(1, abs, [1, -2, 3], 'units')"
for seconds, wanted in ((0, b"\r\033[Kunits: 1 of 3 \r\033[Kunits: 2 of 3 \r\033[K"), (60, b"")):
    ours, theirs = os.openpty()
    subprocess.run([sys.executable, "-c", SLOW.format(seconds=seconds)], cwd=TOP, stderr=theirs, check=True)
    os.write(theirs, b"end")
    said = b""
    while not said.endswith(b"end"):
        said += os.read(ours, 1000)
    check(said == wanted + b"end", f"on a terminal, behind {seconds} seconds: how far it is", said)
out = run(sys.executable, "-c", SLOW.format(seconds=0), cwd=TOP)
check(out.returncode == 0 and not out.stderr, "nothing of it where stderr is no terminal", out.stderr)
units = [Unit("small.h", ["a"], 10), Unit("large.h", ["a", "b", "c"], 25), Unit("b.h", ["b", "a"], 12), Unit("d.h", ["d"], 30)]
check(chosen(units, ["a"]) == [("small.h", ["a"])] and chosen(units, ["b", "a"]) == [("b.h", ["b", "a"])], "the least unit that shows them")
check(chosen(units, ["a", "b", "c"]) == [("large.h", ["a", "b", "c"])], "one for all", chosen(units, ["a", "b", "c"]))
check(chosen(units, ["a", "d"]) == [("small.h", ["a"]), ("d.h", ["d"])], "several units", chosen(units, ["a", "d"]))
sys.exit(done())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What functions do with members, as cacheline-index prints it: plain C, the kernel's primitives against the real headers, and
two files of 6.1 that the seeds are about."""

import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Dict, List

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests"), str(TOP / "scripts")]
sys.dont_write_bytecode = True

from findings import expected as expected_findings, reported  # noqa: E402
from lk.tree import Tree  # noqa: E402
from tap import check, done, kernel, run, skip  # noqa: E402

PROGRAM = Path(os.environ.get("BUILD", TOP / "build")).resolve() / "cacheline-index"
INPUTS = TOP / "tests/accesses"
EXPECT = re.compile(r"/\* ((?:access|object|initialiser): .*?) \*/")


def rows(out: str, file: str) -> List[List[str]]:
    """The rows of one part."""
    found: List[List[str]] = []
    inside = False
    for line in out.splitlines():
        fields = line.split("\t")
        if fields[0] == "part":
            inside = fields[2].endswith(file)
        elif inside:
            found.append(fields)
    return found


def accesses(out: str, file: str) -> Counter:
    """"LINE MODE MEMBER VIA" of each access of the file; members of another struct than obj with its tag."""
    found: Counter = Counter()
    for row in rows(out, file):
        if row[0] == "access":
            tag = row[5].split(" ")[-1]
            member = ("" if tag == "obj" else f"{tag}:") + (row[4] or "*")
            found[f"{row[3]} {row[1]} {member} {row[2]}".strip()] += 1
    return found


def objects(out: str, file: str) -> Counter:
    """"LINE KIND: FIELD..." of each object and initialiser of the file"""
    found: Counter = Counter()
    for row in rows(out, file):
        if row[0] == "object":
            found[f"{row[3]} object: {row[1]} {row[2]} {row[4]} {row[5]} {row[6]}"] += 1
        elif row[0] == "initialiser":
            found[f"{row[2]} initialiser: {row[1]} {row[3]} {row[4]}"] += 1
    return found


def expected(path: Path) -> Counter:
    wanted: Counter = Counter()
    for number, line in enumerate(path.read_text().splitlines(), 1):
        for match in EXPECT.finditer(line):
            wanted.update(f"{number} {text.strip()}" for text in match.group(1).replace("access: ", "").split(";"))
    return wanted


def often(out: str, file: str) -> Counter:
    """"LINE often: MODE FIELD TIMES" of each access to struct obj, "LINE calls: FUNCTION TIMES" of each call by the function there"""
    found: Counter = Counter()
    line = ""
    for row in rows(out, file):
        if row[0] == "function":
            line = row[2]
        elif row[0] == "access" and row[5] == "struct obj":
            found[f"{row[3]} often: {row[1]} {row[4]} {float(row[8]):.2g}"] += 1
        elif row[0] == "call":
            found[f"{line} calls: {row[1]} {float(row[3]):.2g}"] += 1
    return found


def frequencies() -> None:
    path = INPUTS / "often.c"
    out = run(PROGRAM, "--", "often.c", cwd=INPUTS).stdout
    wanted: Counter = Counter()
    for number, line in enumerate(path.read_text().splitlines(), 1):
        for kind, text in re.findall(r"/\* (often|calls): (.*?) \*/", line):
            wanted.update(f"{number} {kind}: {one.strip()}" for one in text.split(";"))
    same(often(out, "often.c"), wanted, "how often")
    handlers = {tuple(row[1:4]) for row in rows(out, "often.c") if row[0] == "handler"}
    check(handlers == {("struct operations.run", "touch", "often.c"), ("struct operations.run", "nothing", "often.c"),
                       ("struct operations.idle", "nothing", "often.c"), ("struct cftype.write", "write_n", "often.c")},
          "what members point to, by initialiser and assignment", handlers)
    found = phases(out, "often.c")
    check(found["write_n"] == "control" and found["touch"] == "run", "the function of a file of cgroupfs runs by request", found)
    check(run("gcc", "-fsyntax-only", "-Wall", "-Wno-unused", path).stderr == "", "its input compiles")


def reached() -> None:
    """A path, from rows as the index keeps them; lib/paths.c has its own tests"""
    text = "function\t1\tsend\t\trun\ncall\thalf\ta.c\t0.5\nfunction\t2\thalf\ta.c\trun\nfunction\t3\tnever\t\trun\n"
    out = subprocess.run([PROGRAM, "--reached", "send"], input=text, text=True, capture_output=True, check=False)
    check((out.returncode, out.stdout) == (0, "1\t1\n2\t0.5\n"), "a path: who is reached", out)
    out = subprocess.run([PROGRAM, "--reached", "send,recv"], input=text, text=True, capture_output=True, check=False)
    check(out.returncode == 1 and "'recv'" in out.stderr and not out.stdout, "a function that is not there is said", out)
    for bad in ("function\t1\n", "call\tx\t\t1\t1\n", "\n", "call\tx\t\t1\n"):
        out = subprocess.run([PROGRAM, "--reached", "send"], input=bad, text=True, capture_output=True, check=False)
        check(out.returncode == 2 and "is no row" in out.stderr, f"no row: {bad!r}", out)


def same(found: Counter, wanted: Counter, what: str) -> None:
    missing, extra = wanted - found, found - wanted
    check(wanted and not missing and not extra, what,
          "\n".join([*(f"missing: {row}" for row in missing), *(f"extra: {row}" for row in extra)]))


def index(tree: Path, file: str, own: str = "") -> subprocess.CompletedProcess:
    """A file of the tree, or one of ours with that file's flags."""
    return run(PROGRAM, "--", *Tree(str(tree)).flags(file), own or file, cwd=tree)


def of_functions(out: str, file: str) -> Dict[str, set]:
    """function -> its "MODE STRUCT.MEMBER"."""
    found: Dict[str, set] = {}
    for row in rows(out, file):
        if row[0] == "function":
            uses = found.setdefault(row[1], set())
        elif row[0] == "access":
            uses.add(f"{row[1]} {row[5].split(' ')[-1]}.{row[4]}")
    return found


def phases(out: str, file: str) -> Dict[str, str]:
    return {row[1]: row[3] for row in rows(out, file) if row[0] == "function"}


def has(uses: Dict[str, set], function: str, *wanted: str) -> None:
    check(set(wanted) <= uses.get(function, set()), f"{function}: {', '.join(wanted)}", sorted(uses.get(function, set())))


def real(tree: Path) -> None:
    out = index(tree, "mm/page_counter.c").stdout
    uses = of_functions(out, "mm/page_counter.c")
    has(uses, "page_counter_cancel", "rw page_counter.usage")
    has(uses, "page_counter_try_charge", "rw page_counter.usage", "r page_counter.max", "rw page_counter.failcnt",
        "w page_counter.watermark", "r page_counter.parent")
    has(uses, "page_counter_set_max", "rw page_counter.max")
    check(uses["page_counter_uncharge"] == {"r page_counter.parent"}, "page_counter_uncharge: reads parent, and that is all",
          uses["page_counter_uncharge"])
    out = index(tree, "fs/inode.c").stdout
    uses = of_functions(out, "fs/inode.c")
    has(uses, "inode_init_always", "w inode.i_flags", "i address_space.invalidate_lock")
    has(uses, "ihold", "rw inode.i_count")
    has(uses, "__insert_inode_hash", "rw inode.i_lock", "w inode.i_hash")
    found = phases(out, "fs/inode.c")
    check(found["inode_init_always"] == found["inode_init"] == "setup" and found["ihold"] == "run",
          "inode_init_always and inode_init (in .init.text) are set-up, ihold runs", found)


def contradicted() -> None:
    path, header = (Path("tests/accesses/class-contradicted").with_suffix(end) for end in (".c", ".h"))
    checker = [PROGRAM.with_name("cacheline-check"), "--once=/dev/null", "--only=class-contradicted", "-Iinclude"]
    said = run(*checker, path, cwd=TOP)
    check(all(reported(said.stderr, one) == expected_findings(one) for one in (path, header)) and said.returncode == 0,
          "class-contradicted", said.stderr)
    with tempfile.TemporaryDirectory() as folder:
        unit = Path(folder, "unit.c")
        unit.write_text(f'#include "cacheline_layout.h"\n#include "{TOP / header}"\n')
        again = run(*checker, unit, cwd=TOP).stderr.replace(f"{TOP}/", "")
    lines = [line for line in said.stderr.splitlines() if line.startswith(f"{header}:")]
    check(len(again.splitlines()) == 2 and set(again.splitlines()) < set(lines), "of a header's writers each unit says the same", again)
    said = run(checker[0], "--once=/dev/null", "--no-class-contradicted", "-Iinclude", path, cwd=TOP)
    check("-Wcacheline-class-contradicted" not in said.stderr, "class-contradicted can be left out", said.stderr)
    check(run("gcc", "-fsyntax-only", "-Iinclude", "-Wno-attributes", path, cwd=TOP).stderr == "", "its input compiles")


def nested() -> None:
    """Conditions so deep that whoever follows them all has no stack left."""
    with tempfile.TemporaryDirectory() as folder:
        unit = Path(folder, "unit.c")
        for what, condition in (("&&", " && ".join(["s->a"] * 400000)), ("!", "!" * 20000 + "s->a")):
            unit.write_text(f"struct obj {{ int a, b; }};\nint f(struct obj *s);\nint f(struct obj *s)\n{{\n\tif ({condition})\n\t\ts->b = 1;\n\treturn 0;\n}}\n")
            out = run(PROGRAM, "--", unit)
            check(out.returncode == 0 and accesses(out.stdout, "unit.c")["6 w b"] == 1 and "nested too deeply" in out.stderr, f"many {what} in a condition",
                  f"status {out.returncode}\n{out.stderr[-300:]}")


def main() -> int:
    contradicted()
    nested()
    frequencies()
    reached()
    walk = run(PROGRAM, "--", "walk.c", cwd=INPUTS)
    same(accesses(walk.stdout, "walk.c"), expected(INPUTS / "walk.c"), "plain C")
    check(run("gcc", "-fsyntax-only", "-Wall", "-Wno-unused", INPUTS / "walk.c").stderr == "", "the input compiles")
    places = run(PROGRAM, "--", "objects.c", cwd=INPUTS)
    same(objects(places.stdout, "objects.c"), expected(INPUTS / "objects.c"), "objects and initialisers")
    for version in ("6.1", "6.12"):
        tree = kernel(version)
        if not tree:
            skip(f"primitives of {version}", f"no prepared kernel {version}")
            continue
        path = INPUTS / "primitives.c"
        cache = [row for row in rows(index(tree, "fs/file_table.c").stdout, "fs/file_table.c") if row[0] == "object"
                 and row[1].startswith("kmem_cache") and row[6] == "struct file"]
        check(len(cache) == 1 and cache[0][5] == "1", f"{version}: the cache of struct file begins a line", cache)
        done_run = index(tree, "mm/page_counter.c", str(path))
        same(accesses(done_run.stdout, "primitives.c"), expected(path), f"the primitives of {version}")
    tree = kernel("6.1")
    if tree:
        real(tree)
    else:
        skip("real files of 6.1", "no prepared kernel 6.1")
    return done()


sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""linekeeper diff: what moved, who shares a line now, what it costs the structs around."""

import json
import re
import shutil
import sys
import tempfile
from pathlib import Path
from xml.dom import minidom

sys.path.insert(0, "tests")
from tap import check, done, kernel, linekeeper, skip, small_tree  # noqa: E402


def show(done_run) -> str:
    return f"status {done_run.returncode}\n{done_run.stdout}{done_run.stderr}"


def changed(tree: Path, name: str, file: str, old: str, new: str) -> Path:
    """A copy of the tree with one edit."""
    copy = tree.parent / name
    shutil.copytree(tree, copy)
    text = (copy / file).read_text()
    assert old in text, old
    (copy / file).write_text(text.replace(old, new, 1))
    return copy


def test_v1(tree: Path) -> None:
    after = changed(tree, "v1", "include/linux/fs.h", "i_mmap_rwsem;", "i_mmap_rwsem ____cacheline_aligned_in_smp;")
    out = linekeeper("diff", "address_space", "--before", tree, "--after", after, "--all-users", "--promise",
                     "apart(address_space.i_mmap, address_space.i_mmap_rwsem)")
    check(out.returncode == 0 and "192 -> 256 bytes, aligned to 8 -> 64; 21 -> 16 objects per 4 KiB slab; "
          "kmalloc-192 -> kmalloc-256" in out.stdout, "seed 002 v1: size, alignment, slab, bucket", show(out))
    check("  i_mmap_rwsem           88       128  1 -> 2\n" in out.stdout, "the member that changed its line", show(out))
    check("i_mmap: may -> never on a line with i_mmap_rwsem" in out.stdout, "the pair whose sharing changed", show(out))
    check("inode, which embeds it: 504 -> " in out.stdout and "minifs_inode_info, which embeds it: 616 -> " in out.stdout,
          "what embeds it grows, however deep and private", show(out))
    check("yes: never share a 64-byte line; before: 7 of 8 placements" in out.stdout, "--promise is judged", show(out))
    same = linekeeper("diff", "address_space", "--before", tree, "--after", tree)
    check(same.returncode == 0 and "192 bytes, as before" in same.stdout and "every member lies where it lay" in same.stdout,
          "no change is said to be none", show(same))


def test_formats(tree: Path) -> None:
    after = tree.parent / "v1"
    out = linekeeper("diff", "address_space", "--before", tree, "--after", after, "--format", "json")
    change = json.loads(out.stdout)[0]
    pair = next(pair for pair in change["pairs"] if {pair["a"], pair["b"]} == {"i_mmap", "i_mmap_rwsem"})
    check(pair["before"] == {"sharing": "may", "placements": [0, 8, 16, 24, 32, 48, 56], "of": 8} and
          pair["after"]["sharing"] == "never", "JSON: sharing with its placements", pair)
    check([change[key][0]["size"] for key in ("before", "after")] == [192, 256] and
          {"name": "i_mmap_rwsem", "before": 88, "after": 128} in change["moved"], "JSON: both layouts, what moved")
    out = linekeeper("diff", "address_space", "--before", tree, "--after", after, "--format", "html")
    page = out.stdout.split("\n", 1)[1] if out.stdout.startswith("<!") else out.stdout
    check(out.returncode == 0 and minidom.parseString(page).documentElement.tagName == "html" and
          out.stdout.count("i_mmap_rwsem") > 2, "HTML: well-formed, both sides", show(out)[:2000])


def test_anonymous(tree: Path) -> None:
    """Case D08: members of anonymous unions are matched by name when another one is put in front, or two are exchanged."""
    before = tree / "kernel/anon.c"
    before.write_text("struct anon { union { int a; long b; }; int x; union { int c; short d; }; };\n")
    other = changed(tree, "anon", "kernel/anon.c", before.read_text(),
                    "struct anon { struct { int e, f; }; union { int c; short d; }; int x; union { int a; long b; }; };\n")
    out = linekeeper("diff", "anon", "--before", tree, "--after", other, "--format", "json")
    moved = {move["name"]: (move["before"], move["after"]) for move in json.loads(out.stdout)[0]["moved"]}
    check(moved == {"e": (None, 0), "f": (None, 4), "c": (12, 8), "d": (12, 8), "x": (8, 12), "a": (0, 16), "b": (0, 16)},
          "anonymous members: moved, not removed", moved)


def test_rows(tree: Path) -> None:
    """What a new member came to, what lies over something else now, who left a word's start, and many that moved alike."""
    before = tree / "kernel/rows.c"
    many = " ".join(f"long m{number};" for number in range(10))
    before.write_text("struct room { long usage; long low __attribute__((aligned(64))); long max; };\n"
                      "struct two { struct { long a, b; } old; struct { long c; } new; };\n"
                      "struct elem { long key; char ext[16]; };\n"
                      f"struct many {{ long head; {many} }};\n")
    edits = {"room": ("usage;", "usage; void *owner;", "  owner: new, always on a line with usage (alone before)\n"),
             "two": ("{ struct { long a, b; } old; struct { long c; } new; }", "{ union { struct { long a, b; } old; struct { long c; } new; }; }",
                     "  old and new: now at the same place\n"),
             "elem": ("key;", "key; int seq;", "  ext                  8        12  0  no longer at a multiple of 8\n"),
             "many": ("head;", "head; long fresh[8];", "  m0                   8        72  0 -> 1\n  and 9 behind it, to m9: 64 bytes higher too\n")}
    for name, (old, new, row) in edits.items():
        after = changed(tree, f"rows-{name}", "kernel/rows.c", old, new)
        out = linekeeper("diff", name, "--before", tree, "--after", after)
        check(row in out.stdout, f"{name}: '{row.strip()}'", show(out))
        back = linekeeper("diff", name, "--before", after, "--after", tree)
        check(not re.search(r"new,|same place|no longer", back.stdout), f"{name}: not on the way back", show(back))


def test_kernels() -> None:
    """Case B09 on the two real kernels: one unsigned long more in a full line."""
    old, new = kernel("6.1"), kernel("6.12")
    if old is None or new is None:
        skip("page_counter from 6.1 to 6.12", "no kernels")
        return
    out = linekeeper("diff", "page_counter", "--before", old, "--after", new)
    check("192 -> 256 bytes, aligned to 64; 21 -> 16 objects per 4 KiB slab" in out.stdout and
          "watermark: always -> never on a line with failcnt" in out.stdout and "mem_cgroup, which embeds it" in out.stdout,
          "page_counter from 6.1 to 6.12 spilled into a fourth line", show(out))


with tempfile.TemporaryDirectory() as name:
    small = small_tree(Path(name))
    test_v1(small)
    test_formats(small)
    test_anonymous(small)
    test_rows(small)
    test_kernels()
sys.exit(done())

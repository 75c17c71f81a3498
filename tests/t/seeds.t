#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The seeds on the real 6.1: relayout, compile, and pahole says the same offsets; out and in again, to the byte."""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, "tests")
from tap import check, compiler_call, done, kernel, linekeeper, run, scratch_of, skip  # noqa: E402

SEEDS = Path("cocci/seeds").resolve()
PAGE_COUNTER, FS, CGROUP = (f"include/linux/{name}.h" for name in ("page_counter", "fs", "cgroup-defs"))


def show(done_run) -> str:
    return f"status {done_run.returncode}\n{done_run.stdout}{done_run.stderr}"


def relayout(tree: Path, rule: str, *words: str) -> subprocess.CompletedProcess:
    return linekeeper("relayout", "--tree", tree, "--rule", SEEDS / f"{rule}.cocci", "--write", *words)


def same_as_pahole(tree: Path, struct: str, sources: list, folder: Path) -> None:
    """Compiles the sources with DWARF and compares each direct member's offset."""
    ours = json.loads(linekeeper("map", struct, "--tree", tree, "--format", "json").stdout)[0]
    offsets = {member["name"]: member["offset"] for member in ours["members"]}
    for source in sources:
        out = folder / "object.o"
        made = run(*compiler_call(tree, source, out), cwd=tree)
        if not check(made.returncode == 0, f"{source} compiles with the new {struct}", show(made)):
            continue
        text = run("pahole", "-F", "dwarf", "-C", struct, out).stdout
        theirs = {name: int(offset) for name, offset in
                  re.findall(r"^\t[^\t{}][^;]*?\b(\w+)(?:\[[^;]*\])?(?: __attribute__\S+)?;\s*/\*\s+(\d+)\s+\d+ \*/", text, re.M)}
        size = int(re.search(r"/\* size: (\d+)", text).group(1))
        wrong = {name: (offset, offsets.get(name)) for name, offset in theirs.items() if offsets.get(name) != offset}
        check(not wrong and size == ours["size"] and len(theirs) > 5,
              f"pahole on {source}: {len(theirs)} members of {struct} where linekeeper has them, {size} bytes", (wrong, text))


def test_page_counter(tree: Path, folder: Path) -> None:
    original = (tree / PAGE_COUNTER).read_bytes()
    sizes = []
    for rule, words in (("page_counter_usage", ["-D", "revert"]), ("page_counter_parent", ["-D", "revert"]),
                        ("page_counter_parent", []), ("page_counter_usage", [])):
        out = relayout(tree, rule, *words)
        sizes += re.findall(r"^struct page_counter   (\S.*?) bytes", out.stdout, re.M)
        check(out.returncode == 0, f"{rule} {' '.join(words)}".strip(), show(out))
        if rule == "page_counter_parent" and words:
            same_as_pahole(tree, "page_counter", ["mm/page_counter.c"], folder)
        if rule == "page_counter_usage" and not words:
            check(re.search(r"mem_cgroup, which embeds it: 1792 -> 2112 bytes.*18 -> 15 objects per 32 KiB slab; kmalloc-2k -> kmalloc-4k",
                            out.stdout), "001: what mem_cgroup pays", show(out))
    check(sizes == ["192 -> 112", "112", "112", "112 -> 192"], "the sizes on the way", sizes)
    check((tree / PAGE_COUNTER).read_bytes() == original, "reverted and applied again: the original file to the byte",
          run("diff", "-u", kernel("6.1") / PAGE_COUNTER, tree / PAGE_COUNTER).stdout)
    same_as_pahole(tree, "page_counter", ["mm/page_counter.c", "mm/memcontrol.c"], folder)


def test_address_space(tree: Path, folder: Path) -> None:
    original = (tree / FS).read_bytes()
    out = relayout(tree, "address_space_i_mmap", "-D", "v2")
    check(out.returncode == 1 and "at 3 of 8 placements (0, 48, 56)" in out.stderr and (tree / FS).read_bytes() == original,
          "002 v2 is refused with the placements", show(out))
    out = relayout(tree, "address_space_i_mmap", "-D", "v2", "--accept-may")
    check(out.returncode == 0, "002 v2 goes through with --accept-may", show(out))
    same_as_pahole(tree, "address_space", ["mm/filemap.c"], folder)
    (tree / FS).write_bytes(original)
    out = relayout(tree, "address_space_i_mmap", "-D", "v1")
    check("192 -> 256 bytes, aligned to 8 -> 64" in out.stdout and "inode, which embeds it: 616 -> 704 bytes" in out.stdout,
          "002 v1: address_space 256, inode 704 bytes", show(out))
    same_as_pahole(tree, "inode", ["fs/inode.c"], folder)
    (tree / FS).write_bytes(original)
    out = relayout(tree, "address_space_i_mmap")
    check(out.returncode == 0 and "yes: never share a 64-byte line; before: 7 of 8 placements" in out.stdout,
          "002: never, where 7 of 8 placements met before", show(out))
    check("\n+ * @i_mmap_rwsem: " in out.stdout, "the kernel-doc follows", show(out))
    same_as_pahole(tree, "address_space", ["mm/filemap.c", "fs/inode.c"], folder)


def test_cgroup(tree: Path, folder: Path) -> None:
    out = relayout(tree, "cgroup_rstat")
    check(out.returncode == 0 and out.stdout.count(": yes: never share") == 4, "003: four pairs never share", show(out))
    check("cgroup_root, which embeds it" in out.stdout, "003: what cgroup_root pays", show(out))
    same_as_pahole(tree, "cgroup", ["kernel/cgroup/rstat.c", "kernel/cgroup/cgroup.c"], folder)


def test_newer(tree: Path) -> None:
    """6.12 has all four cures: nothing is left to do, and that is said."""
    for rule in ("address_space_i_mmap", "cgroup_rstat"):
        out = linekeeper("relayout", "--tree", tree, "--rule", SEEDS / f"{rule}.cocci")
        check(out.returncode == 1 and "matches nothing: is the change there already" in out.stderr, f"{rule} on 6.12", show(out))


with tempfile.TemporaryDirectory() as name:
    if kernel("6.1") is None or shutil.which("pahole") is None:
        skip("the seeds on 6.1", "no kernel 6.1 or no pahole")
    else:
        top = Path(name)
        scratch = scratch_of(kernel("6.1"), top / "linux")
        test_page_counter(scratch, top)
        test_address_space(scratch, top)
        test_cgroup(scratch, top)
    if kernel("6.12") is None:
        skip("the seeds on 6.12", "no kernel 6.12")
    else:
        test_newer(kernel("6.12"))
sys.exit(done())

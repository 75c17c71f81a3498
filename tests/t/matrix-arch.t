#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""linekeeper matrix --arch: a kernel's source prepared for other architectures, outside of it, and read."""

import json
import os
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, "tests")
from tap import TOP, check, done, kernel, linekeeper, skip, small_tree  # noqa: E402

sys.path.insert(0, str(TOP / "scripts"))
from lk import arches, cache  # noqa: E402

COMPILERS = {"i386": "gcc", "s390": "s390x-linux-gnu-gcc"}


def files_of(tree: Path) -> dict:
    """When each was changed last."""
    return {os.path.join(folder, name): os.lstat(os.path.join(folder, name)).st_mtime_ns
            for folder, dirs, files in os.walk(tree) for name in (*dirs, *files)}


def wrong_use(tree: Path) -> None:
    out = linekeeper("matrix", "page_counter", "--tree", tree, "--arch", "s390,vax")
    check(out.returncode == 2 and "no architecture 'vax' (there are arm, arm64, i386, ppc32," in out.stderr, "no such architecture", out.stderr)
    out = linekeeper("matrix", "page_counter", "--tree", tree, "--arch", "s390,i386", "--work", tree / "work")
    check(out.returncode == 2 and "one architecture" in out.stderr, "--work is of one", out.stderr)
    out = linekeeper("matrix", "page_counter", "--tree", tree, "--arch", "s390", PATH="/nonexistent", XDG_CACHE_HOME=str(tree / "cache"))
    check(out.returncode == 1 and out.stderr == "refused: s390x-linux-gnu-gcc is needed, which is not there: install it (Debian's package: "
          "gcc-s390x-linux-gnu)\n" and not out.stdout, "no compiler", out.stdout + out.stderr)


def goes_on(tree: Path) -> None:
    """None of them hides another."""
    out = linekeeper("matrix", "page_counter", "--tree", tree, "--arch", "s390,arm", PATH="/nonexistent", XDG_CACHE_HOME=str(tree / "cache"))
    check(out.returncode == 1 and re.findall("^refused: (.*) is needed", out.stderr, re.M) == ["s390: s390x-linux-gnu-gcc", "arm: arm-linux-gnueabihf-gcc"],
          "each that is refused is said", out.stderr)


def freshness(folder: Path) -> None:
    """A change of what configures a source makes what was prepared before it old."""
    source, made = folder / "source", folder / "made"
    for name in ("Makefile", "Kconfig", "arch/s390/Makefile", "sub/Kconfig"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).touch()
        os.utime(source / name, (1000, 1000))
    (made / "include/config").mkdir(parents=True)
    (made / "include/config/auto.conf.cmd").write_text("deps_config := \\\n\tKconfig \\\n\tsub/Kconfig \\\n\n", encoding="utf-8")
    check(not arches._is_fresh(made, str(source), "s390"), "half of it is not taken")
    (made / cache.STAMP).touch()
    check(arches._is_fresh(made, str(source), "s390"), "what is ready is taken")
    for name in ("Makefile", "arch/s390/Makefile", "sub/Kconfig"):
        os.utime(source / name, (4e9, 4e9))
        check(not arches._is_fresh(made, str(source), "s390"), f"old behind a change of {name}")
        os.utime(source / name, (1000, 1000))
    (source / "sub/Kconfig").unlink()
    check(not arches._is_fresh(made, str(source), "s390"), "old when a Kconfig file is gone")


def on_kernel(tree: Path, folder: Path) -> None:
    before = files_of(tree)
    where = {"XDG_CACHE_HOME": str(folder)}
    out = linekeeper("matrix", "page_counter", "--tree", tree, "--arch", ",".join(COMPILERS), "--format", "json", "-j2", **where)
    if not check(out.returncode == 0 and out.stderr.count(" is prepared for ") == len(COMPILERS), "prepared the first time, which is said", out.stdout + out.stderr):
        return
    tables = {table["machine"]: table for table in json.loads(out.stdout)}
    check(list(tables) == list(COMPILERS), "a table for each", list(tables))
    check(files_of(tree) == before, f"{tree.name} is as it was")
    made = [path for path in folder.rglob("source") if path.is_symlink()]
    check(len(made) == len(COMPILERS) and all(path.resolve() == tree.resolve() for path in made), "what was prepared is of that source", made)
    for name, want in (("i386", (32, 128, 32)), ("s390", (64, 768, 256))):
        first = tables[name]["structs"][0]["layouts"][0]
        check((tables[name]["bits"], first["size"], first["line_size"]) == want, f"{name}: bits, size, bytes of a line", (tables[name]["bits"], first))
        check(not tables[name]["structs"][0]["unread"], f"{name}: every configuration is read", tables[name]["structs"][0]["unread"])
    check(max(one["line_size"] for one in tables["i386"]["structs"][0]["layouts"]) == 128, "i386: MPENTIUM4 has lines of 128 bytes")
    out = linekeeper("map", "page_counter", "--tree", made[0].parent, "--format", "json", **where)
    check(out.returncode == 0, "other commands take it as a tree", out.stderr)
    out = linekeeper("matrix", "page_counter", "--tree", tree, "--arch", "s390", "--work", folder / "work", "--print-jobs", **where)
    check(out.returncode == 0 and not out.stderr and out.stdout, "the second time it is there", out.stderr)


with tempfile.TemporaryDirectory() as scratch:
    small = small_tree(Path(scratch))
    wrong_use(small)
    goes_on(small)
    freshness(Path(scratch, "fresh"))
    path = kernel("6.12")
    missing = [compiler for compiler in COMPILERS.values() if not arches.needs.where(compiler)]
    if not path or missing:
        skip("other architectures of linux 6.12", f"no {missing[0]}" if missing else "KERNEL612 is not set")
    else:
        on_kernel(path, Path(scratch))
sys.exit(done())

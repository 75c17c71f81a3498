#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The plugin on real kernels: the seeds' structs, annotated, warn before the cures, each once, and are silent after them.

Some units by the compiler calls of kbuild; whole folders are `make check-plugin`.
"""

import os
import re
import shlex
import sys
import tempfile
from pathlib import Path

sys.path[:0] = ["tests", "tests/sweep"]
from plugin import ANNOTATE, CURES, EXPECTED, EXPECTED_NEWER, LINEKEEPER, REVERT, findings  # noqa: E402
from tap import annotatable, check, compiler_call, done, kernel, relayout, run, scratch_of, skip  # noqa: E402

UNITS = ["mm/page_counter.c", "fs/inode.c", "kernel/cgroup/rstat.c", "net/core/sock.c"]


def build(tree: Path, folder: Path, flags: list) -> str:
    """The log of one make of the units; objects are made each time, with the plugin and, for the first unit, without."""
    lines = []
    for number, source in enumerate(UNITS):
        call = [word for word in compiler_call(tree, source, folder / f"{number}.o") if word != "-g"]
        lines += [f"{number}:", f"\tcd {tree} && {shlex.join([call[0], *flags, *call[1:], '-Wno-error'])}".replace("$", "$$")]
    (folder / "Makefile").write_text(f"all: {' '.join(map(str, range(len(UNITS))))}\n" + "\n".join(lines) + "\n")
    out = run("make", "-s", "-k", "-j2", cwd=folder, LC_ALL="C", MAKEFLAGS="")
    check(out.returncode == 0, f"{len(UNITS)} units compile", out.stdout + out.stderr)
    return out.stdout + out.stderr


def same(log: str, tree: Path, expected: list, what: str) -> None:
    found = findings(log, tree)
    check(found == expected, f"{what}: {len(expected)} warnings, each once", f"{found}\n{log}")


def test_older(tree: Path, folder: Path, flags: list) -> None:
    relayout(tree, "seeds", REVERT, "-D", "revert")
    relayout(tree, "annotate", ANNOTATE)
    same(build(tree, folder, flags), tree, EXPECTED, "6.1 before the cures")
    loaded = (folder / "0.o").read_bytes()
    build(tree, folder, [word for word in flags if "-fplugin" not in word and "CACHELINE_LAYOUT_PLUGIN" not in word])
    check(loaded == (folder / "0.o").read_bytes(), "the object is the same with and without the plugin")
    relayout(tree, "seeds", CURES)
    same(build(tree, folder, flags), tree, [], "6.1 with the cures")


def test_newer(tree: Path, folder: Path, flags: list) -> None:
    relayout(tree, "annotate", ANNOTATE)
    of_sock = [one for one in EXPECTED_NEWER if one.file == "include/net/sock.h"]
    same(build(tree, folder, flags), tree, of_sock, "6.12, as upstream cured it")


def main() -> int:
    run("make", "plugin", f"BUILD={os.environ.get('BUILD') or 'build'}")
    flags = run(LINEKEEPER, "plugin-flags", "once=said")
    with tempfile.TemporaryDirectory() as name:
        for version, test in (("6.1", test_older), ("6.12", test_newer)):
            if flags.returncode or not kernel(version) or not os.environ.get("SPATCH"):
                skip(f"the plugin on {version}", "no plugin headers, no kernel, or no spatch")
                continue
            folder = Path(name, version)
            folder.mkdir()
            tree = annotatable(scratch_of(kernel(version), folder / "linux"))
            said = f"once={folder}/said"
            test(tree, folder, re.sub(r"once=\S+", said, flags.stdout).split())
    return done()


sys.exit(main())

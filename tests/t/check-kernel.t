#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""`make C=2 CHECK=cacheline-check` in real kernels: what the plugin finds in the same structs (plugin-kernel.t), each once.

Whole folders are `make check-checker`.
"""

import os
import re
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path[:0] = ["tests", "tests/sweep"]
from plugin import ANNOTATE, CURES, EXPECTED, EXPECTED_NEWER, REVERT, findings  # noqa: E402
from tap import annotatable, check, done, kernel, linekeeper, relayout, run, skip, tree_to_build  # noqa: E402

PROGRAM = Path(os.environ.get("BUILD") or "build").resolve() / "cacheline-check"
SPARSE = Path(os.environ.get("SPARSE_SRC") or "") / "sparse"
OBJECTS = ["mm/page_counter.o", "fs/inode.o", "kernel/cgroup/rstat.o", "net/core/sock.o"]
WRITTEN = ("arch/x86", "fs", "include", "kernel", "mm", "net", "scripts", "tools")
IDS = ("class-mix", "group-mix", "group-straddle", "shared-apart", "shared-isolated")


def checked(tree: Path, expected: list, what: str, *words: str) -> None:
    """One run of make, whose log holds the expected findings of IDS, and nothing else that the checker says."""
    checker = f"{PROGRAM} --only={','.join(IDS)} {' '.join(words)}"
    with tempfile.TemporaryDirectory() as place:
        out = run("make", "-C", tree, "-j2", "C=2", f"CHECK={checker}", "KCFLAGS=-w", *OBJECTS,
                  XDG_RUNTIME_DIR=place, LC_ALL="C")
    log = out.stdout + out.stderr
    wanted = [one for one in expected if one.id in IDS]
    seen = [word for word in OBJECTS if f"CHECK   {word[:-1]}c" in log]
    check(out.returncode == 0 and seen == OBJECTS, f"{what}: {len(OBJECTS)} units go through make C=2", log)
    check(findings(log, tree) == wanted and "error:" not in log, f"{what}: {len(wanted)} findings, each once",
          f"{findings(log, tree)}\n{log}")


def warned(log: str) -> Counter:
    return Counter(re.findall(r"^\S+:\d+:\d+: warning: .*", log, re.M))


def behind(tree: Path, cache: str) -> None:
    """What the index infers, for the checker; and sparse behind it, when an object is compiled anew."""
    unit = "net/core/sock.o"
    index = [linekeeper("index", *words, "--tree", tree, XDG_CACHE_HOME=cache) for words in (("net/core",), ("--classes",))]
    checker = f"{PROGRAM} --only=ungrouped-field --classes={index[1].stdout.strip()}"
    alone = run("make", "-C", tree, "C=2", f"CHECK={SPARSE}", unit, LC_ALL="C", LINEKEEPER_THEN="")
    (tree / unit).unlink()
    both = run("make", "-C", tree, "C=1", f"CHECK={checker}", unit, LC_ALL="C", LINEKEEPER_THEN=str(SPARSE), XDG_RUNTIME_DIR=cache)
    sparse, said = warned(alone.stdout + alone.stderr), warned(both.stdout + both.stderr)
    ours = [text for text in said - sparse]
    check(both.returncode == 0 and (tree / unit).exists() and len(sparse) > 1 and not sparse - said, "make C=1: sparse behind us says what it says alone",
          both.stdout + both.stderr)
    check(len(ours) == 1 and re.search(r"/sock\.h:\d+:\d+: warning: 'sk_lingertime' is written \(inferred, .*writer.* in no group, but shares a 64-byte line "
                                       r"with the read-mostly group 'sock_read_tx', .*\[-Wcacheline-ungrouped-field\]$", ours[0]),
          "with the index's classes: a written member beside a group that is read", ours)


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        for version in ("6.1", "6.12"):
            if not kernel(version) or not os.environ.get("SPATCH"):
                skip(f"the checker in {version}", "no kernel, or no spatch")
                continue
            tree = annotatable(tree_to_build(kernel(version), Path(name, version), WRITTEN))
            if version == "6.1":
                relayout(tree, "seeds", REVERT, "-D", "revert")
            relayout(tree, "annotate", ANNOTATE)
            if version == "6.1":
                checked(tree, EXPECTED, "6.1 before the cures")
                relayout(tree, "seeds", CURES)
                checked(tree, [], "6.1 with the cures", "--error")
            else:
                checked(tree, EXPECTED_NEWER, "6.12, as upstream cured it")
                behind(tree, name)
            shutil.rmtree(tree)
    return done()


sys.exit(main())

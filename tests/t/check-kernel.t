#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""`make C=2 CHECK=cacheline-check` in real kernels: what the plugin finds in the same structs (plugin-kernel.t), each once.

Whole folders are `make check-checker`.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

sys.path[:0] = ["tests", "tests/sweep"]
from plugin import ANNOTATE, CURES, EXPECTED, EXPECTED_NEWER, REVERT, findings  # noqa: E402
from tap import annotatable, check, done, kernel, relayout, run, skip, tree_to_build  # noqa: E402

PROGRAM = Path(os.environ.get("BUILD") or "build").resolve() / "cacheline-check"
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
            shutil.rmtree(tree)
    return done()


sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The rules under the kernel's own `make coccicheck`, with nothing of ours but the rule and the macro file.

Every rule and mode once on a small input, where the answer must be that of tests/cocci/*.expect, and two seeds on the
headers of linux 6.1. The kernel tree is only read.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, "tests")
from sections import cases, coccicheck, rules  # noqa: E402
from tap import check, done, kernel, run, skip  # noqa: E402

MODES = ("patch", "context", "org", "report")


def found(output: str, below: Path) -> list:
    """The lines of the answer: of a diff but its head, of a report, of an org list."""
    lines = [re.sub(rf"{re.escape(str(below))}/+", "", line) for line in output.splitlines()]
    return [line for line in lines if re.match(r"(?!--- |\+\+\+ )[-+]|@@ |\* TODO |\S+\.h:\d+:", line)]


def expected() -> dict:
    """(rule, mode): input, further -D words, answer; the first section of each that has one."""
    sections = {}
    for expect in sorted(Path("tests/cocci").glob("*.expect")):
        for _, (source, rule, mode, *words), section in cases(expect):
            if section and source != "-":
                sections.setdefault((rule, mode), (source, words, [line for line in section if not line.startswith("= ")]))
    return sections


def test_small(tree: Path, folder: Path) -> None:
    sections = expected()
    for rule in rules():
        wrong = []
        for mode in MODES:
            source, words, wanted = sections[(str(rule.relative_to("cocci").with_suffix("")), mode)]
            below = folder / Path(source).stem
            below.mkdir(exist_ok=True)
            shutil.copy(Path("tests/cocci", source), below)
            out = coccicheck(tree, rule, mode, below, "-U 0", *(f"-D {word}" for word in words))
            lines = found(out.stdout, below)
            if out.returncode or lines != wanted:
                wrong += [f"MODE={mode}: status {out.returncode}", "wanted:", *wanted, "got:", *lines, out.stdout]
        check(not wrong, f"coccicheck {rule}: {', '.join(MODES)}", "\n".join(wrong))


def test_real(tree: Path) -> None:
    below = Path("include/linux")
    rule = Path("cocci/seeds/address_space_i_mmap.cocci")
    out = coccicheck(tree, rule, "report", below)
    check(out.returncode == 0 and re.search(r"^include/linux/fs\.h:\d+:\d+-\d+: address_space\.i_mmap_rwsem is spun on", out.stdout, re.M),
          "002 reports on linux 6.1", out.stdout)
    out = coccicheck(tree, rule, "patch", below)
    check(out.returncode == 0 and found(out.stdout, below)[1::2] ==
          ["-\tstruct rw_semaphore\ti_mmap_rwsem;", "+\tstruct rw_semaphore i_mmap_rwsem;"], "002 patches linux 6.1", out.stdout)
    diff = out.stdout[out.stdout.find("diff -u"):]
    applied = subprocess.run(["git", "apply", "--check", "--recount", "-"], cwd=tree, input=diff, text=True, capture_output=True,
                             check=False, env={**os.environ, "GIT_CEILING_DIRECTORIES": str(tree.parent)})
    check(applied.returncode == 0, "git apply takes that patch", applied.stderr)
    out = coccicheck(tree, Path("cocci/seeds/cgroup_rstat.cocci"), "report", below)
    check(out.returncode == 0 and re.search(r"^include/linux/cgroup-defs\.h:\d+:.*CACHELINE_PADDING", out.stdout, re.M),
          "003 reports on linux 6.1", out.stdout)
    move = Path("cocci/relayout/move.cocci")
    out = coccicheck(tree, move, "report", below, "-D STRUCT=file", "-D FIELD=f_mapping", "-D AFTER=f_op")
    lines = found(out.stdout, below)
    check(out.returncode == 0 and len(lines) == 1 and re.match(r"fs\.h:\d+:\d+-\d+: file\.f_mapping moves behind f_op$", lines[0]),
          "a generic rule finds its struct in a folder, and no other", out.stdout)
    out = coccicheck(tree, move, "report", below, "-D STRUCT=file", "-D FIELD=f_mapping")
    check(out.returncode != 0 and "No rules apply" in out.stdout, "a generic rule without all its values fails", out.stdout)


def main() -> int:
    tree = kernel("6.1")
    if not tree or not os.environ.get("SPATCH"):
        skip("make coccicheck", "no prepared linux 6.1" if os.environ.get("SPATCH") else "no spatch 1.2 or newer")
        return done()
    with tempfile.TemporaryDirectory() as folder:
        stamp = Path(folder, "stamp")
        stamp.touch()
        time.sleep(0.05)
        test_small(tree, Path(folder))
        test_real(tree)
        changed = run("find", tree, "-newer", stamp).stdout
        check(not changed, "coccicheck left the tree as it was", changed)
    return done()


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""uapi-hole on each header of include/uapi/ of a kernel tree, as if all of its structs were new; a sample is printed, to be read."""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "scripts")]
from lk import engine  # noqa: E402
from lk.check import finding_of, in_parallel, is_unread, judge  # noqa: E402
from lk.tree import Tree, strip_options  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tree", required=True, metavar="DIR", help="a prepared kernel tree")
    parser.add_argument("--sample", type=int, default=30, metavar="N", help="findings that are printed, at random (seed 1)")
    args = parser.parse_args()
    tree, empty = Tree(args.tree), engine.file_of(["D\t1\tx86-64\t64\n"])
    files = sorted(str(path.relative_to(tree.src)) for path in Path(tree.src, "include/uapi").rglob("*.h"))
    options = [*strip_options(tree), f"--before={empty}", "--only=uapi-hole"]
    answers = in_parallel(2, lambda file: judge(tree, file, options), files)
    found = sorted({said for answer in answers for said in answer.said if finding_of(said)})
    hole = [said for said in found if "without a name" in said]
    unread = sum(map(is_unread, answers))
    print(f"{len(files)} headers, {unread} cannot be read alone; {len(found)} findings: {len(hole)} holes, {len(found) - len(hole)} differences")
    print("\n".join(sorted(random.Random(1).sample(found, min(args.sample, len(found))))))

main()


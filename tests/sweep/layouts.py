#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Are our layouts right? Builds objects of real kernels with DWARF, asks pahole, and compares every named struct and
union with what cacheline-map says of the same translation unit: size, file and line; each member's offset and size,
each bit-field's first bit and width. Prints a table and the differences; exit status 1 when there is one.

Without --tree: linux 6.1 and 6.12 (KERNEL61, KERNEL612, or what set-up made) for x86-64, arm64 and 32-bit arm.
"""

import argparse
import hashlib
import os
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import List, Optional, Set

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "scripts"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.dont_write_bytecode = True

from compare import Difference, Key, Result, compare_object  # noqa: E402
from ktree import ARCHES, Build, BuildFailed  # noqa: E402
from lk import setup  # noqa: E402

OBJECTS = Path(__file__).with_name("objects.txt")
# the sample: headers that include much, and what has odd layouts (packed, #pragma pack, bit-fields)
SAMPLE = ["drivers/acpi/bus.o", "fs/inode.o", "kernel/cgroup/cgroup.o", "mm/memcontrol.o", "net/core/dev.o"]
MIN_OBJECTS = {"x86_64": 60, "arm64": 10, "arm": 10}
CROSS_STEP = 5			# every fifth object for an architecture that is only cross-compiled
MIN_NAMES = 5000
MAX_SHOWN = 40			# differences of one kind


def cache() -> Path:
    """where objects are kept between two runs"""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "linekeeper" / "layouts"


def work_for(tree: Path, base: Path) -> Path:
    """another tree, another configuration or another version is another folder"""
    key = hashlib.sha256(str(tree.resolve()).encode())
    for name in (".config", "Makefile"):
        path = tree / name
        key.update(path.read_bytes() if path.exists() else b"")
    return base / f"{tree.resolve().name}-{key.hexdigest()[:10]}"


def wanted_objects(arch: str, count: Optional[int], sample: bool) -> List[str]:
    """spread evenly over the list when not all are wanted"""
    if sample:
        return SAMPLE[:count]
    names = OBJECTS.read_text(encoding="ascii").split()
    if count is None and arch != "x86_64":
        return names[::CROSS_STEP]
    if count is None or count >= len(names):
        return names
    return [names[i * len(names) // count] for i in range(count)]


class Sweep:
    """one tree on one architecture"""

    def __init__(self, tree: Path, arch: str, args: argparse.Namespace):
        self.tree, self.arch = tree, arch
        self.build = Build(tree, work_for(tree, args.work), arch)
        self.wanted = wanted_objects(arch, args.objects, args.sample)
        self.full = args.objects is None and not args.sample
        self.built: List[str] = []
        self.result = Result()

    def run(self, program: Path, pool: ProcessPoolExecutor) -> None:
        """build, and compare"""
        try:
            self.build.prepare()
            self.built = self.build.objects(self.wanted)
        except BuildFailed as trouble:
            self.result.differences.append(Difference("no answer", "build", str(trouble)))
            return
        for one in pool.map(partial(compare_object, program, self.build), self.built):
            self.result.add(one)
        if not self.built or (self.full and len(self.built) < MIN_OBJECTS[self.arch]):
            self.result.differences.append(Difference("no answer", "build", f"only {len(self.built)} objects"))

    def row(self) -> str:
        """a line of the table"""
        counts = self.result.counts
        return (f"{self.tree.name:<28} {self.arch:<7} {counts['objects']:>7} {counts['definitions']:>11} "
                f"{len(self.result.names):>8} {counts['members']:>9} {counts['bit-fields']:>10} "
                f"{sum(self.result.left_out.values()):>8} {len(self.result.differences):>11}")


HEADING = (f"{'kernel':<28} {'arch':<7} {'objects':>7} {'definitions':>11} {'distinct':>8} {'members':>9} "
           f"{'bit-fields':>10} {'left out':>8} {'differences':>11}")


def show_differences(sweep: Sweep) -> None:
    """the distinct ones, by kind"""
    distinct = Counter(sweep.result.differences)
    shown: Counter = Counter()
    for difference in sorted(distinct):
        shown[difference.kind] += 1
        if shown[difference.kind] <= MAX_SHOWN:
            print(f"  {difference.kind}: {difference.struct}: {difference.text} ({distinct[difference]} objects)")
    for kind, number in shown.items():
        if number > MAX_SHOWN:
            print(f"  {kind}: and {number - MAX_SHOWN} more")


def show_rest(sweep: Sweep) -> None:
    """what the table has no room for"""
    missing = sorted(set(sweep.wanted) - set(sweep.built))
    if missing or sweep.result.left_out or sweep.result.differences:
        print(f"\n{sweep.tree.name} {sweep.arch}:")
    if missing:
        print(f"  not in this configuration, or do not build alone: {' '.join(missing)}")
    for reason, number in sorted(sweep.result.left_out.items()):
        print(f"  left out in {number} objects: {reason}")
    show_differences(sweep)


def plan(args: argparse.Namespace) -> List[Sweep]:
    """what to do, from the options"""
    if args.tree:
        trees = args.tree
    else:
        trees = [Path(found) for found in (setup.find("kernel-6.1"), setup.find("kernel-6.12")) if found]
    arches = args.arch or (["x86_64"] if args.tree or args.sample else list(MIN_OBJECTS))
    return [Sweep(tree, arch, args) for tree in trees for arch in arches]


def options() -> argparse.Namespace:
    """the command line"""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tree", type=Path, action="append", metavar="DIR", help="a prepared kernel tree")
    parser.add_argument("--arch", choices=sorted(ARCHES), action="append")
    parser.add_argument("--objects", type=int, metavar="N", help="how many objects of the list for each tree")
    parser.add_argument("--sample", action="store_true", help=f"only {len(SAMPLE)} objects of each tree")
    parser.add_argument("--work", type=Path, default=cache(), metavar="DIR", help="where to build (default: %(default)s)")
    parser.add_argument("--program", type=Path, metavar="FILE", default=TOP / os.environ.get("BUILD", "build") / "cacheline-map")
    return parser.parse_args()


def main() -> int:
    """exit status"""
    args = options()
    args.program = args.program.absolute()
    sweeps = plan(args)
    if not sweeps or not args.program.exists():
        print(f"layouts.py: error: {'no kernel tree' if not sweeps else f'{args.program} is not there'}", file=sys.stderr)
        return 2
    print(HEADING, flush=True)
    names: Set[Key] = set()
    with ProcessPoolExecutor() as pool:
        for sweep in sweeps:
            sweep.run(args.program, pool)
            names |= sweep.result.names
            print(sweep.row(), flush=True)
    for sweep in sweeps:
        show_rest(sweep)
    full = all(sweep.full for sweep in sweeps) and not args.tree
    differences = sum(len(sweep.result.differences) for sweep in sweeps)
    print(f"\n{len(names)} distinct named structs and unions, {differences} differences")
    if full and len(names) < MIN_NAMES:
        print(f"too few: {MIN_NAMES} are wanted")
    return 1 if differences or (full and len(names) < MIN_NAMES) else 0


if __name__ == "__main__":
    sys.exit(main())

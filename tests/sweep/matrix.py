#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
linekeeper matrix beside a real make: layouts drawn at random over structs, kernels and architectures are built.

For each: the kernel's merge_config.sh takes the fragment, `make olddefconfig` keeps all of it, `make OBJECT` (which prepares), pahole on
the object; size and all offsets must be those of the matrix. What that takes, and what the matrix took for each of its configurations,
is said. Each answer is a file in the work folder: what was stopped goes on, and another seed builds in the same O= folders.
Exit status 1 when a layout differs, or when there are too few.
"""

import argparse
import hashlib
import json
import os
import random
import re
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Callable, Dict, List, Optional, Tuple

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "scripts"), str(Path(__file__).resolve().parent)]
sys.dont_write_bytecode = True

import compare  # noqa: E402
import ktree  # noqa: E402
import ours  # noqa: E402
import pahole  # noqa: E402
from lk import arches, cache, setup  # noqa: E402
from lk.errors import Refused  # noqa: E402
from lk.tree import Tree  # noqa: E402

# struct: an object that has its type; what the object is compiled for does not matter, only that most configurations build it
STRUCTS = {"page_counter": "kernel/fork.o", "mem_cgroup": "kernel/fork.o", "cgroup": "kernel/fork.o", "address_space": "kernel/fork.o",
           "inode": "kernel/fork.o", "mm_struct": "kernel/fork.o", "task_struct": "kernel/fork.o", "rq": "kernel/sched/core.o",
           "sk_buff": "net/core/dev.o", "net_device": "net/core/dev.o", "tcp_sock": "net/ipv4/tcp.o"}

KERNELS = [name.removeprefix("kernel-") for name in cache.OVERRIDES if name.startswith("kernel-")]
# version, architecture, struct
Cell = Tuple[str, str, str]


def cpu() -> float:
    """Seconds of ended children."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def prepared(version: str, arch: str) -> Optional[Path]:
    """The tree or O= folder that the matrix reads, made when there is none; None: it cannot be, which is said."""
    source, why = setup.find(f"kernel-{version}"), "it is not there"
    if source:
        try:
            return Path(arches.for_arch(Tree(str(source)), arch).root)
        except Refused as err:
            why = str(err)
    print(f"SKIP: linux {version} for {arch}: {why}")
    return None


def kept(path: Path, newest: float, make: Callable[[], dict]) -> dict:
    """The JSON of a file that is not older than that; made when there is none."""
    if not path.exists() or path.stat().st_mtime < newest:
        text = json.dumps(make())
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_suffix(".new").write_text(text, encoding="utf-8")
        path.with_suffix(".new").replace(path)
    return json.loads(path.read_text(encoding="utf-8"))


def changed() -> float:
    """When linekeeper was changed last."""
    programs = Path(os.environ.get("BUILD") or TOP / "build").glob("cacheline-*")
    return max(path.stat().st_mtime for path in [*programs, *TOP.glob("scripts/lk/*.py"), *TOP.glob("kconfig/*")])


def key_of(*what: object) -> str:
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()[:16]


def matrix(tree: Path, structs: List[str], jobs: int) -> dict:
    start, used = time.monotonic(), cpu()
    done = subprocess.run([TOP / "scripts/linekeeper", "matrix", *structs, "--tree", tree, "--format", "json", "-j", str(jobs)],
                          stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode > 1 or not done.stdout:      # 1: a configuration is not read, and the answer says so
        raise SystemExit(f"matrix of {tree} ended with status {done.returncode}")
    return {"table": json.loads(done.stdout)[0], "seconds": time.monotonic() - start, "cpu": cpu() - used}


def say(version: str, arch: str, answer: dict) -> None:
    table = answer["table"]
    for one in table["structs"]:
        print(f"{version} {arch} {one['struct']}: {len(one['symbols'])} symbols, {len(one['changes'])} change it alone, "
              f"{len(one['layouts'])} layouts")
    print(f"{version} {arch}: {table['configurations']} configurations, {table['parses']} parses, {answer['seconds']:.0f} s, CPU {answer['cpu']:.0f} s: "
          f"{table['configurations'] / answer['cpu']:.1f} configurations for each second of CPU", flush=True)


def configure(build: ktree.Build, source: Path, fragment: str) -> List[str]:
    """The configuration of a fragment, by the kernel's means; lines of the fragment that it has not."""
    base = re.match(r"# .*: make (\w+), then", fragment)
    if base:
        build.must_make(base[1])
    else:
        (build.out / ".config").write_bytes((source / ".config").read_bytes())
    (build.out / "fragment").write_text(fragment, encoding="utf-8")
    subprocess.run([build.src / "scripts/kconfig/merge_config.sh", "-m", "-O", build.out, build.out / ".config", build.out / "fragment"],
                   cwd=build.src, check=True, capture_output=True)
    build.must_make("olddefconfig")
    have = set((build.out / ".config").read_text(encoding="utf-8").splitlines())
    on = {line.split("=")[0] for line in have if line.startswith("CONFIG_")}
    off = [line for line in fragment.splitlines() if line.endswith(" is not set") and line.split()[1] in on]
    return off + [line for line in fragment.splitlines() if line.startswith("CONFIG_") and line not in have]


def difference(build: ktree.Build, source: Path, struct: str, layout: dict) -> str:
    """What the built object says otherwise; "" when nothing, "-" when this configuration does not build it."""
    lost = configure(build, source, layout["fragment"])
    if lost:
        return "olddefconfig does not keep " + ", ".join(lost)
    wanted = build.out / STRUCTS[struct]
    wanted.unlink(missing_ok=True)
    done = build.make(STRUCTS[struct])
    if not wanted.exists():
        return "-" if "No rule to make" in done.stdout or not done.stdout else done.stdout[-500:]
    real = [one for one in pahole.structs_of(wanted) if one.name == struct]
    mine = ours.structs_of_json(json.dumps([{"kind": "struct", "name": struct, "file": "", "line": 0, **layout}]))[0]
    if not real:
        return "the object has no such struct"
    size = [] if real[0].size in (None, mine.size) else [f"size: DWARF {real[0].size}, matrix {mine.size}"]
    return "\n".join([*size, *(entry.text for entry in compare.compare_members(real[0], mine, False))])


def built(cell: Cell, tree: Path, layout: dict, work: Path) -> dict:
    version, arch, struct = cell
    used = cpu()
    build = ktree.Build(setup.find(f"kernel-{version}"), work / version, arch)
    ktree.shadow(build.tree, build.src)
    build.out.mkdir(exist_ok=True)
    try:
        said = difference(build, tree, struct, layout)
    except ktree.BuildFailed as err:
        said = str(err)
    return {"said": said, "cpu": cpu() - used}


def build_all(cells: List[Cell], layouts: Dict[Cell, List[dict]], trees: dict, count: int, work: Path) -> int:
    """One of each cell, again and again, until `count` were compared; the number of those that differ or lack."""
    wrong = compared = 0
    used = 0.0
    while compared < count and any(layouts[cell] for cell in cells):
        for cell in cells:
            said = "-"
            while said == "-" and layouts[cell] and compared < count:
                layout = layouts[cell].pop()
                answer = kept(work / "results" / f"{key_of(cell, layout)}.json", 0, lambda: built(cell, trees[cell[:2]], layout, work))
                said = answer["said"]
                words = {"": "the same", "-": "not built in this configuration"}.get(said, "DIFFERS")
                print(f"{words}: {' '.join(cell)}: {layout['setting'][:100]}" + (f"\n{said}" if words == "DIFFERS" else ""), flush=True)
                used += answer["cpu"]
            compared += said != "-"
            wrong += said not in ("", "-")
    print(f"{compared - wrong} of {compared} layouts as a real make has them; CPU {used:.0f} s, {used / max(1, compared):.1f} s for each")
    return wrong + (compared < count)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20, help="layouts to build")
    parser.add_argument("--tables", action="store_true", help="only say what the matrices of all these structs have, and take")
    parser.add_argument("--seed", type=int, default=20260)
    parser.add_argument("--kernel", action="append", choices=KERNELS, help="only this one; 5.10 and new are what KERNEL510= and KERNELNEW= name")
    parser.add_argument("--arch", action="append", choices=list(arches.ARCHES), help="only this one")
    parser.add_argument("--struct", action="append", choices=list(STRUCTS), help="only this one")
    parser.add_argument("--work", type=Path, default=cache.folder() / "matrix", help="where kernels are built, and answers kept")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1)
    args = parser.parse_args()
    trees = {(version, arch): prepared(version, arch) for version in args.kernel or cache.KERNELS for arch in args.arch or arches.ARCHES}
    if args.tables:
        for (version, arch), tree in trees.items():
            if tree:
                say(version, arch, matrix(tree, args.struct or [name for name in STRUCTS if name != "page_counter"], args.jobs))
        return 0
    chance = random.Random(args.seed)
    cells: List[Cell] = [(*names, struct) for names, tree in trees.items() if tree for struct in args.struct or STRUCTS]
    chance.shuffle(cells)
    del cells[args.count:]
    layouts: Dict[Cell, List[dict]] = {}
    for (version, arch), tree in trees.items():
        structs = sorted(struct for *names, struct in cells if names == [version, arch])
        if not structs:
            continue
        answer = kept(args.work / "tables" / f"{version}-{arch}-{key_of(structs)}.json", changed(), lambda: matrix(tree, structs, args.jobs))
        say(version, arch, answer)
        for one in answer["table"]["structs"]:
            layouts[version, arch, one["struct"]] = chance.sample(one["layouts"], len(one["layouts"]))
    return int(bool(build_all(cells, layouts, trees, args.count, args.work)))


if __name__ == "__main__":
    sys.exit(main())

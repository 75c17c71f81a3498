#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
linekeeper matrix beside a real make: layouts drawn at random over structs, kernels and architectures are built.

For each: the kernel's merge_config.sh takes the fragment, `make olddefconfig prepare OBJECT`, pahole on the object; size and all
offsets must be those of the matrix. What that takes, and what the matrix took for each of its configurations, is said.
Exit status 1 when a layout differs.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import List, NamedTuple, Optional

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "scripts"), str(Path(__file__).resolve().parent)]
sys.dont_write_bytecode = True

import compare  # noqa: E402
import ktree  # noqa: E402
import ours  # noqa: E402
import pahole  # noqa: E402
from lk import cache, setup  # noqa: E402

# struct: an object that has its type; what the object is compiled for does not matter, only that most configurations build it
STRUCTS = {"page_counter": "kernel/fork.o", "mem_cgroup": "kernel/fork.o", "cgroup": "kernel/fork.o", "address_space": "kernel/fork.o",
           "inode": "kernel/fork.o", "mm_struct": "kernel/fork.o", "task_struct": "kernel/fork.o", "rq": "kernel/sched/core.o",
           "sk_buff": "net/core/dev.o", "net_device": "net/core/dev.o", "tcp_sock": "net/ipv4/tcp.o"}

Drawn = NamedTuple("Drawn", [("version", str), ("arch", str), ("struct", str), ("layout", dict)])


def cpu() -> float:
    """Seconds of ended children."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def matrix(version: str, arch: str, structs: List[str], jobs: int) -> Optional[dict]:
    tree = setup.find(f"kernel-{version}" + ("" if arch == "x86_64" else f"-{arch}"))
    if not tree:
        print(f"SKIP: no linux {version} for {arch}")
        return None
    start, used = time.monotonic(), cpu()
    done = subprocess.run([TOP / "scripts/linekeeper", "matrix", *structs, "--tree", tree, "--format", "json", "-j", str(jobs)],
                          stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"matrix of {tree} ended with status {done.returncode}")
    table = json.loads(done.stdout)[0]
    for one in table["structs"]:
        print(f"{version} {arch} {one['struct']}: {len(one['symbols'])} symbols, {len(one['changes'])} change it alone, "
              f"{len(one['layouts'])} layouts")
    spent = cpu() - used
    print(f"{version} {arch}: {table['configurations']} configurations, {table['parses']} parses, {time.monotonic() - start:.0f} s, CPU {spent:.0f} s: "
          f"{table['configurations'] / spent:.1f} configurations for each second of CPU", flush=True)
    return table


def difference(build: ktree.Build, drawn: Drawn, folder: Path) -> str:
    """What the built object says otherwise; "" when nothing, "-" when this configuration does not build it."""
    source = setup.find(f"kernel-{drawn.version}" + ("" if drawn.arch == "x86_64" else f"-{drawn.arch}"))
    (folder / "fragment").write_text(drawn.layout["fragment"], encoding="utf-8")
    base = drawn.layout["fragment"].split(": make ")[1].split(",")[0] if ": make " in drawn.layout["fragment"] else ""
    if base:
        build.must_make(base)
    else:
        (build.out / ".config").write_bytes((source / ".config").read_bytes())
    subprocess.run([build.src / "scripts/kconfig/merge_config.sh", "-m", "-O", build.out, build.out / ".config", folder / "fragment"],
                   cwd=build.src, check=True, capture_output=True)
    build.must_make("olddefconfig")
    build.must_make("prepare")
    wanted = STRUCTS[drawn.struct]
    (build.out / wanted).unlink(missing_ok=True)
    done = build.make(wanted)
    if not (build.out / wanted).exists():
        return "-" if "No rule to make" in done.stdout or not done.stdout else done.stdout[-500:]
    real = [struct for struct in pahole.structs_of(build.out / wanted) if struct.name == drawn.struct]
    record = {"kind": "struct", "name": drawn.struct, "file": "", "line": 0, **drawn.layout}
    mine = ours.structs_of_json(json.dumps([record]))[0]
    if not real:
        return "the object has no such struct"
    found = [entry for entry in compare.compare_members(real[0], mine, False)]
    size = [] if real[0].size in (None, mine.size) else [f"size: DWARF {real[0].size}, matrix {mine.size}"]
    return "\n".join([*size, *(f"{entry}" for entry in found)])


def build_all(drawn: List[Drawn], count: int, work: Path) -> int:
    """Builds until `count` were compared; the number of those that differ."""
    wrong = compared = 0
    used = cpu()
    for one in drawn:
        if compared == count:
            break
        tree = setup.find(f"kernel-{one.version}")
        build = ktree.Build(tree, work / one.version, one.arch)
        build.prepare()
        with tempfile.TemporaryDirectory() as folder:
            try:
                said = difference(build, one, Path(folder))
            except ktree.BuildFailed as err:
                said = str(err)
        what = f"{one.version} {one.arch} {one.struct}: {one.layout['setting'][:100]}"
        if said == "-":
            print(f"not built in this configuration: {what}", flush=True)
            continue
        compared += 1
        wrong += bool(said)
        print(f"{'DIFFERS' if said else 'the same'}: {what}" + (f"\n{said}" if said else ""), flush=True)
    print(f"{compared - wrong} of {compared} layouts as a real make has them; CPU {cpu() - used:.0f} s, "
          f"{(cpu() - used) / max(1, compared):.1f} s for each")
    return wrong + (compared < count)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20, help="layouts to build")
    parser.add_argument("--seed", type=int, default=20260)
    parser.add_argument("--kernel", action="append", choices=cache.KERNELS, help="only this one")
    parser.add_argument("--arch", action="append", choices=list(ktree.ARCHES), help="only this one")
    parser.add_argument("--struct", action="append", choices=list(STRUCTS), help="only this one")
    parser.add_argument("--work", type=Path, default=cache.folder() / "matrix", help="where kernels are built")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1)
    args = parser.parse_args()
    drawn = []
    for version in args.kernel or cache.KERNELS:
        for arch in args.arch or ktree.ARCHES:
            table = matrix(version, arch, args.struct or list(STRUCTS), args.jobs)
            drawn += [Drawn(version, arch, one["struct"], layout) for one in (table or {"structs": []})["structs"] for layout in one["layouts"]]
    random.Random(args.seed).shuffle(drawn)
    return int(bool(build_all(drawn, args.count, args.work)))


if __name__ == "__main__":
    sys.exit(main())

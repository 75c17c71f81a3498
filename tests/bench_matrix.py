# SPDX-License-Identifier: GPL-2.0-only
"""make bench: what a configuration costs in a matrix, beside `make olddefconfig && make prepare && make OBJECT` in it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TOP / "scripts"), str(TOP / "tests"), str(TOP / "tests/sweep")]
import ktree  # noqa: E402
from bench_vet import Spent, spent  # noqa: E402
from lk import cache  # noqa: E402
from lk.tree import Tree  # noqa: E402
from tap import LINEKEEPER  # noqa: E402

STRUCT, OBJECT = "address_space", "mm/filemap.o"


def make(build: ktree.Build, tree: Tree, fragment: Path) -> Spent:
    """From the tree's .config and a fragment to the object that shows the struct."""
    (build.out / ".config").write_bytes(Path(tree.root, ".config").read_bytes())
    subprocess.run([build.src / "scripts/kconfig/merge_config.sh", "-m", "-O", build.out, build.out / ".config", fragment], cwd=build.src,
                   check=True, capture_output=True)
    (build.out / OBJECT).unlink(missing_ok=True)

    def run() -> None:
        for target in ("olddefconfig", "prepare", OBJECT):
            build.must_make(target)
    return spent(run)


def bench(tree: Tree, folder: str, count: int = 4) -> None:
    """Some of the layouts, as far apart in the list as can be."""
    out = Path(folder, "matrix.json")
    call = [LINEKEEPER, "matrix", STRUCT, "--tree", tree.root, "--format", "json", "--fragments", os.path.join(folder, "fragments")]

    def run() -> None:
        with open(out, "wb") as file:
            subprocess.run(call, stdout=file, stderr=subprocess.DEVNULL, check=True)
    whole = spent(run)
    table = json.loads(out.read_text(encoding="utf-8"))[0]
    layouts, configs = table["structs"][0]["layouts"], table["configurations"]
    cpu, wall = whole.cpu / configs, whole.wall / configs
    print(f"\nmatrix {STRUCT}: {configs} configurations, {len(layouts)} layouts, CPU {whole.cpu:.1f} s, {whole.wall:.1f} s by the clock: "
          f"{cpu:.2f} and {wall:.2f} for each")
    print(f"beside make olddefconfig && make prepare && make {OBJECT}\n{'CPU':>7}{'ratio':>7}{'clock':>8}{'ratio':>7}  setting")
    build = ktree.Build(Path(tree.root), cache.folder() / "bench/matrix", "x86_64")
    build.prepare()
    alone = [number for number, one in enumerate(layouts) if not one["setting"].endswith("config")]
    for number in alone[::max(1, len(alone) // count)][:count]:
        there = make(build, tree, Path(folder, f"fragments/{STRUCT}-{number}.config"))
        print(f"{there.cpu:>7.1f}{there.cpu / cpu:>7.0f}{there.wall:>8.1f}{there.wall / wall:>7.0f}  {layouts[number]['setting']}", flush=True)

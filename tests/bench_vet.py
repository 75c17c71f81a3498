# SPDX-License-Identifier: GPL-2.0-only
"""make bench: vet of one patch, beside what one does without it: build before and after, and ask pahole and codiff.

The peer is the least that can answer: one object that shows the struct, compiled twice. Whoever wants to know what embeds it builds
a kernel twice: --whole does that, for hours.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Callable, List, NamedTuple, Optional

TOP = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TOP / "scripts"), str(TOP / "tests"), str(TOP / "tests/sweep")]
import units  # noqa: E402
from ktree import shadow  # noqa: E402
from lk import cache, index_uses, where  # noqa: E402
from lk.tree import Tree  # noqa: E402
from tap import LINEKEEPER, compiler_call  # noqa: E402
from vet_series import Files, mail  # noqa: E402

# what changes; the struct; an object that shows it
Case = NamedTuple("Case", [("name", str), ("file", str), ("edits", tuple), ("struct", str), ("source", str)])

ROUNDS = 3
RWSEM = r"^\tstruct rw_semaphore\s+i_mmap_rwsem;\n"
CASES = (
    Case("seed 002 v1", "include/linux/fs.h", ((RWSEM, lambda line: line.group().replace(";", " ____cacheline_aligned_in_smp;")),),
         "address_space", "mm/filemap.c"),
    Case("one more counter", "include/linux/page_counter.h", ((r"^\tunsigned long watermark;\n", "\\g<0>\tunsigned long local_watermark;\n"),),
         "page_counter", "mm/memcontrol.c"),
    Case("one more number", "include/linux/netdevice.h", ((r"^\tunsigned int\s+flags;\n", "\tunsigned long more_flags;\n\\g<0>"),),
         "net_device", "net/core/dev.c"),
    Case("one more number", "kernel/sched/sched.h", ((r"^\tunsigned int\s+nr_running;\n(?=#ifdef CONFIG_NUMA_BALANCING)", "\\g<0>\tunsigned long nr_more;\n"),),
         "rq", "kernel/sched/core.c"),
)


def wall(command: list, cwd: object = None, data: bytes = b"", **environment: str) -> float:
    """Seconds of one run; its output is thrown away."""
    start = time.perf_counter()
    done = subprocess.run([str(word) for word in command], cwd=cwd, input=data, env={**os.environ, **environment},
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        print(f"{command[0]} ended with status {done.returncode}: {done.stderr.decode(errors='replace')[:300]}", file=sys.stderr)
    return time.perf_counter() - start


def best(call: Callable[[], float]) -> float:
    """Of some runs: what else the machine does is no part of it."""
    return min(call() for _ in range(ROUNDS))


def with_commands(kernel: Path) -> Optional[Tree]:
    """An O= build of that kernel's pristine source with the .cmd file of every object, made once and kept; None: there is no such source."""
    source, out = cache.find("kernel-6.1-source"), cache.folder() / "bench/x86_64"
    if source is None:
        return None
    if not (out / ".commands-complete").exists():
        print("writing down the compiler calls of a whole kernel, once: some minutes", file=sys.stderr, flush=True)
        units.prepare(source, out, "x86_64", kernel / ".config", [])
        try:
            units.make(source, out, "x86_64", f"CC={TOP / 'tests/sweep/units.py'} cc gcc", "all")
        except subprocess.CalledProcessError:
            pass        # nothing that could be linked
        units.make(source, out, "x86_64", "prepare")    # with the compiler's own name again
        (out / ".commands-complete").touch()
    return Tree(str(out))


def indexed(tree: Tree) -> Optional[Tree]:
    """A tree that has an index: this one, or a build of it that is made for that."""
    if index_uses.whole(tree):
        return tree
    other = with_commands(Path(tree.root)) if Path(tree.root) == cache.find("kernel-6.1") else None
    if other and not index_uses.whole(other):
        print(f"index of a whole kernel, once: {wall([LINEKEEPER, 'index', '--tree', other.root]):.0f} s", flush=True)
    return other


def compiled(tree: Tree, case: Case, out: Path, changed: Optional[Path]) -> float:
    """The object with DWARF, with the changed headers in front of the tree's."""
    call = compiler_call(Path(tree.root), os.path.join(tree.src, case.source), out)
    folders = [f"-I{changed}/include", f"-I{changed}/{os.path.dirname(case.file)}"] if changed else []
    return wall([call[0], *folders, *call[1:]], tree.root)


def peer(tree: Tree, case: Case, folder: Path) -> tuple:
    """(seconds of the compiler, of pahole and codiff), before and after."""
    files = Files(Path(tree.src))
    files.edit(case.file, *case.edits)
    changed, objects = folder / "changed", [folder / "before.o", folder / "after.o"]
    (changed / case.file).parent.mkdir(parents=True, exist_ok=True)
    (changed / case.file).write_text(files.now[case.file])
    built = compiled(tree, case, objects[0], None) + compiled(tree, case, objects[1], changed)
    asked = sum(wall(["pahole", "-F", "dwarf", "-C", case.struct, path]) for path in objects) + wall(["codiff", *objects])
    return built, asked


def bench(tree: Tree) -> None:
    """One row a patch."""
    known = indexed(tree)
    print(f"\nvet of one patch, wall seconds, best of {ROUNDS}; beside it one object that shows the struct, compiled before and after, pahole of both, and codiff")
    print(f"{'patch':<20}{'struct':<15}{'vet':>7}{'no index':>10}  {'object':<22}{'gcc -g, twice':>14}{'pahole, codiff':>16}{'ratio':>7}")
    for case in CASES:
        with tempfile.TemporaryDirectory() as name:
            patch = mail(f"[PATCH] {case.name}", Files(Path(tree.src)).edit(case.file, *case.edits))
            times = [best(lambda where_to=where_to, more=more: wall([LINEKEEPER, "vet", "-", "--tree", where_to.root], data=patch, **more))
                     if where_to else float("nan") for where_to, more in ((known, {}), (known or tree, {"XDG_CACHE_HOME": name}))]
            built, asked = map(min, zip(*(peer(known or tree, case, Path(name)) for _ in range(ROUNDS))))
        print(f"{case.name:<20}{case.struct:<15}{times[0]:>7.2f}{times[1]:>10.2f}  {case.source:<22}{built:>14.1f}{asked:>16.1f}"
              f"{(built + asked) / (times[0] if known else times[1]):>7.0f}", flush=True)
    if not known:
        print(f"no index of {tree.root}: `linekeeper index` makes one; for the tests' own 6.1, `linekeeper setup --for sweeps` first")


def bench_whole(tree: Tree, target: str) -> None:
    """The real peer: a kernel with DWARF, built before and after; then all its structs by codiff."""
    case = CASES[0]
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as name:
        work, built, paths = Path(name), [], []
        for state in ("before", "after"):
            source = shadow(Path(tree.src), work / f"{state}-source")
            if state == "after":
                files = Files(source)
                files.edit(case.file, *case.edits)
                (source / case.file).unlink()
                (source / case.file).write_text(files.now[case.file])
            units.prepare(source, work / state, "x86_64", Path(tree.root) / ".config", ["DEBUG_INFO_NONE=n", "DEBUG_INFO_DWARF_TOOLCHAIN_DEFAULT=y"])
            start = time.perf_counter()
            units.make(source, work / state, "x86_64", target)
            built.append(time.perf_counter() - start)
            paths.append(work / state / target)
        asked = sum(wall(["pahole", "-F", "dwarf", "-C", case.struct, path]) for path in paths) + wall(["codiff", *paths])
        vet = best(lambda: wall([LINEKEEPER, "vet", "-", "--tree", tree.root],
                                data=mail(f"[PATCH] {case.name}", Files(Path(tree.src)).edit(case.file, *case.edits))))
        print(f"\n{case.name}: {target} built twice: {built[0]:.0f} and {built[1]:.0f} s; pahole of both and codiff {asked:.1f} s; vet {vet:.2f} s; "
              f"ratio {(sum(built) + asked) / vet:.0f}", flush=True)

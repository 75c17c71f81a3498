# SPDX-License-Identifier: GPL-2.0-only
"""make bench: vet of one patch, beside what one does without it: build before and after, and ask pahole and codiff.

The peer is the least that can answer: one object that shows the struct, compiled twice. Whoever wants to know what embeds it builds
a kernel twice: --whole does that, of a small configuration, or for an hour of the tree's own.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Callable, NamedTuple, Optional

TOP = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TOP / "scripts"), str(TOP / "tests"), str(TOP / "tests/sweep")]
import units  # noqa: E402
from lk import cache, index_uses, where  # noqa: E402
from lk.tree import Tree  # noqa: E402
from tap import LINEKEEPER, compiler_call  # noqa: E402
from vet_series import Files, mail  # noqa: E402

# seconds, of the programs that were run and of those that they ran, and by the clock
Spent = NamedTuple("Spent", [("cpu", float), ("wall", float)])

# what changes; the struct; an object that shows it
Case = NamedTuple("Case", [("name", str), ("file", str), ("edits", tuple), ("struct", str), ("source", str)])

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
    Case("one more number", "include/linux/skbuff.h", ((r"^\tunsigned int\s+len,\n", "\tunsigned int\t\tmore_len;\n\\g<0>"),),
         "sk_buff", "net/core/skbuff.c"),
)
# beside allnoconfig: what lets a kernel boot, and has address_space, its users and MEMCG in it
SMALL = tuple(f"CONFIG_{name}=y" for name in (
    "EXPERT", "SMP", "PRINTK", "TTY", "SERIAL_8250", "SERIAL_8250_CONSOLE", "BLOCK", "BLK_DEV_INITRD", "RD_GZIP", "BINFMT_ELF", "BINFMT_SCRIPT",
    "MULTIUSER", "FUTEX", "EPOLL", "POSIX_TIMERS", "PROC_FS", "SYSFS", "SHMEM", "TMPFS", "DEVTMPFS", "EXT4_FS", "SWAP", "CGROUPS", "MEMCG"))
DWARF = ["DEBUG_KERNEL=y", "DEBUG_INFO_NONE=n", "DEBUG_INFO_DWARF_TOOLCHAIN_DEFAULT=y"]


def spent(call: Callable[[], object]) -> Spent:
    """What the programs take that are started and waited for."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    call()
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Spent(now.ru_utime + now.ru_stime - before.ru_utime - before.ru_stime, time.perf_counter() - start)


def total(*each: Spent) -> Spent:
    return Spent(*map(sum, zip(*each)))


def best(rounds: int, call: Callable[[], Spent]) -> Spent:
    """Of some runs: what else the machine does is no part of it."""
    return Spent(*map(min, zip(*(call() for _ in range(rounds)))))


def ran(command: list, cwd: object = None, data: bytes = b"", **environment: str) -> Spent:
    """One run; its output is thrown away."""
    def call() -> None:
        done = subprocess.run([str(word) for word in command], cwd=cwd, input=data, env={**os.environ, **environment},
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        if done.returncode:
            raise SystemExit(f"tests/bench.py: {command[0]} ended with status {done.returncode}: {done.stderr.decode(errors='replace')[:300]}")
    return spent(call)


def asked(case: Case, before: Path, after: Path) -> Spent:
    """pahole of both, and codiff."""
    return total(*(ran(["pahole", "-F", "dwarf", "-C", case.struct, path]) for path in (before, after)), ran(["codiff", before, after]))


def vetted(tree: Tree, case: Case, rounds: int, home: str = "") -> Spent:
    """vet of the case's patch; home: where the cache is, but for the programs."""
    patch = mail(f"[PATCH] {case.name}", Files(Path(tree.src)).edit(case.file, *case.edits))
    more = {"XDG_CACHE_HOME": home, "SPATCH": str(cache.find("spatch"))} if home else {}
    return best(rounds, lambda: ran([LINEKEEPER, "vet", "-", "--tree", tree.root], data=patch, **more))


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
        print(f"index of a whole kernel, once: {ran([LINEKEEPER, 'index', '--tree', other.root]).wall:.0f} s", flush=True)
    return other


def compiled(tree: Tree, case: Case, out: Path, changed: Optional[Path]) -> Spent:
    """The object with DWARF, with the changed headers in front of the tree's."""
    call = compiler_call(Path(tree.root), os.path.join(tree.src, case.source), out)
    folders = [f"-I{changed}/include", f"-I{changed}/{os.path.dirname(case.file)}"] if changed else []
    return ran([call[0], *folders, *call[1:]], tree.root)


def change(source: Path, case: Case, out: Path) -> None:
    """Writes the file as it is with the patch, below out."""
    files = Files(source)
    files.edit(case.file, *case.edits)
    path = out / case.file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)        # it may be a link to a file that is not ours
    path.write_text(files.now[case.file])


def bench(tree: Tree, rounds: int) -> None:
    """One row a patch."""
    known = indexed(tree)
    nothing = Spent(float("nan"), float("nan"))
    print(f"\nvet of one patch, wall and CPU seconds, best of {rounds}; beside it one object that shows the struct, compiled before and after, pahole of both, and codiff")
    print(f"{'patch':<20}{'struct':<15}{'vet':>12}{'no index':>13}  {'object':<22}{'gcc -g, twice':>14}{'pahole, codiff':>16}{'ratio':>7}")
    for case in CASES:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            change(Path(tree.src), case, folder / "changed")
            objects = [folder / "before.o", folder / "after.o"]
            there = known or tree
            fast, slow = vetted(known, case, rounds) if known else nothing, vetted(there, case, rounds, name)
            built = best(rounds, lambda: total(*(compiled(there, case, out, changed) for out, changed in zip(objects, (None, folder / "changed")))))
            answers = best(rounds, lambda: asked(case, *objects))
        columns = [f"{one.wall:.2f} {one.cpu:.2f}" for one in (fast, slow, built, answers)]
        print(f"{case.name:<20}{case.struct:<15}{columns[0]:>12}{columns[1]:>13}  {case.source:<22}{columns[2]:>14}{columns[3]:>16}"
              f"{(built.wall + answers.wall) / (fast if known else slow).wall:>7.1f}", flush=True)
    if not known:
        print(f"no index of {tree.root}: `linekeeper index` makes one; for the tests' own 6.1, `linekeeper setup --for sweeps` first")


def pristine(tree: Tree, dest: Path) -> Path:
    """The tree's source as it came, to be built with O= and changed: one name more for each file, or copies on another file system."""
    source = tree.src if tree.src != tree.root else cache.find("kernel-6.1-source")
    if not source:
        raise SystemExit("tests/bench.py: no source that nothing was built in: run `scripts/linekeeper setup --for sweeps`, or set KDIR= to an O= build")
    if subprocess.run(["cp", "-al", source, dest], stderr=subprocess.DEVNULL, check=False).returncode:
        subprocess.run(["cp", "-a", source, dest], check=True)
    return dest


def small_config(source: Path, out: Path) -> Path:
    """A .config by the tree's own merge_config.sh: allnoconfig with SMALL."""
    out.mkdir()
    fragment = out / "small.config"
    fragment.write_text("\n".join(SMALL) + "\n")
    said = subprocess.run(["scripts/kconfig/merge_config.sh", "-n", "-O", out, fragment], cwd=source, env=units.clean_env(ARCH="x86_64"),
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True).stdout
    if "not in final .config" in said:
        raise SystemExit(f"tests/bench.py: {said[said.index('Value requested'):].strip()}")
    return out / ".config"


def bench_whole(tree: Tree, target: str, is_small: bool, rounds: int) -> None:
    """The real peer: a kernel with DWARF, built, and once more with the patch; then all its structs by codiff."""
    case = CASES[0]
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as name:
        work = Path(name)
        source, out, old = pristine(tree, work / "source"), work / "out", work / "before"
        units.prepare(source, out, "x86_64", small_config(source, out) if is_small else Path(tree.root) / ".config", DWARF)
        built = [spent(lambda: units.make(source, out, "x86_64", target))]
        objects = len(list(out.rglob(".*.o.cmd")))
        index = ran([LINEKEEPER, "index", "--tree", out], XDG_CACHE_HOME=f"{name}/indexed")
        vets = [vetted(Tree(str(out)), case, rounds, f"{name}/{home}") for home in ("indexed", "none")]
        (out / target).rename(old)
        change(source, case, source)
        built.append(spent(lambda: units.make(source, out, "x86_64", target)))
        answers = asked(case, old, out / target)
    whole = total(*built, answers)
    print(f"\n{case.name}, {target}, {'a small' if is_small else 'its own'} configuration, {objects} objects\n{'seconds':<30}{'CPU':>9}{'wall':>9}")
    for what, one in (("built", built[0]), ("built again with the patch", built[1]), ("pahole of both, and codiff", answers), ("all that", whole),
                      ("the index", index), ("vet", vets[0]), ("vet without an index", vets[1])):
        print(f"{what:<30}{one.cpu:>9.1f}{one.wall:>9.1f}")
    for what, one in (("vet", vets[0]), ("vet without an index", vets[1])):
        print(f"all that : {what:<19}{whole.cpu / one.cpu:>9.0f}{whole.wall / one.wall:>9.0f}")

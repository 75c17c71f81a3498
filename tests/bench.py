#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""make bench: linekeeper beside its peers, same machine, same run, alternating. CPU is user + system time.

Prints tables and judges nothing: a busy machine is no fault.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TOP / "scripts"), str(TOP / "tests")]
import bench_matrix  # noqa: E402
import bench_vet  # noqa: E402
from lk import cache, engine, unit, where  # noqa: E402
from lk.relayout import Rule, spatch_program  # noqa: E402
from lk.tree import Tree  # noqa: E402
from tap import compiler_call  # noqa: E402

LINEKEEPER = str(TOP / "scripts/linekeeper")
ROUNDS = 11
MAPPED = ("address_space", "net_device", "task_struct", "mem_cgroup", "sk_buff", "mm_struct", "request_queue", "dentry")
SETTINGS = ("SMP", "NUMA", "MEMCG", "LOCKDEP", "PREEMPT_RT", "CGROUP_WRITEBACK", "SECURITY", "FS_ENCRYPTION",
            "DEBUG_SPINLOCK", "DEBUG_MUTEXES", "RWSEM_SPIN_ON_OWNER", "READ_ONLY_THP_FOR_FS", "QUOTA", "IMA",
            "FSNOTIFY", "SWAP", "EPOLL", "TRANSPARENT_HUGEPAGE", "CGROUPS", "BPF_SYSCALL", "PSI",
            "DEBUG_LOCK_ALLOC", "LRU_GEN", "KASAN", "KALLSYMS")


def timed(command: list, cwd) -> tuple:
    """(CPU seconds, wall seconds) of one run, output thrown away."""
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode > 1:
        print(f"{command[0]} ended with status {process.returncode}", file=sys.stderr)
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - start


def median_cpu(commands: list, cwd, rounds: int = ROUNDS) -> list:
    """The median CPU of each command, run in turn."""
    taken = [[timed(command, cwd)[0] for command in commands] for _ in range(rounds)]
    return [statistics.median(column) for column in zip(*taken)]


def bench_parse(tree: Tree) -> None:
    """map against a bare sparse of the same file with the same flags."""
    sparse = str(cache.find("sparse") / "sparse")
    print(f"\nCPU of one struct, median of {ROUNDS} runs, ms (sparse -w: parse and evaluation of the same file)")
    print(f"{'struct':<16}{'file':<34}{'sparse -w':>10}{'engine':>9}{'ratio':>7}{'command':>9}{'ratio':>7}")
    for struct in MAPPED:
        file = where.definition(tree, struct)[0]
        words = unit.words(tree, file, [])[1:]
        commands = [[sparse, "-w", *words], [engine.program("cacheline-map"), "--text", struct, "--", *words],
                    [LINEKEEPER, "map", struct, "--tree", tree.root]]
        bare, ours, whole = median_cpu(commands, tree.root)
        print(f"{struct:<16}{file:<34}{bare * 1e3:>10.0f}{ours * 1e3:>9.0f}{ours / bare:>7.2f}"
              f"{whole * 1e3:>9.0f}{whole / bare:>7.2f}")


def bench_pahole(tree: Tree, folder: str) -> None:
    """map against compiling one object and asking pahole."""
    pahole = shutil.which("pahole")
    print("\nOne struct without any build before: wall seconds")
    print(f"{'struct':<16}{'object for pahole':<24}{'gcc -g':>8}{'pahole':>8}{'linekeeper map':>16}")
    for struct, source in (("mem_cgroup", "mm/memcontrol.c"), ("address_space", "mm/filemap.c"),
                           ("cgroup", "kernel/cgroup/rstat.c")):
        obj = os.path.join(folder, "x.o")
        gcc = timed(compiler_call(Path(tree.root), source, obj), tree.root)[1]
        asked = timed([pahole, "-F", "dwarf", "-C", struct, obj], None)[1] if pahole else float("nan")
        ours = timed([LINEKEEPER, "map", struct, "--tree", tree.root], None)[1]
        print(f"{struct:<16}{source:<24}{gcc:>8.2f}{asked:>8.2f}{ours:>16.2f}")


def bench_settings(tree: Tree) -> None:
    """map --set under many configurations."""
    runs = [f"CONFIG_{name}={value}" for name in SETTINGS for value in ("y", "n")]
    taken = [timed([LINEKEEPER, "map", "address_space", "--tree", tree.root, "--set", setting], None)[1]
             for setting in runs]
    print(f"\nmap address_space --set under {len(runs)} configurations: {sum(taken):.1f} s in all, "
          f"{statistics.median(taken) * 1e3:.0f} ms each (median)")


def bench_relayout(tree: Tree, folder: str) -> None:
    """Each seed's relayout, and how much of it is spatch."""
    print("\nrelayout of the seeds, wall seconds (page_counter: the revert, since the tree has both seeds)")
    print(f"{'rule':<26}{'-D':<8}{'whole':>8}{'spatch alone':>14}{'two parses':>12}")
    for rule, defines in (("page_counter_usage", ["revert"]), ("address_space_i_mmap", []),
                          ("address_space_i_mmap", ["v1"]), ("address_space_i_mmap", ["v2"]), ("cgroup_rstat", [])):
        path = str(TOP / f"cocci/seeds/{rule}.cocci")
        words = [word for define in defines for word in ("-D", define)]
        whole = timed([LINEKEEPER, "relayout", "--rule", path, *words, "--tree", tree.root], None)[1]
        parsed = Rule(path, defines)
        file = where.definition(tree, parsed.structs[0])[0]
        copy = shutil.copyfile(os.path.join(tree.src, file), os.path.join(folder, "copy.h"))
        start = time.perf_counter()
        parsed.spatch(spatch_program(), copy)
        spatch = time.perf_counter() - start
        parse = [engine.program("cacheline-map"), "--dump", *unit.words(tree, file, [])]
        parses = sum(timed(parse, tree.root)[1] for _ in range(2))
        print(f"{rule:<26}{' '.join(defines):<8}{whole:>8.2f}{spatch:>14.2f}{parses:>12.2f}")


PARTS = {"parse": lambda tree, _: bench_parse(tree), "pahole": bench_pahole, "settings": lambda tree, _: bench_settings(tree),
         "relayout": bench_relayout, "matrix": bench_matrix.bench}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}, vet (default: all)")
    parser.add_argument("--whole", metavar="TARGET", help="instead: vet beside TARGET (vmlinux, mm/filemap.o) of a small configuration, built twice")
    parser.add_argument("--own-config", action="store_true", help="of --whole: the tree's own configuration, a defconfig's vmlinux takes an hour")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="of vet: the best of so many runs (3)")
    args = parser.parse_args()
    kernel = os.environ.get("KDIR") or cache.find("kernel-6.1")
    parts = {**PARTS, "vet": lambda tree, _: bench_vet.bench(tree, args.rounds)}
    if not set(args.parts) <= set(parts) or args.rounds < 1:
        parser.error(f"there are {', '.join(parts)}, and one round at least")
    if kernel is None:
        print("tests/bench.py: no kernel tree: run `scripts/linekeeper setup --for tests`, or set KDIR=", file=sys.stderr)
        return 2
    tree = Tree(str(kernel))
    print(f"{tree.root.rsplit('/', 1)[-1]}, {os.cpu_count()} CPUs")
    if args.whole:
        bench_vet.bench_whole(tree, args.whole, not args.own_config, args.rounds)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        for part in args.parts or parts:
            parts[part](tree, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())

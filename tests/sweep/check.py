#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
cacheline-check beside plain sparse on whole folders of real kernels: the calls that `make C=2` makes, each by both, by turns.

No crash, no parse error that sparse does not have, the sum of CPU at most 0.8 of sparse's, peak memory at most sparse's.
What was found is counted by id, and kept in a file beside the recorded calls, for reading.

Run by make (`make check-checker`), as kbuild runs it: what concerns a header or a table is then said once.
Exit status 1 when something is not as it must be.
"""

import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "scripts"), str(Path(__file__).resolve().parent)]
sys.dont_write_bytecode = True

import units  # noqa: E402
from lk import cache, setup  # noqa: E402

PROGRAM = Path(os.environ.get("BUILD") or TOP / "build").resolve() / "cacheline-check"
SPARSE = Path(os.environ.get("SPARSE_SRC") or str(setup.find("sparse"))) / "sparse"
MAX_CPU, MAX_MEMORY = 0.8, 1.0
FOLDERS = ["mm/", "fs/", "kernel/", "net/", "block/", "lib/"]
QUIET = ["MEMCG=y", "WERROR=n", "GCC_PLUGINS=n", "DEBUG_INFO_BTF=n", "DEBUG_INFO_NONE=y"]

Kernel = NamedTuple("Kernel", [("version", str), ("arch", str), ("config", str), ("folders", list)])
# config "": as the prepared folder of that architecture is configured
KERNELS = {
    "6.1": Kernel("6.1", "x86_64", "", FOLDERS),
    "6.12": Kernel("6.12", "x86_64", "", FOLDERS),
    "allmod": Kernel("6.12", "x86_64", "allmodconfig", ["net/", "drivers/net/ethernet/intel/"]),
    "arm64": Kernel("6.12", "arm64", "", ["mm/", "kernel/cgroup/", "net/core/", "net/ipv4/"]),
    "arm": Kernel("6.1", "arm", "", ["mm/", "kernel/cgroup/", "net/core/", "net/ipv4/"]),
}
FINDING = re.compile(r"^(\S+:\d+):\d+: (?:warning|error): .*\[-Wcacheline-([a-z-]+)\]$", re.M)
ERROR = re.compile(r"^(\S+?:\d+):\d+: error: (?!.*\[-Wcacheline-).*$", re.M)
UNJUDGED = ": error: not judged: "


class Cost:
    """CPU seconds of all calls of one program, bytes of the largest"""

    def __init__(self) -> None:
        self.cpu, self.memory = 0.0, 0

    def run(self, program: list, unit: dict, source: Path, folder: Path) -> tuple:
        """(exit status, stderr, KiB)"""
        with open(folder / "said", "w+", encoding="utf-8", errors="replace") as said:
            process = subprocess.Popen([*program, *unit["argv"]], cwd=unit["cwd"], env={**os.environ, "srctree": str(source)},
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            said.seek(0)
            self.cpu += usage.ru_utime + usage.ru_stime
            self.memory = max(self.memory, usage.ru_maxrss)
            return process.returncode, said.read(), usage.ru_maxrss


def recorded(name: str, kernel: Kernel) -> tuple:
    """(source tree, the O= folder, its units)"""
    source = setup.find(f"kernel-{kernel.version}-source")
    prepared = setup.find(f"kernel-{kernel.version}" + ("" if kernel.arch == "x86_64" else f"-{kernel.arch}"))
    if not source or not prepared:
        sys.exit(f"{name}: not prepared (scripts/linekeeper setup --for sweeps)")
    out = cache.folder() / f"check-{source.name[len('linux-'):-len('-source')]}" / (kernel.arch + ("-allmod" if kernel.config else ""))
    units.prepare(source, out, kernel.arch, kernel.config or prepared / ".config", QUIET)
    return source, out, units.record(source, out, kernel.arch, kernel.folders)


def sweep(name: str, kernel: Kernel, every: int, options: list) -> bool:
    source, out, everything = recorded(name, kernel)
    chosen = everything[::every]
    ours, theirs, found, trouble = Cost(), Cost(), collections.Counter(), []
    unjudged, larger, log = 0, 0, ""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for number, unit in enumerate(chosen):
            calls = [(ours, [str(PROGRAM), f"--once={folder}/once", *options]), (theirs, [str(SPARSE)])]
            said = {}
            for cost, program in calls if number % 2 else reversed(calls):
                said[cost] = cost.run(program, unit, source, folder)
            (status, text, memory), (_, sparse_text, sparse_memory) = said[ours], said[theirs]
            log += text
            found.update(which for _, which in FINDING.findall(text))
            unjudged += UNJUDGED in text
            larger += memory > sparse_memory
            new = set(ERROR.findall(text)) - set(ERROR.findall(sparse_text))
            if status:
                trouble.append(f"{unit['argv'][-1]}: exit status {status}\n{text[-500:]}")
            if new or (UNJUDGED in text and not ERROR.search(sparse_text)):
                trouble.append(f"{unit['argv'][-1]}: errors that sparse does not have: {sorted(new)}")
    out.with_name(f"{out.name}.found").write_text(log.replace(f"{source}/", ""))
    ratio, memory = ours.cpu / theirs.cpu, ours.memory / theirs.memory
    good = not trouble and ratio <= MAX_CPU and memory <= MAX_MEMORY
    print(f"{name}: {len(chosen)} of {len(everything)} units of {' '.join(kernel.folders)}: CPU {ours.cpu:.1f} s to {theirs.cpu:.1f} s, "
          f"{ratio:.3f}; peak memory {ours.memory // 1024} to {theirs.memory // 1024} MiB, {memory:.3f}, larger in {larger} units; "
          f"{unjudged} not judged (sparse has errors there too): {'as it must be' if good else 'WRONG'}")
    print("  found: " + (", ".join(f"{which} {count}" for which, count in sorted(found.items())) or "nothing"))
    print("".join(f"  {line}\n" for line in trouble), end="", flush=True)
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="*", metavar="KERNEL", help=f"{', '.join(KERNELS)} (default: all)")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each N-th unit")
    parser.add_argument("--option", action="append", default=[], help="for the checker, as --option=--only=class-mix")
    args = parser.parse_args()
    unknown = set(args.kernels) - set(KERNELS)
    if unknown:
        parser.error(f"no kernel '{unknown.pop()}'")
    return 0 if all([sweep(name, KERNELS[name], args.every, args.option) for name in args.kernels or KERNELS]) else 1


if __name__ == "__main__":
    sys.exit(main())

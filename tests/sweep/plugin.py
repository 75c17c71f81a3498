#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The GCC plugin on whole folders of real kernels, out of tree, by KCFLAGS.

before-after  6.1 with page_counter as it was before the seeds, the seeds' structs annotated (cocci/annotate): mm/ fs/
              kernel/cgroup/ net/core/ give exactly the warnings below, each once in the log; when the seeds' rules
              were applied, none
newer         6.12, annotated, as upstream cured it: only what upstream's own groups give, each once
cost          the objects of before-after, compiled with the plugin and without, by turns: CPU and bytes

Exit status 1 when something is not as it must be. Folders below --work are kept, and used again.
"""

import argparse
import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Iterator, List, NamedTuple, Tuple

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "scripts"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.dont_write_bytecode = True

from ktree import BuildFailed, shadow  # noqa: E402
from lk import setup  # noqa: E402

LINEKEEPER = os.environ.get("LINEKEEPER") or str(TOP / "scripts/linekeeper")
TARGETS = ["mm/", "fs/", "kernel/cgroup/", "net/core/"]
# what holds upstream's groups, and the annotated structs
NEWER_TARGETS = [
    "mm/page_counter.o", "mm/memcontrol.o", "mm/filemap.o", "fs/inode.o", "kernel/cgroup/", "kernel/dma/mapping.o",
    "net/core/dev.o", "net/core/sock.o", "net/core/page_pool.o", "net/core/net_namespace.o", "net/core/xdp.o",
    "net/ipv4/tcp.o", "net/ipv4/af_inet.o", "net/ipv4/tcp_input.o", "net/ipv4/tcp_output.o", "net/ipv4/icmp.o",
    "net/ipv6/af_inet6.o", "net/ipv6/tcp_ipv6.o", "net/ipv6/addrconf.o", "net/xdp/", "drivers/net/ethernet/intel/idpf/",
]
CONFIG = ["MEMCG=y", "MEMCG_V1=y", "WERROR=n", "GCC_PLUGINS=n", "DEBUG_INFO_NONE=y", "XDP_SOCKETS=y", "IDPF=m"]
REVERT = ["page_counter_usage", "page_counter_parent"]
CURES = ["page_counter_parent", "page_counter_usage", "address_space_i_mmap", "cgroup_rstat"]
ANNOTATE = ["page_counter", "address_space", "cgroup"]
MIN_OBJECTS, MAX_RATIO = 150, 1.01

Finding = NamedTuple("Finding", [("file", str), ("name", str), ("id", str)])
# what the annotated structs of 6.1 give before the cures: header, member, finding
EXPECTED = [
    Finding("include/linux/cgroup-defs.h", "bstat", "class-mix"),
    Finding("include/linux/cgroup-defs.h", "last_bstat", "class-mix"),
    Finding("include/linux/fs.h", "i_mmap_rwsem", "shared-apart"),
    Finding("include/linux/memcontrol.h", "kmem.failcnt", "class-mix"),
    Finding("include/linux/memcontrol.h", "kmem.watermark", "class-mix"),
    Finding("include/linux/page_counter.h", "usage", "shared-isolated"),
    Finding("include/linux/page_counter.h", "watermark", "class-mix"),
]
# what upstream's groups of 6.12 give; docs/plugin.md says of each why it is true
EXPECTED_NEWER = [
    Finding("include/linux/netdevice.h", "xdp_prog", "unlisted-member"),
    Finding("include/linux/tcp.h", "tcp_header_len", "unlisted-member"),
    Finding("include/net/sock.h", "sk_busy_poll_budget", "unlisted-member"),
    Finding("include/net/sock.h", "sk_ll_usec", "unlisted-member"),
    Finding("include/net/sock.h", "sk_napi_id", "unlisted-member"),
    Finding("include/net/sock.h", "sk_policy", "unlisted-member"),
    Finding("include/net/sock.h", "sk_prefer_busy_poll", "unlisted-member"),
    Finding("include/net/sock.h", "sk_userlocks", "unlisted-member"),
    Finding("include/net/sock.h", "sock_read_rx", "group-mix"),
    Finding("include/net/sock.h", "sock_read_tx", "group-mix"),
    Finding("include/net/sock.h", "sock_read_tx", "group-straddle"),
]
FINDING = re.compile(r"^(\S+?):(\d+):\d+: (?:warning|error): ((?:groups? )?'([\w.]+)'.*) \[-Wcacheline-([a-z-]+)\](?: \[-Werror\])?$", re.M)


def findings(log: str, src: Path) -> List[Finding]:
    """Every warning of the plugin in a log, as often as it stands there; its line must speak of what it names."""
    found = []
    for path, line, _, name, which in FINDING.findall(log):
        file = Path(path) if path.startswith("/") else src / path
        text = file.read_text(encoding="utf-8", errors="replace").splitlines()[int(line) - 1]
        said = name if re.search(rf"\b{name.split('.')[0]}\b", text) else f"{name}, but the line is: {text.strip()}"
        found.append(Finding(os.path.relpath(file, src), said, which))
    unread = log.count("[-Wcacheline-") - len(found)
    return sorted(found + [Finding("?", f"{unread} that are no member's", "?")] * (unread > 0))


class Scratch:
    """A kernel whose include/linux is ours to change, and an O= folder; all the rest are links to the prepared tree."""

    def __init__(self, tree: Path, work: Path):
        self.tree, self.src, self.out = tree, work / "src", work / "out"
        words = [LINEKEEPER, "plugin-flags", "once=said"]
        self.flags = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()

    def make(self, *targets: str) -> str:
        """The log of make, all that it says; BuildFailed when it fails."""
        argv = ["nice", "make", "-s", f"-j{os.cpu_count() or 1}", f"O={self.out}", f"KCFLAGS={self.flags}", *targets]
        env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "O", "V", "BUILD", "ARCH")}
        done = subprocess.run(argv, cwd=self.src, env=dict(env, LC_ALL="C"), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
        if done.returncode:
            raise BuildFailed(f"make {' '.join(targets)}: " + "\n".join(done.stdout.splitlines()[-15:]))
        return done.stdout

    def prepare(self) -> None:
        """As the prepared tree is configured, and as we need it; its include/linux as it is."""
        shadow(self.tree, self.src)
        shutil.rmtree(self.src / "include/linux")
        shutil.copytree(self.tree / "include/linux", self.src / "include/linux")
        self.out.mkdir(exist_ok=True)
        if not (self.out / ".config").exists():
            lines = [f"CONFIG_{word}" if not word.endswith("=n") else f"# CONFIG_{word[:-2]} is not set" for word in CONFIG]
            (self.out / ".config").write_text((self.tree / ".config").read_text() + "\n".join(lines) + "\n")
            self.make("olddefconfig")
        self.make("prepare")

    def relayout(self, folder: str, rules: List[str], *words: str) -> None:
        """Rules one after the other; BuildFailed when one is refused."""
        for rule in rules:
            argv = [LINEKEEPER, "relayout", "--tree", self.out, "--rule", TOP / f"cocci/{folder}/{rule}.cocci", "--write", *words]
            done = subprocess.run([str(word) for word in argv], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  check=False)
            if done.returncode:
                raise BuildFailed(f"relayout {rule}: {done.stdout}")

    def commands(self, targets: List[str]) -> Iterator[List[str]]:
        """The compiler calls that made these objects, and those of these folders."""
        for target in targets:
            folder, name = os.path.split(target)
            below = self.out / folder
            for path in [below / f".{name}.cmd"] if name else sorted(below.rglob(".*.o.cmd")):
                name, _, text = path.read_text(errors="replace").split("\n", 1)[0].partition(":=")
                words = shlex.split(text.split(" ; ", 1)[0])
                if name.startswith(("cmd_", "savedcmd_")) and words and words[0].endswith("gcc") and words[-1].endswith(".c"):
                    yield words


def compare(what: str, log: str, scratch: Scratch, expected: List[Finding]) -> bool:
    found = findings(log, scratch.src)
    for line in sorted(set(found) - set(expected)) + [f for f in set(found) if found.count(f) > 1]:
        print(f"  not expected, or more than once: {line.file}: {line.name}: {line.id}")
    for line in sorted(set(expected) - set(found)):
        print(f"  missing: {line.file}: {line.name}: {line.id}")
    print(f"{what}: {len(found)} warnings, {len(expected)} expected: {'as it must be' if found == expected else 'WRONG'}", flush=True)
    return found == expected


def before_after(scratch: Scratch) -> bool:
    scratch.prepare()
    scratch.relayout("seeds", REVERT, "-D", "revert")
    scratch.relayout("annotate", ANNOTATE)
    log = scratch.make(*TARGETS)
    (scratch.out / "before.log").write_text(log)
    objects = sum(1 for _ in scratch.commands(TARGETS))
    good = compare(f"6.1 before the cures, {objects} objects of {' '.join(TARGETS)}", log, scratch, EXPECTED)
    scratch.relayout("seeds", CURES)
    return compare("6.1 with the cures", scratch.make(*TARGETS), scratch, []) and good


def newer(scratch: Scratch) -> bool:
    scratch.prepare()
    scratch.relayout("annotate", ANNOTATE)
    log = scratch.make(*NEWER_TARGETS)
    objects = sum(1 for _ in scratch.commands(NEWER_TARGETS))
    return compare(f"6.12, {objects} objects", log, scratch, EXPECTED_NEWER)


def compile_one(words: List[str], out: Path, cwd: Path) -> Tuple[float, bytes]:
    """CPU seconds (the compiler and all that it starts), and the object."""
    argv = [word for word in words if not word.startswith("-Wp,-MM")]
    argv[argv.index("-o") + 1] = str(out)
    process = subprocess.Popen(argv, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise BuildFailed(f"status {process.returncode}: {' '.join(argv)}")
    return usage.ru_utime + usage.ru_stime, out.read_bytes()


def cost(scratch: Scratch, wanted: int, rounds: int) -> bool:
    """The header stays in the calls without the plugin: annotated code needs it, empty as it then is."""
    everything = list(scratch.commands(TARGETS))
    if len(everything) < wanted:
        scratch.prepare()
        scratch.make(*TARGETS)
        everything = list(scratch.commands(TARGETS))
    chosen = [everything[i * len(everything) // wanted] for i in range(wanted)] if len(everything) > wanted else everything
    ratios, different, total, out = [], [], [0.0, 0.0], scratch.out / "cost.o"
    start = time.monotonic()
    for number, words in enumerate(chosen):
        plain = [w for w in words if not w.startswith(("-fplugin", "-DCACHELINE_LAYOUT_PLUGIN"))]
        spent, objects = [float("inf")] * 2, [b"", b""]
        for turn in range(2 * rounds):
            loaded = (turn + turn // 2 + number) % 2
            seconds, objects[loaded] = compile_one(words if loaded else plain, out, scratch.out)
            spent[loaded] = min(spent[loaded], seconds)     # what other processes add is no cost of ours
        ratios.append(spent[1] / spent[0])
        total = [total[0] + spent[0], total[1] + spent[1]]
        if objects[0] != objects[1]:
            different.append(words[-1])
    median = statistics.median(ratios)
    good = len(chosen) >= MIN_OBJECTS and median <= MAX_RATIO and not different
    print(f"cost: {len(chosen)} objects, the best of {rounds} with and without by turns, {time.monotonic() - start:.0f} s: CPU ratio "
          f"median {median:.4f}, of the sums {total[1] / total[0]:.4f} ({total[1]:.1f} s to {total[0]:.1f} s), "
          f"{len(different)} objects differ: {'as it must be' if good else 'WRONG'}", *different, sep="\n  ", flush=True)
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help="before-after, newer, cost (default: all)")
    parser.add_argument("--work", type=Path, default=None, help="folder for the builds (default: in the cache)")
    parser.add_argument("--objects", type=int, default=160, help="of cost (default: 160)")
    parser.add_argument("--rounds", type=int, default=3, help="of cost: compiles of each kind an object, of which the fastest counts (default: 3)")
    args = parser.parse_args()
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "linekeeper"
    work = args.work or cache / "plugin"
    good = True
    for part in args.parts or ["before-after", "newer", "cost"]:
        version = "6.12" if part == "newer" else "6.1"
        tree = os.environ.get(f"KERNEL{version.replace('.', '')}") or str(setup.find(f"kernel-{version}"))
        (work / version).mkdir(parents=True, exist_ok=True)
        scratch = Scratch(Path(tree), (work / version).resolve())
        try:
            if part == "before-after":
                good &= before_after(scratch)
            elif part == "newer":
                good &= newer(scratch)
            elif part == "cost":
                good &= cost(scratch, args.objects, args.rounds)
            else:
                parser.error(f"no part '{part}'")
        except BuildFailed as err:
            print(f"{part}: {err}")
            good = False
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The solver, beside the kernels' own scripts/kconfig/conf: what it says is reachable, conf takes as it is."""

import itertools
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from tap import TOP, check, done, kernel, skip

sys.path.insert(0, str(TOP / "scripts"))
from lk.kconfig import NO_FILE, Kconfig, config_line, environment
from lk.tree import Tree

WISHES = ({"PROVE_LOCKING": "y"}, {"SMP": "n"}, {"MAXSMP": "y", "NR_CPUS": "max"}, {"KASAN": "y", "VMAP_STACK": "y"},
          {"PREEMPT": "y", "PREEMPT_DYNAMIC": "n"}, {"EVENTFD": "n"}, {"KASAN_GENERIC": "y"}, {"EXT4_FS": "m", "NUMA_BALANCING": "n"},
          {"HZ_1000": "y", "LATENCYTOP": "y", "TRACING": "n"})
NO_SYMBOL = "Kconfig has no such symbol"
SYMBOLS = ("SMP", "NUMA", "NUMA_BALANCING", "PREEMPT", "PREEMPT_NONE", "DEBUG_SPINLOCK", "LOCKDEP", "DEBUG_MUTEXES", "MEMCG", "CGROUPS",
           "NR_CPUS", "X86", "NO_SUCH_SYMBOL", "LOCALVERSION", "KEYS", "AUDIT", "KASAN_GENERIC", "VMAP_STACK")


def settings(path: object) -> dict:
    """What a .config says; what it does not name is n."""
    found = re.findall(r"^CONFIG_(\w+)=(.*)$", Path(path).read_text(encoding="utf-8"), re.M)
    return {name: value.strip('"') for name, value in found}


class Conf:
    """The tree's own program."""

    def __init__(self, tree: Tree, folder: Path) -> None:
        self.program, self.folder = Path(tree.root, "scripts/kconfig/conf"), folder
        self.env = environment(tree, str(folder))

    def __call__(self, mode: str, config: Path) -> dict:
        private = {name: str(self.folder / name) for name in ("KCONFIG_AUTOCONFIG", "KCONFIG_AUTOHEADER", "KCONFIG_RUSTCCFG")}
        subprocess.run([self.program, "-s", f"--{mode}", "Kconfig"], cwd=self.folder, check=True, capture_output=True,
                       env={**self.env, **private, "KCONFIG_CONFIG": str(config)})
        return settings(config)


def solves(tree: Tree, solver: Kconfig, conf: Conf, folder: Path) -> None:
    for number, wishes in enumerate(WISHES):
        solved, missed = solver.solve(str(folder / f"wish-{number}"), wishes)
        unknown = {words[0].split("=")[0] for words, why in missed if why == NO_SYMBOL}       # PREEMPT_DYNAMIC is younger than 5.10
        wishes = {name: value for name, value in wishes.items() if name not in unknown}
        what = " ".join(f"{name}={value}" for name, value in wishes.items())
        ours = settings(solved.path)
        met = wishes and all(ours.get(name, "n") == (ours["NR_CPUS"] if value == "max" else value) for name, value in wishes.items())
        check(met and len(missed) == len(unknown), f"{what} is reached", (solved, missed))
        check(all(re.fullmatch(r"\w+", name) for name, _ in solved.settings), f"{what}: the settings are symbols", solved.settings)
        text = Path(tree.root, ".config").read_text(encoding="utf-8")
        (folder / "merged").write_text(text + "".join(f"{config_line(*pair)}\n" for pair in solved.settings), encoding="utf-8")
        check(conf("olddefconfig", folder / "merged") == ours, f"{what}: conf finds the same, from the base and these settings")
    solved, missed = solver.solve(str(folder / "no"), {"NUMA": "y", "SMP": "n"})
    check(missed and missed[0][0] == ("SMP=n",) and "NUMA" in missed[0][1] and solved.have["NUMA"] == "y",
          "NUMA without SMP is not reached, and why", (solved, missed))
    solved, missed = solver.solve(str(folder / "no"), {"NO_SUCH_SYMBOL": "y"})
    check(missed == [(("NO_SUCH_SYMBOL=y",), NO_SYMBOL)], "a symbol that is not there", missed)


def covers(solver: Kconfig, folder: Path) -> None:
    rows, missed, types, left = solver.cover(str(folder), 50, list(SYMBOLS))
    base = {name: value for name, (_, value) in types.items()}
    alone = {words[0] for words, _ in missed if len(words) == 1}
    apart = {frozenset(words) for words, _ in missed if len(words) == 2}
    seen = {frozenset(pair) for have in [base, *(row.have for row in rows)]
            for pair in itertools.combinations([f"{name}={value}" for name, value in have.items()], 2)}
    logic = [name for name, (kind, _) in types.items() if kind in ("bool", "tristate")]
    wanted = {frozenset((f"{a}={x}", f"{b}={y}")) for a, b in itertools.combinations(logic, 2) for x in "ny" for y in "ny"
              if not {f"{a}={x}", f"{b}={y}"} & alone}
    lost = [sorted(pair) for pair in wanted - seen - apart]
    check(not lost and not left, "every two values of two symbols are there, or said not to be", lost)
    check(not apart & seen, "none of those said not to be is there", apart & seen)
    two = frozenset(("PREEMPT=y", "PREEMPT_NONE=y"))        # x86 of 7.0 and newer has PREEMPT_NONE no more
    check(frozenset(("NUMA=y", "SMP=n")) in apart and (two in apart or "PREEMPT_NONE=y" in alone) and "X86=n" in alone,
          "what Kconfig forbids is among them", apart)
    check(frozenset(("KASAN_GENERIC=y", "VMAP_STACK=y")) in seen, "a pair that needs a third symbol is found")
    check(len(rows) < 20, f"{len(rows)} configurations for {len(wanted)} pairs")
    check(types["NO_SUCH_SYMBOL"][0] == "unknown" and types["LOCALVERSION"][0] == "string", "kinds of symbols", types)
    check(all(settings(row.path).get("NR_CPUS", "1") == row.have["NR_CPUS"] for row in rows), "their files say the same")


def leaves_out(solver: Kconfig, folder: Path) -> None:
    """Fewer settings with which some symbols keep their values."""
    wide, _ = solver.solve(str(folder / "wide"), {"KASAN": "y", "EVENTFD": "n", "HZ_300": "y", "DEBUG_SPINLOCK": "y"})
    few = solver.least(str(folder / "few"), wide.settings, ["EVENTFD", "HZ"])
    names = {name for name, _ in few.settings}
    check({"EVENTFD", "HZ_300"} <= names and not names & {"KASAN", "DEBUG_SPINLOCK"}, "what the symbols do not need is left out", few.settings)
    all_, there = settings(wide.path), settings(few.path)
    check(there.get("HZ") == all_["HZ"] == "300" and "EVENTFD" not in there and "KASAN" not in there, "and they have their values", few)
    alike = solver.least(NO_FILE, wide.settings, ["EVENTFD", "HZ"])
    check((alike.settings, alike.have) == (few.settings, {"HZ": "300"}), "without a file the same, and what it would say of the symbols", alike)
    same = solver.least(str(folder / "same"), wide.settings, list(SYMBOLS))
    whole = settings(same.path)
    check(all(whole.get(name) == all_.get(name) for name in SYMBOLS), "all of many keep theirs", same.settings)


def goes_on(solver: Kconfig, folder: Path) -> None:
    """Pairs of symbols of which those of some are known."""
    known = ["SMP", "NUMA", "PREEMPT", "MEMCG", "CGROUPS", "KEYS"]
    (folder / "more").mkdir()
    rows, _, types, left = solver.cover(str(folder / "more"), 50, ["AUDIT", "HZ_1000"], known)
    seen = {(row.have["AUDIT"], row.have["HZ_1000"]) for row in rows} | {(types["AUDIT"][1], types["HZ_1000"][1])}
    check(seen == {(x, y) for x in "ny" for y in "ny"} and not left, "all pairs of the new ones", seen)
    check(0 < len(rows) < 8 and not set(types) & set(known), f"{len(rows)} configurations, none for pairs of known ones", types)


def numbers(solver: Kconfig, folder: Path) -> None:
    """Both ends of a range are other values, and what has no range is said to stay."""
    (folder / "numbers").mkdir()
    high, _ = solver.solve(str(folder / "high"), {"LOG_BUF_SHIFT": "max"})
    solver.base(high.path)
    rows, missed, _, _ = solver.cover(str(folder / "numbers"), 50, ["LOG_BUF_SHIFT", "PHYSICAL_START", "AUDIT"])
    alone, _ = solver.solve(str(folder / "low"), {"LOG_BUF_SHIFT": "other"})
    check(high.have["LOG_BUF_SHIFT"] == "25" and "12" in {row.have["LOG_BUF_SHIFT"] for row in rows} and alone.have["LOG_BUF_SHIFT"] == "12", "at its upper end, a number has its lower one besides", rows)
    check(missed == [(("PHYSICAL_START",), "a number without a range stays 0x1000000")], "one without a range", missed)
    many = [f"NO_SUCH_{number}" for number in range(2500)]
    check(solver.known([*many, "SMP", "NUMA"]) == {"SMP", "NUMA"}, "which of many symbols there are")


def forgets(solver: Kconfig, folder: Path) -> None:
    """What was asked before is no matter: what follows from a change was computed again."""
    other = []
    for number, wishes in enumerate(WISHES):
        solver.solve(str(folder / "again"), wishes)
        other += [wishes] * (settings(folder / "again") != settings(folder / f"wish-{number}"))
    check(not other, "behind all that, the same wishes lead to the same configurations", other)


def stamps(tree: Tree) -> dict:
    """Names and times of what a make could write."""
    return {path: path.stat().st_mtime_ns for folder in ("", "scripts", "scripts/kconfig", "include/config", "include/generated")
            for path in Path(tree.root, folder).iterdir()}


def one(version: str, folder: Path) -> None:
    path = kernel(version)
    if not path or not (path / "scripts/kconfig/conf").exists():
        skip(f"linux {version}", "no kernel with its scripts/kconfig")
        return
    tree = Tree(str(path))
    before = stamps(tree)
    (folder / "conf").mkdir()
    conf = Conf(tree, folder / "conf")
    with Kconfig(tree) as solver:
        for base in ("allno", "allmod", "alldef"):
            solver.base(base)
            solved, _ = solver.solve(str(folder / base), {})
            check(settings(solved.path) == conf(f"{base}config", folder / "conf/.config"), f"linux {version}: {base}config is conf's")
        solver.base(f"{tree.root}/.config")
        solves(tree, solver, conf, folder)
        covers(solver, folder)
        leaves_out(solver, folder)
        goes_on(solver, folder)
        forgets(solver, folder)
        numbers(solver, folder)
    check(stamps(tree) == before, "the tree is as it was")


with tempfile.TemporaryDirectory() as name:
    # KERNEL510= and KERNELNEW= name trees of a user's
    for kernel_version in ("6.1", "6.12", *(version for version in ("5.10", "new") if kernel(version))):
        os.mkdir(os.path.join(name, kernel_version))
        one(kernel_version, Path(name, kernel_version))
sys.exit(done())

# SPDX-License-Identifier: GPL-2.0-only
"""Which configurations a matrix is made of: the usual corners, each symbol alone, and pairs of them (docs/matrix.md)."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Callable, Dict, List, NamedTuple, Tuple

from lk.kconfig import Kconfig, Missed, config_line
from lk.matrix_read import Reader, Symbols

# the compiler's flags go with them, and these are the tree's: another value is another tree
FIXED = ("64BIT", "CPU_BIG_ENDIAN")
OWN = "as prepared"     # the tree's own configuration
MOST_PAIRS = 200        # configurations
MOST_SYMBOLS = 1000     # that are changed: the number of pairs grows with its square
ROUNDS = 3              # looks at files that only configurations of the round before include
# what the distributions and the robots build, and where layouts broke before; on top of the tree's own configuration
CORNERS = (
    ("lockdep", {"PROVE_LOCKING": "y"}),
    ("no SMP", {"SMP": "n"}),
    ("most CPUs", {"MAXSMP": "y", "NR_CPUS": "max"}),
    ("PREEMPT_RT", {"PREEMPT_RT": "y"}),
)
RANDSTRUCT = ("RANDSTRUCT_FULL", "GCC_PLUGIN_RANDSTRUCT")      # since 5.19; before
# allmodconfig would have it: members in an order that only the build knows
IN_ORDER = {"RANDSTRUCT_NONE": "y", "GCC_PLUGIN_RANDSTRUCT": "n"}

# base: a make target, "" for the tree's own; settings: what was changed in it; symbol: the one that was to change, "" for several
Config = NamedTuple("Config", [("name", str), ("base", str), ("path", str), ("settings", List[Tuple[str, str]]), ("symbol", str)])
# symbols: by struct; files: that were read for them, by unit; foreign: headers of the build that are the tree's own; random: what
# is said of RANDSTRUCT
Plan = NamedTuple("Plan", [("configs", List[Config]), ("symbols", Dict[str, List[str]]), ("files", Dict[str, List[str]]), ("missed", List[Missed]),
                           ("unknown", List[str]), ("left", int), ("foreign", List[str]), ("random", str), ("round", int)])


class Planner:
    """Makes the configurations' files in a folder."""

    def __init__(self, reader: Reader, solver: Kconfig, folder: str, own: str = "") -> None:
        self.reader, self.solver, self.folder = reader, solver, folder
        self.own = own or os.path.join(reader.tree.root, ".config")
        self.missed: List[Missed] = []
        self.fixed = {name: "y" if reader.tree.has(f"CONFIG_{name}") else "n" for name in FIXED}
        if not any(reader.tree.has(f"CONFIG_{name}") for name in RANDSTRUCT):
            self.fixed.update(IN_ORDER)

    def to_own(self) -> None:
        self.solver.base(self.own)

    def solve(self, name: str, base: str, wishes: Dict[str, str]) -> Config:
        """A configuration on the solver's base; what is not reached is remembered."""
        path = os.path.join(self.folder, f"{name.replace(' ', '-')}.config")
        solved, missed = self.solver.solve(path, {**self.fixed, **wishes})
        self.missed += [entry for entry in missed if entry[1] != "Kconfig has no such symbol" and entry not in self.missed]
        return Config(name, base, path, solved.settings, "")

    def corners(self) -> List[Config]:
        """The tree's own first."""
        self.to_own()
        found = [self.solve(OWN, "", {})]
        for name, wishes in CORNERS:
            config = self.solve(name, "", wishes)
            if config.settings:
                found.append(config)
        default = self._defconfig()
        for base, target in ((default, "defconfig"), ("allno", "allnoconfig"), ("allmod", "allmodconfig")):
            if base:
                self.solver.base(base)
                found.append(self.solve(target, target, {}))
        self.to_own()
        return found

    def _defconfig(self) -> str:
        name = self.solver.defconfig
        path = os.path.join(self.reader.tree.src, "arch", self.reader.tree.arch, "configs", name)
        return path if os.path.exists(path) else ""

    def random(self) -> str:
        """Can the order of members be random?"""
        for name in RANDSTRUCT:
            _, missed = self.solver.solve(os.path.join(self.folder, "random"), {name: "y"})
            if not missed:
                return f"{name}=y can be had: the order of members is then not known"
            if missed[0][1] != "Kconfig has no such symbol":
                return f"{name}=y is not reached: {missed[0][1]}"
        return ""

    def alone(self, types: Dict[str, Tuple[str, str]]) -> List[Config]:
        """Each symbol with its other value, of a number an end of its range, nothing else changed that Kconfig does not ask for."""
        found = []
        for name, (kind, value) in types.items():
            if kind in ("bool", "tristate"):
                wanted = "n" if value != "n" else "y"
            elif kind in ("integer", "hex"):
                wanted = "other"
            else:
                continue
            path = os.path.join(self.folder, f"{name}-{wanted}.config")
            solved, missed = self.solver.solve(path, {name: wanted})        # cover() has said what is missed
            if not missed and solved.have.get(name) != value:
                found.append(Config(f"{name}={solved.have[name]}", "", path, solved.settings, name))
        return found


    def pairs(self, folder: str, symbols: List[str], known: List[str]) -> Tuple[List[Config], List[str], int]:
        """The symbols alone, and all pairs with them: configurations, symbols that Kconfig has not, pairs that are left."""
        have = self.solver.known([*symbols, *known])
        unknown, known = [name for name in symbols if name not in have], [name for name in known if name in have][:MOST_SYMBOLS]
        symbols = [name for name in symbols if name in have]
        room = MOST_SYMBOLS - len(known)
        self.missed += [((name,), f"there are more than {MOST_SYMBOLS} symbols") for name in symbols[room:]]
        symbols = symbols[:room]
        os.makedirs(os.path.join(self.folder, folder), exist_ok=True)
        rows, missed, types, left = self.solver.cover(os.path.join(self.folder, folder), MOST_PAIRS, symbols, known)
        self.missed += [entry for entry in missed if entry not in self.missed]
        configs = [Config(f"{folder} {number}", "", row.path, row.settings, "") for number, row in enumerate(rows)]
        return self.alone(types) + configs, unknown, left

    def extended(self, plan: Plan, units: List[str], found: List[Symbols]) -> Plan:
        """A plan for the symbols of more files, which a unit each has included."""
        known = wanted_of(plan.symbols)
        plan = with_symbols(plan, units, found)._replace(round=plan.round + 1)
        fresh = [name for name in wanted_of(plan.symbols) if name not in known]
        if not fresh:
            return plan
        self.missed = plan.missed
        self.to_own()
        known += [config.symbol for config in plan.configs if config.symbol and config.symbol not in known + fresh]
        configs, unknown, left = self.pairs(f"pairs {plan.round}", fresh, known)
        return plan._replace(configs=plan.configs + configs, unknown=plan.unknown + unknown, left=plan.left + left)


def wanted_of(symbols: Dict[str, List[str]]) -> List[str]:
    """All symbols that may be set."""
    return sorted({name for some in symbols.values() for name in some} - set(FIXED))


def with_symbols(plan: Plan, units: List[str], found: List[Symbols]) -> Plan:
    """A plan that knows what these say of units."""
    symbols, files = dict(plan.symbols), dict(plan.files)
    for unit, more in zip(units, found):
        files[unit] = sorted({*files.get(unit, []), *more.files})
        for struct, names in more.structs.items():
            symbols[struct] = sorted({*symbols.get(struct, []), *names})
    return plan._replace(symbols=symbols, files=files, foreign=sorted({*plan.foreign, *(name for more in found for name in more.foreign)}))


def cost_of(config: Config) -> tuple:
    """What a reader has to change for it; another base is more than any settings."""
    return (bool(config.base), len(config.settings))


def make_plan(planner: Planner, units: Dict[str, List[str]], in_parallel: Callable) -> Plan:
    """Solves Kconfig for the structs of some units."""
    reader = planner.reader
    corners = planner.corners()
    states = [reader.plain, *in_parallel(lambda config: reader.state(config.path), corners)]
    asked = [(unit, state) for unit in units for state in states]
    found = in_parallel(lambda pair: reader.symbols(pair[0], units[pair[0]], pair[1]), asked)
    reader.bounds_symbols = sorted({name for more in found for name in more.bounds})
    plan = with_symbols(Plan(corners, {}, {}, [], [], 0, [], planner.random(), 0), [unit for unit, _ in asked], found)
    configs, unknown, left = planner.pairs("pairs", wanted_of(plan.symbols), [])
    return plan._replace(configs=corners + configs, missed=planner.missed, unknown=unknown, left=left)


def empty(folder: str) -> None:
    """Makes it, or removes the fragments that an earlier run has left there; nothing else."""
    os.makedirs(folder, exist_ok=True)
    for path in Path(folder).glob("*.config"):
        with open(path, encoding="utf-8", errors="replace") as file:
            is_ours = re.match(r"# .*, through scripts/kconfig/merge_config\.sh$", file.readline())
        if is_ours:
            path.unlink()


def write_fragments(fragments: Dict[str, str], folder: str) -> None:
    """NAME.config for each name."""
    empty(folder)
    for name, text in fragments.items():
        with open(os.path.join(folder, f"{name}.config"), "w", encoding="utf-8") as file:
            file.write(text)


def fragment(config: Config) -> str:
    """What leads to a configuration: for scripts/kconfig/merge_config.sh, behind the base's .config."""
    base = f"make {config.base}, then this" if config.base else "this, behind the tree's .config"
    lines = [config_line(name, value) for name, value in config.settings]
    return "\n".join([f"# {config.name}: {base}, through scripts/kconfig/merge_config.sh", *lines]) + "\n"

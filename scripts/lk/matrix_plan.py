# SPDX-License-Identifier: GPL-2.0-only
"""Which configurations a matrix is made of: the usual corners, each symbol alone, and pairs of them (docs/matrix.md)."""

from __future__ import annotations

import os
from typing import Callable, Dict, List, NamedTuple, Tuple

from lk.kconfig import Kconfig, Missed, config_line
from lk.matrix_read import Reader, Target

# the compiler's flags go with them, and these are the tree's: another value is another tree
FIXED = ("64BIT", "CPU_BIG_ENDIAN")
OWN = "as prepared"     # the tree's own configuration
MOST_PAIRS = 200        # configurations
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
# symbols: by struct; foreign: headers of the build that are the tree's own; random: what is said of RANDSTRUCT
Plan = NamedTuple("Plan", [("configs", List[Config]), ("symbols", Dict[str, List[str]]), ("missed", List[Missed]),
                           ("unknown", List[str]), ("left", int), ("foreign", List[str]), ("random", str)])


class Planner:
    """Makes the configurations' files in a folder."""

    def __init__(self, reader: Reader, solver: Kconfig, folder: str) -> None:
        self.reader, self.solver, self.folder = reader, solver, folder
        self.own = os.path.join(reader.tree.root, ".config")
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
        """Each symbol with its other value, nothing else changed that Kconfig does not ask for."""
        found = []
        for name, (kind, value) in types.items():
            if kind in ("bool", "tristate"):
                wanted = "n" if value != "n" else "y"
            elif kind in ("integer", "hex"):
                wanted = "max"
            else:
                continue
            path = os.path.join(self.folder, f"{name}={wanted}.config")
            solved, missed = self.solver.solve(path, {name: wanted})        # cover() has said what is missed
            if not missed and solved.have.get(name) != value:
                found.append(Config(f"{name}={solved.have[name]}", "", path, solved.settings, name))
        return found


def make_plan(reader: Reader, solver: Kconfig, targets: List[Target], folder: str, in_parallel: Callable) -> Plan:
    """Solves Kconfig for targets; files are made in folder."""
    planner = Planner(reader, solver, folder)
    corners = planner.corners()
    answers = in_parallel(lambda config: reader.symbols(targets, config), [None, *(config.path for config in corners)])
    symbols: Dict[str, List[str]] = {}
    for found, _ in answers:
        for name, more in found.items():
            symbols[name] = sorted({*symbols.get(name, []), *more})
    reader.bounds_symbols = symbols.pop("bounds")
    wanted = sorted({name for target in targets for name in symbols.get(target.struct, [])} - set(FIXED))
    os.makedirs(os.path.join(folder, "pairs"), exist_ok=True)        # an earlier one may have been stopped while it planned
    rows, missed, types, left = solver.cover(os.path.join(folder, "pairs"), MOST_PAIRS, wanted)
    pairs = [Config(f"pairs {number}", "", row.path, row.settings, "") for number, row in enumerate(rows)]
    unknown = [name for name, (kind, _) in types.items() if kind == "unknown"]
    return Plan([*corners, *planner.alone(types), *pairs], symbols, planner.missed + [entry for entry in missed if entry not in planner.missed], unknown, left,
                sorted({name for _, foreign in answers for name in foreign}), planner.random())


def fragment(config: Config) -> str:
    """What leads to a configuration: for scripts/kconfig/merge_config.sh, behind the base's .config."""
    base = f"make {config.base}, then this" if config.base else "this, behind the tree's .config"
    lines = [config_line(name, value) for name, value in config.settings]
    return "\n".join([f"# {config.name}: {base}, through scripts/kconfig/merge_config.sh", *lines]) + "\n"

# SPDX-License-Identifier: GPL-2.0-only
"""Smaller settings for layouts that only a wide change of the configuration has led to; no parse is needed for it."""

from __future__ import annotations

from typing import Callable, List, Optional, Tuple

from lk.kconfig import NO_FILE, Kconfig
from lk.matrix import Matrix
from lk.matrix_plan import OWN, Config, Planner
from lk.matrix_read import Target


class Smaller:
    """Leaves out settings as long as all symbols keep their values that the struct's layout may hang on."""

    def __init__(self, matrix: Matrix, solver: Kconfig) -> None:
        self.work, self.solver = matrix.work, solver
        self.planner = Planner(self.work.reader, solver, self.work.folder)
        self.planner.to_own()
        self.own = self.work.values(self.work.plan.configs[0].path)

    def _from_own(self, config: Config, struct: str) -> List[Tuple[str, str]]:
        """Settings on the tree's own base for the values that another one gives to the struct's symbols."""
        there = self.work.values(config.path)
        wishes = {name: there.get(name, "n") for name in self.work.plan.symbols[struct] if there.get(name) != self.own.get(name)}
        return self.solver.solve(NO_FILE, {**self.planner.fixed, **wishes})[0].settings

    def one(self, item: Tuple[int, Target, dict]) -> Optional[Config]:
        """For a row of the matrix; None: its layout is not reached so."""
        number, target, row = item
        config, symbols = row["config"], self.work.plan.symbols[target.struct]
        settings = self._from_own(config, target.struct) if config.base else config.settings
        solved = self.solver.least(NO_FILE, settings, symbols)
        there = {name: value.strip('"') for name, value in self.work.values(config.path).items() if name in symbols}
        return Config(f"smaller {number}", "", NO_FILE, solved.settings, "") if solved.have == there else None


def smaller(matrix: Matrix, solver: Kconfig, in_parallel: Callable) -> None:
    """Adds to the matrix the settings that are smaller."""
    rows = [(target, row) for target in matrix.work.targets for row in matrix.rows(target.struct)]
    items = [(number, target, row) for number, (target, row) in enumerate(rows)
             if row["config"].name != OWN and (row["config"].base or len(row["config"].settings) > 1)]
    for (_, target, row), config in zip(items, in_parallel(Smaller(matrix, solver).one, items)):
        if config:
            matrix.found[target.struct].append((config, row["record"]))

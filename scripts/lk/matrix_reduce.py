# SPDX-License-Identifier: GPL-2.0-only
"""Smaller settings for layouts that only a wide change of the configuration has led to; no parse is needed for it."""

from __future__ import annotations

import os
from typing import Callable, Dict, Optional, Tuple

from lk.kconfig import Kconfig
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

    def _from_own(self, number: int, config: Config, struct: str) -> Config:
        """The values that another base gives to the struct's symbols, on the tree's own."""
        there = self.work.values(config.path)
        wishes: Dict[str, str] = {name: there.get(name, "n") for name in self.work.plan.symbols[struct] if there.get(name) != self.own.get(name)}
        return self.planner.solve(f"own {number}", "", wishes)

    def one(self, item: Tuple[int, Target, dict]) -> Optional[Config]:
        """For a row of the matrix; None: its layout is not reached so."""
        number, target, row = item
        config = self._from_own(number, row["config"], target.struct) if row["config"].base else row["config"]
        path = os.path.join(self.work.folder, f"smaller-{number}.config")
        solved = self.solver.least(path, config.settings, self.work.plan.symbols[target.struct])
        same = self.work.key(target.struct, path) == self.work.key(target.struct, row["config"].path)
        return Config(f"smaller {number}", "", path, solved.settings, "") if same else None


def smaller(matrix: Matrix, solver: Kconfig, in_parallel: Callable) -> None:
    """Adds to the matrix the settings that are smaller."""
    rows = [(target, row) for target in matrix.work.targets for row in matrix.rows(target.struct)]
    items = [(number, target, row) for number, (target, row) in enumerate(rows)
             if row["config"].name != OWN and (row["config"].base or len(row["config"].settings) > 1)]
    for (_, target, row), config in zip(items, in_parallel(Smaller(matrix, solver).one, items)):
        if config:
            matrix.found[target.struct].append((config, row["record"]))

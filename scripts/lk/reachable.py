# SPDX-License-Identifier: GPL-2.0-only
"""Configurations that Kconfig allows and in which units differ, for those who judge units: check --matrix, vet --matrix."""

from __future__ import annotations

import os
from typing import Callable, Dict, List, Sequence, Tuple

from lk.kconfig import NO_FILE, Kconfig
from lk.matrix_plan import Config as Planned, Planner, cost_of, fragment, make_plan
from lk.matrix_read import Reader, settings_of
from lk.vet_configs import Config, name_of

NO_SYMBOL = "Kconfig has no such symbol"


def as_settings(pairs: Sequence[Tuple[str, str]]) -> Tuple[str, ...]:
    return tuple(f"CONFIG_{name}={value}" for name, value in pairs)


def fragment_of(config: Config) -> str:
    """What leads to a configuration, for scripts/kconfig/merge_config.sh."""
    return fragment(Planned(config.name, config.base, config.file, [tuple(setting[len("CONFIG_"):].split("=", 1)) for setting in config.settings], ""))


def fragments_of(configs: List[Config]) -> Dict[str, str]:
    """Fragments, numbered as they were told."""
    return {str(number): fragment_of(config) for number, config in enumerate(configs)}


class Reachable:
    """To be closed. reader has the options that the units are read with; own: the .config that all starts from; folder: for our files."""

    def __init__(self, reader: Reader, own: str, folder: str) -> None:
        os.makedirs(folder, exist_ok=True)
        self.reader, self.own, self.folder = reader, own, folder
        self.solver = Kconfig(reader.tree)
        self.planner = Planner(reader, self.solver, folder, own)
        self.symbols: Dict[str, List[str]] = {}     # by unit
        self.planned: Dict[str, Planned] = {}       # by the file of a configuration
        self.made: Dict[Tuple[str, ...], Config] = {}

    def __enter__(self) -> Reachable:
        return self

    def __exit__(self, *_: object) -> None:
        self.solver.close()

    def _config(self, name: str, settings: Tuple[str, ...], path: str, base: str = "") -> Config:
        headers = self.reader.headers(path)
        return Config(name, settings, flags=headers.flags, options=(*headers.options, *headers.rules), file=path, base=base)

    def _key(self, unit: str, path: str) -> tuple:
        settings = settings_of(path)
        return tuple(settings.get(f"CONFIG_{name}") for name in self.symbols[unit])

    def nearest(self, units: Dict[str, List[str]], in_parallel: Callable) -> List[Tuple[Config, str]]:
        """Configurations for units, and the structs in each that matter: those that give symbols of these other values, the
        fewest settings first."""
        if not units:
            return []
        plan = make_plan(self.planner, units, in_parallel)
        found = []
        for unit, structs in units.items():
            self.symbols[unit] = sorted({name for struct in structs for name in plan.symbols[struct]})
            seen = {self._key(unit, plan.configs[0].path)}
            for config in sorted(plan.configs[1:], key=cost_of):
                key = self._key(unit, config.path)
                if key not in seen:
                    seen.add(key)
                    found.append((config, unit))
        self.planned = {config.path: config for config, _ in found}
        made = dict(zip(self.planned, in_parallel(lambda config: self._config(
            config.base or name_of(as_settings(config.settings)), as_settings(config.settings), config.path, config.base), list(self.planned.values()))))
        return [(made[config.path], unit) for config, unit in found]

    def parts(self, config: Config, unit: str) -> List[Config]:
        """The settings, apart, with which the unit's symbols have the values that they have there."""
        planned = self.planned.get(config.file)
        if not planned or planned.symbol:
            return [config]
        pairs = planned.settings
        if planned.base:
            there, own = settings_of(planned.path), settings_of(self.own)
            wishes = {name: there.get(f"CONFIG_{name}", "n") for name in self.symbols[unit] if there.get(f"CONFIG_{name}") != own.get(f"CONFIG_{name}")}
            pairs = self.solver.solve(NO_FILE, wishes)[0].settings
        few = self.solver.least(NO_FILE, pairs, self.symbols[unit]).settings
        return [Config(setting, (setting,)) for setting in as_settings(few)]

    def joined(self, parts: List[Config]) -> Config:
        """The configuration with all of these settings; those of symbols that the tree's Kconfig does not know are there too."""
        if len(parts) == 1 and (parts[0].file or parts[0].flags):
            return parts[0]
        settings = tuple(setting for part in parts for setting in part.settings)
        if settings not in self.made:
            path = os.path.join(self.folder, f"joined-{len(self.made)}.config")
            wishes = dict(setting[len("CONFIG_"):].split("=", 1) for setting in settings)
            solved, missed = self.solver.solve(path, {**self.planner.fixed, **wishes})
            with open(path, "a", encoding="utf-8") as file:
                file.writelines(f"CONFIG_{words[0]}\n" for words, why in missed if why == NO_SYMBOL)
            self.made[settings] = self._config(name_of(settings), tuple(dict.fromkeys([*settings, *as_settings(solved.settings)])), path)
        return self.made[settings]

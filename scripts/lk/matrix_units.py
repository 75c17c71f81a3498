# SPDX-License-Identifier: GPL-2.0-only
"""Which files are parsed for which structs: one parse serves several, where a unit shows them as their own does."""

from __future__ import annotations

from typing import Callable, Dict, List, NamedTuple, Set, Tuple

from lk.matrix_read import Reader, Target, key_of

# a file that is parsed; the structs that may be read there; how many files it includes, which is what a parse of it costs
Unit = NamedTuple("Unit", [("file", str), ("structs", List[str]), ("cost", int)])


def find_units(reader: Reader, targets: List[Target], in_parallel: Callable) -> Tuple[List[Unit], Dict[str, str]]:
    """The targets' own units, with what else they show; and of each struct the unit that is asked for symbols.

    A struct may be read in a unit that includes no more than the latter, so that its symbols are known. One whose own unit is a
    .c file is read only there: its asserts stand in it.
    """
    names = [target.struct for target in targets]
    own = list(dict.fromkeys(target.unit for target in targets))
    readings = dict(zip(own, in_parallel(lambda file: reader.read(file, reader.plain, names), own)))
    files = {file: set(readings[file].files) for file in own}
    shows: Dict[str, Set[str]] = {file: set() for file in own}
    for target in targets:
        key = key_of(readings[target.unit].records.get(target.struct))
        shows[target.unit].add(target.struct)
        for file in own if key and target.unit.endswith(".h") else []:
            if key_of(readings[file].records.get(target.struct)) == key:
                shows[file].add(target.struct)
    asked: Dict[str, str] = {}
    while len(asked) < len(set(names)):
        best = max(own, key=lambda file: (len(shows[file] - asked.keys()), -len(files[file])))
        asked.update(dict.fromkeys(shows[best] - asked.keys(), best))
    return [Unit(file, [name for name in dict.fromkeys(names) if name in shows[file] and files[file] <= files[asked[name]]], len(files[file]))
            for file in own], asked


def chosen(units: List[Unit], structs: List[str]) -> List[Tuple[str, List[str]]]:
    """Units, with what is to be read in each, that together show the structs at little cost."""
    left, found = list(structs), []
    whole = [unit for unit in units if set(left) <= set(unit.structs)]
    while left:
        best = min((unit for unit in units if set(unit.structs) & set(left)), key=lambda unit: unit.cost / len(set(unit.structs) & set(left)))
        found.append((best, [name for name in left if name in best.structs]))
        left = [name for name in left if name not in best.structs]
    if whole and min(unit.cost for unit in whole) < sum(unit.cost for unit, _ in found):
        found = [(min(whole, key=lambda unit: unit.cost), list(structs))]
    return [(unit.file, names) for unit, names in found]

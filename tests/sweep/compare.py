# SPDX-License-Identifier: GPL-2.0-only
"""Compares the layouts of one translation unit: DWARF's, as pahole prints them, and cacheline-map's."""

import os
from collections import Counter
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Set, Tuple

import ours
import pahole
from ktree import Build
from pahole import Place, Struct

Difference = NamedTuple("Difference", [("kind", str), ("struct", str), ("text", str)])
Key = Tuple[str, str]

# what one of the two does not have, with the reason; by the name of the struct
COMPILERS_OWN = ("__va_list", "__va_list_tag")


class Result:
    """what came out for one object; can be added up"""

    def __init__(self) -> None:
        self.counts: Counter = Counter()
        self.names: Set[Key] = set()
        self.left_out: Counter = Counter()
        self.differences: List[Difference] = []

    def add(self, other: "Result") -> None:
        """other's figures on top of these"""
        self.counts += other.counts
        self.names |= other.names
        self.left_out += other.left_out
        self.differences += other.differences


def by_name(structs: List[Struct]) -> Dict[Key, List[Struct]]:
    """named structs; several of one name are possible in different functions"""
    table: Dict[Key, List[Struct]] = {}
    for struct in structs:
        if struct.name:
            table.setdefault((struct.kind, struct.name), []).append(struct)
    return table


def opens_by_itself(path: str, line: int) -> bool:
    """does the line begin with the brace?"""
    with open(path, encoding="utf-8", errors="replace") as source:
        return any(number == line and text.lstrip().startswith("{") for number, text in enumerate(source, 1))


def same_position(dwarf: Struct, mine: Struct, cwd: Path) -> bool:
    """is it the same line of the same file? Of a struct without a tag sparse knows the brace, GCC the word before it"""
    if not dwarf.file or not mine.file:
        return False
    path = os.path.realpath(cwd / mine.file)
    if os.path.realpath(cwd / dwarf.file) != path:
        return False
    return dwarf.line == mine.line or (dwarf.line == mine.line - 1 and opens_by_itself(path, mine.line))


def counterpart(struct: Struct, candidates: List[Struct], cwd: Path) -> Struct:
    """the one at its position, or the first"""
    return next((c for c in candidates if same_position(struct, c, cwd)), candidates[0])


def same_place(a: Place, b: Place) -> bool:
    """a bit-field's size in bytes is of its type here and of its bits there: not compared"""
    return a.at == b.at and a.bits == b.bits and (a.bits is not None or a.size == b.size)


def find_nameless(name: str, place: Place, dwarf: Struct) -> bool:
    """pahole dropped the name in front of "?": is there such a member at that place?"""
    last = name.rpartition(".")[2]
    return any(path.rpartition(".")[2] == last and same_place(place, where)
               for path, where in dwarf.nameless)


def compare_members(dwarf: Struct, mine: Struct, deep: bool) -> List[Difference]:
    """deep: mine has members of named members too"""
    found = []
    label = f"{dwarf.kind} {dwarf.name}"
    for path, place in mine.members.items():
        if path in mine.twice or path in dwarf.twice:
            continue
        where: Optional[Place] = dwarf.members.get(path)
        if where is None and not find_nameless(path, place, dwarf) and not (dwarf.nameless and "." not in path):
            found.append(Difference("not in DWARF", label, path))
        elif where is not None and not same_place(where, place):
            found.append(Difference("place", label, f"{path}: DWARF {show(where)}, cacheline-map {show(place)}"))
    for path in dwarf.members:
        if path not in mine.members and (deep or "." not in path):
            found.append(Difference("member missing", label, path))
    return found


def show(place: Place) -> str:
    """as a person reads it"""
    return f"{place.at}, size {place.size}" if place.bits is None else f"bit {place.at}, {place.bits} bits"


def compare_struct(dwarf: Struct, mine: Struct, deep: Struct, cwd: Path) -> List[Difference]:
    """mine from the JSON, deep from the dump"""
    label = f"{dwarf.kind} {dwarf.name}"
    found = []
    if dwarf.size is not None and dwarf.size != mine.size:
        found.append(Difference("size", label, f"DWARF {dwarf.size}, cacheline-map {mine.size}"))
    if not same_position(dwarf, mine, cwd):
        found.append(Difference("position", label, f"DWARF {dwarf.file}:{dwarf.line}, {mine.file}:{mine.line}"))
    found += compare_members(dwarf, mine, False)
    found += [d for d in compare_members(dwarf, deep, True) if d not in found]
    return found


def compare_all(dwarf: List[Struct], mine: List[Struct], deep: List[Struct], cwd: Path) -> Result:
    """every definition of one translation unit"""
    result = Result()
    mine_by, deep_by = by_name(mine), by_name(deep)
    dwarf_by = by_name(dwarf)
    for key, definitions in dwarf_by.items():
        for struct in definitions:
            if key not in mine_by:
                if struct.name in COMPILERS_OWN:
                    result.left_out[f"{struct.name}: the compiler's own, in no source"] += 1
                else:
                    result.differences.append(Difference("struct missing", " ".join(key), f"{struct.file}:{struct.line}"))
                continue
            result.names.add(key)
            result.counts["definitions"] += 1
            result.counts["members"] += len(struct.members)
            result.counts["bit-fields"] += sum(place.bits is not None for place in struct.members.values())
            one = counterpart(struct, mine_by[key], cwd)
            if not struct.members and struct.kind == "union" and one.members:
                result.left_out[f"members of {struct.name}: a transparent union, GCC writes none to DWARF"] += 1
                continue
            result.differences += compare_struct(struct, one, counterpart(struct, deep_by[key], cwd), cwd)
    for key, definitions in mine_by.items():
        if key not in dwarf_by:
            place = f"{definitions[0].file}:{definitions[0].line}"
            result.differences.append(Difference("not in DWARF", " ".join(key), place))
    return result


def compare_object(program: Path, build: Build, obj: str) -> Result:
    """one object that has been built"""
    result = Result()
    command = build.command(obj) or []
    try:
        dwarf = pahole.structs_of(build.out / obj)
        mine = ours.structs_of_json(ours.run(program, "--json", build.abi, command, build.out))
        deep = ours.structs_of_dump(ours.run(program, "--dump", build.abi, command, build.out))
        result = compare_all(dwarf, mine, deep, build.out)
    except (ours.NoLayout, pahole.Unreadable) as trouble:
        result.differences.append(Difference("no answer", obj, str(trouble)))
    result.counts["objects"] += 1
    return result

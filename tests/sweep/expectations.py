# SPDX-License-Identifier: GPL-2.0-only
"""
What an input of tests/cases expects of its layouts, on the line that deserves it:

  /* expect: CLAUSE; CLAUSE... */    CLAUSE: [CONDITION...:] ITEM, ITEM...
  ITEM: size N | align N             of the struct or union that the line opens or is in
        NAME at N                    the member's offset in bytes
        NAME bit N                   the bit-field's first bit
        NAME after OTHER N           the difference of two offsets
  CONDITION: an ABI, or a configuration of the file; default: no configuration. Without one: x86-64, always.

  /* config: NAME FLAG... */         the file is also compiled with these flags
"""

import re
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Tuple

from compilers import COMPILERS, Layout

# what: "size", "align", "at", "bit" or "after"
Expectation = NamedTuple("Expectation", [("line", int), ("kind", str), ("tag", str), ("what", str), ("name", str),
                                         ("other", str), ("value", int), ("abis", Tuple[str, ...]),
                                         ("configs", Optional[Tuple[str, ...]])])

DIRECTIVE = re.compile(r"/\*\s*(\w+):\s*(.*?)\s*\*/")
OPENS = re.compile(r"(struct|union)\s+(?:__attribute__\(\(.*\)\)\s*)?(\w+)\s*\{")
SIZE = re.compile(r"(size|align) (\d+)$")
MEMBER = re.compile(r"(\w+) (at|bit) (\d+)$")
DISTANCE = re.compile(r"(\w+) after (\w+) (\d+)$")


class Wrong(Exception):
    """the input's own fault: an expectation that cannot be read"""


class Input:
    """one file of tests/cases"""

    def __init__(self, path: Path):
        self.path = path
        self.configs: Dict[str, List[str]] = {"default": []}
        self.expectations: List[Expectation] = []
        self.record: Optional[Tuple[str, str]] = None
        text = path.read_text(encoding="ascii")
        for number, line in enumerate(text.splitlines(), 1):
            self.read_line(number, line)
        if not self.expectations:
            raise Wrong(f"{path}: expects nothing")

    def read_line(self, number: int, line: str) -> None:
        """directives of one line; a struct at the left margin is the one that is spoken of"""
        opens = OPENS.match(line)
        if opens:
            self.record = (opens.group(1), opens.group(2))
        for word, text in DIRECTIVE.findall(line):
            if word == "config":
                name, *flags = text.split()
                self.configs[name] = flags
            elif word == "expect":
                for clause in text.split(";"):
                    self.read_clause(number, clause.strip())
            else:
                raise Wrong(f"{self.path}:{number}: unknown directive '{word}'")

    def conditions(self, number: int, words: List[str]) -> Tuple[Tuple[str, ...], Optional[Tuple[str, ...]]]:
        """ABIs, and configurations or None for all"""
        abis = tuple(word for word in words if word in COMPILERS)
        configs = tuple(word for word in words if word in self.configs)
        if len(abis) + len(configs) != len(words):
            raise Wrong(f"{self.path}:{number}: unknown condition in '{' '.join(words)}'")
        return abis or ("x86-64",), configs or None

    def read_clause(self, number: int, clause: str) -> None:
        """one clause, whose items share their conditions"""
        before, colon, items = clause.rpartition(":")
        abis, configs = self.conditions(number, before.split() if colon else [])
        if self.record is None:
            raise Wrong(f"{self.path}:{number}: outside every struct")
        for item in items.split(","):
            what, name, other, value = self.read_item(number, item.strip())
            self.expectations.append(Expectation(number, *self.record, what, name, other, value, abis, configs))

    def read_item(self, number: int, item: str) -> Tuple[str, str, str, int]:
        """what, name, other, value"""
        found = SIZE.match(item)
        if found:
            return found.group(1), "", "", int(found.group(2))
        found = MEMBER.match(item)
        if found:
            return found.group(2), found.group(1), "", int(found.group(3))
        found = DISTANCE.match(item)
        if found:
            return "after", found.group(1), found.group(2), int(found.group(3))
        raise Wrong(f"{self.path}:{number}: cannot read '{item}'")

    def abis(self) -> List[str]:
        """all that are spoken of"""
        return sorted({abi for one in self.expectations for abi in one.abis})

    def of(self, abi: str, config: str) -> List[Expectation]:
        """those that hold for one run"""
        return [one for one in self.expectations if abi in one.abis and (one.configs is None or config in one.configs)]


def answer(one: Expectation, layouts: Dict[str, Layout]) -> Optional[int]:
    """the value that was found; None: no such struct or member"""
    layout = layouts.get(one.tag)
    if layout is None:
        return None
    if one.what in ("size", "align"):
        return layout.size if one.what == "size" else layout.align
    if one.what == "bit":
        return layout.bits[one.name][0] if one.name in layout.bits else None
    places = [layout.members.get(name) for name in (one.name, one.other) if name]
    if None in places:
        return None
    return places[0][0] if one.what == "at" else places[0][0] - places[1][0]


def complaints(expectations: List[Expectation], layouts: Dict[str, Layout], who: str) -> List[str]:
    """one line for each that does not hold"""
    found = []
    for one in expectations:
        got = answer(one, layouts)
        if got != one.value:
            words = " ".join(word for word in (one.name, one.what, one.other) if word)
            found.append(f"line {one.line}: {one.kind} {one.tag}: {words} {one.value}; {who} says {got}")
    return found

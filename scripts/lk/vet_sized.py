# SPDX-License-Identifier: GPL-2.0-only
"""Structs that a number or a type of the series sizes: `[NR_X]`, `: NR_X`, `aligned(NR_X)`, `x_t y;`. Text only; the parse has the last word."""

from __future__ import annotations

import re
import zlib
from typing import Dict, Iterable, Iterator, List, NamedTuple, Set, Tuple

from lk import index_uses, where
from lk.tree import Tree
from lk.vet_step import Step, shape

MANY_NAMES, MANY_TEXTS = 400, 400       # that are searched for; files that are read for them
ROUNDS = 3                              # of headers: a number that is made of one that is made of one
DEFINE = re.compile(r"# ?define (\w+)(?:\([^)]*\))? ([^{};]+)$")
TYPEDEF = re.compile(r"typedef [^(){}]*?\b(\w+)(?: ?\[[^]]*\])?;$")
ENUM = re.compile(r"\benum\b[^{]*\{([^{}]*)\}")
STRUCT = re.compile(r"\b(?:struct|union)\b[^{;]*\{")
ENUMERATOR = re.compile(r"(?<![#\w])(?<!# )(\w+) ?(=.*)?$")      # and no #endif
WORD = re.compile(r"\w+")

Values = Dict[str, Set[str]]
Sized = NamedTuple("Sized", [("files", List[str]), ("left", List[str])])       # left: names that were not searched for


def enumerators(body: str) -> Iterator[Tuple[str, str]]:
    """Those of an enum, each with what its value is from: the last one that is given, how far behind it, and, with #if, a sum of all in front."""
    given, behind, seen, has_if = "", 0, 0, "#" in body
    for part in body.split(","):
        found = ENUMERATOR.search(part)
        if found:
            given, behind = (found.group(2), 0) if found.group(2) else (given, behind + 1)
            seen = zlib.crc32(part.encode(errors="replace"), seen) if has_if else 0
            yield found.group(1), f"{given} {behind} {seen}"


def values(said: Iterable[str]) -> Values:
    """What numbers and types are made of. said: as shape() gives it."""
    found: Values = {}
    for one in said:
        for match in (DEFINE.match(one), TYPEDEF.match(one)):
            if match:
                found.setdefault(match.group(1), set()).add(one)
        for body in ENUM.findall(one):
            for name, text in enumerators(body):
                found.setdefault(name, set()).add(text)
    return found


def changed(before: Step, after: Step, names: List[str]) -> Set[str]:
    """Names of numbers and types that have, or may have, another value with the series."""
    then, now = (values(one for name in names for one in shape(step.text(name))) for step in (before, after))
    return {name for name in then if name in now and then[name] != now[name]}


def made_of(names: Set[str], said: List[str]) -> Set[str]:
    """The names, and those that a file's text makes of them, however deep. said: as shape() gives it."""
    words = {name: {word for text in texts for word in WORD.findall(text)} for name, texts in values(said).items()}
    known: Set[str] = set()
    while len(known) < len(names):
        known, names = names, names | {name for name, used in words.items() if used & names}
    return known


def sized_by(tree: Tree, before: Step, after: Step, headers: List[str], folders: List[str]) -> Sized:
    """Files below the folders with a struct that such a number or type of the headers is in, or one that is made of it."""
    names, done, found, read = changed(before, after, headers), set(), [], 0
    known = index_uses.reading(tree, headers, folders) if names else index_uses.Known([], set(), [])
    for _ in range(ROUNDS):
        fresh = names - done
        texts = where.grep(rf"\b({'|'.join(sorted(fresh))})\b", known.files + known.rest, tree.src) if fresh and len(names) <= MANY_NAMES else []
        read += len(texts)
        if len(names) > MANY_NAMES or read > MANY_TEXTS:
            return Sized(found, sorted(fresh))
        done |= fresh
        for file in texts:
            said = shape(after.read(file))
            there = made_of(fresh, said)
            found += [file] if file not in found and any(STRUCT.search(one) and there.intersection(WORD.findall(one)) for one in said) else []
            names |= there if file.endswith(".h") else set()        # what a .c file makes is its own
    return Sized(found, [])

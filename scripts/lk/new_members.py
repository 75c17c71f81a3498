# SPDX-License-Identifier: GPL-2.0-only
"""What the code of a change does with members of the structs that it adds some to: of new ones, no other code and no index can know."""

from __future__ import annotations

import re
import subprocess
from typing import Callable, List, NamedTuple, Set, Tuple

from lk import engine, index_classes
from lk.check import State, in_parallel, readings
from lk.index_db import Index
from lk.notes import note
from lk.tree import Tree
from lk.unit import words

MANY = 24       # files that are looked at
PAIRS = ("--abi", "--line-size", "--overlay", "--strip", "--within")    # what every engine takes
USED = re.compile(r"(?:->|\.)\s*(\w+)")
MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)((?:.*\\\n)*.*)", re.M)

Struct = Tuple[str, str]    # tag, file

# what was learned of a change: where all classes are, and those of new members alone, as words for the engine; units to compare again with that
Learned = NamedTuple("Learned", [("known", tuple), ("own", tuple), ("stale", List[str])])


def struct_of(line: str) -> Struct:
    """Whose member's class a line of a file of classes tells."""
    title, file = line.split("\t")[:2]
    return title.split()[-1], file


def rows_of(tree: Tree, state: State, name: str) -> List[str]:
    """What cacheline-index sees in the unit that shows a file; none: it cannot be read, which is said."""
    options = [word for pair in zip(state.options, state.options[1:]) if pair[0] in PAIRS for word in pair]
    for file in readings(tree, name):
        call = [engine.program("cacheline-index"), *options, *words(tree, file, [])]
        call[-1:] = [*state.flags, call[-1]]
        done = subprocess.run(call, cwd=tree.root, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="backslashreplace",
                              close_fds=False, check=False)
        if done.returncode == 0:
            return done.stdout.splitlines()
    note(f"what {name} does with new members is not known: sparse cannot parse it")
    return []


def users_of(named: Set[str], files: List[str], text_of: Callable[[str], str]) -> List[str]:
    """The files that use members of these names, themselves or by a macro of one of them."""
    texts = {file: text_of(file) for file in files if named}
    macros = {name for text in texts.values() for name, body in MACRO.findall(text) if not named.isdisjoint(USED.findall(body))}
    return [file for file, text in texts.items() if not named.isdisjoint(USED.findall(text)) or not macros.isdisjoint(re.findall(r"\w+", text))]


def is_kept(row: str, titles: Set[str]) -> bool:
    """Does a row of cacheline-index (docs/index-rows.md) say who accesses members of these structs, or lead to one that does?"""
    return row.startswith(("part\t", "function\t")) or (row.startswith("access\t") and row.split("\t")[5] in titles)


def classes(tree: Tree, state: State, structs: Set[Struct], users: List[str], jobs: int) -> List[str]:
    """The lines of a file of classes, for --classes of the engines, of the structs' members, as those files use them."""
    titles = {kind + tag for tag, _ in structs for kind in ("struct ", "union ", "")}
    index = Index(tree, ":memory:")
    index.create()
    seen: Set[str] = set()
    for is_header in (False, True):
        batch = [file for file in users if file.endswith(".h") == is_header and file not in seen]
        for name, rows in zip(batch, in_parallel(jobs, lambda file: rows_of(tree, state, file), batch)):
            seen |= {row.split("\t", 1)[1] for row in rows if row.startswith("depends\t")}
            index.store(name, name, b"", [row for row in rows if is_kept(row, titles)], "")
    return [line for line in index_classes.lines_of(index, "IN (SELECT id FROM name)", words=["--of-change"]) if struct_of(line) in structs]


def with_lines(known: tuple, lines: List[str]) -> tuple:
    """The engine's --classes with more lines behind what the index knows, which has the first word."""
    old: List[str] = []
    for option in known:
        with open(option.partition("=")[2], encoding="utf-8", errors="surrogateescape") as file:
            old += file
    return (f"--classes={engine.file_of([*old, *lines])}",)


def learn(tree: Tree, state: State, known: tuple, units: list, files: List[str], text_of: Callable[[str], str], jobs: int) -> Learned:
    """What the change's own code does with the members of structs that got a new one. units: as compared with what is known; files: of the
    change, with their texts."""
    new = {(one["name"], one["file"], member["name"]) for done in units for one in done.structs for member in one["changed"] if member["change"] == "new"}
    users = users_of({member for _, _, member in new}, files, text_of)
    if len(users) > MANY:
        note(f"what is done with new members is not known: {len(users)} files of the change use them, more than {MANY}")
    lines = classes(tree, state, {(tag, file) for tag, file, _ in new}, users, jobs) if 0 < len(users) <= MANY else []
    if not lines:
        return Learned(known, (), [])
    found = set(map(struct_of, lines))
    return Learned(with_lines(known, lines), with_lines((), [line for line in lines if (*struct_of(line), line.split("\t")[2]) in new]),
                   [done.file for done in units if any((one["name"], one["file"]) in found for one in done.structs)])

# SPDX-License-Identifier: GPL-2.0-only
"""What the layout of the structs that a series touches hangs on: the lines of their members, and the options in #ifs around these."""

from __future__ import annotations

import os
import re
from typing import Dict, Iterable, Iterator, List, Set

from lk import where
from lk.against import TAG
from lk.tree import Tree
from lk.vet_step import Step, shape

SYMBOL = re.compile(r"\bCONFIG_\w+(?<!_MODULE)\b")
DEEP, MANY = 32, 128    # #ifs in #ifs, or #elifs of one, and symbols, of which account is taken
DIRECTIVE = re.compile(r"\s*#\s*(if|ifdef|ifndef|elif|else|endif)\b(.*)")
# what an architecture or a compiler has or has not, and nobody chooses
FACT = re.compile(r"!?\s*(?:CONFIG_)?((?:ARCH|HAVE|CC|AS|LD|GENERIC|64BIT|X86_32|X86_64|MMU|BROKEN)(?:_\w+)?)")


def stacked(text: str) -> Iterator[tuple]:
    """Each line with the conditions of the #ifs around it; a line that is one has its own too."""
    stack: List[tuple] = []
    text = re.sub(r"^(?:.*\\\n)+.*", lambda match: match.group().replace("\\\n", " ") + "\n" * match.group().count("\n"), text, flags=re.M)
    for line in text.split("\n"):
        found = DIRECTIVE.match(line)
        if found and found.group(1).startswith("if"):
            stack.append((found.group(2).strip(),))
        elif found and stack and found.group(1) != "endif" and len(stack[-1]) < DEEP:
            stack[-1] += (found.group(2).strip(),)
        yield tuple(stack[:DEEP]), line.strip()
        if found and stack and found.group(1) == "endif":
            stack.pop()


def symbols_of(stacks: Iterable[tuple]) -> List[str]:
    """The symbols in the conditions of some lines, each once, the first of many."""
    seen = dict.fromkeys(condition for conditions, _ in stacks for condition in conditions)
    return list(dict.fromkeys(symbol for condition in seen for symbol in SYMBOL.findall(" ".join(condition))))[:MANY]


def by_conditions(text: str) -> Dict[tuple, List[str]]:
    """The lines below each set of conditions, in order: two that change places are a change."""
    found: Dict[tuple, List[str]] = {}
    for stack, line in stacked(text):
        found.setdefault(stack, []).append(line)
    return found


def of_changes(before: Step, after: Step, names: List[str]) -> List[str]:
    """Symbols of the #ifs around the lines that differ in files of which a layout may depend, but for facts of the machine."""
    found: List[str] = []
    for name in names:
        then, now = before.text(name), after.text(name)
        if name.endswith((".c", ".h")) and then != now and shape(then) != shape(now):
            sides = [by_conditions(text) for text in (then, now)]
            found += symbols_of((stack, "") for stack in {**sides[0], **sides[1]} if sides[0].get(stack) != sides[1].get(stack))
    return [symbol for symbol in dict.fromkeys(found) if not FACT.fullmatch(symbol)]


def of_place(after: Step, file: str, line: int) -> Set[str]:
    """Symbols of the #ifs around a line."""
    lines = list(stacked(source(after, file)))
    return set(symbols_of(lines[line - 1:line]))


def changed_tags(before: Step, after: Step, names: List[str]) -> Set[str]:
    """Structs whose text differs."""
    found: Set[str] = set()
    for name in names:
        differing = set(shape(before.text(name))) ^ set(shape(after.text(name)))
        found |= {tag for text in differing for tag in TAG.findall(text)}
    return found


def source(step: Step, name: str) -> str:
    """A file as the series leaves it; '' for what is no file of the tree."""
    path = os.path.join(step.tree.src, name)
    if step.text(name) or not os.path.realpath(path).startswith(step.tree.src + "/") or not os.path.isfile(path):
        return step.text(name)
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def concerned(dump: str, tags: Set[str]) -> Set[tuple]:
    """(file, line) of the structs of a dump (lib/dump.c), of those that hold them, and of all that these hold."""
    places: Dict[str, tuple] = {}
    names: Dict[str, str] = {}
    holds: Dict[str, Set[str]] = {}
    with open(dump, encoding="utf-8", errors="replace") as file:
        for line in file:
            fields = line.rstrip("\n").split("\t")
            if fields[0] == "R":
                owner = fields[1]
                names[owner], places[owner], holds[owner] = fields[2], (fields[7], int(fields[8])), set()
            elif fields[0] == "M" and fields[13] != "0":
                holds[owner].add(fields[13])
    found = {number for number, name in names.items() if name in tags}
    for grown in (lambda: {number for number, inner in holds.items() if inner & found},
                  lambda: {inner for number in found for inner in holds[number]}):
        while not grown() <= found:
            found |= grown()
    return {places[number] for number in found}


def bodies(step: Step, dump: str, tags: Set[str]) -> str:
    """The lines of those structs, each once."""
    files: Dict[str, List[str]] = {}
    found, end = [], {}
    for name, line in sorted(concerned(dump, tags)):
        lines = files.setdefault(name, source(step, name).split("\n") if name not in files else [])
        if line <= end.get(name, 0):
            continue
        end[name] = next((number for number in range(line, len(lines) + 1) if lines[number - 1].startswith("}")), line)
        found += lines[line - 1:end[name]]
    return "\n".join(found)


def choices(tree: Tree, symbols: List[str]) -> Set[str]:
    """Those of the symbols that a person can switch, on this machine: with a prompt, and no fact against them in `depends on`."""
    wanted = [symbol[len("CONFIG_"):] for symbol in symbols]
    folders = [name for name in ("Kconfig", *where.all_folders(tree), "arch/Kconfig", f"arch/{tree.arch}/Kconfig")
               if os.path.exists(os.path.join(tree.src, name))]
    found = set()
    for name in where.grep(rf"^[[:space:]]*(menu)?config ({'|'.join(wanted)})[[:space:]]*$", folders, tree.src, ("Kconfig*",)) if wanted else []:
        with open(os.path.join(tree.src, name), encoding="utf-8", errors="replace") as file:
            entries = re.findall(r"^[ \t]*(?:menu)?config (\w+)[ \t]*\n((?:[ \t]+\S.*\n|[ \t]*\n)*)", file.read(), re.M)
        found |= {f"CONFIG_{symbol}" for symbol, entry in entries if symbol in wanted and not FACT.fullmatch(symbol) and
                  re.search(r'^\s*(?:bool|tristate|prompt)\s+"', entry, re.M) and not _is_impossible(tree, entry)}
    return found


def _is_impossible(tree: Tree, entry: str) -> bool:
    """Does an entry of Kconfig depend on what this machine or its compiler has not?"""
    terms = [term.strip() for line in re.findall(r"^\s*depends on (.*)", entry, re.M) for term in line.split("&&")]
    facts = [(term, FACT.fullmatch(term)) for term in terms]
    return any(fact and tree.has(f"CONFIG_{fact.group(1)}") == term.startswith("!") for term, fact in facts)

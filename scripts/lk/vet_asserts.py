# SPDX-License-Identifier: GPL-2.0-only
"""vet: which asserts of a file may fail, by their text: those on nothing that changed need no parse."""

from __future__ import annotations

import re
from typing import Dict, List, Set

from lk import vet_sized, where
from lk.c_text import definition
from lk.vet_step import Step, plain, pointers, shape

# an assert; a size or a place that one is about: what is asked, of which struct or variable, of which member
ASSERT = r"(BUILD_BUG_ON|assert|ASSERT|CHECK)\w*\("
ASKED = re.compile(r"\b(sizeof|sizeof_field|FIELD_SIZEOF|offsetof|offsetofend)\s*\(\s*(?:struct|union)\s+(\w+)\s*(?:,\s*(\w+)\s*)?\)")
ASKED_OF_VARIABLE = tuple(re.compile(pattern) for pattern in (
    r"\b(offsetof|offsetofend)\s*\(\s*typeof\s*\(\s*\*?\s*\(?(\w+)\)?\s*\)\s*,\s*(\w+)\s*\)", r"\b(sizeof)\s*\(\s*(\w+)(?:->|\.)(\w+)\s*\)"))
OF_LAYOUT = re.compile(r"\b(?:sizeof|sizeof_field|FIELD_SIZEOF|offsetof|offsetofend)\b")
DEFINE = re.compile(r"^[ \t]*#[ \t]*define\b(?:.*\\\n)*.*", re.M)


def asserting(names: List[str], folders: List[str], src: str) -> List[str]:
    """Files that name one of the structs, and have a line with an assert on one, or on a variable."""
    of = rf"\b(struct|union)[[:space:]]+({'|'.join(names)})\b"
    found = where.grep(of, folders, src) if names else []
    return where.grep(rf"{ASSERT}.*({of}|\btypeof *\(|\bsizeof[ (*]+[A-Za-z_0-9]+ *([].)[]|->))", found, src)


def numbers(before: Step, after: Step, files: List[str]) -> Set[str]:
    """Macros and enumerators whose values the series may have changed, also those that are made of one in its files."""
    return vet_sized.made_of(vet_sized.changed(before, after, files), [one for file in files for one in shape(after.text(file))])


def is_unchanged(what: str, member: str, one: dict, body: str) -> bool:
    """Is a size or a place in a struct what it was? Of a name that is no member's, as a macro's, nobody knows."""
    if not member:
        return what == "sizeof" and one["before"]["size"] == one["after"]["size"]
    sides = [(side["before"], side["after"]) for side in one["changed"] if side["name"] == member]
    keys = ("size",) if what in ("sizeof_field", "FIELD_SIZEOF") else ("offset", "size")
    return re.search(rf"\b{member}\b", body) is not None and all(then and now and all(then[key] == now[key] for key in keys) for then, now in sides)


def asserts(text: str) -> List[str]:
    """What a file asserts, and its macros that do."""
    macros = [macro for macro in DEFINE.findall(text) if re.search(ASSERT, macro)]
    return macros + [text[match.start():text.find(";", match.end())] for match in re.finditer(ASSERT, text)]


def counts_on(after: Step, file: str, names: Set[str]) -> bool:
    """Does an assert of the file hold a size or a place against one of the numbers?"""
    text = after.read(file)
    found = [set(re.findall(r"\w+", one)) for one in asserts(text) if OF_LAYOUT.search(one)]
    return bool(found) and not vet_sized.made_of(names, shape(text)).isdisjoint(set().union(*found))


def may_fail(after: Step, file: str, structs: List[dict]) -> bool:
    """May an assert of the file on one of the structs fail now that held? structs: as cacheline-check --before tells of them."""
    text = after.read(file)
    names = sorted({one["name"] for one in structs})
    spelled = rf"\b(?:struct|union)\s+(?:{'|'.join(names)})\b"
    variables = {name: pointers(text, [name]) for name in names}
    asked = "|".join(sorted(variable for found in variables.values() for variable in found))
    about = re.compile(rf"{spelled}|\b(?:sizeof|typeof)[\s(*&]+(?:{asked})\b" if asked else spelled)
    bodies: Dict[str, str] = {}

    def is_held(what: str, member: str, one: dict) -> bool:
        body = bodies.setdefault(one["file"], plain("\n".join(after.read(one["file"]).split("\n")[one["line"] - 1:])))
        return is_unchanged(what, member, one, definition(body))

    def left(match: re.Match) -> str:
        what, name, member = match.groups()
        return "" if all(is_held(what, member, one) for one in structs if one["name"] == name) else match.group()

    def left_of_variable(match: re.Match) -> str:
        what, variable, member = match.groups()
        what = "sizeof_field" if what == "sizeof" else what
        return "" if all(is_held(what, member, one) for one in structs if variable in variables[one["name"]]) else match.group()

    def may(statement: str) -> bool:
        statement = ASKED.sub(left, statement)
        for asked in ASKED_OF_VARIABLE:
            statement = asked.sub(left_of_variable, statement)
        return about.search(statement) is not None
    found = [one for one in asserts(text) if about.search(one)]
    return any((one.lstrip().startswith("#") and re.search(spelled, one)) or may(one) for one in found)     # of what member, who uses a macro says

# SPDX-License-Identifier: GPL-2.0-only
"""vet: which asserts of a file may fail, by their text: those on nothing that changed need no parse."""

from __future__ import annotations

import re
from typing import Dict, List

from lk.c_text import definition
from lk.vet_step import Step, plain

# an assert; a size or a place that one is about: what is asked, of which struct, of which member
ASSERT = r"(BUILD_BUG_ON|assert|ASSERT|CHECK)\w*\("
ASKED = re.compile(r"\b(sizeof|sizeof_field|FIELD_SIZEOF|offsetof|offsetofend)\s*\(\s*(?:struct|union)\s+(\w+)\s*(?:,\s*(\w+)\s*)?\)")
DEFINE = re.compile(r"^[ \t]*#[ \t]*define\b(?:.*\\\n)*.*", re.M)


def pattern(names: List[str]) -> str:
    """A line with an assert on one of the structs, for grep."""
    return rf"{ASSERT}.*\b(struct|union) ({'|'.join(names)})\b"


def is_unchanged(what: str, member: str, one: dict, body: str) -> bool:
    """Is a size or a place in a struct what it was? Of a name that is no member's, as a macro's, nobody knows."""
    if not member:
        return what == "sizeof" and one["before"]["size"] == one["after"]["size"]
    sides = [(side["before"], side["after"]) for side in one["changed"] if side["name"] == member]
    keys = ("size",) if what in ("sizeof_field", "FIELD_SIZEOF") else ("offset", "size")
    return re.search(rf"\b{member}\b", body) is not None and all(then and now and all(then[key] == now[key] for key in keys) for then, now in sides)


def may_fail(after: Step, file: str, structs: List[dict]) -> bool:
    """May an assert of the file on one of the structs fail now that held? structs: as cacheline-check --before tells of them."""
    text = after.read(file)
    names = sorted({one["name"] for one in structs})
    about = re.compile(rf"\b(?:struct|union)\s+(?:{'|'.join(names)})\b")
    bodies: Dict[str, str] = {}

    def left(match: re.Match) -> str:
        what, name, member = match.groups()
        for one in (one for one in structs if one["name"] == name):
            body = bodies.setdefault(one["file"], plain("\n".join(after.read(one["file"]).split("\n")[one["line"] - 1:])))
            if not is_unchanged(what, member, one, definition(body)):
                return match.group()
        return ""
    if any(re.search(ASSERT, macro) and about.search(macro) for macro in DEFINE.findall(text)):     # of what member, who uses it says
        return True
    statements = (text[match.start():text.find(";", match.end())] for match in re.finditer(ASSERT, text))
    return any(about.search(ASKED.sub(left, statement)) for statement in statements if about.search(statement))

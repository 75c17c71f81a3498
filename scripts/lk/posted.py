# SPDX-License-Identifier: GPL-2.0-only
"""What is there more than once in mails: a patch as text and as HTML, a patch that came twice, a patch and its next version."""

from __future__ import annotations

import re
from email.errors import MessageError
from email.generator import BytesGenerator
from email.message import Message
from email.parser import BytesParser
from io import BytesIO
from typing import Dict, List

from lk.errors import Refused
from lk.notes import note

HTML = re.compile(rb"^content-type:\s*text/html", re.M | re.I)
PREFIX = re.compile(r"\s*((?:\[[^][]*\]\s*)+)")
SIGNATURE = re.compile(rb"^-- \n.*", re.M | re.S)


def without_html(mail: bytes) -> bytes:
    """A mail without what an alternative says once more as HTML, which git would read as one more diff."""
    if not HTML.search(mail):
        return mail
    line, rest = re.fullmatch(rb"(From [^\n]*\n)?(.*)", mail, re.S).groups()
    out = BytesIO()
    try:
        message = BytesParser().parsebytes(rest)
        for part in message.walk():
            plain = [each for each in part.get_payload() if each.get_content_type() == "text/plain"] if is_alternative(part) else []
            if len(plain) == 1:         # in the place of all: git does not look into every multipart in another one
                for header in ("Content-Type", "Content-Transfer-Encoding"):
                    del part[header]
                    if plain[0][header]:
                        part[header] = plain[0][header]
                part.set_payload(plain[0].get_payload())
        BytesGenerator(out, mangle_from_=False, maxheaderlen=0).flatten(message)
    except (MessageError, RecursionError, UnicodeError, LookupError):
        return mail
    return (line or b"") + out.getvalue()


def is_alternative(part: Message) -> bool:
    return part.is_multipart() and part.get_content_type() == "multipart/alternative"


def prefix_of(subject: str) -> str:
    match = PREFIX.match(subject)
    return match[1] if match else ""


def version(subject: str) -> int:
    """Of "[PATCH net-next v2] ...": 2."""
    found = re.search(r"\bv(\d{1,3})\b", prefix_of(subject), re.I)
    return int(found[1]) if found else 1


def once(patches: list, name: str) -> list:
    """The patches without numbers, each title once, in its newest version; the others as they are. Refused where none is the newest."""
    titles: Dict[str, List[int]] = {}
    for number, patch in enumerate(patches):
        if not patch.of:
            titles.setdefault(patch.subject[len(prefix_of(patch.subject)):].strip(), []).append(number)
    left = set()
    for title, numbers in titles.items():
        newest = max(version(patches[number].subject) for number in numbers)
        chosen = [number for number in numbers if version(patches[number].subject) == newest]
        is_same = len({SIGNATURE.sub(b"", patches[number].diff) for number in chosen}) == 1
        is_posted = all("PATCH" in prefix_of(patches[number].subject).upper() for number in numbers)
        if len(numbers) == 1 or not (is_same or is_posted):
            continue
        if not is_same:
            raise Refused(f"{name} holds {len(chosen)} different patches '{title}', none of which is the newest by its number: give one of them")
        note(f"{name} holds {len(numbers)} patches '{title}': "
             f"{'it is taken once' if len(chosen) == len(numbers) else f'the newest, v{newest}, is taken'}")
        left |= {*numbers} - {chosen[0]}
    return [patch for number, patch in enumerate(patches) if number not in left]

# SPDX-License-Identifier: GPL-2.0-only
"""vet: the ranges of members that code clears, copies or compares, before and after a series (field-range)."""

from __future__ import annotations

import json
import re
from typing import Iterator, List, NamedTuple

from lk import unit

MANY = 8        # members that a sentence names
MEMBER = r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*"
TYPE = rf"(?:typeof\(.*?\)|(?:struct |union )?(?P<T>\w+))\.(?P<f>{MEMBER})"
# what the rule says of a range, and the range as cacheline-diff --range takes it; without a struct in it, it is one that has the members
FORMS = tuple((re.compile(pattern), start, stop) for pattern, start, stop in (
    (rf"\w+\(\) covers {TYPE} up to (?P<g>{MEMBER})$", "{f}", "{g}"),
    (rf"\w+\(\) covers {TYPE} up to the end of (?P<g>{MEMBER})$", "{f}", "{g}>"),
    (rf"\w+\(\) covers what is behind {TYPE} up to (?P<g>{MEMBER})$", "{f}>", "{g}"),
    (rf"\w+\(\) covers what is behind {TYPE} up to the end of (?P<g>{MEMBER})$", "{f}>", "{g}>"),
    (rf"\w+\(\) covers the end from {TYPE}$", "{f}", "$"),
    (rf"\w+\(\) covers the end behind {TYPE}$", "{f}>", "$"),
    (rf"\w+\(\) covers the start up to {TYPE}$", "^", "{f}"),
    (rf"\w+\(\) covers the start up to the end of {TYPE}$", "^", "{f}>"),
    (rf"\w+\(\) covers the end from (?P<f>{MEMBER}) of .*$", "{f}", "$"),
    (rf"\w+\(\) covers the end behind (?P<f>{MEMBER}) of .*$", "{f}>", "$"),
    (rf"\w+\(\) covers (?P<f>{MEMBER}) up to (?P<g>{MEMBER}) of .*$", "{f}", "{g}"),
    (rf"\w+\(\) covers (?P<f>{MEMBER}) and (?P<g>{MEMBER}) of .*$", "{f}", "+{f}+{g}"),
    (rf"\w+\(\) covers (?P<g>\d+) members of .* from (?P<f>{MEMBER})$", "{f}", "+{f}*{g}"),
    (r"\w+\(\) covers what is behind an embedded struct (?P<f>\w+)$", "{first}>", "$"),
    (rf"struct (?P<T>\w+)\.(?P<f>{MEMBER}) is a group that is used as a whole$", "{f}", "{f}>"),
))

# a range of a struct: its struct's name, how it was written and is now, as cacheline-diff --range takes it
Range = NamedTuple("Range", [("struct", str), ("then", str), ("now", str)])


def said_of_range(text: str) -> str:
    """The rule's sentence without what it says of every range."""
    return text.rpartition(": the order of members")[0]


def ranges(then: str, now: str, structs: List[dict]) -> Iterator[Range]:
    """What the rule's sentences, of code as it was and as it is, may be about; structs: names, and with what they began."""
    for one in structs:
        both = [written(said_of_range(text), one) for text in (then, now)]
        if all(both):
            yield Range(one["name"], *both)


def written(sentence: str, one: dict) -> str:
    """The range, if it can be one of that struct; '' otherwise."""
    for pattern, start, stop in FORMS:
        match = pattern.match(sentence)
        if not match:
            continue
        found = {"T": one["name"], **{name: text for name, text in match.groupdict().items() if text}}
        found["first"], leader = one["leads"]
        if "{first}" in start and leader != f"struct {found['f']}":
            continue
        return " ".join([one["name"], start.format(**found), stop.format(**found)]) if found["T"] == one["name"] else ""
    return ""


def compared(dumps: tuple, found: Range) -> List[dict]:
    """What the range of a struct covered and covers; [] where the struct has not the members that it names."""
    done = unit.compare([dumps], [found.struct], ["--json", "--range", found.then, found.now], capture_output=True, text=True)
    return json.loads(done.stdout)[0].get("ranges", []) if done.returncode == 0 else []


def some(paths: List[str]) -> str:
    return ", ".join(paths[:MANY]) + (f" and {len(paths) - MANY} more" if len(paths) > MANY else "") or "nothing"


def sentence(said: str, found: dict) -> str:
    """What changed in a range; '': nothing that its author could have overlooked. New members are meant to be cleared with the others."""
    parts = [f"no longer {some(found['left'])}"] if found["left"] else []
    fresh = [] if re.match(r"memset|struct ", said) else found["fresh"]
    parts += [f"now {some(found['entered'] + fresh)} too"] if found["entered"] + fresh else []
    return f"{said_of_range(said)}: {', '.join(parts)}" if parts else ""

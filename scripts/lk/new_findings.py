# SPDX-License-Identifier: GPL-2.0-only
"""Which findings are new: what was not said before, or with numbers that were not as bad; a line number makes no difference."""

from __future__ import annotations

import re
from collections import Counter
from typing import List, Tuple

from lk.check import Answer, finding_of

# what a finding says of how bad it is: at how many of the places it is one, what is too large and for what, how many there are
PLACES = re.compile(r"\bat (\d+) of (\d+) placements \([\d, ]*\)|\balways\b")
AMOUNT = re.compile(r"\b(?:has|have) (\d+) bytes\b|\blies at (\d+), where\b|\balignment of (\d+)\b")
LIMIT = re.compile(r"\b(?:allows|says|budget of|to below) (\d+)\b")
MORE = re.compile(r"\band (\d+) more\b")
# where the bytes go that a group wastes is no part of it; numbers in names are
WASTE = re.compile(r", \d+ of them (?:a hole before|the padding at the end of) (?:'[^']*'|its end marker|an anonymous member)")
NUMBER = re.compile(r"('[^']*')|\b\d+\b(?!-byte)")
EXACT = ("layout-assert",)      # its numbers are those of the assert


def kind_of(finding: tuple) -> tuple:
    """What a finding and one that differs from it in numbers alone have in common."""
    file, text, name = finding
    if name in EXACT:
        return finding
    return file, NUMBER.sub(lambda match: match.group(1) or "N", PLACES.sub("at N", WASTE.sub("", text))), name


def badness_of(finding: tuple) -> Tuple[float, ...]:
    """Numbers that are not to be higher than they were."""
    _, text, name = finding
    amount, limit, more, places = AMOUNT.search(text), LIMIT.search(text), MORE.search(text), PLACES.search(text)
    share = int(places.group(1)) / int(places.group(2)) if places and places.group(1) else float(bool(places))
    return (-share if name == "split-with" else share,      # whose members are to be on one line
            (int(next(filter(None, amount.groups()))) if amount else 0) - (int(limit.group(1)) if limit else 0), int(more.group(1)) if more else 0)


def new_findings(before: Answer, after: Answer) -> List[str]:
    """What is said now, without the findings that were there: the same, or one of the same kind that was as bad."""
    known = Counter(filter(None, map(finding_of, before.said)))
    left = []
    for said in after.said:
        key = finding_of(said)
        known[key] -= 1
        if not key or known[key] < 0:
            left.append((said, key))
    old, found = [key for key in known.elements()], []
    for said, key in left:
        same = [other for other in old if key and kind_of(other) == kind_of(key) and
                all(now <= then for now, then in zip(badness_of(key), badness_of(other)))]
        if same:
            old.remove(same[0])
        else:
            found.append(said)
    return found

# SPDX-License-Identifier: GPL-2.0-only
"""tests/cocci/*.expect: what a rule is to answer.

A section is a command, as in

	== anonymous.h relayout/move patch STRUCT=ring FIELD=flags AFTER=refs

(input, rule, and what -D is given), and what follows it, up to an empty line: the diff without context, or the report. The
input `-` is the result of the section before; a command that ends in `!compile` has a result that is no C. A line of
`= EXPRESSION` is what the compiler must find true of the result; one of `#` is a comment.
"""

from __future__ import annotations

from pathlib import Path
from typing import Iterator, List, Tuple


def cases(expect: Path) -> Iterator[Tuple[int, List[str], List[str]]]:
    """(number of the line, words of the command, what follows it) of each section."""
    number, command, section = 0, None, []
    for count, line in enumerate([*expect.read_text(encoding="utf-8").splitlines(), ""], 1):
        if command and (not line or line.startswith("== ")):
            yield number, command, section
            command = None
        if line.startswith("== "):
            number, command, section = count, line[3:].split(), []
        elif command:
            section.append(line)
        elif line and not line.startswith("#"):
            raise ValueError(f"{expect}:{count}: neither a command, nor a comment, nor in a section")

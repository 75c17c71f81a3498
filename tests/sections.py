# SPDX-License-Identifier: GPL-2.0-only
"""tests/cocci/*.expect: what a rule is to answer.

A section is a command, as in

	== anonymous.h relayout/move patch STRUCT=ring FIELD=flags AFTER=refs

(input, rule, and what -D is given), and what follows it, up to an empty line: the diff without context, or the report. The
input `-` is the result of the section before; a command that ends in `!compile` has a result that is no C. A line of
`= EXPRESSION` is what the compiler must find true of the result; one of `#` is a comment.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Iterator, List, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "scripts"))
from lk.job import clean_env  # noqa: E402

MACROS = Path("cocci/kernel-macros.h").resolve()


def rules() -> List[Path]:
    """Those that change a struct; cocci-hazard.t has the others."""
    return sorted(rule for rule in Path("cocci").glob("*/*.cocci") if rule.parent.name != "hazard")


def coccicheck(tree: Path, rule: Path, mode: str, below: Path, *words: str) -> subprocess.CompletedProcess:
    """J=1: with more jobs, spatch makes a folder in the tree while it runs."""
    flags = " ".join(["--macro-file-builtins", str(MACROS), *words])
    return subprocess.run(["make", "-s", "-C", tree, "coccicheck", f"COCCI={rule.resolve()}", f"MODE={mode}", f"M={below}", "J=1",
                           f"SPFLAGS={flags}"], env=clean_env(SPATCH=os.environ["SPATCH"]), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", check=False)


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

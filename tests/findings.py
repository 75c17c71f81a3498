# SPDX-License-Identifier: GPL-2.0-only
"""What tests/findings/*.c expect, and what a compiler or checker said of them.

/* expect: warning: text [-Wcacheline-id] */ on the line that deserves it; severity and text must match, and nothing else may
be said.
"""

import re
import sys
from pathlib import Path


def expected(path: Path) -> list:
    """[(line, "warning: text")...]; stops at a directive that is none."""
    found = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        for directive, text in re.findall(r"/\* (expect\w*): (.*?) \*/", line):
            if directive != "expect" or not text.startswith(("warning: ", "error: ", "note: ")):
                sys.exit(f"{path}:{number}: unknown directive '{directive}: {text}'")
            found.append((number, text))
    return sorted(found)


def reported(text: str, path: Path) -> list:
    """[(line, "warning: text")...] that were said of the file"""
    pattern = rf"^{re.escape(str(path))}:(\d+):\d+: ((?:warning|error|note): .*)$"
    return sorted((int(line), said) for line, said in re.findall(pattern, text, re.M))

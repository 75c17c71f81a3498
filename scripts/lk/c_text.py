# SPDX-License-Identifier: GPL-2.0-only
"""C as text: where a definition ends."""

from __future__ import annotations

import re

BRACE = re.compile(r"[{};]")


def definition(text: str, start: int = 0) -> str:
    """The definition that begins there in a text without comments, up to its semicolon; '' where there is none."""
    depth = 0
    for match in BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1, ";": 0}[match.group()]
        if depth <= 0 and match.group() == ";":
            return text[start:match.end()]
    return ""

# SPDX-License-Identifier: GPL-2.0-only
"""Notes on stderr: what is to be known of a run, and is no finding."""

import sys

wanted = True       # a command that was asked for findings alone (--quiet) sets it to False


def note(text: str) -> None:
    """Says it, if notes are wanted."""
    if wanted:
        print(f"note: {text}", file=sys.stderr)

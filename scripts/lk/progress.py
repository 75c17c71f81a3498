# SPDX-License-Identifier: GPL-2.0-only
"""How far a long piece of work is, in a line that goes: on a terminal only, and behind two seconds."""

from __future__ import annotations

import os
import sys
import time
from typing import Callable

from lk.check import in_parallel

SECONDS = 2
BEGUN = time.monotonic()        # of the command, whose parts may each take less


def progress(jobs: int, call: Callable, items: list, what: str) -> list:
    """in_parallel(), and how many of the items are done. The line is written to the terminal itself: a stream may show what a terminal obeys."""
    done = 0

    def one(item):
        nonlocal done
        answer = call(item)
        done += 1
        if sys.stderr.isatty() and time.monotonic() - BEGUN > SECONDS:
            sys.stderr.flush()
            os.write(sys.stderr.fileno(), (f"\r\033[K{what}: {done} of {len(items)} " if done < len(items) else "\r\033[K").encode())
        return answer
    return in_parallel(jobs, one, items)

# SPDX-License-Identifier: GPL-2.0-only
"""Work on input that nobody vouches for: under limits, in a folder of its own, of which nothing stays.

A worker does it, who leads a session: all that it starts can be ended at once. We wait, for so long and no longer. A warden ends the session
and removes the folder when we go, whichever way that is: it sees the end of a pipe that only we hold, kill -9 included.
"""

from __future__ import annotations

import errno
import io
import os
import re
import resource
import shutil
import signal
import sys
import tempfile
import threading
from contextlib import suppress
from typing import Callable

from lk.errors import Refused


M_ARENA_MAX = -8        # of malloc.h
TOO_MUCH = {errno.EFBIG: "a file of it is larger than --memory allows", errno.E2BIG: "it touches more files than a program can be told of"}
# what a terminal obeys, or hides: controls but tab and newline, and marks that turn the direction of writing
UNSEEN = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


class Visible(io.TextIOWrapper):
    """A stream on which nothing is said unseen."""

    def write(self, text: str) -> int:
        return super().write(UNSEEN.sub(lambda match: f"\\u{ord(match.group()):04x}", text))


def leave_by_exit() -> None:
    """Lets a signal that asks us to end, and is not ignored, end us as sys.exit() does: temporary folders go."""
    for number in (signal.SIGHUP, signal.SIGTERM):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, lambda number, _: sys.exit(128 + number))


def _limit(seconds: int, memory: int) -> None:
    """For us and each program that we start. memory: MiB, of a file that is written too; 0: no limit."""
    limits = {resource.RLIMIT_CPU: seconds, resource.RLIMIT_CORE: 0}        # a core file would lie in the user's tree
    if memory:
        limits.update({resource.RLIMIT_AS: memory << 20, resource.RLIMIT_FSIZE: memory << 20})
    for what, value in limits.items():
        hard = resource.getrlimit(what)[1]
        resource.setrlimit(what, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def _share_memory() -> None:
    """Lets threads do with little of what --memory counts: glibc keeps 64 MiB of addresses for each, and 8 MiB for its stack."""
    threading.stack_size(1 << 20)
    with suppress(ImportError, AttributeError, OSError):
        import ctypes
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, 1)


def _work(seconds: int, memory: int, work: Callable[[str], int], folder: str) -> int:
    os.setsid()
    sys.stdout = Visible(sys.stdout.detach(), encoding="utf-8", errors="replace", line_buffering=True)
    sys.stderr = Visible(sys.stderr.detach(), encoding="utf-8", errors="replace", line_buffering=True)
    for number in (signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    _limit(seconds, memory)
    _share_memory()
    try:
        return work(folder)
    except MemoryError as err:
        raise Refused(f"it takes more than {memory} MiB (--memory)") from err
    except RecursionError as err:
        raise Refused("it is nested too deeply") from err
    except RuntimeError as err:
        if "new thread" in str(err):
            raise Refused(f"it takes more than {memory} MiB (--memory)") from err
        raise
    except OSError as err:
        if err.errno in TOO_MUCH:
            raise Refused(TOO_MUCH[err.errno]) from err
        raise


def _ward(end: int, worker: int, folder: str) -> None:
    os.setsid()
    os.read(end, 1)
    for kill in (os.killpg, os.kill):       # it may not lead a session yet
        with suppress(ProcessLookupError):
            kill(worker, signal.SIGKILL)
    shutil.rmtree(folder, ignore_errors=True)


def run(seconds: int, memory: int, work: Callable[[str], int]) -> int:
    """work(FOLDER)'s exit status. Returns, or raises what work raises, in the worker too, which is to end as we do."""
    def give_up(*_) -> None:
        raise Refused(f"not finished in {seconds} seconds (--seconds)")

    leave_by_exit()
    folder = os.path.realpath(tempfile.mkdtemp(prefix="linekeeper-"))
    end, held = os.pipe()
    worker = os.fork()
    if not worker:
        os.close(held)
        return _work(seconds, memory, work, folder)
    warden = os.fork()
    if not warden:
        try:
            os.close(held)
            _ward(end, worker, folder)
        finally:
            os._exit(0)
    try:
        signal.signal(signal.SIGALRM, give_up)
        signal.alarm(seconds)
        os.waitid(os.P_PID, worker, os.WEXITED | os.WNOWAIT)
    finally:
        signal.alarm(0)
        os.close(held)
        os.waitpid(warden, 0)
        status = os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1])
    if status < 0:
        raise Refused(f"ended by {signal.Signals(-status).name}: it may take more than {seconds} seconds or {memory} MiB (--seconds, --memory)")
    return status

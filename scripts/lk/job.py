# SPDX-License-Identifier: GPL-2.0-only
"""Running the long commands of the set-up: output to a log, its end shown when they fail."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import Dict, List, Optional

# What a make of ours hands down must not reach a build of somebody else's.
FOREIGN = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "CFLAGS", "CPPFLAGS", "LDFLAGS", "CC", "BUILD", "V", "Q",
           "ARCH", "CROSS_COMPILE", "KBUILD_OUTPUT", "KCFLAGS", "O", "DESTDIR", "PREFIX")


class Refusal(Exception):
    """One sentence that says why the set-up cannot go on."""


def clean_env(**more: str) -> Dict[str, str]:
    return {**{name: value for name, value in os.environ.items() if name not in FOREIGN}, "LC_ALL": "C", **more}


def tail(log: Path, lines: int = 15) -> str:
    text = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return "".join(f"  | {line}\n" for line in text[-lines:])


def run(what: str, argv: List[str], log: Path, cwd: Optional[Path] = None, env: Optional[Dict[str, str]] = None,
        terminal: bool = False) -> None:
    """Runs `argv`, output appended to `log`; a Refusal with the end of the log when it fails.

    It runs as a process group of its own, ended with us; `terminal`: it keeps ours, so that it can ask for
    a password.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, "ab") as out:
        out.write(f"\n$ {' '.join(argv)}\n".encode())
        out.flush()
        try:
            child = subprocess.Popen(argv, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, cwd=cwd,
                                     env=env or clean_env(), start_new_session=not terminal)
        except FileNotFoundError:
            raise Refusal(f"{what}: there is no {argv[0]}") from None
        try:
            status = child.wait()
        except BaseException:
            if not terminal and child.poll() is None:
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            raise
    if status:
        raise Refusal(f"{what} failed (exit status {status}); the end of {log}:\n{tail(log)}".rstrip())

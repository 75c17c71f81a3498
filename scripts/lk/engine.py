# SPDX-License-Identifier: GPL-2.0-only
"""The programs that do the work, and the files that come with them."""

import os
import re
import signal
import sys
from typing import Iterable

from lk.errors import Refused, WrongUse

TOP = os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "../.."))


def program(name: str) -> str:
    """The path of one of linekeeper's own programs; an installed linekeeper has the same folders."""
    path = os.path.join(os.path.abspath(os.environ.get("BUILD") or os.path.join(TOP, "build")), name)
    if not os.access(path, os.X_OK):
        raise WrongUse(f"{name} is not built: run `make` in linekeeper's folder")
    return path


def cocci_file(name: str) -> str:
    """The path of a file below cocci/."""
    path = os.path.join(TOP, "cocci", name)
    if not os.path.exists(path):
        raise WrongUse(f"cocci/{name} is not there")
    return path


def file_of(lines: Iterable[str]) -> str:
    """The path of an open file in memory with those lines, for a program that inherits it."""
    fd = os.memfd_create("lines", 0)
    with open(fd, "w", encoding="utf-8", errors="backslashreplace", closefd=False) as file:
        file.writelines(lines)
    return f"/proc/self/fd/{fd}"


def rule_options(text: str) -> list:
    """The options of spatch that the head of a semantic patch asks for."""
    return " ".join(re.findall(r"^// Options: ([^:\n]*)", text, re.M)).split()


def run(command: list, cwd: str, capture: bool = False) -> tuple:
    """Runs a program: (exit status, stderr, stdout where captured). Lighter than subprocess."""
    sys.stdout.flush()
    os.chdir(cwd)
    err, out = os.memfd_create("stderr"), os.memfd_create("stdout") if capture else 1
    actions = [(os.POSIX_SPAWN_DUP2, err, 2), *([(os.POSIX_SPAWN_DUP2, out, 1)] if capture else [])]
    pid = os.posix_spawn(command[0], command, os.environ, file_actions=actions, setsigdef=[signal.SIGPIPE])
    status = ended(os.path.basename(command[0]), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    return status, _text(err), _text(out) if capture else ""


def ask(name: str, words: list, lines: Iterable[str]) -> str:
    """What a program says of the lines on its stdin; its refusal is ours."""
    import subprocess
    asked = os.open(file_of(lines), os.O_RDONLY)
    done = subprocess.run([program(name), *words], stdin=asked, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors="backslashreplace", check=False)
    os.close(asked)
    if ended(name, done.returncode):
        raise Refused(done.stderr.strip())
    return done.stdout


def ended(name: str, status: int) -> int:
    """The exit status of a program; one that a signal ended is never passed on as if it had answered."""
    if status == -signal.SIGPIPE:
        raise BrokenPipeError
    if status < 0:
        raise WrongUse(f"{name} was ended by {signal.Signals(-status).name}: the input may be too much for it")
    return status


def _text(fd: int) -> str:
    with open(fd, "rb") as file:
        file.seek(0)
        return file.read().decode(errors="replace")

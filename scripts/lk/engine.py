# SPDX-License-Identifier: GPL-2.0-only
"""The programs that do the work, and the files that come with them."""

import os
import sys

from lk.errors import WrongUse

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


def run_in_place(command: list, cwd: str) -> None:
    """Becomes that program: its output and exit status are ours."""
    sys.stdout.flush()
    os.chdir(cwd)
    os.execv(command[0], command)

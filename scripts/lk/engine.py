# SPDX-License-Identifier: GPL-2.0-only
"""The programs that do the work, and the files that come with them."""

import os
import sys

from lk.errors import WrongUse

HERE = os.path.dirname(os.path.realpath(__file__))


def program(name: str) -> str:
    """The path of one of linekeeper's own programs, built or installed."""
    for folder in (os.environ.get("BUILD", ""), f"{HERE}/../../build", f"{HERE}/.."):
        path = os.path.join(folder, name)
        if folder and os.access(path, os.X_OK):
            return os.path.realpath(path)
    raise WrongUse(f"{name} is not built: run `make` in linekeeper's folder")


def cocci_file(name: str) -> str:
    """The path of a file below cocci/."""
    for folder in (f"{HERE}/../../cocci", f"{HERE}/../cocci", f"{HERE}/../../../share/linekeeper/cocci"):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            return os.path.realpath(path)
    raise WrongUse(f"cocci/{name} is not there")


def run_in_place(command: list, cwd: str) -> None:
    """Becomes that program: its output and exit status are ours."""
    sys.stdout.flush()
    os.chdir(cwd)
    os.execv(command[0], command)

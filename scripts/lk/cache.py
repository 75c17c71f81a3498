# SPDX-License-Identifier: GPL-2.0-only
"""The cache folder: where each tool or kernel is, if it is there. Fast, asks no package manager.

Everything in it carries its version in its name and appears by rename or has a stamp, so what is there is whole.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Optional

KERNELS = ("6.1", "6.12")
ARCHES = ("arm64", "arm")
MIN_SPARSE = "0.6.5~rc1"
MIN_SPATCH = (1, 2)
STAMP = ".linekeeper-ready"  # in a kernel tree or build folder: it is whole
# What a user's variable overrides, and the file that must be in what it names.
OVERRIDES = {
    "sparse": "SPARSE_SRC",
    "spatch": "SPATCH",
    "kernel-6.1": "KERNEL61",
    "kernel-6.12": "KERNEL612",
    # never set up, for sweeps on what a user has
    "kernel-5.10": "KERNEL510",
    "kernel-new": "KERNELNEW",
}
INSIDE = {
    "sparse": "libsparse.a",
    "kernel-6.1": "include/generated/autoconf.h",
    "kernel-6.12": "include/generated/autoconf.h",
}


def folder() -> Path:
    """The cache folder; it need not exist."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "linekeeper"


def version_key(text: str) -> list:
    """Sorts versions as Debian does, as far as the names in the cache need it: 1.0~rc1 < 1.0 < 1.0.1."""
    key: list = []
    for tilde, digits, other in re.findall(r"(~)|(\d+)|([^\d~]+)", text):
        key.append((0, 0, "") if tilde else (3, int(digits), "") if digits else (2, 0, other))
    return key + [(1, 0, "")]


def newest(pattern: str, probe: str) -> Optional[Path]:
    """The folder in the cache that matches `pattern`, holds `probe` and has the highest version."""
    found = [path for path in folder().glob(pattern) if (path / probe).exists()]
    return max(found, key=lambda path: version_key(path.name), default=None)


def spatch_version(program: str) -> tuple:
    """(1, 3, 0) of an spatch program, () when it does not run."""
    try:
        out = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return ()
    match = re.search(r"version (\d+(?:\.\d+)*)", out)
    return tuple(int(part) for part in match.group(1).split(".")) if match else ()


def _spatch() -> Optional[Path]:
    built = newest("coccinelle-*", "bin/spatch")
    if built:
        return built / "bin" / "spatch"
    program = shutil.which("spatch")
    return Path(program) if program and spatch_version(program) >= MIN_SPATCH else None


def find(what: str) -> Optional[Path]:
    """Where `what` is, None when it is not there.

    sparse: the folder with libsparse.a and its headers; spatch: the program; kernel-6.1, kernel-6.12: a
    prepared x86-64 tree; kernel-6.1-arm64 and so on: a build folder (O=) of that architecture, which names
    its pristine source tree, kernel-6.1-source. Anything else: a program of that name in PATH.
    """
    override = os.environ.get(OVERRIDES.get(what, ""), "")
    if override:
        path = Path(override).absolute()
        return path if (path / INSIDE.get(what, "")).exists() else None
    if what == "sparse":
        return newest("sparse-*", "libsparse.a")
    if what == "spatch":
        return _spatch()
    kernel = re.fullmatch(r"kernel-([\d.]+)(?:-(\w+))?", what)
    if kernel:
        version, arch = kernel.groups()
        if arch == "source":
            return newest(f"linux-{version}.*-source", "Makefile")
        return newest(f"linux-{version}.*-{arch or 'x86_64'}", STAMP)
    program = shutil.which(what)
    return Path(program) if program else None

# SPDX-License-Identifier: GPL-2.0-only
"""Architectures: how make and the compilers name them, and a user's kernel source prepared for one, in the cache folder."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import List, NamedTuple

from lk import cache, needs
from lk.errors import Refused, WrongUse
from lk.job import Refusal
from lk.shadow import shadow
from lk.tree import Tree

# make: ARCH=; folder: below arch/; cross: the compiler's prefix, "" for x86's own gcc; config: what make is asked for
Arch = NamedTuple("Arch", [("make", str), ("folder", str), ("bits", int), ("cross", str), ("config", str)])
ARCHES = {
    "arm": Arch("arm", "arm", 32, "arm-linux-gnueabihf-", "multi_v7_defconfig"),
    "arm64": Arch("arm64", "arm64", 64, "aarch64-linux-gnu-", "defconfig"),
    "i386": Arch("i386", "x86", 32, "", "defconfig"),
    "ppc32": Arch("powerpc", "powerpc", 32, "powerpc-linux-gnu-", "pmac32_defconfig"),
    "ppc64le": Arch("powerpc", "powerpc", 64, "powerpc64le-linux-gnu-", "ppc64le_defconfig"),
    "riscv64": Arch("riscv", "riscv", 64, "riscv64-linux-gnu-", "defconfig"),
    "s390": Arch("s390", "s390", 64, "s390x-linux-gnu-", "defconfig"),
    "x86_64": Arch("x86_64", "x86", 64, "", "defconfig"),
}
LITTLE = ("ppc64le",)       # has a kernel of the other byte order beside it


def named(text: str) -> List[str]:
    """The names of a list with commas; all: each of them."""
    names = list(ARCHES) if text == "all" else text.split(",")
    unknown = [name for name in names if name not in ARCHES]
    if unknown:
        raise WrongUse(f"--arch {text}: no architecture '{unknown[0]}' (there are {', '.join(ARCHES)}; all: each of them)")
    return list(dict.fromkeys(names))


def name_of(tree: Tree) -> str:
    """The name of what a tree was prepared for; its folder below arch/ where it has none here."""
    bits = 64 if tree.bits64 else 32
    return next((name for name, arch in ARCHES.items() if (arch.folder, arch.bits) == (tree.arch, bits) and
                 not (name in LITTLE and tree.has("CONFIG_CPU_BIG_ENDIAN"))), tree.arch)


def for_arch(tree: Tree, name: str) -> Tree:
    """The tree's source as the architecture has it: the tree itself when that is its own, else one in the cache."""
    return tree if name == name_of(tree) else Tree(_prepared(tree.src, name))


def _prepared(source: str, name: str) -> str:
    """An O= folder of the source, in its default configuration with MEMCG; made when there is none, or an old one."""
    key = hashlib.sha256(os.fsencode(source)).hexdigest()[:10]
    final = cache.folder() / "trees" / f"{os.path.basename(source)}-{key}" / name
    final.parent.mkdir(parents=True, exist_ok=True)
    with open(final.parent / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)        # two of us do it one after the other
        if not _is_fresh(final, source, ARCHES[name].folder):
            _prepare(source, name, final)
    return str(final)


def _is_fresh(folder: Path, source: str, arch: str) -> bool:
    """Was it prepared behind the last change of a makefile or Kconfig file that it comes from?"""
    try:
        made = (folder / cache.STAMP).stat().st_mtime
        read = re.findall(r"^\t(\S+) \\$", (folder / "include/config/auto.conf.cmd").read_text(encoding="utf-8"), re.M)
        return all(os.stat(os.path.join(source, file)).st_mtime <= made for file in ("Makefile", f"arch/{arch}/Makefile", *read))
    except FileNotFoundError:
        return False


def _prepare(source: str, name: str, final: Path) -> None:
    from lk import build
    compiler = f"{ARCHES[name].cross}gcc"
    if not needs.where(compiler):
        raise Refused(f"{compiler} is needed, which is not there: install it (Debian's package: {f'gcc-{ARCHES[name].cross}'[:-1]})")
    print(f"note: {source} is prepared for {name}, once, in {final}: half a minute", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory(prefix="new-", dir=final.parent) as scratch:
        output, real = Path(scratch, name), _clean(source, ARCHES[name].folder, f"{scratch}/source")
        output.mkdir()
        try:
            build.configure(build.Shop(Path(scratch)), Path(real), name, output, f"{final.parent.name}-{name}")
        except Refusal as err:
            raise Refused(f"{source} cannot be prepared: {err}") from err
        _point_to(source, real, output, ARCHES[name].folder)
        shutil.rmtree(final, ignore_errors=True)
        output.rename(final)


def _clean(source: str, arch: str, dest: str) -> str:
    """The source, or links to it in dest when it has been built in."""
    if not any(os.path.exists(os.path.join(source, made)) for made in (".config", "include/config", f"arch/{arch}/include/generated")):
        return source
    shadow(source, dest)
    return dest


def _point_to(source: str, real: str, output: Path, arch: str) -> None:
    """Makes the flags name the source instead of links to it; what was generated here comes before what was generated there."""
    path = output / f"arch/{arch}/kernel/.asm-offsets.s.cmd"
    text = path.read_text(encoding="utf-8").replace(real, source)
    ours_last = f"-I{source}/include -I./include "
    if ours_last not in text:
        raise Refused(f"{source} is built in another way than is known here: {path.name} has no {ours_last}")
    path.write_text(text.replace(ours_last, f"-I./include -I{source}/include "), encoding="utf-8")
    (output / "source").unlink()
    (output / "source").symlink_to(source)

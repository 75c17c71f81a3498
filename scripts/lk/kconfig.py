# SPDX-License-Identifier: GPL-2.0-only
"""Configurations that a tree's Kconfig allows, found with the tree's own kconfig (kconfig/).

As for `make olddefconfig`, the tree's Makefile and Kconfig files run programs; all that is written lies in a folder of ours.
"""

from __future__ import annotations

import glob
import os
import re
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import Dict, List, NamedTuple, Sequence, Set, Tuple

from lk import engine
from lk.errors import Refused, WrongUse
from lk.job import clean_env
from lk.tree import Tree, split_words

MANY = 1000     # words of a request
# what its headers have -> what kconfig/ is to know of it; functions of it that kconfig/expr_table.c replaces
WRAPPED = ("calc_value", "invalidate_all", "gstr_print_revdep")
HEADER_FLAGS = {"expr_invalidate_all": ["-DHAVE_EXPR_TABLE", *(f"-Wl,--wrap=expr_{name}" for name in WRAPPED)],
                "conf_set_changed(": ["-DHAVE_CONF_SET_CHANGED"]}
NO_FILE = "-"       # a configuration of which only the settings are asked for
GOAL = "linekeeper-environment-config"      # "config" at its end: the Makefile reads what it reads for menuconfig, and no more

# a .config; the symbols that were asked for, as they are; what was changed in the base, in order
Solved = NamedTuple("Solved", [("path", str), ("have", Dict[str, str]), ("settings", List[Tuple[str, str]])])
# wishes that were not met: (SYMBOL=VALUE..., what stands in the way)
Missed = Tuple[Tuple[str, ...], str]


def make_variables(tree: Tree) -> List[str]:
    """ARCH and the compiler that the tree was prepared with, as words for make."""
    with open(tree.cmd, encoding="utf-8", errors="replace") as file:
        words = split_words(file.readline().split(":=", 1)[-1])
    compiler = [word for word in words[:2] if not word.startswith("-")]
    arch = {"x86": ("i386", "x86_64")[tree.bits64]}.get(tree.arch, tree.arch)
    prefix = re.fullmatch(r"(.*-)gcc(-[\d.]+)?", compiler[-1])
    return [f"ARCH={arch}", f"CC={' '.join(compiler)}",
            *(["LLVM=1"] if "clang" in compiler[-1] else [f"CROSS_COMPILE={prefix[1]}"] if prefix else [])]


def _run(command: List[str]) -> subprocess.CompletedProcess:
    try:
        return subprocess.run(command, capture_output=True, text=True, errors="replace", env=clean_env(), check=False)
    except FileNotFoundError as err:
        raise WrongUse(f"there is no {command[0]} in PATH, without which the tree's Kconfig cannot be asked: install it") from err


def environment(tree: Tree, folder: str) -> Dict[str, str]:
    """What the tree's Makefile exports to kconfig; folder is an empty one of ours."""
    command = ["make", "-s", "-C", tree.src, f"O={folder}", *make_variables(tree), f"--eval={GOAL}: ; @env -0", GOAL]
    done = _run(command)
    if done.returncode:
        raise Refused(f"the Makefile of {tree.src} does not tell how it calls kconfig: {done.stderr.strip()[-300:]}")
    pairs = (entry.partition("=") for entry in done.stdout.split("\0"))
    return {name: value for name, _, value in pairs if name and name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}


class Ended(WrongUse):
    """The solver has ended by itself; the message says why."""


class Kconfig:
    """A running solver; to be closed. Kconfig is read when it starts, which takes seconds."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.folder = tempfile.TemporaryDirectory(prefix="linekeeper-kconfig-")
        self.log = os.path.join(self.folder.name, "log")
        try:
            program, env = self._compile(), environment(tree, self.folder.name)
            self.defconfig = env.get("KBUILD_DEFCONFIG") or "defconfig"
            with open(self.log, "wb") as log:
                self.process = subprocess.Popen([program, "Kconfig"], cwd=self.folder.name, env=env, stdin=subprocess.PIPE,
                                                stdout=subprocess.PIPE, stderr=log, text=True, errors="replace")
        except BaseException:
            self.folder.cleanup()
            raise
        self.started = False
        self.lock = threading.Lock()

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
        self.folder.cleanup()

    def __enter__(self) -> Kconfig:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind:
            self.process.kill()     # it may be searching yet
        self.close()

    def _objects(self) -> List[str]:
        """What the tree's own conf is linked of, without its main()."""
        link = os.path.join(self.tree.root, "scripts/kconfig/.conf.cmd")
        try:
            with open(link, encoding="utf-8") as file:
                words = file.readline().split()
        except FileNotFoundError:
            words = []
        objects = [os.path.join(self.tree.root, word) for word in words if word.endswith(".o") and not word.endswith("/conf.o")]
        lost = [path for path in objects or [link] if not os.path.exists(path)]
        if lost:
            raise Refused(f"{lost[0]} is not there: run `make olddefconfig` in {self.tree.root}")
        return objects

    def _compile(self) -> str:
        """The solver of this tree."""
        objects = self._objects()
        sources = sorted(glob.glob(os.path.join(glob.escape(engine.TOP), "kconfig/*.c")))
        program = os.path.join(self.folder.name, "solve")
        headers = [os.path.join(self.tree.src, "scripts", name) for name in ("kconfig", "include")]
        text = "".join(Path(path).read_text(encoding="utf-8") for path in glob.glob(os.path.join(glob.escape(headers[0]), "*.h")))
        flags = [flag for word, some in HEADER_FLAGS.items() if word in text for flag in some]
        done = _run(["cc", "-std=gnu11", "-O2", "-Werror=implicit", "-D_GNU_SOURCE", *(f"-I{folder}" for folder in headers), *flags, "-o", program,
                     *sources, *objects])
        if done.returncode:
            raise Refused(f"kconfig/ does not fit to the kconfig of {self.tree.src}:\n{done.stderr.strip()}")
        return program

    def _answer(self) -> List[List[str]]:
        rows = []
        for line in self.process.stdout:
            words = line.rstrip("\n").split("\t")
            if words == ["end"]:
                return rows
            rows.append(words)
        with open(self.log, encoding="utf-8", errors="replace") as log:
            raise Ended(f"kconfig of {self.tree.src} ended: {log.read().strip()[-500:]}")

    def _ask(self, *words: str) -> List[List[str]]:
        with self.lock:
            if not self.started:
                self._answer()
                self.started = True
            try:
                self.process.stdin.write("\t".join(words) + "\n")
                self.process.stdin.flush()
            except BrokenPipeError:
                pass        # _answer() says why
            return self._answer()

    def base(self, name: str) -> None:
        """What the next ones start from: a .config file, allno, allmod or alldef."""
        self._ask("base", os.path.abspath(name) if os.sep in name else name)

    def solve(self, path: str, wishes: Dict[str, str]) -> Tuple[Solved, List[Missed]]:
        """A configuration near the base, with these values where they can be had."""
        solved, missed = _read(self._ask("solve", path, *(f"{name}={value}" for name, value in wishes.items())))
        return solved[0], missed

    def least(self, path: str, settings: List[Tuple[str, str]], symbols: List[str]) -> Solved:
        """The settings on the base, without those that the symbols keep their values without; and these, as the .config has them."""
        return _read(self._ask("least", path, *symbols, "-", *(f"{name}={value}" for name, value in settings)))[0][0]

    def known(self, symbols: Sequence[str]) -> Set[str]:
        """Those of them that Kconfig has."""
        names = list(symbols)
        return {words[1] for start in range(0, len(names), MANY) for words in self._ask("known", *names[start:start + MANY])}

    def cover(self, folder: str, most: int, symbols: List[str],
              known: Sequence[str] = ()) -> Tuple[List[Solved], List[Missed], Dict[str, Tuple[str, str]], int]:
        """Configurations with every two values of every two symbols, but for pairs of known ones; what is not reached; symbol -> type,
        value of those that are not known; pairs left."""
        rows = self._ask("cover", folder, str(most), *known, "-", *symbols)
        types = {words[1]: (words[2], words[3]) for words in rows if words[0] == "symbol" and words[1] not in known}
        return (*_read(rows), types, sum(int(words[1]) for words in rows if words[0] == "more"))


def _read(rows: List[List[str]]) -> Tuple[List[Solved], List[Missed]]:
    solved: List[Solved] = []
    missed: List[Missed] = []
    for kind, *words in rows:
        if kind == "config":
            solved.append(Solved(words[0], {}, []))
        elif kind == "have":
            name, _, value = words[0].partition("=")
            solved[-1].have[name] = value
        elif kind == "set":
            name, _, value = words[0].partition("=")
            solved[-1].settings.append((name, value))
        elif kind in ("missed", "apart"):
            missed.append((tuple(words[:-1]), words[-1]))
    return solved, missed


def config_line(name: str, value: str) -> str:
    """A line of a .config."""
    if value == "n":
        return f"# CONFIG_{name} is not set"
    plain = re.fullmatch(r"[ym]|-?\d+|0x[0-9a-fA-F]+", value)
    return f"CONFIG_{name}={value}" if plain else f'CONFIG_{name}="{value}"'

# SPDX-License-Identifier: GPL-2.0-only
"""The translation units of a built tree: from the .cmd files that kbuild left, or from a compile_commands.json."""

from __future__ import annotations

import os
import re
from typing import Iterator, List, NamedTuple, Optional

from lk.errors import WrongUse
from lk.tree import Tree, command_words

SKIPPED = ("Documentation", "LICENSES", "scripts", "tools", ".git")     # none of the kernel's own code is built there
OTHER_MACHINE = (" -m16 ", " -m32 ")    # start-up code and the 32-bit vdso of a 64-bit kernel


class Unit(NamedTuple):
    """One compiler call."""

    object: str         # relative to the tree, what the unit is known by: one source can be compiled twice
    source: str         # as the compiler was given it; it runs in the tree
    call: str           # the call as it was written down, without the compiler's name

    def words(self, tree: Tree) -> list:
        """The compiler's flags as sparse is to have them, and the file."""
        return [*tree.for_sparse(command_words(self.call)[:-1], self.source), self.source]


def _cmd_files(folder: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".o.cmd") and entry.is_file():
                yield entry.path
            elif entry.is_dir(follow_symlinks=False) and entry.name not in SKIPPED:
                yield from _cmd_files(entry.path)


def _of_kernel(tree: Tree, name: str, call: str) -> bool:
    """Is it a C file of the kernel proper that somebody wrote, compiled for the machine that the kernel runs on?"""
    return call.endswith(".c") and not call.endswith(".mod.c") and " -D__KERNEL__ " in call and name.split("/", 1)[0] not in SKIPPED \
        and not (tree.bits64 and any(flag in call for flag in OTHER_MACHINE))


def _unit(tree: Tree, name: str, call: str) -> Optional[Unit]:
    source = call.rpartition(" ")[2]
    path = os.path.normpath(os.path.join(tree.root, source))
    if not _of_kernel(tree, name, call) or not path.startswith((f"{tree.root}/", f"{tree.src}/")):
        return None
    return Unit(name, source, call[call.find(" -") + 1:])


def _from_cmd(tree: Tree, folders: List[str]) -> Iterator[Unit]:
    for folder in folders:
        top = os.path.join(tree.root, folder)
        own = tree.own_cmd(folder)
        for path in _cmd_files(top) if os.path.isdir(top) else [own] if os.path.exists(own) else []:
            with open(path, encoding="utf-8", errors="backslashreplace") as file:
                name, _, call = file.readline().partition(":=")
            unit = _unit(tree, name.strip().split("cmd_", 1)[-1], call.split(" ; ", 1)[0].strip())
            if unit:
                yield unit


def _from_json(tree: Tree, path: str) -> Iterator[Unit]:
    import json
    import shlex
    try:
        with open(path, encoding="utf-8", errors="backslashreplace") as file:
            calls = json.load(file)
        folders = {call["directory"] for call in calls}
        for call in calls:
            text = (call.get("command") or shlex.join(call["arguments"])).encode(errors="backslashreplace").decode().strip()
            out = re.search(r" -o (\S+)", text)
            name = out.group(1) if out else f"{os.path.splitext(text.rpartition(' ')[2])[0]}.o"
            unit = _unit(tree, os.path.relpath(os.path.join(tree.root, name), tree.root), text)
            if unit:
                yield unit
    except (ValueError, TypeError, KeyError, AttributeError) as err:
        raise WrongUse(f"{path} is no compile_commands.json: {err!r}") from err
    for folder in folders:
        if os.path.realpath(folder) != tree.root:
            raise WrongUse(f"{path} is of a build in {folder}, and the tree is {tree.root}")


def inside(tree: Tree, folder: str) -> str:
    """A folder or file that the user names, relative to the tree."""
    for top in (tree.root, tree.src):
        path = os.path.normpath(os.path.join(top, folder))
        if f"{path}/".startswith(f"{top}/"):
            name = os.path.relpath(path, top)
            if any(os.path.exists(os.path.join(base, name)) for base in (tree.root, tree.src)):
                return name
            raise WrongUse(f"{tree.root} has no folder or file {name}")
    raise WrongUse(f"{folder} is not in {tree.root}")


def below(name: str, folders: List[str]) -> bool:
    """Is the object in one of the folders, or of one of the files? "." is every folder."""
    return any(folder == "." or name.startswith(f"{folder}/") or os.path.splitext(name)[0] == os.path.splitext(folder)[0]
               for folder in folders)


def find(tree: Tree, folders: List[str], commands: Optional[str]) -> List[Unit]:
    """The units of the folders (or single .c files), paths relative to the tree, each object once."""
    found = _from_json(tree, commands) if commands else _from_cmd(tree, folders)
    units = {unit.object: unit for unit in found if not commands or below(unit.object, folders)}
    if not units:
        place = " there" if folders == ["."] else f" of {', '.join(folders)}"
        raise WrongUse(f"{tree.root} has no .cmd file of an object{place}: build it, or give --compile-commands FILE" if not commands
                       else f"{commands} has no object{place}")
    return [units[name] for name in sorted(units)]

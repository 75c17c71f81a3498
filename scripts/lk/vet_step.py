# SPDX-License-Identifier: GPL-2.0-only
"""A state of a series on a tree, and what of a file's text a layout depends on."""

from __future__ import annotations

import argparse
import copy
import os
import re
from typing import Dict, Iterable, List, Set

from lk import engine, unit, vet_configs
from lk.c_text import definition
from lk.check import UNREAD, Answer, State, judge_state, state_of
from lk.errors import WrongUse
from lk.tree import Tree, bounds_overlay

READ = (".c", ".h", ".rst")             # what the engines read of a tree
DEFINED = re.compile(r"\b(?:struct|union|enum)\b[^;{}()=]*\{|^typedef\b", re.M)


class Step:
    """A state of the series: the tree's files, those of the series as they are then in the folder."""

    def __init__(self, tree: Tree, args, names: List[str], folder: str, renamed: Dict[str, tuple]) -> None:
        self.tree, self.folder, self.names, self.renamed = tree, folder, frozenset(names), renamed
        fresh = f"{folder}.new"         # what the tree does not have lies behind all its folders
        # what the series includes may not lie elsewhere; a build with our plugin includes a header of ours
        within = [tree.root, tree.src, folder, fresh, os.path.join(engine.TOP, "include")]
        overlays = ["--asserts", *unit.each("--within", within), "--strip", fresh]
        read = [(name, os.path.join(tree.src, name), os.path.join(folder, name)) for name in names if name.endswith(READ)]
        own = {name for name, here, _ in read if os.path.isfile(here) and os.path.realpath(here) == here}
        for name, _, kept in read:
            if name not in own and os.path.isfile(kept):
                os.makedirs(os.path.dirname(os.path.join(fresh, name)), exist_ok=True)
                os.rename(kept, os.path.join(fresh, name))
        for name, here, kept in [one for one in read if one[0] in own]:
            kept = self.path(name) or kept      # what is not there is gone
            overlays += ["--overlay", f"{tree.inside(name)}={kept}"] if not same_content(here, kept) else []
        self.overlays, self.flags = tuple(overlays), tuple(f"-I{path}" for path, _, _ in os.walk(fresh))
        self.state: State = state_of(tree, args, self.overlays, self.flags)

    def under(self, args: argparse.Namespace, config: vet_configs.Config) -> Step:
        """The same files under another configuration."""
        other = copy.copy(self)
        overlays = (*self.overlays, *bounds_overlay(self.tree, config.bounds), *config.options)
        other.state = state_of(self.tree, vet_configs.arguments(args, config), overlays, (*config.flags, *self.flags))._replace(lockdep=[])
        return other

    def including(self, headers: List[str]) -> Step:
        """The same state, for a unit that reads these headers of the tree in front of its file."""
        other = copy.copy(self)
        other.state = self.state._replace(flags=(*self.state.flags, *unit.each("-include", [self.tree.inside(name) for name in headers])))
        return other

    def path(self, name: str) -> str:
        """Where a file of the tree, or of the series, is in this state, also under another name; '': it is not there."""
        folders = (self.folder, f"{self.folder}.new") if name in self.names else (self.tree.src,)
        names = (name, *self.renamed.get(name, ()))
        return next(filter(os.path.isfile, (os.path.join(folder, one) for one in names for folder in folders)), "")

    def read(self, name: str) -> str:
        """What is in it; '' where it is not there."""
        path = self.path(name)
        if not path:
            return ""
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def text(self, name: str) -> str:
        """A file of the series; '' where it is not there, or is none."""
        return self.read(name) if name in self.names else ""

    def judge(self, file: str, more: tuple) -> Answer:
        """cacheline-check on a unit; what it cannot do with it is what cannot be read."""
        try:
            return judge_state(self.tree, self.state, file, more)
        except WrongUse as err:
            return Answer([f"{file}: {UNREAD}: {err}"], "")


def plain(text: str) -> str:
    """What a layout depends on: no comment, one blank between words."""
    return re.sub(r"\s+", " ", re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)).strip()


def pointers(text: str, names: Iterable[str]) -> Set[str]:
    """Variables of a text that are, or point to, one of the structs."""
    return set(re.findall(rf"\bstruct (?:{'|'.join(names)})\s*(?:\s|\*+\s*)(\w+)\s*[]\[;,)=]", text))


def shape(text: str) -> list:
    """What a layout may depend on: structs, unions, enums, typedefs, and what is said to the preprocessor; no function."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
    found, end = [plain(line) for line in re.findall(r"^[ \t]*#(?:.*\\\n)*.*", text, re.M)], 0
    for match in DEFINED.finditer(text):
        if match.start() >= end:
            one = definition(text, match.start())
            found.append(plain(one))
            end = match.start() + len(one)
    return found


def has_other_text(before: Step, after: Step, one: dict) -> bool:
    """Did the series write or change a struct's own lines? one: a struct as cacheline-check --before tells of it."""
    now = definition(plain("\n".join(after.text(one["file"]).split("\n")[one["line"] - 1:])))
    return bool(now) and now not in plain(before.text(one["file"]))


def same_content(a: str, b: str) -> bool:
    """Do two files hold the same? The second need not be there."""
    if not os.path.isfile(b) or os.path.getsize(a) != os.path.getsize(b):
        return False
    with open(a, "rb") as one, open(b, "rb") as other:
        return one.read() == other.read()

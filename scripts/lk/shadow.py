# SPDX-License-Identifier: GPL-2.0-only
"""A kernel source in which something was built, as if nothing was: make refuses an O= folder for it otherwise."""

import itertools
import os

GENERATED_DIRS = ("include/config", "include/generated")
GENERATED_SUFFIXES = (".a", ".cmd", ".d", ".ko", ".mod", ".o", ".order", ".so")
TOP_FILES = ("Module.symvers", "System.map", "vmlinux")


def _is_generated_dir(path: str) -> bool:
    return path in GENERATED_DIRS or path == ".git" or path.startswith("arch/") and path.endswith("/include/generated")


def _is_generated(folder: str, name: str, names: set) -> bool:
    if name.endswith(GENERATED_SUFFIXES) or f".{name}.cmd" in names:
        return True
    return folder == "" and (name.startswith(".config") or name in TOP_FILES)


def shadow(tree: str, dest: str, each: bool = False) -> None:
    """
    Fills the new folder dest with links to the source of tree; one link for a folder with nothing built in it, unless each has its own.

    The tree may itself have links to folders at its top.
    """
    plans = {}      # folder -> (what is a link, what is a folder)
    whole = set()
    tops = [entry.path for entry in os.scandir(tree) if entry.is_symlink() and entry.is_dir()]
    for path, dirs, files in itertools.chain.from_iterable(os.walk(top, topdown=False) for top in (*tops, tree)):
        folder = "" if path == tree else os.path.relpath(path, tree)
        names = set(files)
        below = {name: os.path.join(folder, name) for name in dirs if not _is_generated_dir(os.path.join(folder, name))}
        own = [name for name in below if below[name] in plans and below[name] not in whole]
        sources = [name for name in files if not _is_generated(folder, name, names)]
        plans[folder] = ([*sources, *(name for name in below if name not in own)], own)
        if not each and folder and not own and len(sources) + len(below) == len(files) + len(dirs):
            whole.add(folder)
    left = [""]
    while left:
        folder = left.pop()
        os.makedirs(os.path.join(dest, folder))
        links, own = plans[folder]
        for name in links:
            os.symlink(os.path.join(tree, folder, name), os.path.join(dest, folder, name))
        left += [os.path.join(folder, name) for name in own]

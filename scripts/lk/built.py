# SPDX-License-Identifier: GPL-2.0-only
"""Which files a configuration builds, as the Makefiles of kbuild say it by their obj- lines; nothing of them is executed."""

from __future__ import annotations

import argparse
import os
import re
from typing import Dict, List

from lk import vet_configs
from lk.tree import Tree

DEEP = 4        # objects of objects


class Built:
    """A tree under the configuration that was asked for."""

    def __init__(self, tree: Tree, args: argparse.Namespace) -> None:
        self.tree = tree
        self.values = vet_configs.values_of(tree, args)
        self.texts: Dict[str, str] = {}         # by folder: its Makefile
        self.known: Dict[str, List[str]] = {}   # by folder: what it lacks

    def _text(self, folder: str) -> str:
        if folder not in self.texts:
            texts = []
            for name in ("Makefile", "Kbuild"):
                path = os.path.join(self.tree.src, folder, name)
                if os.path.isfile(path):
                    with open(path, encoding="utf-8", errors="replace") as file:
                        texts.append(file.read())
            self.texts[folder] = re.sub(r"\\\n", " ", "\n".join(texts))
        return self.texts[folder]

    def _lacking(self, folder: str, part: str, depth: int = 0) -> List[str]:
        """Symbols that are off and of which one at least would bring an object, or a folder, of a folder's Makefile; []: it is there."""
        rows = re.findall(rf"^([\w-]+)-(?:\$\((CONFIG_\w+)\)|y|m|objs)\s*[:+]?=(?:[^#\n]*\s)?{re.escape(part)}(?=\s|$)", self._text(folder), re.M)
        found: List[str] = []
        for owner, symbol in rows:
            is_off = symbol and symbol not in self.values and f"{symbol}_MODULE" not in self.values
            lacks = [symbol] if is_off else self._lacking(folder, f"{owner}.o", depth + 1) if owner not in ("obj", "lib") and depth < DEEP else []
            if not lacks:
                return []
            found += lacks
        return list(dict.fromkeys(found))

    def _entered(self, folder: str) -> List[str]:
        above, name = os.path.split(folder)
        if folder and folder not in self.known:
            self.known[folder] = self._entered(above) or self._lacking(above, f"{name}/")
        return self.known.get(folder, [])

    def lacks(self, file: str) -> List[str]:
        """Symbols of which one at least is to be on for a .c file, or the folder of a header, to be built; []: it is, or nobody says."""
        folder, name = os.path.split(file)
        return self._entered(folder) or (self._lacking(folder, f"{name[:-2]}.o") if name.endswith(".c") else [])

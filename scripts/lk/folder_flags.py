# SPDX-License-Identifier: GPL-2.0-only
"""The -I and -D that the makefiles of a folder add, read as text, for a file that was never built.

Enough for ccflags-y and subdir-ccflags-y with plain variables; conditionals are not evaluated, all their lines
count. Nothing is run. What make itself wrote into a .cmd file is always preferred (Tree.flags()).
"""

import os
import re

ASSIGNMENT = re.compile(r"^\s*([\w.-]+)\s*(?:[:+?]?=)\s*(.*)$", re.M)


def _variables(path: str) -> dict:
    """name -> all that any line assigns or adds to it."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = re.sub(r"\\\n", " ", file.read(1 << 20))
    except OSError:
        return {}
    values = {}
    for name, value in ASSIGNMENT.findall(text):
        values[name] = f"{values.get(name, '')} {value.split('#', 1)[0].strip()}".strip()
    return values


def _expand(text: str, values: dict, depth: int = 8) -> str:
    if not depth:
        return text
    return re.sub(r"\$[({]([\w.-]+)[)}]", lambda match: _expand(values.get(match.group(1), ""), values, depth - 1), text)


def folder_flags(src: str, folder: str) -> list:
    """For a file of that folder (relative to the tree src): -I relative to src, and -D."""
    flags, level, nearest = [], folder, True     # the nearest makefile is the one that lists the object
    while level:
        for name in ("Kbuild", "Makefile"):
            values = _variables(os.path.join(src, level, name))
            if not values:
                continue
            values.update(srctree=".", src=level, obj=level)
            own = values.get("ccflags-y", "") if nearest else ""
            text = _expand(f"{own} {values.get('subdir-ccflags-y', '')}", values)
            for flag, value in re.findall(r"(?:^|\s)(-I|-D)\s*(\S+)", text):
                if flag == "-I" and not os.path.isdir(os.path.join(src, value)):
                    value = os.path.join(level, value)
                if flag == "-D" or os.path.isdir(os.path.join(src, value)):
                    flags.append(flag + (os.path.normpath(value) if flag == "-I" else value))
            nearest = False
        level = os.path.dirname(level)
    return list(dict.fromkeys(flags))

# SPDX-License-Identifier: GPL-2.0-only
"""Paths through the kernel, of what the index knows of calls; cacheline-index follows them."""

from __future__ import annotations

from typing import Dict, Iterator

from lk import engine
from lk.index_db import Index

HELP = "on the path that begins at these functions, which are reached as often as calls and branches let one guess"


def graph(index: Index) -> Iterator[str]:
    """Every function with its calls, and what members of structs point to, as the engine printed them."""
    for number, name, path, own, phase, calls in index.sql.execute(
            "SELECT f.id, f.name, p.path, f.own, f.phase, f.calls FROM function f JOIN part p ON p.id = f.part"):
        yield f"function\t{number}\t{name}\t{path if own else ''}\t{phase}\n"
        if calls:
            yield f"{calls}\n"
    for row, in index.sql.execute("SELECT DISTINCT row FROM handler"):
        yield f"{row}\n"


def reached(index: Index, entries: str) -> Dict[int, float]:
    """The chance that the path comes by a function, by its number; those that it never comes by are left out. entries: FUNCTION[,FUNCTION]..."""
    out = engine.ask("cacheline-index", ["--reached", entries], graph(index))
    return {int(number): float(often) for number, often in (line.split("\t") for line in out.splitlines())}

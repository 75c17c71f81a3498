# SPDX-License-Identifier: GPL-2.0-only
"""What the index's accesses say of members: classes, as cacheline-index infers them."""

from __future__ import annotations

import os
import subprocess
from typing import Iterator, List, NamedTuple

from lk import engine
from lk.index_db import Index, marks

# an access of a.b is one of a
MEMBER_OF_PATH = "substr(a.path || '.', 1, instr(a.path || '.', '.') - 1)"

Inferred = NamedTuple("Inferred", [("struct", int), ("member", str), ("class_", str), ("text", str), ("readers", int), ("writers", int)])


def inferred(index: Index, which: str, values: list) -> Iterator[Inferred]:
    """Each member with a class, of the structs whose ids in `name` the condition `which` selects."""
    rows = index.sql.execute(f"SELECT a.name || ' ' || {MEMBER_OF_PATH} AS key, a.function, a.mode, f.phase FROM access a "
                             f"JOIN function f ON a.function = f.id WHERE a.path != '' AND a.name {which} ORDER BY key", values)
    asked = os.memfd_create("accesses")
    with open(asked, "w", encoding="utf-8", errors="backslashreplace", closefd=False) as file:
        file.writelines(f"{key}\t{function}\t{mode}\t{phase}\n" for key, function, mode, phase in rows)
    os.lseek(asked, 0, os.SEEK_SET)
    done = subprocess.run([engine.program("cacheline-index"), "--classes"], stdin=asked, stdout=subprocess.PIPE, text=True,
                          errors="backslashreplace", check=True)
    os.close(asked)
    for line in done.stdout.splitlines():
        key, class_, text, readers, writers, *_ = line.split("\t")
        struct, member = key.split(" ", 1)
        if class_:
            yield Inferred(int(struct), member, class_, text, int(readers), int(writers))


def for_map(index: Index, structs: List[str]) -> int:
    """An open file of classes for cacheline-map --classes, of every struct, union and typedef of such a name."""
    plain = [name.split()[-1] for name in structs]
    names = [kind + name for name in plain for kind in ("struct ", "union ", "")]
    known = {number: (name, path) for number, name, path in index.sql.execute(
        f"SELECT id, name, path FROM name WHERE name IN ({marks(names)})", names)}
    classes = os.memfd_create("classes", 0)
    with open(classes, "w", encoding="utf-8", errors="backslashreplace", closefd=False) as file:
        for found in inferred(index, f"IN ({marks(known)})", list(known)):
            file.write("\t".join((*known[found.struct], found.member, found.class_, found.text)) + "\n")
    return classes

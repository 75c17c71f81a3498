# SPDX-License-Identifier: GPL-2.0-only
"""class-mix by evidence, of all that the index knows: its layouts and classes for cacheline-check, which ranks the candidates."""

from __future__ import annotations

from typing import Iterator

from lk import engine
from lk.check import is_wrong, judge, say
from lk.index_classes import lines_of
from lk.index_db import Index, marks
from lk.tree import Tree

# what is declared by annotations is not in a dump, so such a struct stays out here
RECORDS = """
SELECT max(r.id), n.name, n.path, n.line, r.flags, r.size, r.align FROM record r JOIN name n ON n.id = r.name
	WHERE r.name {} AND NOT EXISTS (SELECT * FROM member WHERE record = r.id AND (class != '' OR groups != '')) GROUP BY r.name
"""
UNIT = "include/linux/cache.h"     # tells the bytes of a line


def layouts(index: Index, which: str, ids: list) -> Iterator[str]:
    """The lines of a dump (lib/dump.c), members of anonymous ones as the struct's own."""
    return ("\t".join(map(str, row)) + "\n" for row in rows(index, which, ids))


def rows(index: Index, which: str, ids: list) -> Iterator[tuple]:
    yield "D", 1, "-", 64
    for number, (record, title, path, line, flags, size, align) in enumerate(index.sql.execute(RECORDS.format(which), ids), 1):
        shuffled = "r" if "R" in flags else ""
        yield "R", number, title.split()[-1] if title else "-", f".{flags}{shuffled}", size, align, 0, path, line, 0
        for name, at, offset, bits in index.sql.execute("SELECT name, line, offset, size FROM member WHERE record = ? AND name != '' "
                                                         "ORDER BY nr", (record,)):
            yield "M", name, "-", ".", 0, 0, offset, bits, 1, 0, 0, 1, 0, 0, path, at, 0


def show(tree: Tree, index: Index, ids: list, options: list, limit: int) -> int:
    """Prints the first of them, a line each; the exit status."""
    which = f"IN ({marks(ids)})" if ids else "IN (SELECT name FROM record)"
    answer = judge(tree, UNIT, ["--only=class-mix", f"--ranked={engine.file_of(layouts(index, which, ids))}",
                                f"--classes={engine.file_of(lines_of(index, which, ids))}", *options])
    say(answer.said)
    print("".join(answer.out.splitlines(keepends=True)[:limit]), end="")
    return int(is_wrong(answer.said))

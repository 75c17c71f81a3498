# SPDX-License-Identifier: GPL-2.0-only
"""What the index's accesses say of members: classes, as cacheline-index infers them."""

from __future__ import annotations

import os
from itertools import groupby
from typing import Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence

from lk import engine
from lk.index_db import Index, marks, reader, trouble_said
from lk.index_paths import reached
from lk.tree import Tree
from lk.where import index_file

# an access of a.b is one of a
MEMBER_OF_PATH = "substr(a.path || '.', 1, instr(a.path || '.', '.') - 1)"

Inferred = NamedTuple("Inferred", [("struct", int), ("member", str), ("class_", str), ("text", str), ("readers", int), ("writers", int)])


def each_once(rows: Iterable[tuple], reached_by: Dict[int, float]) -> Iterator[tuple]:
    """(key, function, ...) of rows (key, name, path, line, function, ...) in this order: a header's function is in each of the header's
    parts (index_db.py), and it is taken of one of them."""
    for (key, *_), same in groupby(rows, lambda row: row[:4]):
        found = [row[4:] for row in same]
        one = max((row[0] for row in found), key=lambda function: reached_by.get(function, 0))
        yield from ((key, *row) for row in found if row[0] == one)


def inferred(index: Index, which: str, values: Sequence, entries: str = "", words: Sequence[str] = ()) -> Iterator[Inferred]:
    """Each member with a class, of the structs whose ids in `name` the condition `which` selects; where the path that begins at `entries`
    (index_paths.py) uses it, what it is there. words: more of them for the engine."""
    path = reached(index, entries) if entries else {}
    rows = index.sql.execute(f"SELECT a.name || ' ' || {MEMBER_OF_PATH} AS key, f.name, p.path, f.line, f.id, a.mode, f.phase, a.often "
                             "FROM access a JOIN function f ON a.function = f.id JOIN part p ON f.part = p.id "
                             f"WHERE a.path != '' AND a.name {which} AND f.id NOT IN (SELECT function FROM uncalled) ORDER BY 1, 2, 3, 4, 5", values)
    asked = (f"{key}\t{function}\t{mode}\t{phase}\t{often}\t{path.get(function, 0)}\n" for key, function, mode, phase, often in each_once(rows, path))
    for line in engine.ask("cacheline-index", ["--classes", *words], asked).splitlines():
        key, class_, text, readers, writers, *_ = line.split("\t")
        struct, member = key.split(" ", 1)
        if class_:
            yield Inferred(int(struct), member, class_, text, int(readers), int(writers))


def lines_of(index: Index, which: str = "IN (SELECT name FROM record)", values: Sequence = (), entries: str = "",
             words: Sequence[str] = ()) -> Iterator[str]:
    """The lines of a file of classes, for --classes of the engines."""
    known = {number: (name, path) for number, name, path in index.sql.execute(f"SELECT id, name, path FROM name WHERE id {which}", values)}
    for found in inferred(index, which, values, entries, words):
        yield "\t".join((*known[found.struct], found.member, found.class_, str(found.readers), str(found.writers), found.text)) + "\n"


def for_map(index: Index, structs: List[str], entries: str) -> str:
    """The path of an open file of classes, of every struct, union and typedef of such a name; entries: as of inferred()."""
    plain = [name.split()[-1] for name in structs]
    names = [kind + name for name in plain for kind in ("struct ", "union ", "")]
    return engine.file_of(lines_of(index, f"IN (SELECT id FROM name WHERE name IN ({marks(names)}))", names, entries))


def kept(tree: Tree) -> Optional[str]:
    """The file of the classes of a whole index, beside it; written anew when it is older than the index or the engine. None: no index."""
    path = index_file(tree)
    with trouble_said(path):
        index = reader(tree)
        if not index:
            return None
        classes = f"{path[:-len('.db')]}.classes"
        sources = filter(os.path.exists, (path, f"{path}-wal", engine.program("cacheline-index")))
        if not os.path.exists(classes) or os.stat(classes).st_mtime_ns <= max(os.stat(source).st_mtime_ns for source in sources):
            with open(f"{classes}.{os.getpid()}", "w", encoding="utf-8", errors="backslashreplace") as file:
                file.writelines(lines_of(index))
            os.replace(file.name, classes)
        return classes

# SPDX-License-Identifier: GPL-2.0-only
"""What the index knows of files: whose structs embed one, who uses one, which units read a header.

It knows what was built and read. The rest of a tree, and what has changed since, is left to a search by text.
"""

from __future__ import annotations

import os
from array import array
from typing import Collection, Dict, List, NamedTuple, Optional, Set

from lk import where
from lk.index_db import Index, marks, reader, trouble_said
from lk.tree import Tree

MANY_CHANGED = 200      # files since the index was made: another state of the tree
ENDED = ("built-in.a", "modules.order")     # kbuild has compiled all of a folder that the configuration asks for

# files, structs that were come upon on the way, files and folders about which the index says nothing
Known = NamedTuple("Known", [("files", List[str]), ("structs", Set[str]), ("rest", List[str])])


def tag(name: str) -> str:
    """inode, of "struct inode"; nothing of a type without a name."""
    return name.rpartition(" ")[2]


def below(path: str, folders: List[str]) -> bool:
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)


def whole(tree: Tree) -> Optional[Index]:
    """The index, if it has all that was built of the tree as it is, or nearly."""
    path = where.index_file(tree)
    if not os.path.exists(path):
        return None
    with trouble_said(path):
        index = reader(tree)
        return index if index and index.meta("all") == "yes" and len(index.changed) <= MANY_CHANGED else None


def unknown(index: Index, folders: List[str]) -> List[str]:
    """Those of the folders that were not built whole, and the files below the others that are not what they were. Headers of
    include/ are known through those who include them."""
    tree = index.tree
    built = [name for name in folders if below(name, where.public_folders(tree)) or
             any(os.path.exists(os.path.join(tree.root, name, mark)) for mark in ENDED)]
    changed = [path for path in index.changed if below(path, built) and os.path.isfile(os.path.join(tree.src, path))]
    return [name for name in folders if name not in built] + changed


def embedding(tree: Tree, structs: List[str], folders: List[str]) -> Known:
    """Files below the folders whose structs hold one of the structs by value, or hold one that does."""
    index = whole(tree)
    if not index:
        return Known([], set(), folders)
    holders: Dict[str, list] = {}
    for embedded, owner, path in index.sql.execute(
            "SELECT DISTINCT m.embedded, n.name, p.path FROM member m JOIN record r ON r.id = m.record JOIN name n ON n.id = r.name "
            "JOIN part p ON p.id = r.part WHERE m.embedded != '' ORDER BY p.path, n.name"):
        holders.setdefault(tag(embedded.partition("@")[0]), []).append((tag(owner), path))
    files, known, names = [], set(map(tag, structs)), list(map(tag, structs))
    for name in names:                  # grows on the way
        for owner, path in holders.get(name, []):
            files.append(path)
            if owner and owner not in known:
                known.add(owner)
                names.append(owner)
    found = [path for path in dict.fromkeys(map(os.path.normpath, files)) if below(path, folders)]
    return Known(found, known, unknown(index, folders))


def using(tree: Tree, structs: List[str], folders: List[str]) -> Known:
    """Files below the folders with a function that touches a member of one of the structs, or that initialise or allocate one."""
    index = whole(tree)
    if not index:
        return Known([], set(), folders)
    ids = ids_of(index, structs)
    of = f"name IN ({marks(ids)})"
    rows = index.sql.execute(
        f"SELECT DISTINCT path FROM part WHERE id IN (SELECT f.part FROM access a JOIN function f ON f.id = a.function WHERE a.{of} "
        f"UNION SELECT part FROM initialiser WHERE {of} UNION SELECT part FROM object WHERE {of}) ORDER BY path", ids * 3)
    paths = dict.fromkeys(os.path.normpath(path) for path, in rows)
    return Known([path for path in paths if below(path, folders)], set(), unknown(index, folders))


def ids_of(index: Index, structs: Collection[str]) -> List[int]:
    """The rows of `name` with one of the names."""
    names = [kind + tag(name) for name in structs for kind in ("struct ", "union ", "")]
    return [number for number, in index.sql.execute(f"SELECT id FROM name WHERE name IN ({marks(names)})", names)]


def handing(tree: Tree, structs: Collection[str], primitives: Collection[str]) -> Optional[Set[str]]:
    """Files with a function that hands one of the structs, or a part of it, to one of the primitives; None: nobody knows of all files."""
    index = whole(tree)
    if not index or index.changed:
        return None
    ids = ids_of(index, structs)
    rows = index.sql.execute(f"SELECT DISTINCT p.path FROM access a JOIN function f ON f.id = a.function JOIN part p ON p.id = f.part "
                             f"WHERE a.name IN ({marks(ids)}) AND a.via IN ({marks(primitives)})", (*ids, *primitives))
    return {os.path.normpath(path) for path, in rows}


def reading(tree: Tree, headers: List[str], folders: List[str]) -> Known:
    """Files below the folders that stand in a unit with one of the headers."""
    index = whole(tree)
    if not index:
        return Known([], set(), folders)
    wanted = {number for number, in index.sql.execute(f"SELECT id FROM file WHERE path IN ({marks(headers)})", headers)}
    found: Set[int] = set()
    for files, in index.sql.execute("SELECT files FROM unit WHERE call IS NOT NULL"):
        numbers = set(array("I", files))
        found |= numbers if numbers & wanted else set()
    paths = [os.path.normpath(path) for number, path in index.sql.execute("SELECT id, path FROM file ORDER BY path") if number in found]
    return Known([path for path in paths if below(path, folders)], set(), unknown(index, folders))


def readers_of(tree: Tree, header: str) -> List[str]:
    """The .c files whose units read a header, those that read the fewest files first."""
    index = whole(tree)
    number = index and index.sql.execute("SELECT id FROM file WHERE path = ?", (header,)).fetchone()
    if not number:
        return []
    units = [(len(files), source) for source, files in index.sql.execute("SELECT source, files FROM unit WHERE call IS NOT NULL")
             if number[0] in array("I", files)]
    paths = [os.path.relpath(os.path.join(tree.root, source), tree.src) for _, source in sorted(units)]
    return [path for path in paths if os.path.isfile(os.path.join(tree.src, path))]

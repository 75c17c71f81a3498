# SPDX-License-Identifier: GPL-2.0-only
"""The index of a tree: one sqlite3 file in the cache folder; how its parts are stored, replaced and dropped.

What a unit gives is sorted by the file that it stands in, a *part* each. A header's part is the same in every unit that
preprocesses it alike, has the same hash, and is stored once; a unit is the list of its parts. docs/index.md has the tables.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from array import array
from functools import lru_cache
from pathlib import Path
from stat import S_ISREG
from typing import Collection, Dict, Iterable, Iterator, List, Optional, Set

from lk.errors import WrongUse
from lk.notes import note
from lk.tree import Tree
from lk.where import index_file

VERSION = 3         # of what stands below: a file of another version is begun anew
SCHEMA = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE file(id INTEGER PRIMARY KEY, path TEXT UNIQUE, mtime INTEGER, size INTEGER, hash BLOB);
CREATE TABLE unit(object TEXT PRIMARY KEY, source TEXT, call BLOB, files BLOB, parts BLOB, said TEXT) WITHOUT ROWID;
CREATE TABLE part(id INTEGER PRIMARY KEY, hash TEXT UNIQUE, path TEXT);
CREATE TABLE name(id INTEGER PRIMARY KEY, name TEXT, path TEXT, line INTEGER, UNIQUE(name, path, line));
CREATE TABLE record(id INTEGER PRIMARY KEY, part INTEGER, name INTEGER, size INTEGER, align INTEGER, flags TEXT);
CREATE TABLE member(record INTEGER, nr INTEGER, name TEXT, type TEXT, line INTEGER, offset INTEGER, size INTEGER, depth INTEGER,
	flags TEXT, embedded TEXT, class TEXT, class_from TEXT, groups TEXT, PRIMARY KEY(record, nr)) WITHOUT ROWID;
CREATE TABLE function(id INTEGER PRIMARY KEY, part INTEGER, name TEXT, line INTEGER, phase TEXT, own TEXT, calls TEXT);
CREATE TABLE access(function INTEGER, mode TEXT, via TEXT, line INTEGER, path TEXT, name INTEGER, often REAL);
CREATE TABLE uncalled(function INTEGER PRIMARY KEY);
CREATE TABLE handler(part INTEGER, row TEXT);
CREATE TABLE initialiser(part INTEGER, variable TEXT, line INTEGER, members INTEGER, name INTEGER);
CREATE TABLE object(part INTEGER, kind TEXT, variable TEXT, line INTEGER, align INTEGER, hwcache INTEGER, name INTEGER);
CREATE INDEX record_part ON record(part);
CREATE INDEX record_name ON record(name);
CREATE INDEX function_part ON function(part);
CREATE INDEX access_function ON access(function);
CREATE INDEX access_name ON access(name, path);
CREATE INDEX handler_part ON handler(part);
CREATE INDEX initialiser_part ON initialiser(part);
CREATE INDEX object_part ON object(part);
CREATE INDEX object_name ON object(name);
"""
MEMBER = f"INSERT INTO member VALUES({','.join('?' * 13)})"
ESCAPES = {"\\t": "\t", "\\n": "\n", "\\\\": "\\"}
RACY = 20_000_000       # nanoseconds: a file may change again without another time stamp


@contextlib.contextmanager
def trouble_said(path: str) -> Iterator[None]:
    """A full disk, a damaged file: one sentence instead of sqlite's exception."""
    try:
        yield
    except sqlite3.Error as err:
        raise WrongUse(f"{path}: {err} (the index can be deleted at any time)") from err


def marks(values: Collection) -> str:
    """As many question marks, for values of a query."""
    return ",".join("?" * len(values))


def text_of(fields: List[str]) -> List[str]:
    """The fields of a row without the engine's escapes."""
    import re
    return [re.sub(r"\\[tn\\]", lambda m: ESCAPES[m.group()], field) if "\\" in field else field for field in fields]


class Index:
    """An open index. Writers hold the lock of the command; readers need none."""

    def __init__(self, tree: Tree, path: str) -> None:
        self.tree, self.now = tree, time.time_ns()
        self.sql = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
        self.changed: List[str] = []        # of a reader: files that are not what they were
        self.names: Dict[tuple, int] = {}
        self.files: Dict[str, int] = {}
        self.parts: Dict[str, int] = {}

    def version(self) -> int:
        try:
            return self.sql.execute("PRAGMA user_version").fetchone()[0]
        except sqlite3.DatabaseError:
            return -1       # no database at all

    def create(self) -> None:
        """The tables, in one transaction with their version."""
        self.sql.executescript(f"PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; BEGIN; {SCHEMA} PRAGMA user_version={VERSION}; COMMIT;")
        self.set_meta("tree", self.tree.root)
        self.set_meta("source", self.tree.src)

    def meta(self, key: str) -> Optional[str]:
        row = self.sql.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return row and row[0]

    def set_meta(self, key: str, value: str) -> None:
        self.sql.execute("INSERT OR REPLACE INTO meta VALUES(?, ?)", (key, value))

    # Files: what a unit was read from, and whether it still is as it was.

    def _stat(self, path: str) -> tuple:
        """(where it is, os.stat() of it), or two None."""
        for base in (self.tree.src, self.tree.root):        # an O= build's source comes without the way there
            full = os.path.join(base, path)
            try:
                return full, os.stat(full)
            except OSError:
                continue
        return None, None

    def _state(self, path: str) -> tuple:
        """(mtime, size, hash) of a file; no mtime when it may have changed while it was read, nothing when it is not there."""
        from hashlib import blake2b
        full, stat = self._stat(path)
        if not stat:
            return None, None, None
        digest = b""        # of a folder: sparse opens one when it looks for an #include of that name
        if S_ISREG(stat.st_mode):
            with open(full, "rb") as file:
                digest = blake2b(file.read(), digest_size=16).digest()
        return (stat.st_mtime_ns if stat.st_mtime_ns < self.now - RACY else None), stat.st_size, digest

    def touched(self) -> List[tuple]:
        """(id, path, new state, is it another?) of the files whose time or size is not what it was."""
        found = []
        for number, path, mtime, size, digest in self.sql.execute("SELECT id, path, mtime, size, hash FROM file"):
            _, stat = self._stat(path)
            if not stat or stat.st_mtime_ns != mtime or stat.st_size != size:
                state = self._state(path)
                found.append((number, path, state, mtime is None or state[2] is None or state[2] != digest))
        return found

    def forget_changed(self) -> None:
        """Units that read a file which is another now are to be read again. One transaction: a kill leaves all or nothing."""
        touched = self.touched()
        changed: Set[int] = {number for number, _, _, other in touched if other}
        if not touched:
            return
        self.sql.execute("BEGIN IMMEDIATE")
        self.sql.executemany("UPDATE file SET mtime = ?, size = ?, hash = ? WHERE id = ?",
                             [(*state, number) for number, _, state, _ in touched])
        stale = [(name,) for name, files in self.sql.execute("SELECT object, files FROM unit")
                 if not changed.isdisjoint(array("I", files))] if changed else []
        self.sql.executemany("UPDATE unit SET call = NULL WHERE object = ?", stale)
        self.sql.execute("COMMIT")

    def calls(self) -> Dict[str, Optional[bytes]]:
        """The call that each known object was read with; None: to be read again."""
        return dict(self.sql.execute("SELECT object, call FROM unit"))

    def stale(self) -> str:
        """Why it is not what the tree is now; "" when nothing is known against it."""
        self.changed = [path for _, path, _, other in self.touched() if other]
        if self.changed:
            return f"{len(self.changed)} files have changed since, {self.changed[0]} for one" if self.changed[1:] else \
                f"{self.changed[0]} has changed since"
        if self.meta("whole") != "yes":
            return "a run of it has not come to its end"
        unread = self.sql.execute("SELECT count(*) FROM unit WHERE call IS NULL").fetchone()[0]
        return f"{unread} object{'s are' if unread > 1 else ' is'} to be read again" if unread else ""

    # Writing. The caller begins and commits.

    def load(self) -> None:
        """What is there already, so that it is not stored twice."""
        self.files = dict(self.sql.execute("SELECT path, id FROM file"))
        self.parts = dict(self.sql.execute("SELECT hash, id FROM part"))
        self.names = {tuple(row[:3]): row[3] for row in self.sql.execute("SELECT name, path, line, id FROM name")}

    def _file(self, path: str) -> int:
        number = self.files.get(path)
        if number is None:
            number = self.sql.execute("INSERT INTO file(path, mtime, size, hash) VALUES(?, ?, ?, ?)",
                                      (path, *self._state(path))).lastrowid
            self.files[path] = number
        return number

    def _name(self, name: str, path: str, line: str) -> int:
        key = (name, path, int(line))
        number = self.names.get(key)
        if number is None:
            number = self.names[key] = self.sql.execute("INSERT INTO name(name, path, line) VALUES(?, ?, ?)", key).lastrowid
        return number

    def store(self, name: str, source: str, call: bytes, rows: List[str], said: str) -> None:
        """A unit's rows as the engine prints them, instead of what was known of it; none: to be read again next time."""
        files, parts, at = array("I"), array("I"), 0
        while at < len(rows):
            row = rows[at].split("\t")
            at += 1
            if row[0] == "depends":
                files.append(self._file(text_of(row)[1]))
            elif row[0] == "part":
                size = 0
                while at + size < len(rows) and not rows[at + size].startswith(("part\t", "depends\t")):
                    size += 1
                if row[1] not in self.parts:
                    self.parts[row[1]] = self._store_part(row[1], text_of(row)[2], rows[at:at + size])
                parts.append(self.parts[row[1]])
                at += size
        self.sql.execute("INSERT OR REPLACE INTO unit VALUES(?, ?, ?, ?, ?, ?)",
                         (name, source, call if files else None, files.tobytes(), parts.tobytes(), said))

    def _store_part(self, digest: str, path: str, rows: List[str]) -> int:
        sql = self.sql
        part = sql.execute("INSERT INTO part(hash, path) VALUES(?, ?)", (digest, path)).lastrowid
        owner, nr, functions = None, 0, []      # type: Optional[int], int, List[list]
        members, accesses, handlers = [], [], []
        number = sql.execute("SELECT coalesce(max(id), 0) FROM function").fetchone()[0]
        for row in rows:
            if row.startswith("call\t"):        # kept as the engine wants them back
                functions[-1][-1].append(row)
                continue
            kind, *field = text_of(row.split("\t"))
            if kind == "member":
                members.append((owner, nr, *field))
                nr += 1
            elif kind == "access":
                accesses.append((number, *field[:4], self._name(*field[4:7]), field[7]))
            elif kind == "record":
                owner, nr = sql.execute("INSERT INTO record(part, name, size, align, flags) VALUES(?, ?, ?, ?, ?)",
                                        (part, self._name(*field[:3]), *field[3:])).lastrowid, 0
            elif kind == "function":
                number += 1
                functions.append([number, part, *field, []])
            elif kind == "handler":
                handlers.append((part, row))
            elif kind == "initialiser":
                sql.execute("INSERT INTO initialiser VALUES(?, ?, ?, ?, ?)", (part, *field[:3], self._name(*field[3:])))
            elif kind == "object":
                sql.execute("INSERT INTO object VALUES(?, ?, ?, ?, ?, ?, ?)", (part, *field[:5], self._name(*field[5:])))
            else:
                raise ValueError(f"the engine printed a row of a kind that is not known here: {row}")
        sql.executemany(MEMBER, members)
        does = {access[0] for access in accesses}       # what does nothing, and calls nothing, says nothing
        sql.executemany("INSERT INTO function VALUES(?, ?, ?, ?, ?, ?, ?)", ((*row[:-1], "\n".join(row[-1])) for row in functions
                                                                             if row[-1] or row[0] in does))
        sql.executemany("INSERT INTO access VALUES(?, ?, ?, ?, ?, ?, ?)", accesses)
        sql.executemany("INSERT INTO handler VALUES(?, ?)", handlers)
        return part

    def drop(self, objects: Iterable[str]) -> None:
        self.sql.executemany("DELETE FROM unit WHERE object = ?", ((name,) for name in objects))

    def sweep(self) -> None:
        """Deletes the parts and files that no unit has any more."""
        used_parts, used_files = set(), set()
        for parts, files in self.sql.execute("SELECT parts, files FROM unit"):
            used_parts.update(array("I", parts))
            used_files.update(array("I", files))
        dead = [(number,) for number, in self.sql.execute("SELECT id FROM part") if number not in used_parts]
        for table, column, owned in (("member", "record", "record"), ("access", "function", "function")):
            self.sql.executemany(f"DELETE FROM {table} WHERE {column} IN (SELECT id FROM {owned} WHERE part = ?)", dead)
        for table in ("record", "function", "handler", "initialiser", "object"):
            self.sql.executemany(f"DELETE FROM {table} WHERE part = ?", dead)
        self.sql.executemany("DELETE FROM part WHERE id = ?", dead)
        self.sql.executemany("DELETE FROM file WHERE id = ?",
                             [(number,) for number, in self.sql.execute("SELECT id FROM file") if number not in used_files])

    def mark_uncalled(self) -> None:
        """Static functions of headers that no function calls and that nothing points to: they never run."""
        called = {row.split("\t")[2] for row, in self.sql.execute("SELECT DISTINCT row FROM handler")}
        for calls, in self.sql.execute("SELECT calls FROM function WHERE calls != ''"):
            called.update(row.split("\t", 2)[1] for row in calls.split("\n"))
        own = self.sql.execute("SELECT f.id, f.name FROM function f JOIN part p ON p.id = f.part WHERE f.own != '' AND p.path GLOB '*.h'").fetchall()
        self.sql.execute("DELETE FROM uncalled")
        self.sql.executemany("INSERT INTO uncalled VALUES(?)", ((number,) for number, name in own if name not in called))


@lru_cache(maxsize=None)
def reader(tree: Tree) -> Optional[Index]:
    """The index of a tree for questions, with a note when it is stale; None: there is none that can be read."""
    path = index_file(tree)
    if not os.path.exists(path):
        return None
    index = Index(tree, path)
    if index.version() != VERSION:
        return None
    why = index.stale()
    if why:
        note(f"the index is stale ({why}): run `linekeeper index`")
    return index


def no_index(tree: Tree) -> WrongUse:
    """That there is none; of another build of the same source there may be one."""
    found = []
    for path in Path(index_file(tree)).parent.glob("*.db"):
        with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as sql:
            about = dict(sql.execute("SELECT key, value FROM meta"))
            found += [about["tree"]] if about.get("source") == tree.src and about["tree"] != tree.root else []
    other = f", or ask that of another build of this source: --tree {sorted(found)[0]}" if found else ""
    return WrongUse(f"there is no index of {tree.root}: run `linekeeper index`{other}")

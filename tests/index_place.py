# SPDX-License-Identifier: GPL-2.0-only
"""For tests of linekeeper index: a tree with the cache folder of its index, and what is in the index."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

from tap import LINEKEEPER, linekeeper

# everything but row numbers, which depend on the order in which the engines ended, and what only saves time
DUMP = """
SELECT 'unit', object, source, said FROM unit;
SELECT 'file', path, size, hex(hash) FROM file;
SELECT 'part', path, hash FROM part;
SELECT 'record', p.hash, n.name, n.path, n.line, r.size, r.align, r.flags FROM record r, part p, name n
	WHERE p.id = r.part AND n.id = r.name;
SELECT 'member', p.hash, n.name, n.line, m.nr, m.name, m.type, m.line, m.offset, m.size, m.depth, m.flags, m.embedded, m.class,
	m.class_from, m.groups FROM member m, record r, part p, name n WHERE r.id = m.record AND p.id = r.part AND n.id = r.name;
SELECT 'access', p.hash, f.name, f.line, f.phase, a.mode, a.via, a.line, a.path, n.name, n.path, n.line, a.often
	FROM access a, function f, part p, name n WHERE f.id = a.function AND p.id = f.part AND n.id = a.name;
SELECT 'function', p.hash, f.name, f.line, f.own, f.calls FROM function f, part p WHERE p.id = f.part;
SELECT 'uncalled', p.hash, f.name FROM uncalled u, function f, part p WHERE f.id = u.function AND p.id = f.part;
SELECT 'handler', p.hash, h.row FROM handler h, part p WHERE p.id = h.part;
SELECT 'initialiser', p.hash, i.variable, i.line, i.members, n.name FROM initialiser i, part p, name n WHERE p.id = i.part AND n.id = i.name;
SELECT 'object', p.hash, o.kind, o.variable, o.line, o.align, o.hwcache, n.name FROM object o, part p, name n
	WHERE p.id = o.part AND n.id = o.name;
SELECT 'orphans', count(*) FROM member WHERE record NOT IN (SELECT id FROM record);
SELECT 'orphans', count(*) FROM access WHERE function NOT IN (SELECT id FROM function);
"""


def difference(one: list, other: list) -> str:
    return "\n".join(map(repr, sorted(set(one) ^ set(other), key=repr)[:10]))


class Place:
    """A tree and the cache folder of its index."""

    def __init__(self, tree: Path, cache: Path, *words: object) -> None:
        self.tree, self.cache, self.words = tree, cache, words      # words: of every `linekeeper index`

    def run(self, *words: object, command: str = "index") -> subprocess.CompletedProcess:
        return linekeeper(command, *words, *(self.words if command == "index" else ()), "--tree", self.tree,
                          XDG_CACHE_HOME=str(self.cache))

    def start(self) -> subprocess.Popen:
        words = [LINEKEEPER, "index", "--tree", self.tree, *self.words]
        return subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                env={**os.environ, "XDG_CACHE_HOME": str(self.cache)}, start_new_session=True)

    def database(self) -> Path:
        return next(self.cache.glob("linekeeper/index/*.db"))

    def dump(self) -> list:
        with sqlite3.connect(self.database()) as sql:
            return sorted((row for query in DUMP.split(";\n") if query.strip() for row in sql.execute(query)), key=repr)

    def forget(self) -> None:
        shutil.rmtree(self.cache / "linekeeper", ignore_errors=True)

    def fresh(self) -> list:
        """The dump of an index begun anew, of the tree as it is."""
        other = Place(self.tree, self.cache / "other", *self.words)
        other.forget()
        other.run()
        return other.dump()

    def killed(self, count: int, longest: float) -> int:
        """Runs that are killed after a random time of at most `longest` seconds, each goes on from the one before; how many were alive."""
        self.forget()
        chance, alive = random.Random(count), 0
        for _ in range(count):
            process = self.start()
            time.sleep(chance.uniform(0.03, longest))
            if process.poll() is None:
                alive += 1
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
        return alive

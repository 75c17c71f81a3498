# SPDX-License-Identifier: GPL-2.0-only
"""class-mix by evidence: members that many functions write, on a line with members that many only read.

For structs in which nothing is declared. Ranked, for those who look for work: a candidate, no finding.
"""

from __future__ import annotations

from lk.index_classes import inferred
from lk.index_db import Index, marks

CANDIDATES = """
CREATE TEMP TABLE class(name INTEGER, member TEXT, class TEXT, readers INTEGER, writers INTEGER);
CREATE TEMP TABLE place(at INTEGER);
CREATE TEMP VIEW plain AS SELECT max(id) AS id, name, align FROM record r
	WHERE NOT EXISTS (SELECT * FROM member WHERE record = r.id AND (class != '' OR groups != '')) GROUP BY name;
CREATE TEMP VIEW placed AS SELECT p.name, p.align, c.member, c.class, c.readers, c.writers, m.line, m.offset / 8 AS first,
	(m.offset + m.size - 1) / 8 AS last FROM class c JOIN plain p ON p.name = c.name JOIN member m ON m.record = p.id AND m.name = c.member
	WHERE m.size > 0;
"""
# both begin on one line, or one of them on a line that the other one ends on or reaches over, for each place at which an object can start
PAIRS = """
SELECT n.name, n.path, w.line, w.member, w.writers, r.member, r.readers, count(*), max(1, :size / w.align)
FROM placed w JOIN placed r ON r.name = w.name JOIN place p ON p.at % min(w.align, :size) = 0 JOIN name n ON n.id = w.name
WHERE w.class = 'written' AND r.class = 'read-mostly' AND (w.last < r.first OR r.last < w.first)
	AND (p.at + w.first) / :size <= (p.at + r.last) / :size AND (p.at + r.first) / :size <= (p.at + w.last) / :size
GROUP BY w.name, w.member, r.member
"""


def candidates(index: Index, ids: list, line_size: int) -> list:
    """(rank, struct, its file, line, written member, writers, [(readers, places, read member)...], places in all), the best first."""
    sql = index.sql
    sql.executescript(CANDIDATES)
    sql.executemany("INSERT INTO place VALUES(?)", ((at,) for at in range(line_size)))
    which = f"IN ({marks(ids)})" if ids else "IN (SELECT name FROM record)"
    sql.executemany("INSERT INTO class VALUES(?, ?, ?, ?, ?)", ((found.struct, found.member, found.class_, found.readers, found.writers)
                                                                for found in inferred(index, which, ids)))
    sql.execute("CREATE INDEX temp.class_name ON class(name)")
    written: dict = {}
    for struct, path, line, member, writers, other, readers, places, of in sql.execute(PAIRS, {"size": line_size}):
        written.setdefault((struct, path, line, member, writers, of), []).append((readers, places, other))
    ranked = [(sum(readers * places for readers, places, _ in reads) * key[4] // key[5], key, sorted(reads, reverse=True))
              for key, reads in written.items()]
    return sorted(ranked, key=lambda row: (-row[0], row[1]))


def show(index: Index, ids: list, line_size: int, limit: int) -> None:
    """One line a written member."""
    found = candidates(index, ids, line_size)
    if found:
        print("writers readers places  written member                              on a line with, most read first")
    for _, (struct, path, line, member, writers, of), reads in found[:limit]:
        places = max(places for _, places, _ in reads)
        names = ", ".join(name for _, _, name in reads[:4]) + (f" and {len(reads) - 4} more" if len(reads) > 4 else "")
        label = f"{struct.split()[-1]}.{member}"
        print(f"{writers:7} {max(readers for readers, _, _ in reads):7} {f'{places}/{of}':>6}  {label:42}  {names}  ({path}:{line})")

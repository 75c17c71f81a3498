# SPDX-License-Identifier: GPL-2.0-only
"""linekeeper index: a database of the whole tree: layouts, what embeds what, which function reads and writes which member.

It lies in the cache folder, the tree is not touched. A second run reads only what has changed.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import os
import signal
import sys
import time
from typing import Dict, Iterator, List

from lk import engine, index_units, where
from lk.index_db import VERSION, Index, no_index, trouble_said
from lk.tree import Tree, strip_options

EXAMPLES = """examples:
  linekeeper index --tree ~/linux               # of every object that was built there
  linekeeper index mm kernel/cgroup             # of these folders; the others stay as they are
  linekeeper index --compile-commands compile_commands.json
  linekeeper who page_counter.usage             # what it is good for
  make C=1 CHECK="cacheline-check --classes=$(linekeeper index --classes)"
"""
BATCH = 0.2         # seconds between two commits


def parse_arguments(argv: list) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="linekeeper index", description=__doc__.split(": ", 1)[1], epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", metavar="FOLDER", help="only objects below these (default: all)")
    parser.add_argument("--tree", default="", metavar="DIR", help="kernel tree (default: the one around the current folder)")
    parser.add_argument("-j", dest="jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="units read at once")
    parser.add_argument("--compile-commands", metavar="FILE", help="take the compiler calls from this file, not from the .cmd files")
    parser.add_argument("--classes", action="store_true",
                        help="instead: print the path of a file with the classes of all members, for cacheline-check --classes")
    return parser.parse_args(argv)


@contextlib.contextmanager
def locked(path: str) -> Iterator[None]:
    """Alone on the index; another run is waited for, and said."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(f"{path}.lock", "w", encoding="ascii") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("note: another `linekeeper index` of this tree is at work, waiting for it", file=sys.stderr, flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def open_index(tree: Tree, path: str) -> Index:
    """The index; begun anew when it is of another version."""
    index = Index(tree, path)
    if index.version() != VERSION:
        index.sql.close()
        for end in ("", "-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path + end)
        index = Index(tree, path)
        index.create()
    return index


class Scan:
    """The units that are to be read, several engines at once."""

    def __init__(self, index: Index, units: list, calls: dict) -> None:
        self.tree, self.index, self.units, self.calls = index.tree, index, units, calls
        self.program = engine.program("cacheline-index")
        self.strip = strip_options(index.tree)
        self.seen = -1
        self.nr_seen = -1
        self.begun = self.told = time.monotonic()

    def _publish(self) -> None:
        """The hashes of the parts that need not be printed again, for engines that start from now on."""
        if len(self.index.parts) * 100 < self.nr_seen * 105:
            return
        seen = os.memfd_create("seen", 0)
        with open(seen, "wb", closefd=False) as file:
            file.writelines(f"{digest}\n".encode() for digest in sorted(self.index.parts))
        if self.seen < 0:
            self.seen = seen
        else:
            os.dup2(seen, self.seen, inheritable=True)
            os.close(seen)
        self.nr_seen = len(self.index.parts)

    def _read(self, unit: index_units.Unit) -> tuple:
        """(unit, exit status, rows, what was said); runs in a thread."""
        import subprocess
        argv = [self.program, "--seen", f"/proc/self/fd/{self.seen}", *self.strip, "--", *unit.words(self.tree)]
        done = subprocess.run(argv, cwd=self.tree.root, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, close_fds=False, check=False)
        return unit, done.returncode, done.stdout, done.stderr.decode(errors="replace")

    def run(self, jobs: int) -> None:
        """Reads them all; what is stored is committed every now and then, whole units only."""
        from multiprocessing.pool import ThreadPool
        sql = self.index.sql
        sql.execute("BEGIN IMMEDIATE")
        self.index.set_meta("whole", "no")
        committed = time.monotonic()
        with ThreadPool(max(1, jobs)) as pool:
            self._publish()
            for number, (unit, status, out, said) in enumerate(pool.imap_unordered(self._read, self.units), 1):
                if status:      # 1 is an answer; anything else is worth another try next time
                    how = f"was ended by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"
                    said = f"{unit.source}: error: not in the index, cacheline-index {how}\n{said}"
                rows = out.decode(errors="backslashreplace").splitlines() if status in (0, 1) else []   # half a row is no answer
                self.index.store(unit.object, unit.source, self.calls[unit.object], rows, said)
                self._progress(number)
                if time.monotonic() - committed > BATCH:
                    sql.execute("COMMIT")
                    self._publish()
                    sql.execute("BEGIN IMMEDIATE")
                    committed = time.monotonic()
        sql.execute("COMMIT")

    def _progress(self, number: int) -> None:
        now = time.monotonic()
        if sys.stderr.isatty() and now - self.begun > 2 and (now - self.told > 0.2 or number == len(self.units)):
            print(f"\r{number} of {len(self.units)} files", end="\n" if number == len(self.units) else "", file=sys.stderr, flush=True)
            self.told = now


def call_hashes(tree: Tree, units: List[index_units.Unit]) -> Dict[str, bytes]:
    """What tells a call of the engine from others, by object: another engine may see other things."""
    import zlib
    from hashlib import blake2b
    with open(engine.program("cacheline-index"), "rb") as file:
        prefix = " ".join([str(zlib.crc32(file.read())), *tree.checkflags]).encode()
    return {unit.object: blake2b(prefix + unit.call.encode(), digest_size=16).digest() for unit in units}


def update(index: Index, units: List[index_units.Unit], wanted: Dict[str, bytes], folders: List[str], jobs: int) -> tuple:
    """(units read, units gone); the index is whole afterwards."""
    index.forget_changed()
    known = index.calls()
    gone = [name for name in known if name not in wanted and index_units.below(name, folders)]
    due = [unit for unit in units if known.get(unit.object) != wanted[unit.object]]
    if due or gone or index.meta("whole") != "yes":
        index.load()
        Scan(index, due, wanted).run(jobs)
        index.sql.execute("BEGIN IMMEDIATE")
        index.drop(gone)
        index.sweep()
        index.mark_uncalled()
        index.set_meta("whole", "yes")
        index.sql.execute("COMMIT")
    if folders == ["."] and index.meta("all") != "yes":
        index.set_meta("all", "yes")
    return len(due), len(gone)


def failures(index: Index, folders: List[str]) -> int:
    """Says of each unit that was not, or not wholly, understood why; how many they are."""
    failed = [said for name, said in index.sql.execute("SELECT object, said FROM unit WHERE said != '' ORDER BY object")
              if index_units.below(name, folders)]
    for said in failed:
        print("\n".join(said.splitlines()[:10]), file=sys.stderr)
    return len(failed)


def print_classes(tree: Tree) -> int:
    from lk import index_classes
    path = index_classes.kept(tree)
    if not path:
        raise no_index(tree)
    print(path)
    return 0


def main(argv: list) -> int:
    """0, or 1 when a unit did not parse: the others are in the index all the same."""
    args = parse_arguments(argv)
    tree = Tree(args.tree)
    if args.classes:
        return print_classes(tree)
    folders = [index_units.inside(tree, folder) for folder in args.folders] or ["."]
    units = index_units.find(tree, folders, args.compile_commands)
    wanted = call_hashes(tree, units)
    path = where.index_file(tree)
    with locked(path), trouble_said(path):
        index = open_index(tree, path)
        nr_read, nr_gone = update(index, units, wanted, folders, args.jobs)
        failed = failures(index, folders)
    print(f"{len(units)} object{'s'[:len(units) != 1]}: {nr_read} read, {nr_gone} gone, {failed} not understood; {path}")
    return 1 if failed else 0

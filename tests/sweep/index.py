#!/usr/bin/python3 -SE
# SPDX-License-Identifier: GPL-2.0-only
"""
linekeeper index on a whole kernel, as its own makefiles compile it.

whole     every object of the configuration: what does not parse, CPU, and the size of the database
semind    one object in so many: CPU of `linekeeper index` and of sparse's `semind add` on the same files
again     nothing changed: under 2 seconds; one .c touched, one .c changed: under 3 seconds
header    a header changed: what is read again leaves the database that an index begun anew has
killed    kill -9 at ten random moments of a run over some folders: the next run ends with the same database
evidence  who writes the seeds' members

Exit status 1 when something is not as it must be. Folders below --work are kept, and used again.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Callable, Iterator

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "scripts"), str(TOP / "tests"), str(Path(__file__).resolve().parent)]
sys.dont_write_bytecode = True

import units  # noqa: E402
from index_place import Place, difference  # noqa: E402
from ktree import Build  # noqa: E402
from lk import cache, index_units  # noqa: E402
from lk.tree import Tree  # noqa: E402
from tap import kernel  # noqa: E402

MIN_OBJECTS = 2500
KILLS, KILL_FOLDERS = 10, ("mm", "block", "kernel/cgroup")
CHANGED, HEADER = "mm/page_counter.c", "include/linux/page_counter.h"
AGAIN, ONE_FILE = 2.0, 3.0      # seconds
WRITERS = {"page_counter.usage": "page_counter_charge", "address_space.i_mmap_rwsem": "i_mmap_lock_write",
           "cgroup.rstat_css_list": "rebind_subsystems", "inode.i_state": "iput_final"}


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measured(call: Callable) -> tuple:
    """(what it returns, CPU seconds of its processes, wall seconds)"""
    used, begun = cpu(), time.monotonic()
    result = call()
    return result, cpu() - used, time.monotonic() - begun


def built(tree: Path, work: Path) -> Build:
    """An O= folder with the .cmd file of every object: make is told that CC is tests/sweep/units.py, which compiles nothing."""
    build = Build(tree, work, "x86_64")
    build.prepare()
    done = build.out / ".commands-complete"
    if not done.exists():
        try:
            units.make(build.src, build.out, "x86_64", f"CC={Path(units.__file__).resolve()} cc gcc", "all")
        except subprocess.CalledProcessError:
            pass        # nothing that could be linked
        done.touch()
    return build


@contextlib.contextmanager
def own_copy(file: Path) -> Iterator[Path]:
    """A file of the shadow tree, which is a link into the prepared tree, as a file that may be changed; a link again afterwards."""
    link = os.readlink(file)
    text = file.read_bytes()
    file.unlink()
    file.write_bytes(text)
    try:
        yield file
    finally:
        file.unlink()
        file.symlink_to(link)


class Sweep:
    """One kernel, its index, and what went wrong."""

    def __init__(self, build: Build, work: Path) -> None:
        self.build, self.work = build, work
        self.place = Place(build.out, work / "cache")
        self.wrong = 0

    def say(self, right: bool, text: str) -> None:
        self.wrong += not right
        print(f"{'' if right else 'WRONG: '}{text}", flush=True)

    def whole(self) -> None:
        self.place.forget()
        out, used, wall = measured(self.place.run)
        match = re.match(r"(\d+) objects: (\d+) read, 0 gone, (\d+) not understood", out.stdout)
        print(out.stderr, end="")
        self.say(bool(match) and int(match[1]) >= MIN_OBJECTS and match[1] == match[2], f"whole: {out.stdout.strip()}")
        self.say(True, f"whole: CPU {used:.0f} s, wall {wall:.0f} s, {self.place.database().stat().st_size >> 20} MiB")

    def semind(self, one_in: int) -> None:
        program = self.work / "sparse/semind"
        if not program.exists():
            shutil.copytree(cache.find("sparse"), program.parent)
            subprocess.run(["make", "-s", "CC=gcc", "HAVE_SQLITE=yes", "semind"], cwd=program.parent, check=True)
        tree = Tree(str(self.build.out))
        chosen = index_units.find(tree, ["."], None)[::one_in]
        calls = self.work / "chosen.json"
        calls.write_text(json.dumps([{"directory": tree.root, "file": unit.source, "command": unit.call} for unit in chosen]))
        ours = Place(self.build.out, self.work / "chosen-cache", "--compile-commands", calls)
        ours.forget()
        database = self.work / "semind.db"
        database.unlink(missing_ok=True)

        def theirs() -> None:
            for unit in chosen:
                subprocess.run([program, "-D", database, "add", "--", *unit.words(tree)], cwd=tree.root, check=False,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        out, used, _ = measured(ours.run)
        _, semind, _ = measured(theirs)
        self.say(f" {len(chosen)} read" in out.stdout and used <= semind,
                 f"semind: {len(chosen)} objects: CPU {used:.1f} s, semind add {semind:.1f} s, ratio {used / semind:.2f}")

    def again(self) -> None:
        with own_copy(self.build.src / CHANGED) as file:
            self._again(file, file.read_bytes())
        self.place.run()

    def _again(self, file: Path, text: bytes) -> None:
        self.place.run()
        for what, change, read, limit in (
                ("nothing changed", lambda: None, 0, AGAIN), ("one .c touched", lambda: os.utime(file), 0, ONE_FILE),
                ("one .c changed", lambda: file.write_bytes(text + b"int more_of_it;\n"), 1, ONE_FILE)):
            change()
            out, used, wall = measured(self.place.run)
            self.say(f": {read} read, 0 gone" in out.stdout and wall < limit,
                     f"again: {what}: {wall:.2f} s, CPU {used:.2f} s, limit {limit:.0f} s ({out.stdout.split(';')[0].strip()})")

    def killed(self) -> None:
        place = Place(self.build.out, self.work / "killed-cache", *KILL_FOLDERS)
        place.forget()
        _, _, wall = measured(place.run)
        wanted = place.dump()
        alive = place.killed(KILLS, wall / 8)
        out = place.run()
        dump = place.dump()
        self.say(alive == KILLS and dump == wanted, f"killed: {alive} runs of at most {wall / 8:.1f} s, then {out.stdout.split(';')[0].strip()}: "
                 f"{'the same' if dump == wanted else 'another'} database of {len(dump)} rows")
        if dump != wanted:
            print(difference(dump, wanted))

    def header(self) -> None:
        place = Place(self.build.out, self.work / "header-cache", *KILL_FOLDERS)
        place.forget()
        place.run()
        with own_copy(self.build.src / HEADER) as file:
            text = file.read_text()
            file.write_text(text.replace("unsigned long failcnt;", "unsigned long failcnt;\n\tlong more_of_it;"))
            out = place.run()
            dump, fresh = place.dump(), place.fresh()
        self.say(dump == fresh, f"header: {HEADER} changed: {out.stdout.split(';')[0].strip()}: {'as' if dump == fresh else 'not as'} begun anew, "
                 f"{len(dump)} rows")

    def evidence(self) -> None:
        for member, writer in WRITERS.items():
            out = self.place.run(member, command="who")
            writes = [line for line in out.stdout.splitlines() if "writes" in line.split("  ")[1]]
            self.say(not out.returncode and any(f": {writer}  " in line for line in writes),
                     f"evidence: {member}: {len(out.stdout.splitlines())} lines, {len(writes)} that write")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help="default: all")
    parser.add_argument("--work", type=Path, default=cache.folder() / "index-sweep")
    parser.add_argument("--one-in", type=int, default=10, metavar="N", help="of semind: one object in N")
    args = parser.parse_args()
    tree = kernel("6.1")
    if not tree:
        print("SKIP: no kernel 6.1")
        return os.environ.get("REQUIRE") == "all"
    args.work.mkdir(parents=True, exist_ok=True)
    sweep = Sweep(built(tree, args.work), args.work)
    for part in args.parts or ("whole", "again", "semind", "header", "killed", "evidence"):
        if part == "semind":
            sweep.semind(args.one_in)
        else:
            getattr(sweep, part)()
    return 1 if sweep.wrong else 0


if __name__ == "__main__":
    sys.exit(main())

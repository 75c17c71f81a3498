#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""linekeeper index: what it reads again and what it keeps, whatever stops it; linekeeper who: on a small tree and on real units."""

import contextlib
import fcntl
import json
import os
import pty
import re
import shlex
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path[:0] = ["tests"]
from index_place import Place, difference  # noqa: E402
from tap import LINEKEEPER, check, compiler_call, done, kernel, linekeeper, run, scratch_of, skip, small_tree  # noqa: E402

EXPECTED_WHO = """\
mm/page_counter.c:{charge}: charge_one  reads,writes  (via atomic_long_add, atomic_long_add_return)
mm/page_counter.c:{uncharge}: uncharge_up_to  reads,writes  (via atomic_long_sub_return)
"""
PARTED = """
struct parted { long hits, limit, each; };
void parted_walk(void (*each)(struct parted *));
static inline void parted_hit(struct parted *p) { if (p->limit) p->hits = 1; }
static inline void parted_raise(struct parted *p) { p->limit = 2; }
static inline void parted_each(struct parted *p) { p->each = 3; }
struct PART { int x; };
"""
REAL_UNITS = ["mm/page_counter.c", "mm/memcontrol.c", "mm/filemap.c", "fs/inode.c", "kernel/cgroup/rstat.c"]


def show(out: subprocess.CompletedProcess) -> str:
    return f"status {out.returncode}\n{out.stdout}{out.stderr}"


def build(tree: Path) -> None:
    run("make", "-s", "-j2", "all", cwd=tree, MAKEFLAGS="")


def line_of(path: Path, text: str) -> int:
    return next(number for number, line in enumerate(path.read_text().splitlines(), 1) if text in line)


def expect(place: Place, said: str, what: str, status: int = 0, words: tuple = ()) -> None:
    """One run says how much it read, and leaves what an index begun anew would be."""
    out = place.run(*words)
    check(out.returncode == status and said in out.stdout, f"{what}: {said}", show(out))
    one, other = place.dump(), place.fresh()
    check(one == other, f"{what}: as begun anew", difference(one, other))


def test_who(place: Place) -> None:
    counter = place.tree / "mm/page_counter.c"
    out = place.run("page_counter.usage", command="who")
    wanted = EXPECTED_WHO.format(charge=line_of(counter, "atomic_long_add_return(nr_pages, &level->usage)"),
                                 uncharge=line_of(counter, "atomic_long_sub_return(nr_pages, &level->usage)"))
    check(out.returncode == 0 and all(line in out.stdout.splitlines() for line in wanted.splitlines()) and not out.stderr,
          "who: the writers of page_counter.usage", show(out) + wanted)
    rows = json.loads(place.run("page_counter.usage", "--format", "json", command="who").stdout)
    check(any(row["function"] == "charge_one" and row["does"] == "reads,writes" for row in rows), "who: as JSON", rows)
    for words, why in ((["nobody.usage"], "defines a struct or union 'nobody'"), (["page_counter.nothing"], "has no member 'nothing'")):
        out = place.run(*words, command="who")
        check(out.returncode == 1 and why in out.stderr and not out.stdout, f"who: {why}", show(out))
    for words in (["page_counter"], ["page_counter.usage", "page_counter.max"]):
        out = place.run(*words, command="who")
        check(out.returncode == 2 and "give one STRUCT.FIELD" in out.stderr, f"who {' '.join(words)}: wrong use", show(out))


def test_path(place: Place) -> None:
    """--from: what a path comes by, how often, and the class there."""
    def lines(*words: object) -> list:
        return place.run("page_counter.usage", *words, command="who").stdout.splitlines()

    charged = lines("--from", "page_counter_try_charge")
    check(len(charged) == 2 and all(re.search(r": (charge_one|uncharge_up_to)  reads,writes  100 %  ", line) for line in charged),
          "who --from: all that the path comes by", charged)
    of_min = [re.findall(r": (\w+)  reads  (\S+) %", line)[0] for line in place.run("page_counter.parent", "--from", "charge_one", command="who").stdout.splitlines()]
    check([name for name, _ in of_min] == ["report_protection"] and 0 < float(of_min[0][1]) < 100, "who --from: how often", of_min)
    freed = lines("--from", "page_counter_uncharge")
    check(len(freed) == 1 and ": uncharge_up_to  reads,writes  100 %" in freed[0], "who --from: nothing else", freed)
    check(len(charged) < len(lines()), "who: all code without it", charged)
    out = place.run("page_counter.usage", "--from", "nobody", command="who")
    check(out.returncode == 1 and "no function 'nobody' in the index" in out.stderr and not out.stdout, "who --from: no such function", show(out))
    out = place.run("page_counter.failcnt", "--from", "page_counter_uncharge", command="who")
    check(out.returncode == 0 and "no function on the path" in out.stderr, "who --from: a path that does not touch it", show(out))
    check(place.run("--mixed", "--from", "page_counter_uncharge", command="who").returncode == 2, "who --mixed knows no path")
    out = place.run("page_counter", "--from", "page_counter_uncharge", command="map")
    rows = {name: line for line in out.stdout.splitlines() for name in ("usage", "parent", "failcnt") if re.search(rf"\b{name}\b", line)}
    check(re.search("written +on the path, 1 writer", rows["usage"]) and re.search("read-mostly +on the path, 2 readers", rows["parent"])
          and re.search("written +inferred", rows["failcnt"]), "map --from: the class on the path, of all code where it does not come by", show(out))
    out = linekeeper("map", "page_counter", "--from", "page_counter_uncharge", "--tree", place.tree, XDG_CACHE_HOME=str(place.cache / "none"))
    check(out.returncode == 1 and "run `linekeeper index`" in out.stderr, "map --from: needs an index", show(out))


def test_map(place: Place) -> None:
    """The class of a member where none is declared, in text and JSON; a declared one wins."""
    out = place.run("page_counter", command="map")
    lines = {line.split("  class")[0].split()[-1]: line for line in out.stdout.splitlines()}
    usage = next((line for line in out.stdout.splitlines() if " usage " in line), "")
    check(re.search(r"usage  +written  +inferred, .*\b2 writers", usage) is not None, "map: the class of usage, and where from", show(out))
    record = json.loads(place.run("net_device", "--format", "json", command="map").stdout)[0]
    froms = {member["class_from"] for member in record["members"] if member["groups"]}
    check(froms == {"group"}, "map: a declared class wins", froms)
    out = linekeeper("map", "page_counter", "--tree", place.tree, XDG_CACHE_HOME=str(place.cache / "none"))
    check("inferred" not in out.stdout, "map: without an index nothing is inferred", show(out))


def test_mixed(place: Place) -> None:
    """Candidates, ranked; a struct that declares something is left out."""
    lines = place.run("--mixed", command="who").stdout.splitlines()
    check(len(lines) > 5 and re.match(r"include/linux/page_counter.h:\d+: 'usage' of struct page_counter is written \(inferred, .*\b2 writers.*\), but shares "
                                      r"a 64-byte line with the read-mostly 'parent' \(inferred, 3 readers.*\) and 4 more, at 3 of 8 placements", lines[0]),
          "who --mixed: usage comes first, for two functions write it beside what is read", lines)
    check(not any("net_device" in line for line in lines), "who --mixed: a struct that declares something is left out", lines)
    of_one = place.run("--mixed", "page_counter", command="who").stdout.splitlines()
    check(of_one == [line for line in lines if "struct page_counter" in line] and len(of_one) < len(lines), "who --mixed STRUCT: of this one only", of_one)
    out = place.run("--mixed", "--limit", "1", "--line-size", "16", command="who")
    check(out.stdout.count("\n") == 1 and "a 16-byte line" in out.stdout, "who --mixed --limit --line-size", show(out))
    check(place.run("--mixed", "--line-size", "48", command="who").returncode == 2, "who --mixed: no line has 48 bytes")
    found = linekeeper("check", "--only=class-mix", "mm/page_counter.c", "--tree", place.tree, XDG_CACHE_HOME=str(place.cache))
    check(set(re.findall("'.*(?= \\[-Wcacheline-class-mix)", found.stderr)) == {line.split(": ", 1)[1] for line in of_one if "include/" in line},
          "check --only=class-mix: the same", show(found))
    found = linekeeper("check", "mm/page_counter.c", "--tree", place.tree, XDG_CACHE_HOME=str(place.cache))
    check(not found.stderr, "check: not without --only", show(found))


def test_parts(folder: Path) -> None:
    """A function of a header that each unit preprocesses in its own way is one function; one that nothing calls does not count."""
    folder.mkdir()
    place = Place(small_tree(folder), folder / "cache")
    (place.tree / "include/linux/parted.h").write_text(PARTED)
    for number in range(4):
        (place.tree / f"mm/part{number}.c").write_text(f"#define PART part{number}\n#include <linux/parted.h>\n"
                                                      f"void use{number}(struct parted *p);\nvoid use{number}(struct parted *p) {{ parted_hit(p); parted_walk(parted_each); }}\n")
    build(place.tree)
    place.run()
    with sqlite3.connect(place.database()) as sql:
        parts = sql.execute("SELECT count(*) FROM function WHERE name = 'parted_hit'").fetchone()[0]
    check(parts == 4, "a header in four parts", parts)
    for words in ((), ("--from", "use3")):
        out = place.run("parted", *words, command="map")
        check(re.search(r" hits +written +\S.*, 1 writer\n", out.stdout) is not None and re.search(r" limit +read-mostly +\S.*, 1 reader\n", out.stdout) is not None,
              f"map {' '.join(words)}: its function is one", show(out))
        check(re.search(r" each +written +", out.stdout) is not None, "one that is handed on by address runs", show(out))
    out = place.run("parted.limit", command="who")
    check(all(line.endswith("parted_raise  writes  [not called]") == ("raise" in line) for line in out.stdout.splitlines()) and "raise" in out.stdout,
          "who: one that nothing calls", show(out))
    out = place.run("--mixed", "parted", command="who")
    check("'hits' of struct parted is written (inferred, 1 writer)" in out.stdout, "who --mixed: its function is one", show(out))


def readers_of_max(place: Place) -> int:
    """As the file of classes has it."""
    path = place.run("--classes").stdout.strip()
    return next(int(line.split("\t")[4]) for line in Path(path).read_text().splitlines()
                if line.startswith("struct page_counter\tinclude/linux/page_counter.h\tmax\t"))


def test_incremental(place: Place) -> None:
    tree = place.tree
    counter, header = tree / "mm/page_counter.c", tree / "include/linux/page_counter.h"
    count = len(list(tree.rglob(".*.o.cmd")))
    out = place.run("page_counter.usage", command="who")
    check(out.returncode == 2 and "run `linekeeper index`" in out.stderr, "who without an index says what to do", show(out))
    check(place.run("--classes").returncode == 2, "--classes without an index is wrong use")
    before = sorted(tree.rglob("*"))
    expect(place, f"{count} objects: {count} read, 0 gone, 0 not understood", "the first run")
    check(sorted(tree.rglob("*")) == before, "the tree is not touched")
    expect(place, ": 0 read, 0 gone", "nothing changed")
    test_who(place)
    test_path(place)
    test_map(place)
    test_mixed(place)
    readers = readers_of_max(place)
    os.utime(counter)
    out = place.run("page_counter.max", command="who")
    check(out.returncode == 0 and not out.stderr, "who: a touched file does not make the index stale", show(out))
    expect(place, ": 0 read", "touched, and the same as before")
    counter.write_text(counter.read_text() + "long peek(struct page_counter *c) { return c->max; }\n")
    out = place.run("page_counter.max", command="who")
    check("note: the index is stale (mm/page_counter.c has changed since)" in out.stderr and "peek" not in out.stdout,
          "who: says that the index is stale", show(out))
    out = place.run("page_counter", command="map")
    check(out.returncode == 0 and "note: the index is stale" in out.stderr and "inferred" in out.stdout, "map: says it too", show(out))
    expect(place, ": 1 read", "one .c changed")
    check("peek  reads" in place.run("page_counter.max", command="who").stdout, "who: shows the new function")
    check(readers_of_max(place) == readers + 1, "--classes: so does the file of classes", readers_of_max(place))
    header.write_text(header.read_text().replace("unsigned long failcnt;", "unsigned long failcnt;\n\tlong added;"))
    place.run("fs")
    out = place.run("page_counter.max", command="who")
    check("objects are to be read again" in out.stderr, "who: a folder alone was brought up to date", show(out))
    readers = sum("page_counter.h" in path.read_text() for path in tree.rglob(".*.o.d"))
    readers -= sum("page_counter.h" in path.read_text() for path in (tree / "fs").rglob(".*.o.d"))
    expect(place, f": {readers} read", "a header changed: who includes it")
    (tree / "fs/.inode.o.cmd").unlink()
    expect(place, ": 0 read, 1 gone", "an object is gone")
    build(tree)
    (tree / "mm/.page_counter.o.cmd").write_text((tree / "mm/.page_counter.o.cmd").read_text().replace("-O2", "-O2 -DEXTRA"))
    (tree / "fs/inode.o").unlink()
    build(tree)
    out = place.run("fs")
    check("1 objects" not in out.stdout and ": 1 read" in out.stdout, "a folder: only its objects", show(out))
    out = place.run("../../etc")
    check(out.returncode == 2 and "is not in" in out.stderr, "a folder elsewhere is refused", show(out))
    expect(place, ": 1 read, 0 gone", "other flags")


def test_broken(place: Place) -> None:
    counter = place.tree / "mm/page_counter.c"
    good = counter.read_text()
    counter.write_text(good + "int broken( { \n")
    for what, said in (("a file that does not parse", ": 1 read, 0 gone, 1 not understood"), ("and again", ": 0 read, 0 gone, 1 not")):
        out = place.run()
        check(out.returncode == 1 and said in out.stdout and "mm/page_counter.c" in out.stderr and "error:" in out.stderr,
              f"{what}: said, exit status 1", show(out))
    out = place.run("mem_cgroup.memory", command="who")
    check(out.returncode == 0, "the others are in the index", show(out))
    counter.write_text(good)
    expect(place, ": 1 read, 0 gone, 0 not understood", "mended")


def test_unreadable(place: Place) -> None:
    """What brings the parser down, what includes a file that is not there: said, tried again each time, the others go on."""
    call = (place.tree / "mm/.mmap.o.cmd").read_text()
    texts = {"deep": "struct abyss {" + " struct {" * 60000 + " int x; " + "};" * 60000 + "};\n", "lost": '#include "nowhere.h"\n'}
    for name, text in texts.items():
        (place.tree / f"mm/{name}.c").write_text(text)
        (place.tree / f"mm/.{name}.o.cmd").write_text(call.replace("mm/mmap.", f"mm/{name}."))
    for count in (2, 2):
        out = place.run()
        check(out.returncode == 1 and f": {count} read, 0 gone, 2 not" in out.stdout and "mm/deep.c: error: not in the index, cacheline-index was ended by SIG"
              in out.stderr and "nowhere.h" in out.stderr, "what cannot be read is said each time", show(out)[:600])
    (place.tree / "mm/nowhere.h").write_text("struct here { int x; };\n")
    (place.tree / "mm/.deep.o.cmd").unlink()
    (place.tree / "mm/folder.c").write_text("#include <linux>\n")      # no error for sparse
    (place.tree / "mm/.folder.o.cmd").write_text(call.replace("mm/mmap.", "mm/folder."))
    expect(place, ": 2 read, 1 gone, 0 not understood", "readable at last, and an #include of a folder")
    for name in ("lost", "folder"):
        (place.tree / f"mm/.{name}.o.cmd").unlink()
    odd = os.fsencode(place.tree) + b"/mm/.odd\xff.o.cmd"
    with open(odd, "wb") as file:
        file.write(call.encode().replace(b"mm/mmap.", b"mm/odd\xff."))
    os.mkfifo(place.tree / "mm/.pipe.o.cmd")
    (place.tree / "mm/.empty.o.cmd").touch()
    out = place.run()
    check(out.returncode == 1 and ": 1 read, 2 gone, 1 not" in out.stdout and "mm/odd\\xff.c: error:" in out.stderr,
          "a name that is no UTF-8, a pipe and an empty file", show(out))
    os.unlink(odd)
    (place.tree / "mm/.pipe.o.cmd").unlink()
    (place.tree / "mm/.empty.o.cmd").unlink()
    place.run()


def test_commands(place: Place) -> None:
    """compile_commands.json, and what it may not name."""
    calls = []
    for cmd in sorted(place.tree.rglob(".*.o.cmd")):
        call = cmd.read_text().splitlines()[0].split(":= ", 1)[1]
        calls.append({"directory": str(place.tree), "file": call.split()[-1], "command": call})
    arguments = [{**call, "arguments": shlex.split(call["command"])} for call in calls]
    for call in arguments:
        del call["command"]
    file = place.cache / "compile_commands.json"
    for what, content in (("command", calls), ("arguments", arguments)):
        file.write_text(json.dumps(content))
        expect(place, f"{len(calls)} objects: 0 read" if what == "command" else f"{len(calls)} objects: ", f"compile_commands.json with '{what}'", words=("--compile-commands", file))
    for content, status, why in (([{**calls[0], "directory": "/"}], 2, "is of a build in /"), ({"a": 1}, 2, "is no compile_commands"),
                                 ([], 2, "has no object there"), ([{**calls[0], "command": "gcc \udcff"}], 2, "has no object there"), ("{", 2, "is no compile_commands"),
                                 ([{**calls[0], "command": "gcc -D__KERNEL__ -c -o x.o ../../../etc/x.c"}], 2, "has no object there")):
        file.write_text(content if isinstance(content, str) else json.dumps(content))
        out = place.run("--compile-commands", file)
        check(out.returncode == status and why in out.stderr, f"compile_commands.json: {why}", show(out))


def test_killed(place: Place, count: int, longest: float, what: str) -> None:
    """kill -9 at any moment; each next run goes on from there."""
    wanted = place.fresh()
    killed = place.killed(count, longest)
    out = place.run()
    check(killed and out.returncode == 0 and place.dump() == wanted, f"{what}: killed {count} times, the same in the end",
          f"{killed} killed\n{show(out)}\n{difference(place.dump(), wanted)}")


def test_two_at_once(place: Place) -> None:
    place.forget()
    runs = [place.start(), place.start()]
    said = sorted((process.communicate()[0].decode(), process.returncode) for process in runs)
    check([status for _, status in said] == [0, 0] and sum(": 0 read" in text for text, _ in said) == 1,
          "two at once: one reads, the other waits and finds it done", said)
    with open(f"{place.database()}.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        waiting = place.start()
        note = waiting.stdout.readline().decode()
    said = waiting.communicate()[0].decode()
    check("another `linekeeper index`" in note and waiting.returncode == 0 and ": 0 read" in said, "two at once: the wait is said", note + said)
    check(place.dump() == place.fresh(), "two at once: as begun anew")


def test_progress(place: Place) -> None:
    """On a terminal, when it takes longer than two seconds: the engine waits before it begins."""
    real = Path(os.environ.get("BUILD") or "build").resolve() / "cacheline-index"
    slow = place.cache / "slow" / real.name
    slow.parent.mkdir()
    slow.write_text(f'#!/bin/sh\nsleep 0.7\nexec "{real}" "$@"\n')
    slow.chmod(0o755)
    place.forget()
    said = []
    for _ in range(2):
        master, terminal = pty.openpty()
        out = subprocess.run([LINEKEEPER, "index", "-j", "1", "--tree", place.tree], stdout=subprocess.PIPE, stderr=terminal, text=True, check=False,
                             env={**os.environ, "XDG_CACHE_HOME": str(place.cache), "BUILD": str(slow.parent)})
        os.close(terminal)
        progress = b""
        with contextlib.suppress(OSError):      # EIO is the end
            while True:
                progress += os.read(master, 4096)
        os.close(master)
        said.append(progress.decode() + out.stdout)
    counts = [int(count) for count in re.findall(r"\r(\d+) of 8 files", said[0])]
    check(len(counts) > 2 and counts == sorted(set(counts)) and "8 of 8 files\r\n" in said[0] and "8 objects: 8 read" in said[0],
          "progress on a terminal", repr(said[0]))
    check(said[1].startswith("8 objects: 0 read"), "where nothing is read, none", repr(said[1]))


def test_damaged(place: Place) -> None:
    """An index that is none, or no longer one."""
    database = place.database()
    for path in database.parent.glob("*.db-*"):
        path.unlink()
    whole = database.read_bytes()
    database.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    for words, command in ((["page_counter.usage"], "who"), (["page_counter"], "map"), ([], "index")):
        out = place.run(*words, command=command)
        check(out.returncode == 2 and "can be deleted" in out.stderr and "Traceback" not in out.stderr,
              f"{command}: a damaged index is said", show(out))
    database.write_bytes(b"no database " * 1000)
    out = place.run("page_counter.usage", command="who")
    check(out.returncode == 2 and "run `linekeeper index`" in out.stderr, "who: a file that is no index", show(out))
    expect(place, ": 8 read", "begun anew in the place of what is no index")


def test_kernel(folder: Path) -> None:
    tree = scratch_of(kernel("6.1"), folder / "kernel")
    calls = [{"directory": str(tree), "file": unit, "arguments": [*compiler_call(tree, unit, unit[:-1] + "o")[:-4],
                                                                  "-c", "-o", unit[:-1] + "o", unit]} for unit in REAL_UNITS]
    file = folder / "kernel.json"
    file.write_text(json.dumps(calls))
    place = Place(tree, folder / "kernel-cache", "--compile-commands", file)
    out = place.run()
    check(out.returncode == 0 and "5 objects: 5 read" in out.stdout, "6.1: five units", show(out))
    for member, wanted in (("page_counter.usage", [("page_counter_charge", "writes"), ("page_counter_cancel", "writes"),
                                                   ("page_counter_read", "reads")]),
                           ("page_counter.parent", [("page_counter_charge", "reads")]),
                           ("inode.i_state", [("inode_lru_isolate", "reads"), ("iput_final", "writes")])):
        out = place.run(member, command="who")
        found = [line.split("  ")[:2] for line in out.stdout.splitlines()]
        check(out.returncode == 0 and all(any(head.endswith(f": {name}") and does in what.split(",") for head, what, *_ in found)
                                          for name, does in wanted), f"6.1: who {member}", show(out))
    test_killed(place, 3, 1.5, "6.1")


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        tree = small_tree(Path(name))
        place = Place(tree, Path(name, "cache"))
        out = place.run()
        check(out.returncode == 2 and "no .cmd file" in out.stderr, "a tree that was never built is refused", show(out))
        build(tree)
        test_incremental(place)
        test_parts(Path(name, "parted"))
        test_broken(place)
        test_unreadable(place)
        test_commands(place)
        test_killed(place, 6, 0.3, "a small tree")
        test_two_at_once(place)
        test_progress(place)
        test_damaged(place)
        if kernel("6.1"):
            test_kernel(Path(name))
        else:
            skip("index of real units", "no kernel 6.1")
    return done()


sys.exit(main())

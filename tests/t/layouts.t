#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Layouts against DWARF: the parser of pahole's text and the comparison on small files, then a few objects of the real
kernels. All objects: make check-layouts.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import List

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests"), str(TOP / "tests/sweep")]
sys.dont_write_bytecode = True

import compare  # noqa: E402
import ours  # noqa: E402
import pahole  # noqa: E402
from tap import check, done, kernel, run, skip  # noqa: E402

PROGRAM = Path(os.environ.get("BUILD", TOP / "build")) / "cacheline-map"
FLAGS = ["-g", "-fno-eliminate-unused-debug-types"]

SOURCE = """\
typedef struct { int counter; } count_t;
typedef union { int a; long b; } __attribute__((aligned(16))) either_t;
typedef unsigned int __attribute__((vector_size(16))) vector_t;
#pragma pack(push, 1)
struct table { char kind; int length; struct { short a:5; char b; } part; };
#pragma pack(pop)
enum small { SMALL_A, SMALL_B = 200 } __attribute__((packed));
enum byte { BYTE_A, BYTE_B } __attribute__((mode(byte)));
struct inner { char c; long l; } __attribute__((packed, aligned(4)));
struct __attribute__((packed)) before_tag { char c; int i; };
struct outer {
	enum small s; enum byte b; short h;
	struct inner i;
	void (*hook[3])(int, char *);
	int (*constructor)(void);
	const struct { int nobody; } const_part;
	struct { int deep; union { char x; int y; }; } named[2];
	struct { int pointee; } *pointer;
	unsigned bits:4; unsigned short more:5; _Bool flag:1;
	count_t count; either_t either; vector_t vector; float direct[2] __attribute__((vector_size(8)));
	char end[];
};
int first(void) { struct local { char c; int i; } l = { 0 }; return l.i; }
long second(void) { struct local { long c; char i; } l = { 0 }; return l.c; }
"""


def result_of(folder: Path, abi: str = "x86-64", program: Path = PROGRAM) -> compare.Result:
    """SOURCE by gcc and pahole, and by cacheline-map"""
    source, obj = folder / "small.c", folder / "small.o"
    source.write_text(SOURCE, encoding="ascii")
    command = [shutil.which("gcc") or "gcc", *FLAGS, "-c", "-o", str(obj), str(source)]
    subprocess.run(command, check=True)
    dwarf = pahole.structs_of(obj)
    mine = ours.structs_of_json(ours.run(program, "--json", abi, command, folder))
    deep = ours.structs_of_dump(ours.run(program, "--dump", abi, command, folder))
    return compare.compare_all(dwarf, mine, deep, folder)


def small_file(folder: Path) -> None:
    """the comparison agrees where it should, and sees what it should"""
    result = result_of(folder)
    check(not result.differences, "a small file: no difference", "\n".join(map(str, result.differences)))
    wanted = {("struct", "count_t"), ("struct", "local"), ("union", "either_t"), ("struct", "table"), ("struct", "outer")}
    check(wanted <= result.names, "typedefs' names, tags, and structs inside functions", result.names)
    check(result.counts["bit-fields"] == 4, "bit-fields are seen", result.counts)
    wrong = result_of(folder, "i386").differences
    kinds = {difference.kind for difference in wrong}
    check({"size", "place"} <= kinds, "another ABI's layout is seen as different", wrong)
    check(any("named.y" in d.text or "const_part" in d.text or "either" in d.text for d in wrong),
          "members of members are compared", wrong)


def unreadable() -> None:
    """what the parser does not know stops it"""
    for text, what in (("struct s {\n\tint a;\n};\n", "a member without its place"),
                       ("struct s {\n\tint a; /* 0 4 */\n", "an output that ends too soon")):
        try:
            pahole.parse(text)
            check(False, f"pahole's text: {what} is refused", "was read")
        except pahole.Unreadable:
            check(True, f"pahole's text: {what} is refused")


def kernels() -> None:
    """the sample of each kernel"""
    for version in ("6.1", "6.12"):
        what = f"linux {version}: layouts of the sample's objects"
        tree = kernel(version)
        if tree is None:
            skip(what, "no kernel tree")
            continue
        done_ = run(TOP / "tests/sweep/layouts.py", "--sample", "--tree", tree, "--program", PROGRAM)
        check(done_.returncode == 0, what, done_.stdout + done_.stderr)


def missing_tools() -> List[str]:
    """programs that are not here"""
    return [name for name in ("gcc", "pahole") if not shutil.which(name)]


def main() -> int:
    """exit status"""
    missing = missing_tools()
    if missing:
        skip("layouts against DWARF", f"no {' and no '.join(missing)}")
        return done()
    with tempfile.TemporaryDirectory() as folder:
        small_file(Path(folder))
    unreadable()
    kernels()
    return done()


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Which structs a semantic patch can change: `make check-reach`.

Takes every struct with a tag that the headers below include/ of a kernel define, has spatch put a padding at
the end of each, and lists those that stayed as they were, with the reason and the number of files that use
the struct. Exit status 1 when fewer than 99.7 % changed, or when one that did not is used by fifty files.

The kernels are $KERNEL61 and $KERNEL612, or those on the command line. They are only read.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Dict, List, NamedTuple, Sequence, Set

MACROS = Path(__file__).resolve().parents[2] / "cocci" / "kernel-macros.h"
ENOUGH = 99.7
HOT = 50

TOKEN = re.compile(
    r"""(?P<skip>//(?:\\\n|[^\n])*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'"""
    r"""|^[ \t]*\#(?:\\\n|/\*.*?\*/|[^\n])*|\s+)|(?P<token>[A-Za-z_]\w*|.)""", re.S | re.M)
NAME = re.compile(r"[A-Za-z_]\w*")
ATTRIBUTES = set(re.findall(r"^#define (\w+).* MACROANNOTATION$", MACROS.read_text(encoding="utf-8"), re.M))

PROBE = """@probe@
declarer name CACHELINE_PADDING;
identifier S%s;
@@
struct S {
	...
+	CACHELINE_PADDING(S);
}
"""
PROBED = re.compile(r"^\+.*\bCACHELINE_PADDING\((\w+)\);", re.M)


class Struct(NamedTuple):
    file: str  # below the kernel
    name: str
    first: int  # line of its `struct`
    last: int  # line of its closing brace


def structs_of(file: str, text: str) -> List[Struct]:
    """The structs with a tag that `text` defines, in macros of its own not counted."""
    found: List[Struct] = []
    opened: List[tuple] = []
    word: List[str] = []  # since the last struct: attributes and the tag
    line = start = 1
    depth = 0  # of parentheses since the last struct: those of an attribute
    in_head = False
    for match in TOKEN.finditer(text):
        token = match.group("token")
        if token == "struct":
            in_head, word, depth, start = True, [], 0, line
        elif token == "{":
            named = in_head and word and word[-1] != ")"
            opened.append((word[-1], start) if named else None)
            in_head = False
        elif token == "}" and opened:
            begin = opened.pop()
            if begin:
                found.append(Struct(file, begin[0], begin[1], line))
            in_head = False
        elif token and in_head:
            depth += {"(": 1, ")": -1}.get(token, 0)
            if depth < 0 or not (depth or token == ")" or NAME.fullmatch(token)):
                in_head = False
            elif not depth and token not in ATTRIBUTES:
                word.append(token)
        line += match.group().count("\n")
    return found


class Engine(NamedTuple):
    """spatch with a macro file."""
    macros: Path
    jobs: int

    def call(self, *argv: str) -> List[str]:
        return [os.environ.get("SPATCH") or "spatch", "--macro-file-builtins", str(self.macros), *argv]


def probe(engine: Engine, kernel: Path, files: Sequence[str], names: Set[str]) -> Counter:
    """(file, name) of each struct of `files` that the rule could change; of `names` only, when there are any."""
    changed: Counter = Counter()
    with tempfile.TemporaryDirectory() as scratch:
        rule = Path(scratch, "probe.cocci")
        rule.write_text(PROBE % (" = {" + ", ".join(sorted(names)) + "}" if names else ""), encoding="utf-8")
        running = []
        for job in range(engine.jobs):
            group = Path(scratch, f"files{job}")
            group.write_text("\n\n".join(str(kernel / file) for file in files[job::engine.jobs]) + "\n", encoding="utf-8")
            # typedefs that spatch guessed in one file are not to help it in the next
            call = engine.call("--very-quiet", "--no-includes", "--no-saved-typedefs", "--timeout", "120", "--sp-file",
                               str(rule), "--file-groups", str(group))
            running.append(subprocess.Popen(call, stdout=open(Path(scratch, f"diff{job}"), "wb"), stderr=subprocess.DEVNULL))
        for job, child in enumerate(running):
            child.wait()
            text = Path(scratch, f"diff{job}").read_text(encoding="utf-8", errors="replace")
            for part in re.split(r"^(?=--- )", text, flags=re.M):
                head = re.match(r"--- (\S+)", part)
                if head:
                    file = os.path.relpath(head.group(1), kernel)
                    changed.update((file, name) for name in PROBED.findall(part))
    return changed


def users_of(kernel: Path, names: Set[str]) -> Counter:
    """How many files of the kernel say `struct NAME`, for each name."""
    if not names:
        return Counter()
    done = subprocess.run(["grep", "-rIowE", "--include=*.[ch]", r"struct[[:space:]]+(" + "|".join(names) + ")", "."],
                          cwd=kernel, stdout=subprocess.PIPE, check=False, env={**os.environ, "LC_ALL": "C"})
    pairs = {tuple(line.split(":", 1)) for line in done.stdout.decode(errors="replace").splitlines()}
    return Counter(name for _, name in {(file, text.split()[-1]) for file, text in pairs})


def reason(engine: Engine, kernel: Path, struct: Struct, structs: Sequence[Struct], cache: Dict[str, list]) -> str:
    """What spatch says of the struct's text, or of that of a struct around it."""
    if struct.file not in cache:
        done = subprocess.run(engine.call("--parse-c", str(kernel / struct.file)), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False, env={**os.environ, "LC_ALL": "C"})
        output = done.stdout.decode(errors="replace")
        cache[struct.file] = [(int(line), text.strip()) for line, text in re.findall(
            r'^ = File "[^"]*", line (\d+), column.*\n.*\n  whole content = (.*)$', output, re.M)]
    around = [other for other in structs
              if other.file == struct.file and other.first <= struct.first and other.last >= struct.last]
    for outer in sorted(around, key=lambda other: other.last - other.first):
        for line, text in cache[struct.file]:
            if outer.first <= line <= outer.last:
                where = f"line {line}" if outer == struct else f"line {line} of struct {outer.name} around it"
                return f"cannot parse {where}: {text}"
    return "is read, and not matched"


def sweep(engine: Engine, kernel: Path) -> bool:
    structs: List[Struct] = []
    for path in sorted(kernel.glob("include/**/*.h")):
        if path.is_file():
            structs += structs_of(str(path.relative_to(kernel)), path.read_text(encoding="utf-8", errors="replace"))
    wanted = Counter((struct.file, struct.name) for struct in structs)

    # A rule that matches a struct does not look for another one in its body: those have a turn of their own.
    changed: Counter = Counter()
    names: Set[str] = set()
    while True:
        missed = {key for key, count in wanted.items() if changed[key] < count}
        found = probe(engine, kernel, sorted({file for file, _ in missed}), names)
        before = sum(min(changed[key], wanted[key]) for key in wanted)
        changed |= found
        missed = {key for key, count in wanted.items() if changed[key] < count}
        names = {name for _, name in missed}
        if not missed or before == sum(min(changed[key], wanted[key]) for key in wanted):
            break

    total, lost = len(structs), sum(wanted[key] - min(changed[key], wanted[key]) for key in wanted)
    share = 100.0 * (total - lost) / total
    print(f"{kernel.name}: {total - lost} of {total} named structs below include/ can be changed: {share:.2f} %")
    users = users_of(kernel, names)
    cache: Dict[str, list] = {}
    for struct in structs:
        if (struct.file, struct.name) in missed:
            print(f"  {struct.file}:{struct.first}: struct {struct.name}, {users[struct.name]} files: "
                  f"{reason(engine, kernel, struct, structs, cache)}")
    hot = sorted(name for name in names if users[name] >= HOT)
    if hot:
        print(f"  {HOT} or more files use {', '.join(hot)}")
    return share >= ENOUGH and not hot


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="*", type=Path, metavar="KERNEL", help="a kernel tree")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many spatch at once")
    parser.add_argument("--macros", type=Path, default=MACROS, help="another macro file, to compare")
    args = parser.parse_args()
    kernels = args.kernels or [Path(os.environ[name]) for name in ("KERNEL61", "KERNEL612") if os.environ.get(name)]
    if not kernels:
        print("reach.py: no kernel: name one, or set KERNEL61 and KERNEL612", file=sys.stderr)
        return 2
    good = [sweep(Engine(args.macros, args.jobs), kernel.resolve()) for kernel in kernels]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())

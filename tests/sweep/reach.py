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


def spatch(argv: Sequence[str]) -> str:
    done = subprocess.run([os.environ.get("SPATCH") or "spatch", "--macro-file-builtins", str(MACROS), *argv],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          env={**os.environ, "LC_ALL": "C"})
    return done.stdout.decode(errors="replace")


def probe(kernel: Path, files: Sequence[str], names: Set[str], jobs: int) -> Counter:
    """(file, name) of each struct of `files` that the rule could change; of `names` only, when there are any."""
    changed: Counter = Counter()
    with tempfile.TemporaryDirectory() as scratch:
        rule = Path(scratch, "probe.cocci")
        rule.write_text(PROBE % (" = {" + ", ".join(sorted(names)) + "}" if names else ""), encoding="utf-8")
        running = []
        for job in range(jobs):
            group = Path(scratch, f"files{job}")
            group.write_text("\n\n".join(str(kernel / file) for file in files[job::jobs]) + "\n", encoding="utf-8")
            running.append(subprocess.Popen(
                [os.environ.get("SPATCH") or "spatch", "--very-quiet", "--no-includes", "--no-saved-typedefs",
                 "--macro-file-builtins", str(MACROS), "--timeout", "120", "--sp-file", str(rule), "--file-groups",
                 str(group)], stdout=open(Path(scratch, f"diff{job}"), "wb"), stderr=subprocess.DEVNULL))
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


def reason(kernel: Path, struct: Struct, cache: Dict[str, list]) -> str:
    """What spatch says of the struct's text."""
    if struct.file not in cache:
        output = spatch(["--parse-c", str(kernel / struct.file)])
        cache[struct.file] = [(int(line), text.strip()) for line, text in re.findall(
            r'^ = File "[^"]*", line (\d+), column.*\n.*\n  whole content = (.*)$', output, re.M)]
    for line, text in cache[struct.file]:
        if struct.first <= line <= struct.last:
            return f"cannot parse line {line}: {text}"
    for line, text in cache[struct.file]:
        if struct.last < line:
            return f"cannot parse what is around it, line {line}: {text}"
    return "is read, and not matched"


def sweep(kernel: Path, jobs: int) -> bool:
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
        found = probe(kernel, sorted({file for file, _ in missed}), names, jobs)
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
                  f"{reason(kernel, struct, cache)}")
    hot = sorted(name for name in names if users[name] >= HOT)
    if hot:
        print(f"  {HOT} or more files use {', '.join(hot)}")
    return share >= ENOUGH and not hot


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="*", type=Path, metavar="KERNEL", help="a kernel tree")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many spatch at once")
    args = parser.parse_args()
    kernels = args.kernels or [Path(os.environ[name]) for name in ("KERNEL61", "KERNEL612") if os.environ.get(name)]
    if not kernels:
        print("reach.py: no kernel: name one, or set KERNEL61 and KERNEL612", file=sys.stderr)
        return 2
    good = [sweep(kernel.resolve(), args.jobs) for kernel in kernels]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The layouts of each ABI against its real compiler: the numbers that tests/lib/layout.c expects are what the compilers say
today, and 50 random records for each compiler come out the same from cacheline-map.
"""

import os
import sys
import tempfile
from pathlib import Path
from typing import Dict, List, Tuple

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests"), str(TOP / "tests/sweep")]
sys.dont_write_bytecode = True

import abi  # noqa: E402
import compilers  # noqa: E402
from compilers import COMPILERS  # noqa: E402
from tap import check, done, skip  # noqa: E402

PROGRAM = Path(os.environ.get("BUILD", TOP / "build")) / "cacheline-map"
EXPECTED = TOP / "tests/abi/expected.h"
RECORDS = 50
SEED = "check"

Rows = Dict[Tuple[str, str], Tuple[int, int]]


def committed_rows() -> Dict[str, Rows]:
    """expected.h by ABI"""
    names = [name for name in sorted(COMPILERS) if COMPILERS[name].abi == name]
    table: Dict[str, Rows] = {name: {} for name in names}
    for line in EXPECTED.read_text(encoding="ascii").splitlines():
        if not line.startswith("{"):
            continue
        _, tag, _, member, cells = line.split('"', 4)
        numbers = [int(word) for word in cells.replace("{", " ").replace("}", " ").replace(",", " ").split()]
        for i, name in enumerate(names):
            table[name][tag, member] = (numbers[2 * i], numbers[2 * i + 1])
    return table


def compiler_rows(name: str, folder: Path) -> Rows:
    """the same from a compiler"""
    compilers.object_of(name, TOP / "tests/abi/probe.c", folder / "probe.o")
    return {(tag, member): value for tag, layout in compilers.layouts(folder / "probe.o").items()
            for member, value in abi.rows_of(layout, tag).items()}


def differing(committed: Rows, said: Rows) -> List[str]:
    """in words; a type that the ABI does not have is 0, 0 in the table"""
    return [f"{tag}.{member}: {committed.get((tag, member))} committed, {said.get((tag, member))} from the compiler"
            for tag, member in sorted(set(committed) | set(said))
            if committed.get((tag, member)) != said.get((tag, member), (0, 0))]


def main() -> int:
    """exit status"""
    table = committed_rows()
    with tempfile.TemporaryDirectory() as folder:
        for name in sorted(COMPILERS):
            if not compilers.installed(name):
                if COMPILERS[name].abi != name:		# the ABI has another compiler
                    continue
                skip(f"{name}: expected.h", f"no {COMPILERS[name].argv[0]}")
                skip(f"{name}: random records", f"no {COMPILERS[name].argv[0]}")
                continue
            wrong = differing(table[COMPILERS[name].abi], compiler_rows(name, Path(folder)))
            check(not wrong, f"{name}: expected.h is what the compiler says", "\n".join(wrong[:20]))
            compared, shown = abi.run(name, PROGRAM, SEED, RECORDS, Path(folder))
            check(compared == RECORDS and not shown, f"{name}: {compared} random records", "\n".join(shown))
    return done()


if __name__ == "__main__":
    sys.exit(main())

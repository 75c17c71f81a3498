#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The public cases about layout (tests/cases): what each input expects is what the compiler and cacheline-map say."""

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

import abi  # noqa: E402
import compilers  # noqa: E402
from expectations import Expectation, Input, Wrong, complaints  # noqa: E402
from tap import check, done, skip  # noqa: E402

CASES = TOP / "tests/cases"
PROGRAM = Path(os.environ.get("BUILD", TOP / "build")) / "cacheline-map"


def probes(expectations: List[Expectation]) -> str:
    """C text that makes the compiler say what is expected"""
    text = {compilers.probe_record(one.kind, one.tag): None for one in expectations}
    for one in expectations:
        for name in (one.name, one.other):
            if name and one.what == "bit":
                text[compilers.probe_bits(one.kind, one.tag, name)] = None
            elif name:
                text[compilers.probe_member(one.kind, one.tag, name, flexible=True)] = None
    return compilers.HEADER + "".join(text)


def compiler_says(case: Input, name: str, flags: List[str], expectations: List[Expectation], folder: Path) -> List[str]:
    """what does not hold"""
    source = folder / "probed.c"
    source.write_text(f'#include "{case.path}"\n' + probes(expectations), encoding="ascii")
    compilers.object_of(name, source, folder / "probed.o", tuple(flags))
    return complaints(expectations, compilers.layouts(folder / "probed.o"), name)


def run(case: Input, name: str, config: str, folder: Path) -> None:
    """one test with the compiler, one with cacheline-map"""
    flags, expectations = case.configs[config], case.of(name, config)
    label = f"{case.path.stem}, {name}" + ("" if config == "default" else f", {config}")
    if not compilers.installed(name):
        skip(f"{label}: the compiler", f"no {compilers.COMPILERS[name].argv[0]}")
    else:
        try:
            found = compiler_says(case, name, flags, expectations, folder)
        except compilers.Refused as trouble:
            found = [str(trouble)]
        check(not found, f"{label}: the compiler, {len(expectations)} expectations", "\n".join(found))
    try:
        found = complaints(expectations, abi.ours(PROGRAM, compilers.COMPILERS[name].abi, case.path, flags), "cacheline-map")
    except compilers.Refused as trouble:
        found = [str(trouble)]
    check(not found, f"{label}: cacheline-map, {len(expectations)} expectations", "\n".join(found))


def compiles(case: Input, folder: Path) -> None:
    """every input must also compile, without a warning"""
    gcc = shutil.which("gcc")
    if not gcc:
        skip(f"{case.path.stem} compiles", "no gcc")
        return
    built = subprocess.run([gcc, "-std=gnu11", "-Wall", "-Wextra", "-c", str(case.path), "-o", str(folder / "case.o")],
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    check(not built.returncode and not built.stdout, f"{case.path.stem} compiles", built.stdout)


def refuses(text: str, what: str, folder: Path) -> None:
    """a faulty input stops the run"""
    (folder / "faulty.c").write_text(text, encoding="ascii")
    try:
        Input(folder / "faulty.c")
        check(False, what, "was accepted")
    except Wrong:
        check(True, what)


def sees(text: str, what: str, folder: Path) -> None:
    """an expectation that does not hold is seen, by both"""
    (folder / "faulty.c").write_text(text, encoding="ascii")
    case = Input(folder / "faulty.c")
    expectations = case.of("x86-64", "default")
    found = complaints(expectations, abi.ours(PROGRAM, "x86-64", case.path), "cacheline-map")
    if compilers.installed("x86-64"):
        found += compiler_says(case, "x86-64", [], expectations, folder)
        check(len(found) == 2, what, found)
    else:
        skip(what, "no gcc")


def main() -> int:
    """exit status"""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        refuses("struct s {\n\tint a;\n};\n", "an input that expects nothing is refused", folder)
        refuses("struct s {\n\tint a;\t/* expect: a on 4 */\n};\n", "an unreadable expectation is refused", folder)
        refuses("struct s {\n\tint a;\t/* expct: a at 4 */\n};\n", "an unknown directive is refused", folder)
        refuses("struct s {\n\tint a;\t/* expect: vax: a at 0 */\n};\n", "an unknown condition is refused", folder)
        sees("struct s {\n\tint a, b;\t/* expect: b at 8 */\n};\n", "a wrong expectation is seen", folder)
        for path in sorted(CASES.glob("*.c")):
            case = Input(path)
            compiles(case, folder)
            for abi_name in case.abis():
                for config in case.configs:
                    if case.of(abi_name, config):
                        run(case, abi_name, config, folder)
    return done()


if __name__ == "__main__":
    sys.exit(main())

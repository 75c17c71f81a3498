#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Random structs and unions, laid out by cacheline-map and by each ABI's real compiler: sizes, alignments, offsets, first
bits and widths must be equal. Exit status 1 when one is not; the source of the smallest struct that differs is shown.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Dict, List, Optional, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.dont_write_bytecode = True

import compilers  # noqa: E402
from compilers import COMPILERS, Layout, Refused  # noqa: E402

TOP = Path(__file__).resolve().parents[2]
SCALARS = ["_Bool", "char", "unsigned char", "short", "unsigned short", "int", "unsigned int", "long", "unsigned long",
           "long long", "unsigned long long", "float", "double", "void *", "int (*)(void)", "enum plain", "enum small",
           "enum wide", "ll4_t", "int16_t_", "char8_t_", "pair_t"]
# bits that the type has, at the least on every ABI
BIT_TYPES = {"_Bool": 1, "char": 8, "unsigned char": 8, "short": 16, "unsigned short": 16, "int": 32,
             "unsigned int": 32, "long": 32, "unsigned long": 32, "long long": 64, "unsigned long long": 64,
             "enum plain": 2, "enum small": 4, "ll4_t": 64, "int16_t_": 32}
PREAMBLE = """\
enum plain { PLAIN_A, PLAIN_B, PLAIN_C };
enum small { SMALL_A, SMALL_B = 15 } __attribute__((packed));
enum wide { WIDE_A = -1, WIDE_B = 0x7fffffff };
typedef long long ll4_t __attribute__((aligned(4)));
typedef int int16_t_ __attribute__((aligned(16)));
typedef char char8_t_ __attribute__((aligned(8)));
typedef struct { char a; short b; } pair_t;
"""
# of these no array can be made: the alignment is larger than the size
NO_ARRAY = ("int16_t_", "char8_t_", "ll4_t")


class Generator:
    """one translation unit of random records"""

    def __init__(self, seed: str, count: int):
        self.random = random.Random(seed)
        self.count = count
        self.made: List[Tuple[str, str]] = []
        self.texts: Dict[str, str] = {}
        self.probes: List[str] = []
        self.serial = 0

    def attributes(self, chance: float, packed: bool = True) -> str:
        """packed, aligned or both, or nothing"""
        words = []
        if packed and self.random.random() < chance:
            words.append("packed")
        if self.random.random() < chance:
            words.append(self.random.choice(["aligned(1)", "aligned(2)", "aligned(4)", "aligned(8)", "aligned(16)",
                                             "aligned(64)", "aligned"]))
        self.random.shuffle(words)
        return f" __attribute__(({', '.join(words)}))" if words else ""

    def fresh(self) -> str:
        """a member's name"""
        self.serial += 1
        return f"m{self.serial}"

    def bit_field(self, probes: List[Tuple[str, str]]) -> str:
        """named, unnamed or of no width"""
        kind = self.random.choice(list(BIT_TYPES))
        most = BIT_TYPES[kind]
        chance = self.random.random()
        if chance < 0.08:
            return f"{kind} :0;"
        width = self.random.choice([1, most, self.random.randint(1, most)])
        if chance < 0.16:
            return f"{kind} :{width};"
        name = self.fresh()
        probes.append(("b", name))
        return f"{kind} {name}:{width}{self.attributes(0.06)};"

    def plain(self, probes: List[Tuple[str, str]]) -> str:
        """a scalar, an array, an earlier record"""
        name = self.fresh()
        probes.append(("o", name))
        if self.made and self.random.random() < 0.25:
            kind, tag = self.random.choice(self.made[-40:])
            return f"{kind} {tag} {name}{self.attributes(0.1)};"
        kind = self.random.choice(SCALARS)
        array = f"[{self.random.randint(0, 5)}]" if kind not in NO_ARRAY and self.random.random() < 0.2 else ""
        decl = f"int (*{name}{array})(void)" if "(*)" in kind else f"{kind} {name}{array}"
        return f"{decl}{self.attributes(0.1)};"

    def inner(self, probes: List[Tuple[str, str]], depth: int) -> str:
        """an anonymous struct or union"""
        kind = self.random.choice(["struct", "union"])
        body = "\n".join(self.member(probes, depth + 1) for _ in range(self.random.randint(1, 4)))
        return f"{kind}{self.attributes(0.15)} {{\n{body}\n}};"

    def member(self, probes: List[Tuple[str, str]], depth: int) -> str:
        """one declaration"""
        chance = self.random.random()
        if chance < 0.4:
            return self.bit_field(probes)
        if chance < 0.5 and depth < 2:
            return self.inner(probes, depth)
        return self.plain(probes)

    def record(self, number: int) -> str:
        """one definition, and its probes"""
        kind = "union" if self.random.random() < 0.15 else "struct"
        tag = f"r{number}"
        probes: List[Tuple[str, str]] = []
        body = [self.member(probes, 0) for _ in range(self.random.randint(1, 9))]
        if kind == "struct" and any(what for what, _ in probes) and self.random.random() < 0.08:
            name = self.fresh()
            probes.append(("x", name))
            body.append(f"{self.random.choice(['char', 'int', 'long long', 'pair_t'])} {name}[]{self.attributes(0.2)};")
        pack = self.random.choice([1, 2, 4, 8]) if self.random.random() < 0.08 else 0
        before, behind = self.attributes(0.08), self.attributes(0.12)
        if "aligned" in before:			# of two on one type GCC takes the last one, sparse the larger
            behind = ""
        text = f"{kind}{before} {tag} {{\n" + "\n".join(body) + f"\n}}{behind};\n"
        if pack:
            text = f"#pragma pack(push, {pack})\n{text}#pragma pack(pop)\n"
        self.texts[tag] = text
        self.probes.append(compilers.probe_record(kind, tag))
        for what, name in probes:
            probe = compilers.probe_bits(kind, tag, name) if what == "b" else \
                compilers.probe_member(kind, tag, name, what == "x")
            self.probes.append(probe)
        if not any(what == "x" for what, _ in probes):
            self.made.append((kind, tag))
        return text

    def unit(self) -> Tuple[str, str]:
        """declarations, and the probes behind them"""
        records = "\n".join(self.record(i) for i in range(self.count))
        return PREAMBLE + records, compilers.HEADER + "".join(self.probes)


def ours(program: Path, abi: str, source: Path, flags: List[str] = ()) -> Dict[str, Layout]:
    """the same from cacheline-map"""
    argv = [str(program), "--json", "--all", "--abi", abi, "--", *flags, str(source)]
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False)
    if done.returncode or done.stderr:
        raise Refused(f"{' '.join(argv)}: {done.stderr}")
    found = {}
    for record in json.loads(done.stdout):
        layout = found[record["name"]] = Layout()
        layout.size, layout.align = record["size"], record["align"]
        for member in record["members"]:
            if member["bit_size"] is not None:
                layout.bits[member["name"]] = (member["bit_offset"], member["bit_size"])
            else:
                layout.members[member["name"]] = (member["offset"], member["size"])
    return found


def differences(theirs: Layout, mine: Optional[Layout]) -> List[str]:
    """in words"""
    if mine is None:
        return ["not known to cacheline-map"]
    found = []
    if (theirs.size, theirs.align) != (mine.size, mine.align):
        found.append(f"size and alignment {theirs.size}, {theirs.align}; cacheline-map {mine.size}, {mine.align}")
    for what, left, right in (("member", theirs.members, mine.members), ("bit-field", theirs.bits, mine.bits)):
        found += [f"{what} {name}: {left.get(name)}; cacheline-map {right.get(name)}"
                  for name in sorted(set(left) | set(right)) if left.get(name) != right.get(name)]
    return found


def compare_unit(name: str, program: Path, declarations: str, probes: str, folder: Path) -> Tuple[int, Dict[str, List[str]]]:
    """number of records that were compared, and the differences by tag"""
    source, probed, out = folder / "unit.c", folder / "probed.c", folder / "unit.o"
    source.write_text(declarations, encoding="ascii")
    probed.write_text(declarations + probes, encoding="ascii")
    compilers.object_of(name, probed, out)
    theirs = compilers.layouts(out)
    mine = ours(program, COMPILERS[name].abi, source)
    wrong = {tag: differences(layout, mine.get(tag)) for tag, layout in theirs.items()}
    return len(theirs), {tag: found for tag, found in wrong.items() if found}


def run(name: str, program: Path, seed: str, count: int, folder: Path) -> Tuple[int, List[str]]:
    """records compared with one compiler, and what to show of the differences"""
    generator = Generator(seed, count)
    declarations, probes = generator.unit()
    compared, wrong = compare_unit(name, program, declarations, probes, folder)
    shown = []
    for tag in sorted(wrong, key=lambda tag: len(generator.texts[tag]))[:3]:
        shown += [f"{name}, seed {seed}, {tag}: {len(wrong)} records differ", generator.texts[tag], *wrong[tag]]
    return compared, shown


def table_of_cases(folder: Path) -> Dict[str, Dict[str, Layout]]:
    """what each compiler says of tests/abi/cases.h"""
    table = {}
    for name in sorted(COMPILERS):
        if compilers.installed(name):
            compilers.object_of(name, TOP / "tests/abi/probe.c", folder / "probe.o")
            table[name] = compilers.layouts(folder / "probe.o")
    return table


def rows_of(layout: Layout, tag: str) -> Dict[str, Tuple[int, int]]:
    """by member, "" for the record itself: size and alignment in bytes; first bit and bits of a member"""
    if tag == "scalar":
        return dict(layout.members)
    rows = {"": (layout.size, layout.align)}
    rows.update({name: (8 * at, 8 * size) for name, (at, size) in layout.members.items()})
    rows.update(layout.bits)
    return rows


def expected_text(table: Dict[str, Dict[str, Layout]]) -> str:
    """tests/abi/expected.h: C rows, a column for each ABI"""
    names = [name for name in sorted(COMPILERS) if COMPILERS[name].abi == name]
    lines = ["/* SPDX-License-Identifier: GPL-2.0-only */",
             "/*", " * What the compilers say of cases.h: made by tests/sweep/abi.py --expected, checked by",
             " * tests/t/abi-cross.t. A record: size and alignment in bytes; a member: first bit and bits;",
             " * a scalar: size and __alignof__. Columns:", f" * {', '.join(names)}", " */"]
    tags: Dict[str, None] = {}
    for name in names:
        tags.update(dict.fromkeys(table[name]))
    for tag in tags:
        rows = [rows_of(table[name][tag], tag) if tag in table[name] else {} for name in names]
        for member in dict.fromkeys(member for row in rows for member in row):
            cells = [row.get(member, (0, 0)) for row in rows]
            lines.append(f'{{ "{tag}", "{member}", {{ {", ".join("{ %d, %d }" % cell for cell in cells)} }} }},')
    return "\n".join(lines) + "\n"


def main() -> int:
    """exit status"""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--count", type=int, default=500, help="records for each compiler (default: %(default)s)")
    parser.add_argument("--compiler", choices=sorted(COMPILERS), action="append")
    parser.add_argument("--program", type=Path, default=TOP / os.environ.get("BUILD", "build") / "cacheline-map")
    parser.add_argument("--expected", action="store_true", help="print tests/abi/expected.h instead; needs all compilers")
    args = parser.parse_args()
    status = 0
    with tempfile.TemporaryDirectory() as folder:
        if args.expected:
            print(expected_text(table_of_cases(Path(folder))), end="")
            return 0
        for name in args.compiler or sorted(COMPILERS):
            if not compilers.installed(name):
                print(f"{name:<8} SKIP: no {COMPILERS[name].argv[0]}")
                continue
            compared, shown = run(name, args.program.absolute(), args.seed, args.count, Path(folder))
            print(f"{name:<8} {compared} records, {'0 differences' if not shown else 'DIFFERENT'}", flush=True)
            print("\n".join(shown), end="\n" if shown else "")
            status |= bool(shown)
    return status


if __name__ == "__main__":
    sys.exit(main())

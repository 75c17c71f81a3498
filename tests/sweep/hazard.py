#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What a rule of cocci/hazard/ says of a whole kernel: `make check-hazards ARGS=RULE`.

Run on every .c and .h outside of tools/, samples/, scripts/ and Documentation/ in which the rule can find something, as text decides. Of a
file spatch is handed what the rule reads: functions without a word of the rule are empty. Prints the findings, or some of them drawn at
random (--sample), with the line that each is about, and the counts. The kernel is only read.
"""

from __future__ import annotations

import argparse
import random
import re
import resource
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Callable, Dict, List, NamedTuple, Optional

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "scripts"))
sys.dont_write_bytecode = True

from lk import cache, engine, vet_spatch, where  # noqa: E402
from lk.vet_spatch import HANDED, OFFSET, RULES, Rule, Spatch  # noqa: E402

SKIPPED = ("tools", "samples", "scripts", "Documentation")
GROUP = 40                              # files of one spatch
vet_spatch.SECONDS = 1800               # for a group; vet has a user who waits

ASSERT = r"\b(BUILD_BUG_ON\w*|compiletime_assert|static_assert|_Static_assert|DEFINE|OFFSET)\("
FIXED = re.compile(r"\b__(?:[bl]e(?:16|32|64)|sum16) \w")
CAST = re.compile(r"\((?:const )?struct \w+ \*\)([^;,?:]*)")
ALIGNED = re.compile(r"\b_*(?:cacheline|aligned)\w*|MINALIGN")
FIRST = re.compile(r"\b(?:BUILD_BUG_ON|static_assert|_Static_assert)\(\s*!?\s*offsetof\(|#define \w+\(\w+\)\s+\(\(struct")
SCALAR = r"(?:char|short|int|long|unsigned|signed|bool|double|\w*int\d*_t|u_?int|u_?char|u_?short|wchar_t|size_t|_*[su]\d+|__[bl]e\d+)\b"
INITIALISER = rf"\b(?!{SCALAR})\w+ \w+(?:\[[^]]*\])*\s*=\s*\{{|(?<!if )(?<!while )(?<!switch )(?<!\w)\((?:const )?(?:struct )?(?!{SCALAR})\w+(?: *\[\])?\) *\{{"
BY_POSITION = re.compile(rf"(?:{INITIALISER})\s*(?!0\s*[,}}]|NULL\s*[,}}]|[.}}[])[^\s{{]|"         # a value comes first, or braces
                         rf"(?:{INITIALISER})\s*(?:\[[^]]*\]\s*=\s*|/\*.*?\*/\s*)*\{{(?!\s*\}})", re.S)


def casts_a_struct(_: str, text: str) -> bool:
    """Whether a name in a cast is declared in the file as a struct, or a pointer to one."""
    structs = {name for names in re.findall(r"\bstruct \w+ ([*\w \t,\[\]]+)", text) for name in re.findall(r"\w+", names)}
    return bool(FIRST.search(text)) or any(structs.intersection(re.findall(r"\w+", cast)) for cast in CAST.findall(text))


def is_outside(name: str, text: str) -> bool:
    return bool(re.search(r"uapi/|xen/interface/|asm/bootparam\.h|linux/kexec\.h", name) or FIXED.search(text))


def is_aligned(_: str, text: str) -> bool:
    return bool(ALIGNED.search(text))


# what a whole tree wants otherwise than a series, whose structs are known
SWEPT: Dict[str, Rule] = {name: rule._replace(flags=()) for name, rule in RULES.items()}
SWEPT["field-range"] = RULES["field-range"]._replace(pattern=f"{RULES['field-range'].pattern}|{HANDED}",
                                                     text=RULES["field-range"].text.replace(OFFSET, r"\boffsetof(?:end)?\("))
SWEPT["first-member-cast"] = RULES["first-member-cast"]._replace(text=rf"{CAST.pattern}|{FIRST.pattern}")
SWEPT["kfree-rcu-offset"] = Rule("kfree-rcu-offset", r"\bkv?free_rcu\(", text=r"\bkv?free_rcu\(")
SWEPT["layout-assert"] = Rule("layout-assert", ASSERT, text=rf"{ASSERT}[^;]{{0,400}}\b(?:offsetof|offsetofend|sizeof)\b|\bOFFSET\(")
SWEPT["positional-initialiser"] = RULES["positional-initialiser"]._replace(text=BY_POSITION.pattern)
SWEPT["unneeded-write"] = RULES["unneeded-write"]._replace(text=r"\b(?:WRITE_ONCE|set_bit|atomic_set)\([^;]{0,400}->[^;]{0,400}->")
NARROWER: Dict[str, Callable[[str, str], bool]] = {"alloc-alignment": is_aligned, "first-member-cast": casts_a_struct, "uapi-struct": is_outside}


class Source(NamedTuple):
    """A tree, as Spatch takes a state of a series."""

    src: Path

    def path(self, name: str) -> str:
        return str(self.src / name)

    def read(self, name: str) -> str:
        return (self.src / name).read_text(encoding="utf-8", errors="replace")


def candidates(source: Source, rule: Rule, below: List[str]) -> List[str]:
    """The files in which the rule can find something."""
    def is_likely(name: str) -> bool:
        text = source.read(name)
        return (rule.has_work(text) or not rule.text) and NARROWER.get(rule.name, lambda *_: True)(name, text)
    return [name for name in where.grep(rule.pattern, below, str(source.src)) if is_likely(name)]


def drawn(things: list, count: Optional[int], seed: int) -> list:
    """So many of them, at random; all without a count."""
    return things if count is None else sorted(random.Random(seed).sample(things, min(count, len(things))))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rule", choices=sorted(SWEPT))
    parser.add_argument("below", nargs="*", help="folders of the kernel (all)")
    parser.add_argument("--kernel", type=Path, default=cache.find("kernel-6.1-source"), help="a kernel's source (6.1, as set-up has it)")
    parser.add_argument("--every", action="store_true", help="run the rule with -D every")
    parser.add_argument("--files", type=int, help="read so many of the files")
    parser.add_argument("--sample", type=int, help="print so many findings")
    parser.add_argument("--seed", type=int, default=1, help="of what is drawn at random, files and findings")
    parser.add_argument("--jobs", type=int, default=2, help="how many spatch at once")
    args = parser.parse_args()
    if not args.kernel:
        print("hazard.py: no source of 6.1: run linekeeper setup, or say --kernel", file=sys.stderr)
        return 2
    if args.every and "\nvirtual every\n" not in Path(engine.cocci_file(f"hazard/{args.rule}.cocci")).read_text(encoding="utf-8"):
        parser.error(f"{args.rule} knows no --every")
    source, rule = Source(args.kernel.resolve()), SWEPT[args.rule].about([r"\w+"])._replace(flags=("every",) if args.every else ())
    below = args.below or sorted(path.name for path in source.src.iterdir() if path.is_dir() and path.name not in SKIPPED)
    found = candidates(source, rule, below)
    files = drawn(found, args.files, args.seed)
    print(f"{rule.name}: {len(found)} files, {len(files)} are read", flush=True)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(args.jobs) as pool:
        spatch = Spatch(folder, float("inf"), args.jobs)
        groups = [files[start:start + GROUP] for start in range(0, len(files), GROUP)]
        each = pool.map(lambda group: spatch.run(rule, [(source, name) for name in group]), groups)
        hits = sorted({hit for found in each for _, hit in found})
    for hit in drawn(hits, args.sample, args.seed):
        print(f"{hit.file}:{hit.line}: {hit.text}\n\t{source.read(hit.file).splitlines()[hit.line - 1].strip()}")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{rule.name}: {len(hits)} findings in {len({hit.file for hit in hits})} of {len(files)} files, {len(spatch.unread)} of them not "
          f"read in whole, {used.ru_utime + used.ru_stime:.0f} s of CPU")
    failed = sorted(name for name, text in spatch.unread.items() if text.startswith("spatch "))
    print("".join(f"{name}: {spatch.unread[name]}\n" for name in failed), end="", file=sys.stderr)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Replay does no harm: random moves, exchanges and paddings on structs of real headers.

Each is decided by spatch with the generic rules, replayed, and checked by a reader of its own (ctext.py):
every token and every comment is there, comments stand by their members, members keep their conditions,
nothing else changed, spatch parses the result. What is not such a result must be a refusal with a reason.
Exit status 1 when anything else happened, or more than a tenth was refused.

The kernels are linux 6.1 and 6.12 (KERNEL61, KERNEL612, or what set-up made). They are only read.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

sys.dont_write_bytecode = True
TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests/sweep"), str(TOP / "scripts")]
import ctext  # noqa: E402
from ctext import Member, Struct  # noqa: E402
from lk import setup  # noqa: E402

RULES = TOP / "cocci/relayout"
MACROS = TOP / "cocci/kernel-macros.h"
BUILD = Path(os.environ.get("BUILD") or TOP / "build")
SPATCH = str(setup.find("spatch") or "spatch")
PRIVATE = ("fs/*/*.h", "mm/*.h", "net/*/*.h", "kernel/*/*.h", "block/*.h", "drivers/*/*.h", "arch/x86/kvm/*.h")
MOST_REFUSED = 0.10


class Task(NamedTuple):
    header: Path
    struct: str
    rule: str
    defines: Tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.header}: {self.rule} {' '.join(self.defines)}"

    def value(self, name: str) -> str:
        return next((d.split("=", 1)[1] for d in self.defines if d.startswith(f"{name}=")), "")


def candidates(struct: Struct) -> List[str]:
    """Members whose name is told apart by any reader, the first one left out."""
    names = Counter(name for m in struct.members for name in m.names)
    return [name for m in struct.members[1:] for name in m.names if m.plain and names[name] == 1 and not name.isupper()]


def pick(header: Path, text: str, rng: random.Random) -> Optional[Task]:
    found = [group[0] for group in ctext.structs(text).values() if len(group) == 1]
    found = [s for s in found if len(candidates(s)) >= 3]
    if not found:
        return None
    struct = rng.choice(found)
    names = candidates(struct)
    rng.shuffle(names)
    a, b = names[:2]
    what = rng.choices(("move", "end", "exchange", "pad"), (45, 10, 25, 20))[0]
    base = (f"STRUCT={struct.name}",)
    if what == "exchange":
        return Task(header, struct.name, "exchange", base + (f"A={a}", f"B={b}"))
    if what == "pad":
        return Task(header, struct.name, "pad", base + (f"AFTER={a}",))
    order = [name for m in struct.members for name in m.names]
    if order.index(a) == (len(order) - 1 if what == "end" else order.index(b) + 1):
        return None  # it is there already
    where = ("end",) if what == "end" else (f"AFTER={b}",)
    return Task(header, struct.name, "move", base + (f"FIELD={a}",) + where)


def headers_of(kernel: Path, rng: random.Random) -> List[Path]:
    found = sorted((kernel / "include").rglob("*.h"))
    found = [h for h in found if "generated" not in h.parts]
    for pattern in PRIVATE:
        found += sorted(kernel.glob(pattern))
    rng.shuffle(found)
    return found


def call(*argv: object) -> subprocess.CompletedProcess:
    return subprocess.run([str(a) for a in argv], capture_output=True, text=True, errors="replace", check=False,
                          timeout=300)


def unreadable(path: Path) -> int:
    """Lines that spatch cannot parse."""
    done = call(SPATCH, "--parse-c", "--macro-file-builtins", MACROS, path)
    match = re.search(r"nb good = \d+,\s+nb passed = \d+ =+> [\d.]+% passed\s*\n.*?nb bad = (\d+)|"
                      r"nb good = \d+,\s+nb bad = (\d+)", done.stdout, re.S)
    return int(next((g for g in match.groups() if g), 0)) if match else -1


def difference(before: Counter, after: Counter) -> str:
    return f"lost {dict(before - after)}, new {dict(after - before)}" if before != after else ""


def inserted(task: Task) -> List[str]:
    return ["CACHELINE_PADDING", "(", "_pad_", ")", ";"] if task.rule == "pad" else []


def split_words(struct: Struct, name: str) -> List[str]:
    """What the declaration of `name` starts with, when it declares others too."""
    for m in struct.members:
        if name in m.names and len(m.names) > 1:
            first = ctext.split_declarators(list(m.words))[0]
            cut = first.index(m.names[0])
            while cut and first[cut - 1] in ("*", "("):
                cut -= 1
            return first[:cut] + [";"]
    return []


def check_tokens(task: Task, old: Struct, before: list, after: list) -> str:
    want, got = ctext.code(before), ctext.code(after)
    want.update(inserted(task))
    if want == got:
        return ""
    for names in ([task.value("FIELD")], [task.value("A")], [task.value("B")], [task.value("A"), task.value("B")],
                  [task.value("AFTER")], [task.value("AFTER"), task.value("FIELD")]):
        split = want.copy()
        for name in names:
            words = split_words(old, name)
            split.update(words)
            split.subtract([","] if words else [])
        if +split == got:
            return ""
    return difference(want, got)


def conditions(struct: Struct) -> Dict[str, List[Tuple[str, ...]]]:
    found: Dict[str, List[Tuple[str, ...]]] = {}
    for m in struct.members:
        for name in m.names:
            if m.words[0] != "CACHELINE_PADDING":
                found.setdefault(name, []).append(m.conditions)
    return {name: sorted(group) for name, group in found.items()}


def key_of(m: Member) -> Tuple[str, ...]:
    return m.names if all(m.names) and m.plain else m.words


def check_order(task: Task, old: Struct, new: Struct) -> str:
    """Of the members that are always there: those that can be seen to be where the rule put them."""
    flat = [(name, m) for m in old.members for name in (m.names if m.plain else [" ".join(m.words)])]
    unconditional = {name for name, m in flat if not m.conditions}
    names = [name for name, _ in flat]
    moved = [task.value(v) for v in ("FIELD", "A", "B", "AFTER") if task.value(v)]
    if not set(moved) <= unconditional:
        return ""
    def behind(name: str) -> int:
        """Where the declaration of `name` ends: the rules put nothing between `a` and `b` of `int a, b;`."""
        owner = next(m for m in old.members if name in m.names)
        return max(names.index(n) for n in owner.names if n in names) + 1

    if task.rule == "exchange":
        i, k = names.index(moved[0]), names.index(moved[1])
        names[i], names[k] = names[k], names[i]
    elif task.rule == "move":
        names.remove(moved[0])
        names.insert(behind(moved[1]) if len(moved) > 1 else len(names), moved[0])
    else:
        names.insert(behind(moved[0]), "CACHELINE_PADDING ( _pad_ ) ;")
        unconditional.add("CACHELINE_PADDING ( _pad_ ) ;")
    got = [name for m in new.members for name in (m.names if m.plain else [" ".join(m.words)]) if not m.conditions]
    want = [name for name in names if name in unconditional]
    return f"order {got} instead of {want}" if got != want else ""


def names_in(comment: str, struct: Struct) -> List[str]:
    words = set(re.findall(r"\w+", comment))
    return [name for m in struct.members for name in m.names if name in words]


def is_own(comment: str, m: Member, struct: Struct) -> bool:
    """A comment directly above that is the member's beyond doubt."""
    return comment.startswith("/**") or (set(names_in(comment, struct)) == set(m.names) and len(m.names) == 1) or \
        (m.alone and len(m.above) == 1) or (not m.starts_paragraph and len(m.above) == 1)


def check_comments(task: Task, old: Struct, new: Struct) -> str:
    moved = {task.value(v) for v in ("FIELD", "A", "B")}
    after = {key_of(m): m for m in new.members}
    known = Counter(key_of(m) for m in old.members)
    for m in old.members:
        now = after.get(key_of(m))
        # of the members of one name in several branches none can be told apart
        if not now or len(m.names) > 1 or known[key_of(m)] > 1:
            continue
        if now.behind != m.behind:
            return f"behind {m.names[0]}: {now.behind} instead of {m.behind}"
        if m.above and now.above[:1] != m.above[:1]:
            # a heading stays; what comes directly above a unit takes its place below it
            if not is_own(m.above[0], m, old):
                continue
            return f"above {m.names[0]}: {now.above} instead of {m.above}"
        if not m.above and now.above and m.names[0] in moved and is_own(now.above[0], now, new) and not \
                set(names_in(now.above[0], new)) <= set(m.names):
            return f"above {m.names[0]}: {now.above} is another's"
    return ""


def check_rest(before: str, after: str, old: Struct, new: Struct) -> str:
    if before[old.end:] != after[new.end:]:
        return "something behind the struct changed"
    head, now = before[:old.start], after[:new.start]
    # kernel-doc may be in another order
    if sorted(head.splitlines()) != sorted(now.splitlines()):
        return "something in front of the struct changed"
    return ""


def check(task: Task, before: str, after: str) -> str:
    """What is wrong with a result; "" when nothing is."""
    old_toks, new_toks = ctext.tokens(before), ctext.tokens(after)
    old = ctext.structs(before, old_toks)[task.struct][0]
    new = ctext.structs(after, new_toks).get(task.struct, [None])[0]
    if not new:
        return "the struct is gone"
    return (check_tokens(task, old, old_toks, new_toks) or
            difference(ctext.comment_lines(old_toks), ctext.comment_lines(new_toks)) or
            difference(ctext.plain_lines(old_toks), ctext.plain_lines(new_toks)) or
            ("" if ctext.balanced(new_toks) or not ctext.balanced(old_toks) else "#if without #endif") or
            ("" if conditions(old) == conditions(new) else f"conditions {conditions(new)} instead of {conditions(old)}") or
            check_order(task, old, new) or check_comments(task, old, new) or check_rest(before, after, old, new))


def reason_of(stderr: str) -> str:
    """A refusal without the names in it."""
    text = re.sub(r"^\S+:\d+: refused: ", "", stderr.strip().splitlines()[-1])
    text = re.sub(r"'[^']*'", "'...'", text)
    text = re.sub(r"\bstruct \w+|\b\w+\.\w+", "S", text)
    text = re.sub(r"^(bit-field out of its run).*", r"\1", text)
    return re.sub(r"\b\w+ (is the|would|stands|of S$)", r"... \1", text)


def run_task(task: Task, keep: Optional[Path]) -> Tuple[str, str]:
    """("done"|"refused"|"fault", why)"""
    with tempfile.TemporaryDirectory() as folder:
        copy, spatched, result = (Path(folder) / name for name in ("copy.h", "spatched.h", "result.h"))
        before = task.header.read_text(encoding="utf-8", errors="surrogateescape")
        copy.write_text(before, encoding="utf-8", errors="surrogateescape")
        defines = [word for d in ("patch",) + task.defines for word in ("-D", d)]
        rule = RULES / f"{task.rule}.cocci"
        call(SPATCH, "--very-quiet", "--no-includes", "--include-headers", "--macro-file-builtins", MACROS, *defines,
             "--sp-file", rule, copy, "-o", spatched)
        if not spatched.exists():
            return "refused", "spatch: the rule changed nothing"
        done = call(BUILD / "cacheline-replay", "--rule", rule, *defines, "--before", copy, "--after", spatched,
                    "--output", result)
        if done.returncode == 3:
            return "refused", "spatch: the rule changed nothing"
        if done.returncode == 1:
            return ("fault" if "own check" in done.stderr else "refused"), reason_of(done.stderr)
        if done.returncode:
            return "fault", f"exit status {done.returncode}: {done.stderr.strip()[-300:]}"
        after = result.read_text(encoding="utf-8", errors="surrogateescape")
        wrong = check(task, before, after)
        if not wrong and unreadable(result) > unreadable(copy):
            wrong = "spatch can no longer parse it"
        if wrong and keep:
            for path in (copy, spatched, result):
                (keep / f"{abs(hash(task)) % 10**8}-{path.name}").write_bytes(path.read_bytes())
        return ("fault", wrong) if wrong else ("done", task.rule)


def choose(kernels: Sequence[Path], count: int, seed: int) -> List[Task]:
    """As many tasks, spread evenly over as many headers as there are (at least two tasks a header to stay quick)."""
    rng = random.Random(seed)
    headers = [h for group in zip(*(headers_of(k, rng) for k in kernels)) for h in group]
    tasks: List[Task] = []
    for header in headers:
        if len(tasks) >= count:
            break
        text = header.read_text(encoding="utf-8", errors="surrogateescape")
        if len(text) > 400_000:
            continue
        for _ in range(2):
            task = pick(header, text, rng)
            if task and task not in tasks:
                tasks.append(task)
    return tasks[:count]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", type=Path, help="folder for the texts of what went wrong")
    parser.add_argument("-v", "--verbose", action="store_true", help="each refusal")
    parser.add_argument("kernel", nargs="*", type=Path)
    args = parser.parse_args()
    kernels = args.kernel or [setup.find(what) for what in ("kernel-6.1", "kernel-6.12") if setup.find(what)]
    if not kernels:
        parser.error("no kernel: run set-up, set KERNEL61 and KERNEL612, or name them")
    tasks = choose(kernels, args.count, args.seed)
    ends: Counter = Counter()
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for task, (end, why) in zip(tasks, pool.map(lambda t: run_task(t, args.keep), tasks)):
            ends[end, why if end != "fault" else "fault"] += 1
            if end == "fault" or (args.verbose and end == "refused"):
                print(f"{end}: {task}: {why}", flush=True)
    total = Counter()
    for (end, why), n in sorted(ends.items(), key=lambda item: (item[0][0], -item[1])):
        total[end] += n
        print(f"{n:5}  {end:8} {why}")
    print(f"{len(tasks)} relayouts of {len({t.header for t in tasks})} headers, seed {args.seed}: {total['done']} done, "
          f"{total['refused']} refused ({100 * total['refused'] / max(len(tasks), 1):.1f} %), {total['fault']} faults")
    return 1 if total["fault"] or total["refused"] > MOST_REFUSED * len(tasks) or not tasks else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A replay that is broken on purpose writes nothing wrong: its own checks see it.

Each fault below is put into a copy of the sources; the cases of tests/replay must then end in the result that they
expect or in a refusal, and at least one in the refusal that is named.
"""

import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import tap  # noqa: E402

CC = (os.environ.get("CC") or shutil.which("gcc") or shutil.which("cc") or "").split()
FILES = ["checkers/cacheline-replay.c", "lib/smpl.c", "lib/clex.c", "lib/strmap.c", "lib/declaration.c", "lib/arena.c",
         "lib/struct_text.c", "lib/struct_items.c"]

# what is broken, in which file, what stands there, what stands there now, what it is refused for
FAULTS = [
    ("the comment behind a member is lost", "write",
     "put_edited(t, o, body->items[n->first].range.start, body->items[n->last].range.end);",
     "put_edited(t, o, body->items[n->first].range.start, tok_end(&t->orig, body->items[n->last].toks.end - 1));",
     "a comment is lost or invented"),
    ("the comment above a member is lost", "write",
     "put_edited(t, o, body->items[n->first].range.start, body->items[n->last].range.end);",
     "put_edited(t, o, tok_start(&t->orig, body->items[n->first].toks.first), body->items[n->last].range.end);",
     "a comment is lost or invented"),
    ("a member stays where it was as well", "write", "w->gone[k] = true;", "w->gone[k] = n->first != n->last;",
     "a token is lost or invented"),
    ("a member is not written", "place", "*slot->end = p;", "*slot->end = run_dry++ % 2 ? p : NULL;",
     "a token is lost or invented"),
    ("a split declaration has no semicolon", "split", 'put_edited(t, o, s.start, s.end);\n\tput_string(o, ";");',
     "put_edited(t, o, s.start, s.end);", "a token is lost or invented"),
    ("an #endif is missing", "write", "for (i = last ? last->nr_guards : 0; i > 0; i--)", "for (i = 0; i > 0; i--)",
     "braces or #if do not match"),
    ("a guard is missing", "place", "p = put(slot, target, guards);", "p = put(slot, target, (struct path){ 0 });",
     "a member's condition has changed"),
    ("the guard of an #else is not inverted", "write", "if (!b->nr)\n\t\treturn ctok_text(&st->toks, b->tok);",
     "if (true)\n\t\treturn ctok_text(&st->toks, b->block->branches[0]->tok);", "a member's condition has changed"),
    ("an #if that is not empty is taken out", "write",
     "return w->units[end] > w->units[first] && w->stuff[end] == w->stuff[first];",
     "return w->units[end] > w->units[first];", "a member's condition has changed"),
    ("a member goes in front instead of behind", "place", "i += place_next_to(run, &d, i, last, true);",
     "i += place_next_to(run, &d, i, last, false);", "the order that the rule wants would split the #if"),
    ("a member goes behind instead of in front", "place", "i += place_next_to(run, &depths[i - first], i, last, false);",
     "i += place_next_to(run, &depths[i - first], i, last, true);", "the order that the rule wants would split the #if"),
]


def read_cases() -> list:
    cases = []
    for path in sorted((tap.TOP / "tests/replay").glob("*.case")):
        for text in re.split(r"^######## .*\n", path.read_text(encoding="utf-8"), flags=re.M)[1:]:
            parts = re.split(r"^=== (\w+)\n", text, flags=re.M)
            cases.append(dict(zip(parts[1::2], parts[2::2])))
    return [c for c in cases if "expected" in c and "rule" not in c]


def build(folder: Path, part: str, old: str, new: str) -> str:
    """Compiles a replay with one fault; returns what went wrong."""
    source = tap.TOP / f"lib/replay_{part}.c"
    text = source.read_text(encoding="utf-8")
    if old not in text:
        return f"{source} has no '{old}'"
    broken = folder / "broken.c"
    broken.write_text("static int run_dry __attribute__((unused));\n" + text.replace(old, new), encoding="utf-8")
    others = [p for p in sorted((tap.TOP / "lib").glob("replay*.c")) if p != source]
    done = tap.run(*CC, "-std=gnu11", "-w", "-O0", "-D_GNU_SOURCE", f"-I{tap.TOP / 'lib'}", "-o", folder / "replay",
                   broken, *others, *(tap.TOP / f for f in FILES))
    return done.stderr if done.returncode else ""


def run_cases(folder: Path, cases: list, says: str) -> str:
    """What a broken replay got away with; "" when nothing."""
    seen = False
    for case in cases:
        (folder / "before.h").write_text(case["before"], encoding="utf-8")
        (folder / "after.h").write_text(case["after"], encoding="utf-8")
        done = tap.run(folder / "replay", *case.get("arguments", "").split(), "--before", folder / "before.h",
                       "--after", folder / "after.h", "--output", folder / "result.h")
        if done.returncode == 0 and (folder / "result.h").read_text(encoding="utf-8") != case["expected"]:
            return f"it wrote\n{(folder / 'result.h').read_text(encoding='utf-8')}instead of\n{case['expected']}"
        if done.returncode not in (0, 1):
            return f"exit status {done.returncode}: {done.stderr}"
        seen |= says in done.stderr
    return "" if seen else f"no case was refused because {says}"


def main() -> int:
    cases = read_cases()
    for what, part, old, new, says in FAULTS:
        if not CC:
            tap.skip(what, "no C compiler")
            continue
        with tempfile.TemporaryDirectory() as name:
            wrong = build(Path(name), part, old, new) or run_cases(Path(name), cases, says)
        tap.check(not wrong, f"seen: {what}", wrong)
    return tap.done()


sys.exit(main())

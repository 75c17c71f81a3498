#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What the real spatch prints, replayed: the generic rules on tests/replay/spatch.h, the seeds there and back."""

import os
import shutil
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[1] / "sweep")]
import ctext  # noqa: E402
import tap  # noqa: E402

REPLAY = Path(os.environ.get("BUILD") or tap.TOP / "build") / "cacheline-replay"
SPATCH = os.environ.get("SPATCH", "")
COCCI = tap.TOP / "cocci"
INPUT = tap.TOP / "tests/replay/spatch.h"

# rule, its -D, what must stand in the result (tabs and all)
RELAYOUTS = [
    ("move", "FIELD=plain AFTER=percpu",
     "/* read-mostly */\n\tatomic_t plain;\t\t\t/* how many,\n\t\t\t\t\t * never negative */\n"),
    ("move", "FIELD=pointer AFTER=percpu", "/* read-mostly */\n\tstruct list_head *pointer ____cacheline_aligned;\n"),
    ("move", "FIELD=prefixed end", "last;\n\tint prefixed __attribute__((aligned(16)));\t/* by the attribute */\n};"),
    ("move", "FIELD=to_it end", "last;\n\tint *to_it;\n};"),
    ("move", "FIELD=to_it end", "\tint one, four[4];\t/* all three */\n"),
    ("move", "FIELD=lock AFTER=last", "last;\n#ifdef CONFIG_SMP\n\t/* only there */\n\tspinlock_t lock;\n#endif\n};"),
    ("move", "FIELD=lock AFTER=last", "/* all three */\n#ifdef CONFIG_NUMA\n"),
    ("move", "FIELD=node AFTER=last", "last;\n#ifdef CONFIG_NUMA\n\tint node;\n#endif\n};"),
    ("move", "FIELD=map AFTER=plain", "negative */\n\tDECLARE_BITMAP(map, 64);\t/* of pages */\n"),
    ("move", "FIELD=notify AFTER=plain",
     "negative */\n\tint (*notify)(struct mixture *m,\n\t\t      unsigned long event);\t/* may sleep */\n"),
    ("move", "FIELD=notify AFTER=plain",
     " * @plain: with a comment behind\n * @notify: a pointer to a function\n * @pointer:"),
    ("move", "FIELD=plain AFTER=inner", "/* inside */\n\t\tatomic_t plain;\t\t\t/* how many,\n"),
    ("move", "FIELD=inner AFTER=plain", "negative */\n\tu64 inner;\t/* inside */\n"),
    ("exchange", "A=plain B=percpu", "first;\n\tstruct cgroup_rstat_cpu __percpu *percpu;\t/* read-mostly */\n"),
    ("pad", "AFTER=plain", "negative */\n\tCACHELINE_PADDING(_pad_);\n\tstruct list_head *pointer"),
    ("align", "FIELD=percpu",
     "\tstruct cgroup_rstat_cpu __percpu *percpu ____cacheline_aligned_in_smp;\t/* read-mostly */\n"),
    ("group", "FIRST=plain LAST=pointer GROUP=hot", "first;\n\t__cacheline_group_begin(hot);\n\n\tatomic_t plain;"),
    ("group", "FIRST=plain LAST=pointer GROUP=hot", "____cacheline_aligned;\n\t__cacheline_group_end(hot);\n"),
]


def relayout(folder: Path, rule: Path, defines: list, before: Path) -> tuple:
    """The process that ended it, and the result."""
    copy, spatched, result = (folder / name for name in ("copy.h", "spatched.h", "result.h"))
    shutil.copyfile(before, copy)
    for path in (spatched, result):
        path.unlink(missing_ok=True)
    words = [word for define in ["patch", *defines] for word in ("-D", define)]
    done = tap.run(SPATCH, "--very-quiet", "--no-includes", "--include-headers", "--macro-file-builtins",
                   COCCI / "kernel-macros.h", *words, "--sp-file", rule, copy, "-o", spatched)
    if spatched.exists():
        done = tap.run(REPLAY, "--rule", rule, *words, "--before", copy, "--after", spatched, "--output", result)
    return done, result.read_text(encoding="utf-8") if result.exists() else ""


def check_relayouts(folder: Path) -> None:
    before = ctext.comment_lines(ctext.tokens(INPUT.read_text(encoding="utf-8")))
    for rule, defines, wanted in RELAYOUTS:
        done, text = relayout(folder, COCCI / f"relayout/{rule}.cocci", ["STRUCT=mixture", *defines.split()], INPUT)
        after = ctext.comment_lines(ctext.tokens(text))
        tap.check(wanted in text and before == after, f"{rule} {defines}: {wanted.strip().splitlines()[-1].strip()}",
                  f"{done.returncode}: {done.stdout}{done.stderr}{text}")


def check_refusals(folder: Path) -> None:
    for defines, why in (("FIELD=dead end", "bit-field out of its run"), ("FIELD=first end", "is the first member of")):
        done, text = relayout(folder, COCCI / "relayout/move.cocci", ["STRUCT=mixture", *defines.split()], INPUT)
        tap.check(done.returncode == 1 and why in done.stderr and not text, f"move {defines}: {why}", done.stderr + text)


def check_seeds(folder: Path, tree: Path) -> None:
    """001 and 000 taken out, 000 and 001 put in again: the same file, to the byte."""
    start = folder / "page_counter.h"
    shutil.copyfile(tree / "include/linux/page_counter.h", start)
    original, texts = start.read_text(encoding="utf-8"), []
    for rule, defines in (("usage", ["revert"]), ("parent", ["revert"]), ("parent", []), ("usage", [])):
        done, text = relayout(folder, COCCI / f"seeds/page_counter_{rule}.cocci", defines, start)
        if not tap.check(done.returncode == 0 and text, f"page_counter_{rule} {' '.join(defines)}", done.stderr):
            return
        texts.append(text)
        start.write_text(text, encoding="utf-8")
    tap.check(texts[-1] == original, "the file is as it was, to the byte", texts[-1])
    tap.check("usage;\n\tunsigned long min;" in texts[0] and "CACHELINE_PADDING" not in texts[0], "001 was out", texts[0])
    tap.check("max;\n\tstruct page_counter *parent;\n" in texts[1] and texts[2] == texts[0], "000 was out", texts[1])


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if not SPATCH:
            tap.skip("spatch's text, replayed", "no spatch")
            return tap.done()
        check_relayouts(folder)
        check_refusals(folder)
        if tap.kernel("6.1"):
            check_seeds(folder, tap.kernel("6.1"))
        else:
            tap.skip("seeds 000 and 001, out and in again", "no linux 6.1")
    return tap.done()


sys.exit(main())

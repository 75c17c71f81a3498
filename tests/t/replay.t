#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""cacheline-replay on the texts in tests/replay/*.case.

A case starts with a line `######## what it shows`; `=== before` is the original, `=== after` what spatch printed, and
`=== expected` the result, or `=== refused` the line and the sentence of a refusal. `=== changes` is what stdout
says, `=== rule` a semantic patch, `=== arguments` more of the command line. Each case is also run the other way:
what replay wrote, given as both texts, must be left alone.
"""

import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import tap  # noqa: E402

REPLAY = Path(os.environ.get("BUILD") or tap.TOP / "build") / "cacheline-replay"
SECTIONS = {"before", "after", "expected", "refused", "changes", "rule", "arguments"}


def read_cases(path: Path) -> list:
    """(title, sections) of each case; an unknown section stops the run."""
    cases, section = [], None
    for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
        if line.startswith("######## "):
            cases.append((line[9:].strip(), {}))
        elif line.startswith("=== "):
            section = line[4:].strip()
            if section not in SECTIONS:
                sys.exit(f"{path}: unknown section {section}")
            cases[-1][1][section] = ""
        else:
            cases[-1][1][section] += line
    return cases


def replay(folder: Path, before: str, after: str, arguments: list) -> tuple:
    """The process, and what it wrote or None."""
    for name, text in (("before.h", before), ("after.h", after)):
        (folder / name).write_text(text, encoding="utf-8")
    result = folder / "result.h"
    result.unlink(missing_ok=True)
    done = tap.run(REPLAY, *arguments, "--name", "x.h", "--before", folder / "before.h", "--after", folder / "after.h",
                   "--output", result)
    return done, result.read_text(encoding="utf-8") if result.exists() else None


def try_case(folder: Path, title: str, case: dict) -> None:
    arguments = case.get("arguments", "").split()
    if "rule" in case:
        (folder / "rule.cocci").write_text(case["rule"], encoding="utf-8")
        arguments += ["--rule", folder / "rule.cocci"]
    done, text = replay(folder, case["before"], case["after"], arguments)
    if "refused" in case:
        line, _, sentence = case["refused"].strip().partition(": ")
        want = f"x.h:{line}: refused: {sentence}\n"
        tap.check((done.returncode, done.stderr, text) == (1, want, None), title,
                  f"{done.returncode}: {done.stderr}{text}\ninstead of {want}")
        return
    right = (done.returncode, text) == (0, case["expected"]) and case.get("changes", done.stdout) == done.stdout
    if not tap.check(right, title, f"{done.returncode}: {done.stderr}{done.stdout}{text}"):
        return
    done, again = replay(folder, text, text, [])
    tap.check(done.returncode == 3 and again is None, f"{title}: and nothing the second time", done.stderr)


def try_statuses(folder: Path) -> None:
    """Exit status 2, 3, and what they leave behind."""
    text = "struct s {\n\tint first;\n\tint a;\n\tint b;\n};\n"
    moved = "struct s {\n\tint first;\n\tint b;\n\tint a;\n};\n"
    for words in ([], ["--before", "x"], ["--nonsense"], ["--before", "x", "--after", "y", "--output", "z", "more"]):
        done = tap.run(REPLAY, *words)
        tap.check(done.returncode == 2 and "usage: " in done.stderr, f"wrong use: {' '.join(words)}", done.stderr)
    done = tap.run(REPLAY, "--before", folder / "none.h", "--after", folder / "none.h", "--output", folder / "result.h")
    tap.check(done.returncode == 2 and "none.h: " in done.stderr, "no such file", done.stderr)
    done, result = replay(folder, text, text, [])
    tap.check((done.returncode, done.stdout, done.stderr, result) == (3, "", "", None), "nothing to do", done.stderr)
    for name in ("before.h", "after.h"):
        (folder / name).write_text(text if name == "before.h" else moved, encoding="utf-8")
    (folder / "before.h").chmod(0o640)
    (folder / "link.h").symlink_to("before.h")
    done = tap.run(REPLAY, "--before", folder / "before.h", "--after", folder / "after.h", "--output", folder / "link.h")
    tap.check(done.returncode == 0 and not (folder / "link.h").is_symlink() and
              (folder / "before.h").read_text(encoding="utf-8") == text, "the result comes by rename", done.stderr)
    tap.check((folder / "link.h").stat().st_mode & 0o777 == 0o640, "with the mode of the original")
    done = tap.run(REPLAY, "--before", folder / "before.h", "--after", folder / "after.h", "--output", folder / "no/r.h")
    tap.check(done.returncode == 2 and "no/r.h: " in done.stderr, "no such folder", done.stderr)
    tap.check(not list(folder.glob("*.h.*")), "no temporary file is left", list(folder.iterdir()))


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted((tap.TOP / "tests/replay").glob("*.case")):
            for title, case in read_cases(path):
                try_case(Path(folder), f"{path.stem}: {title}", case)
        try_statuses(Path(folder))
    return tap.done()


sys.exit(main())

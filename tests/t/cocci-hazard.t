#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Each cocci/hazard/ID.cocci on tests/cocci/hazard/ID.c, which says on its lines what is expected, in every mode that the rule has.

The same for an ID.c in a folder below, where the path matters. ID.diff is what mode patch answers, ID.FLAG.diff what it does with -D FLAG. The rules run by themselves, and under the kernel's own `make coccicheck`.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, "tests")
from sections import MACROS, coccicheck  # noqa: E402
from tap import check, done, kernel, run, skip  # noqa: E402

RULES = Path("cocci/hazard")
INPUTS = Path("tests/cocci/hazard")
EXPECT = re.compile(r"/\* expect(?: \((\w+)\))?: (warning: .*? \[-Wcacheline-[-\w]+\]) \*/")
HEAD = (r"\A/\* SPDX-License-Identifier: GPL-2.0-only \*/\n///", r"^// Confidence: \w+$", r"^// Copyright: ", r"^// Options: [^:]*$",
        r"^// Requires: 1\.2$", r"^virtual (patch, )?context, org, report$")
ANSWERS = {"report": r"^(?P<path>\S+):(?P<line>\d+):\d+-\d+: (?P<text>.*)$",
           "org": r"^\* TODO \[\[view:(?P<path>[^:]+)::face=\S+::linb=(?P<line>\d+)::\S+\]\[(?P<text>.*)\]\]$"}


def expected(source: Path, flag: str) -> list:
    """(line, text); `expect (FLAG)` only with -D FLAG."""
    found = []
    for number, line in enumerate(source.read_text(encoding="utf-8").splitlines(), 1):
        wanted = [text for only, text in EXPECT.findall(line) if only in ("", flag)]
        if line.count("expect") != len(EXPECT.findall(line)):
            raise ValueError(f"{source}:{number}: an expectation that cannot be read")
        found += [(number, text) for text in wanted]
    return sorted(found)


def spatch(rule: Path, mode: str, source: Path, *words: str) -> tuple:
    options = re.findall(r"^// Options: (.*)$", rule.read_text(encoding="utf-8"), re.M)[0].split()
    out = run(os.environ["SPATCH"], "--very-quiet", "--cocci-file", rule, "--macro-file-builtins", MACROS, *options, "-D", mode,
              *words, "-U", "0", source, LC_ALL="C")
    return out.stdout, out.stderr


def answer(mode: str, output: str) -> list:
    """What modes report and org say, as expected() has it."""
    return sorted((int(line["line"]), line["text"]) for line in re.finditer(ANSWERS[mode], output, re.M))


def starred(output: str) -> list:
    """The numbers of the lines that mode context marks."""
    lines = []
    for start, count in re.findall(r"^@@ -(\d+)(?:,(\d+))? ", output, re.M):
        lines += range(int(start), int(start) + int(count or 1))
    return lines


def flags(text: str) -> list:
    """What a rule knows beside its modes."""
    return re.findall(r"^virtual (\w+)$", text, re.M)


def missing(wanted: list, got: list) -> str:
    return "\n".join([*(f"wanted: {line}" for line in wanted if line not in got), *(f"got: {line}" for line in got if line not in wanted), ""])


def test_head(rule: Path) -> None:
    text = rule.read_text(encoding="utf-8")
    missing = [pattern for pattern in HEAD if not re.search(pattern, text, re.M)]
    once = all(text.count(word) == 1 for word in ("Options:", "Requires:"))
    check(not missing and once, f"{rule}: its head is one that coccicheck reads", missing)
    check(Path("docs", f"{rule.stem}.md").is_file() and Path(INPUTS, f"{rule.stem}.c").is_file(),
          f"{rule}: has its page in docs/, and its input")


def test_alone(rule: Path, source: Path) -> None:
    text = rule.read_text(encoding="utf-8")
    for flag in ["", *flags(text)]:
        words = ["-D", flag] if flag else []
        wanted = expected(source, flag)
        check(wanted, f"{source}: expects something {flag}")
        for mode in ANSWERS:
            out, err = spatch(rule, mode, source, *words)
            check(answer(mode, out) == wanted and len(out.splitlines()) == len(wanted) and not err,
                  f"{rule} {mode} {flag}", missing(wanted, answer(mode, out)) + err)
        out, err = spatch(rule, "context", source, *words)
        check(starred(out) == sorted({line for line, _ in wanted}), f"{rule} context {flag}", out + err)


def test_patch(rule: Path, source: Path, scratch: Path) -> None:
    text = rule.read_text(encoding="utf-8")
    if not re.search("^virtual patch", text, re.M):
        return
    result = scratch / source.name
    for flag in ["", *flags(text)]:
        out, err = spatch(rule, "patch", source, *(["-D", flag] if flag else []), "-o", str(result))
        lines = [line for line in out.splitlines() if not line.startswith(("--- ", "+++ "))]
        wanted = source.with_suffix(f".{flag}.diff" if flag else ".diff").read_text(encoding="utf-8").splitlines()
        check(lines == wanted, f"{rule} patch {flag}", out + err)
        gcc = compiles(result)
        check(gcc.returncode == 0, f"{rule} patch {flag}: the result compiles", gcc.stderr)


def compiles(source: Path) -> subprocess.CompletedProcess:
    return run("gcc", "-std=gnu11", "-fsyntax-only", "-Wall", "-Wno-unused", "-Werror", "-I", INPUTS, source)


def test_coccicheck(tree: Path, rule: Path, source: Path, scratch: Path) -> None:
    below = scratch / source.relative_to(INPUTS).with_suffix("")
    below.mkdir(parents=True)
    shutil.copy(source, below)
    for mode in ANSWERS:
        out = coccicheck(tree, rule, mode, below)
        check(out.returncode == 0 and answer(mode, out.stdout) == expected(source, ""), f"coccicheck {rule} {mode}",
              missing(expected(source, ""), answer(mode, out.stdout)))
    out = coccicheck(tree, rule, "context", below, "-U 0")
    check(out.returncode == 0 and starred(out.stdout) == sorted({line for line, _ in expected(source, "")}),
          f"coccicheck {rule} context", out.stdout)


def test_this(scratch: Path, rule: Path, source: Path) -> None:
    """A rule that says nothing, or something else, must be seen; and an expectation that cannot be read."""
    if os.environ.get("IN_ITSELF"):
        return
    text = source.read_text(encoding="utf-8")
    for what, changed in (("text", text.replace("expect: warning: ", "expect: warning: not ", 1)),
                          ("line", text.replace("/* expect: ", "\n/* expect: ", 1)), ("word", text.replace("expect: ", "expects: ", 1))):
        wrong = scratch / source.name
        wrong.write_text(changed, encoding="utf-8")
        out = run(sys.executable, __file__, rule, wrong, IN_ITSELF="1")
        check(out.returncode == 1 and ("not ok" in out.stdout or "cannot be read" in out.stderr), f"a wrong {what} is seen",
              out.stdout + out.stderr)


def main() -> int:
    if not os.environ.get("SPATCH"):
        skip("semantic patches", "no spatch 1.2 or newer")
        return done()
    if len(sys.argv) == 3:
        test_alone(Path(sys.argv[1]), Path(sys.argv[2]))
        return done()
    tree = kernel("6.1")
    rules = [Path(word) for word in sys.argv[1:]] or sorted(RULES.glob("*.cocci"))
    with tempfile.TemporaryDirectory() as folder:
        for rule in rules:
            test_head(rule)
            for source in sorted(INPUTS.rglob(f"{rule.stem}.c")):
                gcc = compiles(source)
                check(gcc.returncode == 0, f"{source} compiles", gcc.stderr)
                test_alone(rule, source)
                test_patch(rule, source, Path(folder))
                if tree:
                    test_coccicheck(tree, rule, source, Path(folder))
                else:
                    skip(f"coccicheck {rule}", "no prepared linux 6.1")
        test_this(Path(folder), rules[0], INPUTS / f"{rules[0].stem}.c")
    return done()


if __name__ == "__main__":
    sys.exit(main())

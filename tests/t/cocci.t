#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Every rule, every mode, on small inputs: tests/cocci/*.expect says what spatch is to answer, line by line.

tests/sections.py says what these files look like. Each result of mode patch must compile.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, "tests")
from sections import cases, rules  # noqa: E402
from tap import check, done, run, skip  # noqa: E402

INPUTS = Path("tests/cocci")
MODES = ("patch", "context", "org", "report")
HINT = re.compile(r"-o can not be applied because there are no modified files$"
                  r"|warning: line \d+: (should \w+ be a metavariable\?|\w+, previously declared as a metavariable)")


def answer(source: Path, rule: Path, words: list, out: Path) -> list:
    """What the rule says of the input: the lines of stdout, and those of stderr but for hints that mean nothing here."""
    call = [os.environ["SPATCH"], "--very-quiet", "--cocci-file", rule, "--macro-file-builtins", "cocci/kernel-macros.h",
            *re.findall(r"^// Options: (.*)$", rule.read_text(encoding="utf-8"), re.M)[0].split(), "-U", "0", "-o", out]
    for word in words:
        call += ["-D", word]
    spatch = run(*call, source, LC_ALL="C")
    lines = [line.replace(str(source), source.name) for line in spatch.stdout.splitlines()
             if not line.startswith(("--- ", "+++ "))]
    lines += [re.sub(r"^\S+: \d+: ", "", line) for line in spatch.stderr.splitlines() if not HINT.match(line)]
    return [line for line in lines if line]


def compiles(stem: Path, result: Path, claims: list) -> subprocess.CompletedProcess:
    source = stem.with_suffix(".c")
    source.write_text("".join([f'#include "{INPUTS.resolve()}/stub.h"\n#include "{result.resolve()}"\n',
                               *(f"_Static_assert({claim}, \"claim\");\n" for claim in claims)]), encoding="utf-8")
    return run("gcc", "-std=gnu11", "-fsyntax-only", "-Werror", "-Doffsetof=__builtin_offsetof", source)


def test(expect: Path, scratch: Path) -> None:
    for number, command, section in cases(expect):
        must_compile = command[-1] != "!compile"
        source, rule, *words = command if must_compile else command[:-1]
        wanted = [line for line in section if not line.startswith("= ")]
        before, out = scratch / "before.h", scratch / "out.h"
        shutil.copy(out if source == "-" else INPUTS / source, before)
        out.unlink(missing_ok=True)
        lines = [line.replace("before.h", source) for line in answer(before, Path("cocci", f"{rule}.cocci"), words, out)]
        check(lines == wanted, f"{expect.name}:{number}: {' '.join(command)}", "\n".join(["wanted:", *wanted, "got:", *lines]))
        if words[0] == "patch" and must_compile and out.exists():
            gcc = compiles(scratch / "result", out, [line[2:] for line in section if line.startswith("= ")])
            check(gcc.returncode == 0, f"{expect.name}:{number}: the result compiles, and is what it says", gcc.stderr)


def test_heads(rules: list) -> None:
    """What coccicheck and linekeeper read in a rule's head."""
    for rule in rules:
        text = rule.read_text(encoding="utf-8")
        missing = [pattern for pattern in (r"\A/\* SPDX-License-Identifier: GPL-2.0-only \*/\n///", r"^// Confidence: \w+$",
                                           r"^// Copyright: ", r"^// Options: [^:]*$", r"^// Requires: 1\.2$",
                                           r"^virtual patch, context, org, report$")
                   if not re.search(pattern, text, re.M)]
        once = all(text.count(word) == 1 for word in ("Options:", "Requires:"))
        check(not missing and once, f"{rule}: its head is one that coccicheck reads", missing)


def test_inputs(scratch: Path) -> None:
    for source in sorted(INPUTS.glob("*.h")):
        if source.name != "stub.h":
            gcc = compiles(scratch / "input", source, ["1"])
            check(gcc.returncode == 0, f"{source} compiles", gcc.stderr)


def test_complete(rules: list) -> None:
    """Every rule has a section for every mode."""
    seen = {(words[1], words[2]) for expect in INPUTS.glob("*.expect") for _, words, section in cases(expect) if section}
    missing = [f"{rule} {mode}" for rule in rules for mode in MODES
               if (str(rule.relative_to("cocci").with_suffix("")), mode) not in seen]
    check(not missing, "every mode of every rule is tried", "\n".join(missing))


def test_this(scratch: Path) -> None:
    """A wrong expectation, and one that nothing stands for, must be seen."""
    if os.environ.get("IN_ITSELF"):
        return
    (scratch / "cocci").mkdir()
    wrong = (INPUTS / "anonymous.expect").read_text(encoding="utf-8").replace("u32 *sq_array", "u32 *sq_arrays", 1)
    (scratch / "wrong.expect").write_text(wrong, encoding="utf-8")
    out = run(sys.executable, __file__, scratch / "wrong.expect", IN_ITSELF="1")
    check(out.returncode == 1 and out.stdout.count("not ok") == 1, "a wrong expectation is one failure", out.stdout + out.stderr)
    (scratch / "wrong.expect").write_text("+ not in a section\n", encoding="utf-8")
    out = run(sys.executable, __file__, scratch / "wrong.expect", IN_ITSELF="1")
    check(out.returncode != 0 and "neither a command" in out.stderr, "a stray line stops the run", out.stdout + out.stderr)


def main() -> int:
    if not os.environ.get("SPATCH"):
        skip("semantic patches", "no spatch 1.2 or newer")
        return done()
    with tempfile.TemporaryDirectory() as folder:
        for expect in [Path(word) for word in sys.argv[1:]] or sorted(INPUTS.glob("*.expect")):
            test(expect, Path(folder))
        if len(sys.argv) == 1:
            test_inputs(Path(folder))
            test_heads(rules())
            test_complete(rules())
            test_this(Path(folder))
    return done()


if __name__ == "__main__":
    sys.exit(main())

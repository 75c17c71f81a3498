#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The runner, on inputs that must pass and on inputs that must fail."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

# what, shell text, exit status, last line, a word that the output must hold
CASES = (
    ("a pass", "echo 'ok 1 - a'; echo 1..1", 0, "1 passed, 0 failed, 0 skipped", "1 passed"),
    ("a plan in front", "echo 1..1; echo 'ok 1 - a'", 0, "1 passed, 0 failed, 0 skipped", ""),
    ("no number, no dash", "echo ok; echo ok a; echo 1..2", 0, "2 passed, 0 failed, 0 skipped", ""),
    ("other output is let pass", "echo hello; echo okay; echo '  ok 9 - inner'; echo 'ok 1 - a'; echo 1..1", 0,
     "1 passed, 0 failed, 0 skipped", ""),
    ("a skip", "echo 'ok 1 - a # SKIP no clang'; echo 1..1", 0, "0 passed, 0 failed, 1 skipped", "no clang"),
    ("a skipped file", "echo '1..0 # SKIP no kernel'", 0, "0 passed, 0 failed, 1 skipped", "no kernel"),
    ("an expected failure", "echo 'not ok 1 - a # TODO later'; echo 1..1", 0, "1 passed, 0 failed, 0 skipped", ""),
    ("a failure", "echo 'not ok 1 - a'; echo why >&2; echo 1..1", 1, "0 passed, 1 failed, 0 skipped", "| why"),
    ("a failure and exit 1 are one", "echo 'not ok 1 - a'; echo 1..1; exit 1", 1, "0 passed, 1 failed, 0 skipped",
     ""),
    ("an unexpected pass", "echo 'ok 1 - a # TODO later'; echo 1..1", 1, "0 passed, 1 failed, 0 skipped", "TODO"),
    ("no plan", "echo 'ok 1 - a'", 1, "1 passed, 1 failed, 0 skipped", "no plan"),
    ("two plans", "echo 1..1; echo 'ok 1 - a'; echo 1..1", 1, "1 passed, 1 failed, 0 skipped", "second plan"),
    ("too few", "echo 'ok 1 - a'; echo 1..2", 1, "1 passed, 1 failed, 0 skipped", "plan of 2, 1 results"),
    ("too many", "echo 'ok 1 - a'; echo 'ok 2 - b'; echo 1..1", 1, "2 passed, 1 failed, 0 skipped", "plan of 1"),
    ("a number left out", "echo 'ok 1 - a'; echo 'ok 3 - b'; echo 1..2", 1, "1 passed, 1 failed, 0 skipped",
     "result 3"),
    ("an empty plan", "echo 1..0", 1, "0 passed, 1 failed, 0 skipped", "no test"),
    ("nothing at all", ":", 1, "0 passed, 1 failed, 0 skipped", "no plan"),
    ("a bail out", "echo 'ok 1 - a'; echo 'Bail out! no disk'; echo 1..1", 1, "1 passed, 1 failed, 0 skipped",
     "no disk"),
    ("a crash after the plan", "echo 'ok 1 - a'; echo 1..1; kill -SEGV $$", 1, "1 passed, 1 failed, 0 skipped",
     "signal 11"),
    ("an exit status", "echo 'ok 1 - a'; echo 1..1; exit 3", 1, "1 passed, 1 failed, 0 skipped", "exit status 3"),
    ("a file that hangs", "echo 'ok 1 - a'; echo 1..1; sleep 60 & wait", 1, "1 passed, 1 failed, 0 skipped",
     "no end after 1"),
    ("the environment", 'test -n "$BUILD" && test -d "$TMPDIR" && test -z "$(ls "$TMPDIR")" && test -f Makefile && '
     'test -n "${SPATCH+x}${KERNEL61+x}${KERNEL612+x}" && test "${LINEKEEPER##*/}" = linekeeper && '
     'test -z "${MAKEFLAGS-}" && echo "ok 1"; echo 1..1', 0, "1 passed, 0 failed, 0 skipped", ""),
)


def main() -> int:
    count = 0

    def check(passed: bool, what: str, detail: str = "") -> None:
        nonlocal count
        count += 1
        print(f"{'ok' if passed else 'not ok'} {count} - {what}")
        if not passed:
            print("".join(f"#   {line}\n" for line in detail.splitlines()), end="")

    def run(*arguments, **more):
        env = {**os.environ, "REQUIRE": "", **more}
        done = subprocess.run([sys.executable, "tests/run", *map(str, arguments)], env=env,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode, done.stdout, (done.stdout.splitlines() or [""])[-1]

    scratch = Path(tempfile.mkdtemp())
    for name, text, status, last, word in CASES:
        file = scratch / (name.replace(" ", "-") + ".t")
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)
        got = run(file, "--timeout", 1 if "hangs" in name else 60, MAKEFLAGS="w")
        check(got[0] == status and got[2] == last and word in got[1], name, got[1])

    got = run(scratch / "a-skip.t", REQUIRE="all")
    check(got[0] == 1 and "REQUIRE=all" in got[1], "REQUIRE=all makes a skip fail", got[1])
    got = run(scratch / "a-pass.t", scratch / "a-failure.t", scratch / "a-skip.t")
    check(got[0] == 1 and got[2] == "1 passed, 1 failed, 1 skipped", "files are added up", got[1])
    (scratch / "a-pass.t").chmod(0o644)
    got = run(scratch / "a-pass.t")
    check(got[0] == 1 and "not executable" in got[1], "a file that is not executable fails", got[1])
    got = run("tests/lib/none.c", "--build", scratch)
    check(got[0] == 1 and "not built" in got[1], "a unit test that was not built fails", got[1])
    print(f"1..{count}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

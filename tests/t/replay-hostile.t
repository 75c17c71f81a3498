#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""cacheline-replay on texts that nobody would write: an answer, and soon, whatever they say."""

import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import tap  # noqa: E402

REPLAY = Path(os.environ.get("BUILD") or tap.TOP / "build") / "cacheline-replay"
SECONDS = 60  # of 2 CPUs that others use too, with sanitizers; one that squares its work needs hours
MEGA = 1_000_000


def struct(members: list) -> str:
    return "struct s {\n\tint first;\n" + "".join(members) + "};\n"


def texts() -> list:
    """(what, before, after)"""
    plain = [f"\tint m{i};\n" for i in range(50_000)]
    guarded = [f"#if A\nint a{i};\nint b{i};\n#endif\n" for i in range(10_000)]
    nested = "struct s{" * (MEGA // 9) + "int a;%s}x;" + "}x;" * (MEGA // 9 - 1)
    anonymous = [f"struct {{ int a{i}; }};\n" for i in range(20_000)]
    blocks = [f"#if A\nint a{i};\n#endif\n" for i in range(20_000)]
    doc = "/**\n" + "".join(f" * @m{i}: x\n" for i in range(50_000)) + " */\n"
    return [
        ("10 MB of members", struct(plain + ["\tint x;\n"] * (8 * MEGA // 8)), struct(plain)),
        ("50,000 members, the other way round", struct(plain), struct(plain[::-1])),
        ("50,000 members with a comment each, one moved", struct([f"\t/* c */{m}" for m in plain]),
         struct([f"\t/* c */{m}" for m in plain[1:] + plain[:1]])),
        ("a million words of comments above them", struct(["\t/* m1 m2 m3 m4 */\n"] * (MEGA // 20) + plain[:9000]),
         struct(plain[1:9000] + plain[:1])),
        ("kernel-doc of 50,000 members", doc + struct(plain), doc + struct(plain[::-1])),
        ("20,000 anonymous structs, the other way round", struct(anonymous), struct(anonymous[::-1])),
        ("20,000 #ifs, the other way round", struct(blocks), struct(blocks[::-1])),
        ("10,000 guards to copy", struct(guarded),
         struct([g.replace("int b", "//") for g in guarded] + [f"int b{i};\n" for i in range(10_000)])),
        ("200,000 declarators", struct(["int " + ",".join(f"a{i}" for i in range(200_000)) + ";\n"]), struct([])),
        ("structs in structs", nested % "int b;", nested % "int c;"),
        ("#ifs in #ifs", struct(["#if A\n"] * 30_000 + ["int a;int b;"] + ["#endif\n"] * 30_000),
         struct(["int b;int a;"])),
        ("a million braces", "struct s {" + "{" * MEGA, "struct s {" + "{" * MEGA + "x"),
        ("a million parentheses and an #else that closes them", "(" * MEGA + "\n#if 1\n}\n" + "#else\n}\n" * 100_000, "x"),
        ("all on one line", struct([f"/**/int a{i};/**/" for i in range(20_000)]),
         struct([f"/**/int a{i};/**/" for i in range(19_999, -1, -1)])),
        ("bit-fields without names", struct(["int :0;\n"] * 50_000 + ["int a;\n"]),
         struct(["int a;\n"] + ["int :0;\n"] * 50_000)),
        ("one name over and over", struct(["int x;\n"] * 50_000), struct(["int x;\n"] * 50_001)),
        ("100,000 structs of one name", "struct s { int a; int b; int c; };\n" * 100_000,
         "struct s { int a; int c; int b; };\n" * 100_000),
        ("nothing but quotes", '"' * MEGA, '"' * MEGA + "x"),
        ("nothing but zeros", "\0" * MEGA, "\0" * MEGA + "x"),
        ("nothing but continued lines", "\\\n" * MEGA, "\\\n" * MEGA + "x"),
        ("a comment that does not end", "struct s { int a; int b; /*" + "*" * MEGA, "struct s { int b; int a; /*"),
        ("nothing at all", "", ""),
        ("carriage returns", "struct s {\r\n\tint first;\r\n\tint a;\r\n\tint b;\r\n};\r\n",
         "struct s {\r\n\tint first;\r\n\tint b;\r\n\tint a;\r\n};\r\n"),
    ]


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        before, after, result = (Path(name) / f for f in ("before.h", "after.h", "result.h"))
        for what, old, new in texts():
            before.write_text(old, encoding="utf-8", newline="")
            after.write_text(new, encoding="utf-8", newline="")
            done = tap.run("timeout", SECONDS, REPLAY, "--name", "x.h", "--before", before, "--after", after,
                           "--output", result)
            told = done.returncode in (0, 3) or (done.returncode == 1 and done.stderr.startswith("x.h:") and
                                                 "refused: " in done.stderr and "own check" not in done.stderr)
            tap.check(told, what, f"{done.returncode}: {done.stderr[-2000:]}")
        written = result.read_bytes()
        tap.check(written.count(b"\n") == written.count(b"\r\n") == 5, "lines end as those of the original do", written)
    return tap.done()


sys.exit(main())

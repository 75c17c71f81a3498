#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""linekeeper vet on patches that git alone would not take: without a/ and b/, cut at their end, as flowed text; how much is said of one kind."""

import json
import re
import sys
import tempfile
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from pathlib import Path

sys.path.insert(0, "tests")
from tap import check, done, small_tree  # noqa: E402
from vet_series import Files, diff, mail, show, vet  # noqa: E402

COUNTER = "include/linux/page_counter.h"
COMMENT = " /* of this group alone, of none below it, and of no other group beside it */"
EDITS = ((r"^\tunsigned long watermark;", f"\tunsigned long watermark;\n\tunsigned long local_watermark;{COMMENT}"), (r"^\};\n\n", "\\g<0>/* more */\n"))
GROWN = "struct page_counter   112 -> 120 bytes"


def is_read(out) -> bool:
    return out.returncode == 0 and GROWN in out.stdout


def test_names(tree: Path) -> None:
    body = Files(tree).edit(COUNTER, *EDITS)
    bare = re.sub(r"^(diff --git |--- |\+\+\+ )(.*)$", lambda line: line[1] + re.sub(r"\b[ab]/", "", line[2]), body, flags=re.M)
    assert f"--- {COUNTER}\n" in bare and f"diff --git {COUNTER} {COUNTER}\n" in bare
    plain = re.sub(r"^diff --git .*\n", "", bare, flags=re.M)
    dated = plain.replace(f"--- {COUNTER}\n", f"--- {COUNTER}.orig\t2023-06-28 18:56:25\n").replace(f"+++ {COUNTER}\n", f"+++ {COUNTER}\t2023-06-28 18:56:26\n")
    for what, text in (("git diff --no-prefix", bare), ("diff -u", plain), ("diff -u of a copy", dated), ("folders of other names", body.replace("a/inc", "linux-6.1.orig/inc"))):
        out = vet(tree, text.encode())
        check(is_read(out), f"{what}: read", show(out))
    out = vet(tree, mail("[PATCH] bare", bare), "--reply")
    check(f"> +++ b/{COUNTER}\n" in out.stdout and GROWN in out.stdout, "in a mail, and its answer names the file", show(out))
    fresh = diff("include/linux/fresh.h", "", "struct fresh { long a[3]; };\n")
    gone = f"diff --git {COUNTER} include/linux/fresh.h\nsimilarity index 100%\nrename from {COUNTER}\nrename to include/linux/fresh.h\n"
    for what, text, answer in (("a new file", fresh.replace("b/inc", "inc"), "no struct that was looked at"), ("a renamed one", gone, "not judged")):
        out = vet(tree, text.encode())
        check("refused" not in out.stderr and answer in out.stdout, f"{what} without a/ and b/", show(out))
    out = vet(tree, diff("nosuch", "old\n", "new\n").replace("a/", "").replace("b/", "").encode())
    check(out.returncode == 1 and re.search(r"^refused: .*the names in its diff are none of the tree's, and have no a/ and b/ in front: make it with `git diff`$",
          out.stderr), "names that fit neither way: what to do", show(out))


def test_ends(tree: Path) -> None:
    body = Files(tree).edit(COUNTER, *EDITS)
    for what, data in (("a diff", body.rstrip("\n").encode()), ("a mail", mail("[PATCH] cut", body).split(b"-- \n2.39")[0].rstrip(b"\n"))):
        out = vet(tree, data)
        check(is_read(out), f"{what} without a newline at its end: read", show(out))
    lines = body.split("\n")
    tabs = next(number for number, line in enumerate(lines) if line.startswith(" \t"))
    wrapped = next(number for number, line in enumerate(lines) if COMMENT in line)
    for what, text in (("cut off", "\n".join(lines[:-3])), ("context without its blank", "\n".join([*lines[:tabs], lines[tabs][1:], *lines[tabs + 1:]])),
                       ("a line that was wrapped", "\n".join([*lines[:wrapped], *lines[wrapped].split(" of none "), *lines[wrapped + 1:]]))):
        out = vet(tree, text.encode())
        check(out.returncode == 1 and re.search(r"^refused: the patch \('standard input'\) does not apply to \S+: lines of its diff were wrapped, cut off or changed on the way, "
              r"before or at line \d+ of it: get it as it was sent \(`b4 am`, or the raw mail\)$", out.stderr), f"{what}: refused, and what to do", show(out))


def flowed(text: str, gap: str) -> str:
    """As RFC 3676 says: a long line broken behind a blank, with one more where the reader deletes one (DelSp); lines stuffed."""
    lines = []
    for line in text.split("\n"):
        cut = line.rfind(" ", 1, 60) + 1 if len(line) > 70 else 0
        lines += [line[:cut] + gap, line[cut:]] if cut else [line]
    return "\n".join(" " + line if line.startswith((" ", ">", "From ")) else line for line in lines)


def test_flowed(tree: Path) -> None:
    body = Files(tree).edit(COUNTER, *EDITS)
    assert "\n \n" in body
    for delsp, gap in ((b"", ""), (b"; delsp=yes", " ")):
        for encoding in ("8bit", "quoted-printable"):
            text = flowed(body, gap)
            assert "\n  \n" in text and len(text.split("\n")) > len(body.split("\n"))
            data = mail("[PATCH] flowed", text, encoding, flowed=True).replace(b"format=flowed", b"format=flowed" + delsp)
            out = vet(tree, data)
            check(is_read(out), f"flowed text{delsp.decode()}, {encoding}: an empty line of context, a line that was broken", show(out))
    out = vet(tree, mail("[PATCH] flowed", flowed(body, ""), flowed=False))
    check(out.returncode == 1 and "refused: " in out.stderr, "of text that says nothing of it no blank is taken away", show(out))


def test_posted(tree: Path) -> None:
    """What is there more than once: the same mail, a newer version, the same as HTML."""
    one, two = (Files(tree).edit(COUNTER, (EDITS[0][0], f"\\g<0>\n\tunsigned long {name};")) for name in ("old_one[2]", "fresh"))
    first, second, third, other = (mail(f"[PATCH{version}] {title}", body) for version, title, body in
                                   (("", "counter", one), (" v2", "counter", two), ("", "counter", two), ("", "another", two)))
    resent = first.replace(b"Message-ID: <", b"Message-ID: <again-")
    for what, data, taken in (("twice", second + second, "it is taken once"), ("v1 and v2", first + second, "the newest, v2, is taken"),
                              ("v2 and v1", second + first, "the newest, v2, is taken")):
        out = vet(tree, data)
        check(is_read(out) and re.match(rf"note: standard input holds 2 patches 'counter': {taken}\n", out.stderr), f"one patch, {what}", show(out))
    out = vet(tree, first + resent)
    check("112 -> 128 bytes" in out.stdout and "it is taken once" in out.stderr, "sent again, by another mail", show(out))
    out = vet(tree, first + third)
    check(out.returncode == 1 and out.stderr == "refused: standard input holds 2 different patches 'counter', none of which is the newest by its number: give one of them\n",
          "two that claim to be the same", show(out))
    out = vet(tree, first + other)
    check("holds" not in out.stderr and "patch 2 of 2 ('another') does not apply" in out.stderr, "others by their titles are a series", show(out))
    for kind in ("alternative", "mixed"):
        message, inner = MIMEMultipart("mixed"), MIMEMultipart("alternative")
        for part in (MIMEText(f"Why.\n---\n{two}", "plain", "utf-8"), MIMEText(f"<pre>\n{two}\n</pre>", "html")):
            inner.attach(part)
        message.attach(inner)
        message = inner if kind == "alternative" else message
        message["Subject"], message["From"] = "[PATCH] counter", "j@example.org"
        out = vet(tree, b"From mboxrd@z Thu Jan  1 00:00:00 1970\n" + message.as_bytes())
        check(is_read(out) and "refused" not in out.stderr, f"text, and the same as HTML ({kind}): once", show(out))


def test_many(tree: Path) -> None:
    """Of one kind eight are told; of the members on a new one's line twelve."""
    files = Files(tree)
    names = [f"a{number}" for number in range(20)]
    (tree / "include/linux/many.h").write_text("struct many {\n" + "".join(f"\tchar {name};\n" for name in names) + "} __attribute__((aligned(64)));\n")
    series = mail("[PATCH] company", Files(tree).edit("include/linux/many.h", (r"^\}", "\tchar fresh;\n}")))
    few, every = (vet(tree, series, *words).stdout for words in ((), ("--verbose",)))
    check(f"  fresh: new, always on a line with {', '.join(names[:12])} and 8 more\n" in few and
          f"  fresh: new, always on a line with {', '.join(names)}\n" in every, "whom a new member meets: twelve, all with --verbose", few + every)
    asserts = "".join(f"_Static_assert(sizeof(struct page_counter) < {113 + number % 8}, \"\");\n" for number in range(17))
    (tree / "mm/asserts.h").write_text(f"#include <linux/page_counter.h>\n{asserts}")
    series = mail("[PATCH] many", files.edit(COUNTER, *EDITS) + files.edit("mm/page_counter.c", (r"^#include <linux/page_counter.h>\n", '\\g<0>#include "asserts.h"\n')))
    outs = {words: vet(tree, series, *words) for words in ((), ("--verbose",), ("--quiet",), ("--format", "json"), ("--format", "sarif"))}
    counts = [out.stderr.count("error: static assertion failed") for out in outs.values()]
    check(counts == [8, 17, 8, 17, 17] and {out.returncode for out in outs.values()} == {1}, "17 asserts: eight are told, all with --verbose; status 1",
          f"{counts}\n" + "".join(map(show, outs.values())))
    check(all("\nnote: 9 more of [-Wcacheline-layout-assert] with --verbose\n" in outs[words].stderr for words in ((), ("--quiet",))), "how many more", show(outs[()]))
    found = [one["id"] for one in json.loads(outs["--format", "json"].stdout)["findings"]]
    results = [one["ruleId"] for one in json.loads(outs["--format", "sarif"].stdout)["runs"][0]["results"]]
    check((found.count("layout-assert"), results.count("layout-assert")) == (17, 17), "JSON and SARIF have all of them", f"{found}\n{results}")


with tempfile.TemporaryDirectory() as work:
    for each in (test_names, test_ends, test_flowed, test_posted, test_many):
        (Path(work) / each.__name__).mkdir()
        each(small_tree(Path(work) / each.__name__))
sys.exit(done())

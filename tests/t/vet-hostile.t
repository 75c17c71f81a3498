#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""linekeeper vet on series that nobody means well with, and on mails as they really come: an answer, and soon, and everything as it was."""

import base64
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from xml.dom import minidom

sys.path[:0] = ["tests", "tests/fuzz"]
import mails  # noqa: E402
from tap import LINEKEEPER, TOP, check, done, run, small_tree  # noqa: E402
from vet_series import MEMORY, Files, diff, mail, show, snapshot, vet  # noqa: E402

FS, COUNTER = "include/linux/fs.h", "include/linux/page_counter.h"
STRUCT = r"^struct page_counter \{\n"
WATERMARK = (r"^\tunsigned long watermark;", "\tunsigned long watermark;\n\tunsigned long local_watermark;")
GROWN = "struct page_counter   112 -> 120 bytes"


def in_front(tree: Path, text: str) -> str:
    """A patch that puts text in front of a struct."""
    return Files(tree).edit(COUNTER, (STRUCT, lambda match: f"{text}\n{match.group()}"))


def inside(tree: Path, text: str) -> str:
    return Files(tree).edit(COUNTER, (STRUCT, lambda match: f"{match.group()}{text}\n"))


def is_answer(out, *texts: str) -> bool:
    """A result or a refusal, in which the texts stand."""
    return out.returncode in (0, 1) and "Traceback" not in out.stderr and (out.stdout or out.stderr) and \
        all(text in out.stdout + out.stderr for text in texts)


def test_paths(tree: Path, folder: Path) -> None:
    outside = folder / "outside"
    outside.write_text("secret\n")
    for what, body in (("..", diff("../outside", "secret\n", "gone\n")), ("an absolute path", diff(str(outside), "secret\n", "gone\n")),
                       ("a new file above", diff("../../fresh", "", "x\n")), (".git", diff(".git/config", "", "[core]\n")),
                       (".git of another case", diff("include/.GIT/config", "", "[core]\n")), ("what the build makes", diff("include/generated/x.h", "", "int x;\n"))):
        out = vet(tree, mail("[PATCH] bad", body))
        check(out.returncode == 1 and out.stderr.startswith("refused: ") and outside.read_text() == "secret\n" and "Traceback" not in out.stderr,
              f"{what}: refused", show(out))
    link = "diff --git a/include/linux/l.h b/include/linux/l.h\nnew file mode 120000\n--- /dev/null\n+++ b/include/linux/l.h\n" \
           f"@@ -0,0 +1 @@\n+{outside}\n\\ No newline at end of file\n"
    out = vet(tree, mail("[PATCH] link", link + diff("include/linux/l.h/x", "", "x\n")))
    check(out.returncode == 1 and "refused: " in out.stderr, "a way through a link: refused", show(out))
    out = vet(tree, mail("[PATCH] link", link + in_front(tree, "#include <linux/l.h>")))
    check("secret" not in out.stdout + out.stderr and out.returncode == 1, "a link is not followed", show(out))
    for path in (outside, f"{'../' * 30}{str(outside).lstrip('/')}"):
        out = vet(tree, mail("[PATCH] include", in_front(tree, f'#include "{path}"')))
        check(out.returncode == 1 and f"error: unable to open '{path}'" in out.stderr and "secret" not in out.stdout + out.stderr and
              out.stdout == "[PATCH] include: not judged\n", "a file outside the tree is not read", show(out))
    text = f'#define WHICH "{outside}"\n#pragma GCC dependency "{outside}"\n#line 1 "{outside}"\nasm(".incbin \\"{outside}\\"");\n#include_next WHICH'
    out = vet(tree, mail("[PATCH] include", in_front(tree, text)))
    check(out.returncode == 1 and "unable to open" in out.stderr and "secret" not in out.stdout + out.stderr, "nor by any other word", show(out))
    names = "".join(diff(name, "", "int x;\n").replace(f"a/{name} b/{name}", f'"a/{name}" "b/{name}"').replace(f"+++ b/{name}", f'+++ "b/{name}"')
                    for name in ("include/linux/\\033[31m.h", "include/linux/a\\nb.h", "include/linux/\\377.h"))
    out = vet(tree, mail("[PATCH] names", names + Files(tree).edit(COUNTER, WATERMARK)))
    check(out.returncode == 0 and GROWN in out.stdout and "note: not looked at: 'include/linux/" in out.stderr and " and 2 more" in out.stderr and
          "\x1b" not in out.stdout + out.stderr, "names that no kernel has are said, and seen", show(out))


def test_nothing_runs(tree: Path, folder: Path) -> None:
    """What a build or git would run, each a way to make a file."""
    proof = folder / "ran"
    make = Files(tree).edit("Makefile", (r"\A", f"$(shell touch {proof})\n"))
    attributes = diff(".gitattributes", "", "*.h filter=x diff=x merge=x text=auto\n") + diff(".gitmodules", "", f'[submodule "x"]\n\tpath = x\n\turl = ext::touch {proof}\n')
    scripts = diff("scripts/checkpatch.pl", "", f"#!/bin/sh\ntouch {proof}\n").replace("100644", "100755") + diff("Kconfig.x", "", f"config X\n\tdef_bool $(shell,touch {proof})\n")
    module = "diff --git a/x b/x\nnew file mode 160000\nindex 0000000..1111111\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+Subproject commit 1111111111111111111111111111111111111111\n"
    symbols = in_front(tree, f"#if defined(CONFIG_A) || defined(CONFIG_{'B' * 5000})\nstruct more {{ int a; }};\n#endif") + \
        diff("mm/Kconfig.x", "", f'config X -include {proof}\n\tbool\nconfig -D\n\tbool\nconfig "$(touch {proof})"\n\tbool\n')
    for what, body in (("a Makefile", make + Files(tree).edit(COUNTER, WATERMARK)), ("git's attributes and modules", attributes + module), ("scripts and Kconfig", scripts),
                       ("names of options", symbols)):
        out = vet(tree, mail("[PATCH] run", body))
        check(is_answer(out) and not proof.exists(), f"{what}: nothing runs", show(out))


def test_sizes(tree: Path) -> None:
    """What is large, deep or endless."""
    bomb = "#define A0 x x\n" + "".join(f"#define A{n} A{n - 1} A{n - 1}\n" for n in range(1, 40)) + "A39"
    doubled = "struct d0 { int a; };\n" + "".join(f"struct d{n} {{ struct d{n - 1} a, b; }};\n" for n in range(1, 60))
    anonymous = "struct d0 { int a; };\n" + "".join(f"struct d{n} {{ struct d{n - 1}; struct d{n - 1}; }};\n" for n in range(1, 60))
    headers = "".join(diff(f"include/linux/l{n}.h", "", f"#include <linux/l{n + 1}.h>\n" * 2) for n in range(30)) + diff("include/linux/l30.h", "", "int a;\n")
    cases = (
        ("a macro that grows without end", in_front(tree, bomb), ("not judged",)),
        ("an include loop", diff("include/linux/l.h", "", "#include <linux/l.h>\n") + in_front(tree, "#include <linux/l.h>"), ("unable to open 'linux/l.h'",)),
        ("includes that double", headers + in_front(tree, "#include <linux/l0.h>"), ("not judged",)),
        ("structs that each hold two of the next", in_front(tree, doubled), ("struct d59   is new",)),
        ("anonymous ones", in_front(tree, anonymous), ("has 49150 members, and no more than 32768 are looked at",)),
        ("a struct that holds itself", inside(tree, "\tstruct page_counter self;"), ("error: member 'self' has an incomplete type", "not judged")),
        ("in a union that is closed before it", inside(tree, "\tunion { struct page_counter one; } u[2];"), ("error: member 'one' has an incomplete type",)),
        ("1,000 members", inside(tree, "\n".join(f"\tint m{n};" for n in range(1000))), ("112 -> 4112 bytes",)),
        ("a million members", inside(tree, "\n".join(f"\tint m{n};" for n in range(1_000_000))), ("has 1000014 members, and no more than 32768 are looked at",)),
        ("1,000 structs", in_front(tree, "\n".join(f"struct s{n} {{ int a; }};" for n in range(1000))), ("1000 new",)),
        ("deep brackets", in_front(tree, f"int x[{'(' * 200_000}1{')' * 200_000}];"), ()),
        ("deep structs", in_front(tree, f"struct n {{ {'struct { ' * 20_000}int a; {'}; ' * 20_000}}};"), ("not judged",)),
        ("a line of 10 MB", in_front(tree, f"/*{'x' * 10_000_000}*/"), ("no struct that was looked at has changed",)),
        ("nothing but struct", in_front(tree, "struct " * 200_000), ("not judged",)),
        ("arrays of 2^62 bytes", inside(tree, "\tchar a[1UL << 31][1UL << 31];"), ("page_counter",)),
        ("an alignment of a GiB", inside(tree, "\tchar a __attribute__((aligned(1 << 30)));"), ("aligned to 8 -> 1073741824",)),
        ("an enum of 100,000", in_front(tree, f"enum big {{ {', '.join(f'E{n}' for n in range(100_000))} }};"), ("no struct",)),
        ("a hunk of 2^64 lines", Files(tree).edit(COUNTER, WATERMARK).replace("@@ -", "@@ -18446744073709551616,18446744073709551616 +1,1 @@\n@@ -"), ("refused: ",)),
    )
    for what, body, texts in cases:
        started = time.monotonic()
        out = vet(tree, mail("[PATCH] large", body), *(MEMORY or ["--memory", "500"]), "--seconds", "250")
        check(is_answer(out, *texts), f"{what}: an answer ({time.monotonic() - started:.0f} s)", show(out)[:3000])
    out = vet(tree, b"From x\nSubject: [PATCH] x\n\n---\n" + b"x" * 100_000_000)
    check(out.returncode == 1 and out.stderr == "refused: the input is larger than 64 MiB, which no patch series is\n", "a line of 100 MB", show(out)[:500])


def test_many_patches(tree: Path) -> None:
    files = Files(tree)
    series = [mail(f"[PATCH {n:04}/1000] more", files.edit(COUNTER, (STRUCT, lambda match, n=n: f"{match.group()}\tint m{n};\n"))) for n in range(1, 1001)]
    out = vet(tree, b"".join(reversed(series)), "--seconds", "600")
    check(out.returncode == 0 and "1000 patches, from '[PATCH 0001/1000] more': 1 struct changed" in out.stdout and "112 -> 4112 bytes" in out.stdout,
          "a thousand patches, the last one first", show(out)[:1000])


def test_engine(folder: Path) -> None:
    """A struct of 20,000 members, compared: the work grows as they do. CPU, for others may use the machine too."""
    engine = Path(os.environ.get("BUILD") or TOP / "build") / "cacheline-check"
    members = "".join(f"\tint m{n};\n" for n in range(20_000))
    (folder / "before.c").write_text(f"struct s {{\n{members}}};\n")
    (folder / "after.c").write_text(f"struct s {{\n\tlong first;\n{members}}};\n")
    started = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    run(engine, "--once=/dev/null", f"--dump={folder}/dump", "before.c", cwd=folder)
    out = run(engine, "--once=/dev/null", f"--before={folder}/dump", "after.c", cwd=folder)
    took = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - started
    check(out.returncode == 0 and out.stdout.count('"moved"') == 20_000 and (MEMORY or took < 5), f"20,000 members: {took:.1f} s of CPU", out.stderr[:500])


def running(*words: str) -> list:
    """Commands that have all the words in them."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = path.read_bytes().decode(errors="replace")
        except OSError:
            continue
        found += [command] if all(word in command for word in words) else []
    return found


def wait_for(what) -> object:
    """What it answers, as soon as that is something; tried for a minute."""
    for _ in range(600):
        found = what()
        if found:
            return found
        time.sleep(0.1)
    return what()


def test_ends(tree: Path, folder: Path) -> None:
    """The limit of time, and kill -9: nothing runs on and nothing stays."""
    slow = folder / "slow.mbox"
    slow.write_bytes(mail("[PATCH] slow", in_front(tree, "\n".join(f"#define B{n} B{n + 1} B{n + 1} B{n + 1}" for n in range(40)) + "\nint x = B0;")))
    scratch = folder / "scratch"
    scratch.mkdir()
    environment = {**os.environ, "TMPDIR": str(scratch)}
    call = [LINEKEEPER, "vet", "--tree", str(tree), "--memory", "0", str(slow)]

    def is_quiet() -> bool:
        return not list(scratch.iterdir()) and not running(str(scratch))

    out = run(*call[:-1], "--seconds", "3", slow, TMPDIR=str(scratch))
    check(out.returncode == 1 and out.stderr.endswith("refused: not finished in 3 seconds (--seconds)\n") and is_quiet(),
          "the time is over: nothing runs on, nothing is left", (show(out), running(str(scratch))))
    for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
        with subprocess.Popen(call, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
            seen = wait_for(lambda: running(str(scratch), "cacheline-check"))
            child.send_signal(number)
            child.wait()
        check(seen and wait_for(is_quiet), f"{number.name}: it was at work, and nothing runs on or is left", (seen, list(scratch.iterdir()), running(str(scratch))))


def test_shown(tree: Path) -> None:
    """What a terminal or a browser would obey."""
    body = in_front(tree, '#include "\x1b]0;owned\x07.h"')
    out = vet(tree, mail("[PATCH] =?utf-8?q?=1B[2J=C2=9B31m=E2=80=AE_<script>alert(1)</script>?=", body))
    check(out.returncode == 1 and not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", out.stdout + out.stderr) and "\\u001b" in out.stderr,
          "no byte that a terminal obeys", repr(show(out)))
    subject = "[PATCH] =?utf-8?q?=1B[2J<script>alert(1)</script>&=E2=80=AE?="
    out = vet(tree, mail(subject, Files(tree).edit(COUNTER, WATERMARK)), "--format", "html")
    check(out.returncode == 0 and minidom.parseString(out.stdout.split("\n", 1)[1]) and "<script>alert" not in out.stdout and "&lt;script&gt;alert" in out.stdout,
          "HTML: a subject is text", show(out)[:500])
    raw = mail("[PATCH] raw", inside(tree, "\tint BYTES;")).replace(b"BYTES", b"\xff\xfe_x")
    for form in ("json", "sarif", "html", "text"):
        out = vet(tree, raw, "--format", form)
        check(is_answer(out), f"{form}: bytes that are no UTF-8", show(out)[:1000])


def box(subject: str, body: bytes, *more: str) -> bytes:
    """A message with headers of its own."""
    return "\n".join(["From mboxrd@z Thu Jan  1 00:00:00 1970", "From: A <a@example.org>", f"Subject: {subject}", *more, "", ""]).encode() + body + b"\n"


def test_mails(tree: Path, folder: Path) -> None:
    """Mails as tools and people send them."""
    files = Files(tree)
    one, two = files.edit(COUNTER, WATERMARK), files.edit(COUNTER, (r"^\tunsigned long failcnt;", "\\g<0>\n\tunsigned long more;"))
    body = f"Text.\n\n---\n{one}-- \n2.39\n".encode()
    rfc822 = b'--B\nContent-Type: text/plain\n\nSee below.\n--B\nContent-Type: message/rfc822\n\nFrom: b@example.org\nSubject: [PATCH] inner\n\n' + body + b"--B--\n"
    parts = b"--B\nContent-Type: text/plain\n\nTwo files.\n" + b"".join(
        b"--B\nContent-Type: text/x-patch\nContent-Disposition: attachment\nContent-Transfer-Encoding: base64\n\n" + base64.encodebytes(text.encode()) for text in (one,)) + b"--B--\n"
    b4 = box("[PATCH v3 2/2] two", f"Two.\n\nReviewed-by: B <b@example.org>\nLink: https://example.org/r/1\n---\n{two}".encode(), "Message-Id: <2@x>") + \
        box("[PATCH v3 1/2] one", body, "Message-Id: <1@x>")
    latin = "Müller's.\n\n---\n".encode("latin-1") + one.encode()
    cases = {
        "as b4 writes it, out of order": (b4, "112 -> 128 bytes"),
        "numbers in other brackets": (box("[RFC net-next 2/2] two", b"---\n" + two.encode()) + box("[RFC net-next 1/2] one", b"---\n" + one.encode()), "112 -> 128 bytes"),
        "a charset that git does not know": (box("[PATCH] x", body, "Content-Type: text/plain; charset=x-nosuch"), GROWN),
        "Latin 1": (box("[PATCH] x", latin, "Content-Type: text/plain; charset=iso-8859-1"), GROWN),
        "no charset, bytes that are no UTF-8": (box("[PATCH] x", latin), GROWN),
        "an attachment in base64": (box("[PATCH] x", parts, "MIME-Version: 1.0", "Content-Type: multipart/mixed; boundary=B"), GROWN),
        "lines that begin with From": (box("[PATCH] x", b">From here on\nFrom there\n" + body), GROWN),
        "no tag": (box("mm: one more", body), GROWN),
        "quilt's headers": (f"Index: linux/{COUNTER}\n{'=' * 67}\n".encode() + re.sub(r"^(---|\+\+\+) [ab]/(\S+)", r"\1 linux/\2\t2023-06-28", "".join(
            one.partition("--- ")[1:]), flags=re.M).encode(), GROWN),
        "a cover letter with a quoted diff": (box("[PATCH 0/1] cover", b"> " + one.encode().replace(b"\n", b"\n> ")) + box("[PATCH 1/1] x", body), GROWN),
        "from Windows": (box("[PATCH] x", body).replace(b"\n", b"\r\n"), GROWN),
    }
    for what, (data, text) in cases.items():
        out = vet(tree, data)
        check(out.returncode == 0 and text in out.stdout, f"{what}: read", show(out))
    out = vet(tree, box("Fwd: a patch", rfc822, "MIME-Version: 1.0", "Content-Type: multipart/mixed; boundary=B"))
    check(is_answer(out) and (GROWN in out.stdout or "which is an answer" in out.stderr), "a mail in a mail: looked at, or said not to be", show(out))
    out = vet(tree, b"\x1f\x8b\x08\x00" + b"x" * 100)
    check(out.returncode == 1 and "packed: give it as in `zcat FILE | linekeeper vet -`" in out.stderr, "a packed mailbox is refused", show(out))
    out = vet(tree, box("[PATCH] x", f"---\n{files.edit(COUNTER, (r'^.unsigned long more;', '/* */')).replace('local_watermark', 'nosuch')}".encode()))
    check(out.returncode == 1 and f"refused: the patch ('x') does not apply to {tree.resolve()}: {COUNTER}:" in out.stderr, "one that does not apply: file, line and state",
          show(out))


def test_found_by_fuzzing() -> None:
    for path in sorted((TOP / "tests/fuzz/corpus/mails").iterdir()):
        with tempfile.TemporaryDirectory() as name:
            result = mails.once(path.read_bytes(), Path(name))
        check(result in ("applied", "refused"), f"{path.name}: {result}")


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder, temporary = Path(name), os.environ.get("TMPDIR")
        tree = small_tree(folder)
        run("git", "init", "-q", ".", cwd=tree)
        run("git", "add", "include", cwd=tree)
        before = snapshot(tree)
        test_paths(tree, folder)
        test_nothing_runs(tree, folder)
        test_mails(tree, folder)
        test_shown(tree)
        test_sizes(tree)
        test_engine(folder)
        test_many_patches(tree)
        test_ends(tree, folder)
        check(snapshot(tree) == before, "the tree is as it was, git's index and all, to the time stamps")
        left = list(Path(temporary).glob("linekeeper-*")) if temporary else []
        check(not left, "no folder is left behind", left)
    test_found_by_fuzzing()
    return done()


sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Fuzzes the reader of mails and patches (scripts/lk/series.py) with the real git: mailboxes made from a seed, bent, then read and applied.

usage: tests/fuzz/mails.py SECONDS CRASHES      or: tests/fuzz/mails.py --replay SEED...

Each run must end in patches that are applied or in a refusal, within 20 seconds, with nothing written outside of its folder.
"""

import base64
import os
import quopri
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "scripts"))
sys.dont_write_bytecode = True
from lk import series, vet_forms, vet_step  # noqa: E402
from lk.errors import Refused, WrongUse  # noqa: E402

FILE = "#ifndef A\nstruct a {\n\tint first;\n\tlong second;\n\tchar third[8];\n};\n\nstruct b {\n\tstruct a a;\n};\n#endif\n"
PATHS = ("include/a.h", "include/b.h", "../outside", "/etc/passwd", ".git/config", "include/../../x", "a b.h", "\"q\\303\\274.h\"", "-x.h", "include/a.h/x",
         ".gitattributes", ".gitmodules", "include/a.h\t2023", "", "x" * 300 + ".h", "include//a.h", "./include/a.h", "dev/null", "\\", "\x1b[31m.h", "Makefile")
WORDS = (b"From ", b">From ", b"From: ", b"Subject: ", b"[PATCH 1/2] ", b"Re: ", b"\n\n", b"\r\n", b"\n---\n", b"-- \n", b"@@ ", b"@@ -1,3 +1,4 @@", b"--- a/", b"+++ b/",
         b"diff --git ", b"rename from ", b"GIT binary patch\n", b"literal 10\n", b"=?utf-8?q?", b"?=", b"=", b"\x00", b"\xff\xfe", b"Content-Type: ", b"multipart/mixed; boundary=",
         b"message/rfc822", b"Content-Transfer-Encoding: ", b"new file mode 120000\n", b"old mode 160000\n", b"99999999999", b"-1", b"\\ No newline at end of file\n", b">8 ", b"\x1b]0;x\x07")


class Box:
    """A mailbox made by chance."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def any(self, *of):
        return self.chance.choice(of)

    def hunk(self) -> str:
        """Most of them apply."""
        lines = FILE.split("\n")[:-1]
        at = self.chance.randrange(len(lines))
        first, last = max(0, at - 3), min(len(lines), at + 4)
        body = [f" {line}" for line in lines[first:at]] + self.any([f"-{lines[at]}"], [f"-{lines[at]}", "+\tint more;"], ["+\tint more;", f" {lines[at]}"])
        body += [f" {line}" for line in lines[at + 1:last]]
        olds, news = sum(line[0] != "+" for line in body), sum(line[0] != "-" for line in body)
        numbers = self.any((first + 1, olds, first + 1, news), (first + 1, olds, first + 1, news), (1 << 31, olds, 1, news), (first + 3, olds, 0, news))
        return "@@ -%d,%d +%d,%d @@\n" % numbers + "\n".join(body) + "\n"

    def diff(self) -> str:
        old, new = ("include/a.h",) * 2 if self.chance.random() < 0.6 else (self.any(*PATHS), self.any(*PATHS))
        mode = "" if self.chance.random() < 0.6 else self.any("new file mode 100644\n", "new file mode 120000\n", "deleted file mode 100644\n", "old mode 100644\nnew mode 160000\n",
                        f"similarity index 90%\nrename from {old}\nrename to {new}\n", "index 0000000..1111111 100644\n")
        head = self.any(f"diff --git a/{old} b/{new}\n{mode}", "", f"diff --git a/{old} b/{new}\n")
        if "new file" in mode:
            return f"{head}--- /dev/null\n+++ b/{new}\n@@ -0,0 +1,2 @@\n+{self.any('../../etc', 'struct c {', old)}\n+int x;\n"
        return f"{head}--- {self.any('a/', 'a/', '', 'old/')}{old}\n+++ {self.any('b/', 'b/', '', 'new/')}{new}\n{self.hunk()}"

    def mail(self, number: int, of: int) -> bytes:
        subject = f"[PATCH {number}/{of}] change" if self.chance.random() < 0.7 else self.any(f"[PATCH v2 {number}/{of}] change", "[RFC PATCH] x", "no tag", "Re: [PATCH] x",
                           f"=?utf-8?q?=5BPATCH_{number}/{of}=5D_=C3=BC?=", f"[PATCH net-next {number}/{of}]\n more")
        body = f"Why.\n\nSigned-off-by: A <a@b>\n---\n a.h | 2 +-\n\n{''.join(self.diff() for _ in range(self.any(0, 1, 1, 1, 1, 2)))}-- \n2.39\n".encode()
        coding = self.any("", "", "", "base64", "quoted-printable")
        body = base64.encodebytes(body) if coding == "base64" else quopri.encodestring(body) if coding else body
        body = body.replace(b"\n", b"\r\n") if self.chance.random() < 0.1 else body
        kind = self.any("text/plain; charset=utf-8", "text/plain", "text/plain; charset=nosuch", "text/plain; format=flowed; charset=iso-8859-1",
                        "multipart/mixed; boundary=B", "message/rfc822")
        part = f"--B\nContent-Type: text/x-patch\nContent-Disposition: attachment\n\n".encode() if "multipart" in kind else b""
        head = f"From x Thu Jan  1 00:00:00 1970\nFrom: {self.any('A <a@b>', '=?utf-8?b?w7w=?= <a@b>', 'x' * 2000)}\nSubject: {subject}\n" \
               f"Message-ID: <{number}@x>\nContent-Type: {kind}\n" + (f"Content-Transfer-Encoding: {coding}\n" if coding else "")
        return head.encode() + b"\n" + part + body + (b"--B--\n" if part else b"") + b"\n"

    def bent(self, data: bytes) -> bytes:
        """A few of its bytes are others."""
        for _ in range(self.any(0, 0, 0, 1, 1, 2, 5)):
            at, to = sorted(self.chance.randrange(len(data) + 1) for _ in range(2))
            data = self.any(data[:at] + self.any(*WORDS) + data[at:], data[:at] + data[min(to, at + 40):], data[:at] + bytes([self.chance.randrange(256)]) + data[at + 1:],
                            data + data[at:to][:500], data[:to]) or b"\n"
        return data

    def whole(self) -> bytes:
        of = self.any(1, 1, 2, 3)
        return self.bent(b"".join(self.mail(number + 1, of) for number in range(of)))


class FakeTree:
    """All of a tree that the reader asks for."""

    def __init__(self, src: str) -> None:
        self.src = src


def names_below(folder: Path) -> dict:
    return {path: path.lstat().st_mtime_ns for path in folder.rglob("*")}


def once(data: bytes, folder: Path) -> str:
    """What became of one mailbox; raises for what is neither a result nor a refusal."""
    (folder / "tree/include").mkdir(parents=True)
    (folder / "tree/include/a.h").write_text(FILE)
    (folder / "box").write_bytes(data)
    (folder / "ours").mkdir()
    before = {path: stamp for path, stamp in names_below(folder).items() if path != folder / "ours"}
    tree = FakeTree(str((folder / "tree").resolve()))
    try:
        given = series.Input(tree, str(folder / "box"))
        patches = series.read(tree, given, str(folder / "ours"))
        scratch = series.Scratch(tree, given, patches, str(folder / "ours"))
        for number in range(len(patches)):
            scratch.apply(number)
            text = patches[number].diff.decode(errors="replace")
            vet_step.shape(text)
            list(vet_forms.hunks(text))
        scratch.keep(str(folder / "ours/kept"))
        result = "applied"
    except Refused:
        result = "refused"
    except WrongUse as err:
        raise AssertionError(f"no wrong use: {err}") from err
    after = {path: stamp for path, stamp in names_below(folder).items() if folder / "ours" not in (path, *path.parents)}
    assert after == before, f"written outside: {set(after.items()) ^ set(before.items())}"
    kept = folder / "ours/kept"
    assert not any(path.is_symlink() for path in kept.rglob("*")), "a link is kept"
    return result


def try_seed(seed: int, data: bytes) -> str:
    def give_up(*_):
        raise AssertionError("no end after 20 seconds")
    signal.signal(signal.SIGALRM, give_up)
    signal.alarm(20)
    with tempfile.TemporaryDirectory(prefix="lk-mails-") as name:
        try:
            return once(data, Path(name))
        finally:
            signal.alarm(0)


def main(argv: list) -> int:
    if len(argv) > 1 and argv[0] == "--replay":
        for seed in map(int, argv[1:]):
            print(seed, try_seed(seed, Box(seed).whole()))
        return 0
    seconds, crashes = int(argv[0]), Path(argv[1])
    crashes.mkdir(parents=True, exist_ok=True)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)        # notes on each of a thousand mailboxes
    end, seed, counts = time.monotonic() + seconds, time.time_ns() // 1000, {"applied": 0, "refused": 0}
    while time.monotonic() < end:
        seed += 1
        data = Box(seed).whole()
        try:
            counts[try_seed(seed, data)] += 1
        except Exception as err:        # pylint: disable=broad-except
            (crashes / f"mails-{seed}").write_bytes(data)
            print(f"mails        seed {seed}: {type(err).__name__}: {err}, FAILED", flush=True)
            return 1
    print(f"{'mails':<12} {sum(counts.values()):>10} executions, {counts['applied']} applied, {counts['refused']} refused", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

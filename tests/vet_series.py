# SPDX-License-Identifier: GPL-2.0-only
"""For tests of linekeeper vet: edits of a tree as diffs, diffs as mails, mails to the command."""

from __future__ import annotations

import difflib
import email.encoders
import email.message
import os
import re
import subprocess
from pathlib import Path

from tap import LINEKEEPER

MEMORY = ["--memory", "0"] if "ASAN_OPTIONS" in os.environ else []      # its shadow is larger than any limit


def show(out) -> str:
    return f"status {out.returncode}\n{out.stdout}{out.stderr}"


def snapshot(tree: Path) -> dict:
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in sorted(tree.rglob("*")) if path.is_file()}


def diff(name: str, old: str, new: str, context: int = 3) -> str:
    """As git writes it."""
    sides = ("/dev/null" if not old else f"a/{name}", "/dev/null" if not new else f"b/{name}")
    mode = "new file mode 100644\n" if not old else "deleted file mode 100644\n" if not new else ""
    lines = difflib.unified_diff(old.splitlines(True), new.splitlines(True), *sides, n=context)
    return f"diff --git a/{name} b/{name}\n{mode}{''.join(lines)}"


def changed(text: str, *edits: tuple) -> str:
    """The text after some (pattern, replacement), each of which must be found."""
    for pattern, new in edits:
        text, count = re.subn(pattern, new, text, count=1, flags=re.M)
        assert count, pattern
    return text


class Files:
    """The tree's files as a series leaves them."""

    def __init__(self, tree: Path) -> None:
        self.tree, self.now = tree, {}

    def edit(self, name: str, *edits: tuple) -> str:
        """The diff of some edits."""
        old = self.now.get(name) or (self.tree / name).read_text()
        self.now[name] = changed(old, *edits)
        return diff(name, old, self.now[name])


def mail(subject: str, body: str, encoding: str = "8bit", newline: str = "\n", flowed: bool = False, why: str = "Why.") -> bytes:
    """One message of an mbox."""
    message = email.message.Message()
    message["From"] = "=?utf-8?q?J=C3=B6rg?= <j@example.org>"
    message["Subject"] = subject
    message["Date"] = "Wed, 28 Jun 2023 18:56:25 +0800"
    message["Message-ID"] = f"<{abs(hash((subject, body)))}@example.org>"
    message["Content-Type"] = "text/plain; charset=utf-8" + ("; format=flowed" if flowed else "")
    payload = f"{why}\n\n---\n{body}-- \n2.39\n".replace("\n", newline).encode()
    if encoding == "8bit":
        message["Content-Transfer-Encoding"] = encoding
        head = message.as_bytes()
        return b"From mboxrd@z Thu Jan  1 00:00:00 1970\n" + head.rstrip(b"\n") + b"\n\n" + payload + b"\n"
    message.set_payload(payload)
    {"base64": email.encoders.encode_base64, "quoted-printable": email.encoders.encode_quopri}[encoding](message)
    return b"From mboxrd@z Thu Jan  1 00:00:00 1970\n" + message.as_bytes().rstrip(b"\n") + b"\n\n"


def vet(tree: Path, data: bytes, *words: object) -> subprocess.CompletedProcess:
    """The series on standard input. Few trees of tests have an index: the note that says so is left out."""
    done_run = subprocess.run([LINEKEEPER, "vet", "--tree", str(tree), *MEMORY, *map(str, words), "-"], input=data, capture_output=True, check=False)
    return subprocess.CompletedProcess(done_run.args, done_run.returncode, done_run.stdout.decode(),
                                       re.sub("^note: there is no index of this tree, .*\n", "", done_run.stderr.decode(), flags=re.M))

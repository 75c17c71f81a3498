# SPDX-License-Identifier: GPL-2.0-only
"""A patch series out of a mailbox, standard input, a patch file or git's history, and its patches applied one by one.

git decodes and applies. Nothing but a folder of ours is written, and nothing of what came in is executed.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from email.errors import MessageError
from email.header import decode_header, make_header
from email.parser import BytesHeaderParser
from typing import Dict, Iterator, List, NamedTuple, Optional

from lk.against import git
from lk.errors import Refused, WrongUse
from lk.notes import note
from lk.posted import once, without_html
from lk.tree import Tree

MAX_BYTES, MAX_MESSAGES, MAX_FILES = 64 << 20, 2000, 10000
HEADER = re.compile(rb"(From |>From |[A-Za-z][\w-]*:[ \t])")
DIFF = re.compile(r"^(?:diff --git .*|--- \S.*\n\+\+\+ \S.*\n@@ .*)$", re.M)
NAMES = re.compile(r"(?:--- |\+\+\+ |(rename from |copy from |rename to |copy to |diff --git a/.* b/))([^\t\n]+)")
RENAME = re.compile(r"rename (from|to) ([^\t\n]+)")
PREFIX = re.compile(r"\s*(?:\[[^][]*\]\s*)+")
PACKED = {b"\x1f\x8b": "zcat", b"BZh": "bzcat", b"\xfd7zXZ": "xzcat", b"\x28\xb5\x2f\xfd": "zstdcat"}
MADE = re.compile(r"(?:include|arch/\w+/include)/(?:generated|config)/")
HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
# what a line in front of a hunk names: --- and +++ one file, with a date behind it or not
SIDE = re.compile(r"(?:--- |\+\+\+ )(?!/dev/null\b)([^\t]+)|diff --git (\S+) (\S+)$")
# a mail of text that may be joined, and an empty line of a diff in it
FLOWED = re.compile(rb"^content-type:[^\n]*(?:\n[ \t][^\n]*)*\bformat=\"?flowed", re.M | re.I)
STUFFED = re.compile(rb"^(?: |=20){2}(?=\r?$)", re.M)
# what is to be done about git's words
ADVICE = tuple((re.compile(words), advice) for words, advice in (
    (r"corrupt patch at line (\d+)|patch fragment without header at line (\d+)",
     "lines of its diff were wrapped, cut off or changed on the way, before or at line {} of it: get it as it was sent (`b4 am`, or the raw mail)"),
    (r"git diff header lacks filename information", "the names in its diff are none of the tree's, and have no a/ and b/ in front: make it with `git diff`"),
    (r"No valid patches in input", "its diff has no hunk that can be read: get it as it was sent (`b4 am`, or the raw mail)"),
))

# number, of: 0 where the subject does not tell; text: what stands in front of the diff
Patch = NamedTuple("Patch", [("subject", str), ("author", str), ("number", int), ("of", int), ("series", str), ("message_id", str),
                             ("text", str), ("diff", bytes)])


def environment(home: str) -> dict:
    """git without the user's configuration: what it does is to depend on the patch alone."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**kept, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CEILING_DIRECTORIES": os.path.dirname(home),
            "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C", "HOME": home}


def _capped(file) -> bytes:
    data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise Refused(f"the input is larger than {MAX_BYTES >> 20} MiB, which no patch series is")
    for magic, program in PACKED.items():
        if data.startswith(magic):
            raise Refused(f"the input is packed: give it as in `{program} FILE | linekeeper vet -`")
    return data


class Input:
    """What the user named: mails or a diff; for a range of commits, the one in front of it."""

    def __init__(self, tree: Tree, name: str) -> None:
        self.folder, self.data, self.base = "", b"", ""
        if name == "-":
            self.name = "standard input"
            self.data = _capped(sys.stdin.buffer)
        elif os.path.isdir(name):
            self.name = name
            self.folder = name
            if not os.path.isdir(os.path.join(name, "cur")) or not os.path.isdir(os.path.join(name, "new")):
                raise WrongUse(f"{name} is no maildir, it has no cur/ and new/: give patches of a folder as in "
                               f"`cat {shlex.quote(os.path.normpath(name))}/*.patch | linekeeper vet -`")
        elif os.path.exists(name):
            self.name = name
            with open(name, "rb") as file:
                self.data = _capped(file)
        else:
            self.name = name
            self._commits(tree, name)

    def _commits(self, tree: Tree, name: str) -> None:
        """The commits of a range, or the one that is named, as mails."""
        if name.startswith("-"):
            raise WrongUse(f"'{name}' is no revision")
        words = ["-k", "--stdout", "--no-ext-diff", "--no-textconv", "--no-signature", "--no-color", "--full-index", "--relative",
                 "--src-prefix=a/", "--dst-prefix=b/", "--no-attach", "--no-thread", "--no-cover-letter", "--no-notes"]
        only = [name] if ".." in name else ["-1", name]
        try:
            commits = git(tree, "rev-list", "--reverse", "--no-merges", *only, "--").decode().split()
            if len(commits) > MAX_MESSAGES:
                raise WrongUse(f"{name} has {len(commits)} commits, which is too many")
            if len(only) > 1 and len(git(tree, "rev-list", "--parents", *only, "--").split()) > 2:     # git would take a commit behind it
                raise WrongUse(f"'{name}' is a merge: give the commits that it brought, as in `linekeeper vet {shlex.quote(f'{name}^..{name}')}`")
            self.data = git(tree, "format-patch", *words, *only, "--") if commits else b""
        except Refused as err:
            raise Refused(f"'{name}' is neither a file nor a revision of {tree.src} ({err})") from err
        try:
            self.base = git(tree, "rev-parse", "--verify", "--quiet", f"{commits[0]}^").decode().strip() if commits else ""
        except Refused as err:
            raise Refused(f"{commits[0][:12]}, with which '{name}' begins, has no commit in front of it in {tree.src} to be compared with: "
                          "give a range that begins later") from err

    def base_file(self, tree: Tree, path: str) -> Optional[bytes]:
        """A file of the state that the series is for; None: there is none."""
        if self.base:
            try:
                return git(tree, "cat-file", "blob", f"{self.base}:./{path}")
            except Refused:
                return None
        full = os.path.join(tree.src, path)
        if os.path.realpath(full) != full or not os.path.isfile(full):
            return None
        with open(full, "rb") as file:
            return file.read()

    def state(self, tree: Tree) -> str:
        """The state's name, for a sentence."""
        return f"commit {self.base[:12]}" if self.base else tree.src


def _git(folder: str, *words: str, data: bytes = b"") -> subprocess.CompletedProcess:
    try:
        return subprocess.run(["git", *words], cwd=folder, env=environment(folder), input=data, capture_output=True, check=False)
    except FileNotFoundError as err:
        raise WrongUse("there is no git") from err


def _messages(given: Input, folder: str) -> List[bytes]:
    """The mails, one by one."""
    out = os.path.join(folder, "mails")
    os.makedirs(out)
    where = [f"-o{out}"] if given.folder else ["-b", f"-o{out}"]
    done = _git(folder, "mailsplit", *where, *(["--", os.path.abspath(given.folder)] if given.folder else []), data=given.data)
    if done.returncode:
        raise Refused(f"{given.name} is no mailbox: {done.stderr.decode(errors='replace').strip()}")
    names = sorted(os.listdir(out))
    if len(names) > MAX_MESSAGES:
        raise Refused(f"{given.name} has {len(names)} mails, which is too many: {MAX_MESSAGES} can be read")
    mails = []
    for name in names:
        with open(os.path.join(out, name), "rb") as file:
            mails.append(_capped(file))
    return mails


def _plain(value) -> str:
    """A header as a person reads it, in one line."""
    try:
        text = str(make_header(decode_header(str(value or ""))))
    except (LookupError, UnicodeError, ValueError, MessageError):
        text = str(value or "")
    return re.sub(r"[\x00-\x1f\x7f-\x9f\s]+", " ", text).strip()


def _numbers(subject: str) -> tuple:
    """(n, m, the series as its subjects name it) of "[PATCH net-next v2 1/3] ..."."""
    match = PREFIX.match(subject)
    found = re.search(r"\b(\d{1,4})/(\d{1,4})\b", match.group()) if match else None
    if not found:
        return 0, 0, ""
    return int(found.group(1)), int(found.group(2)), re.sub(r"\b\d+/0*(\d+)\b", r"n/\1", match.group()).strip()


def _lines(diff: bytes) -> bytes:
    """With an end to the last line too."""
    return diff if diff.endswith(b"\n") or not diff else diff + b"\n"


def _patch(mail: bytes, folder: str) -> Patch:
    """A mail, decoded; its diff is empty if it has none."""
    mail = without_html(mail)
    if FLOWED.search(mail):             # git joins a flowed line (RFC 3676) with the next, and takes an empty one of a diff for that: " "
        mail = STUFFED.sub(b"", mail)
    head = BytesHeaderParser().parsebytes(mail.split(b"\n\n", 1)[0].partition(b"\n")[2] if mail.startswith(b"From ") else mail)
    subject, names = _plain(head["subject"]), [os.path.join(folder, name) for name in ("text", "diff")]
    for encoding in ("--encoding=UTF-8", "-n"):         # as it is, where git does not know what it is
        done = _git(folder, "mailinfo", "-k", encoding, "--no-scissors", "--quoted-cr=strip", *names, data=mail)
        if not done.returncode:
            break
    else:
        raise Refused(f"the mail '{subject}' cannot be read: {done.stderr.decode(errors='replace').strip()}")
    with open(names[0], encoding="utf-8", errors="replace") as text, open(names[1], "rb") as diff:
        number, of, series = _numbers(subject)
        return Patch(subject, _plain(head["from"]), number, of, series, _plain(head["message-id"]), text.read(), _lines(diff.read()))


def _is_patch(patch: Patch) -> bool:
    """Has it a diff of its own? A reply's is a remark."""
    if not DIFF.search(patch.diff.decode(errors="replace")) and b"GIT binary patch" not in patch.diff:
        return False
    if re.match(r"(re|aw|fwd?)\s*:", patch.subject, re.I):
        note(f"not looked at: the diff in '{patch.subject}', which is an answer")
        return False
    return not (patch.of and not patch.number)


def _ordered(patches: List[Patch], name: str) -> List[Patch]:
    """By their numbers; refused where they are not one series."""
    series = sorted({patch.series for patch in patches})
    if len(series) > 1 and any(patch.of for patch in patches):
        raise Refused(f"{name} holds more than one series ({', '.join(one or 'one without numbers' for one in series)}): give one of them")
    numbers = [patch.number for patch in patches]
    if any(numbers) and len(set(numbers)) < len(numbers):
        twice = next(patch for patch in patches if numbers.count(patch.number) > 1)
        raise Refused(f"{name} holds more than one patch {twice.number}/{twice.of}: give one series")
    missing = sorted(set(range(1, max(patch.of for patch in patches) + 1)) - set(numbers))
    if missing:
        more = f" and {len(missing) - 8} more" if len(missing) > 8 else ""
        note(f"{name} lacks patch {', '.join(map(str, missing[:8]))}{more} of {max(patch.of for patch in patches)}")
    return sorted(patches, key=lambda patch: patch.number)


def read(tree: Tree, given: Input, folder: str) -> List[Patch]:
    """The patches, in the order in which they apply, names as git gives them; folder is free for what git writes."""
    return [patch._replace(diff=_prefixed(tree, patch.diff)) for patch in _read(given, folder)]


def _read(given: Input, folder: str) -> List[Patch]:
    if not given.folder and not HEADER.match(given.data.lstrip()):
        if not DIFF.search(given.data.decode(errors="replace")):
            raise Refused(f"{given.name} has no patch in it")
        return [Patch(os.path.basename(given.name), "", 0, 0, "", "", "", _lines(given.data.replace(b"\r\n", b"\n")))]
    patches: Dict[str, Patch] = {}
    for mail in _messages(given, folder):
        patch = _patch(mail, folder)
        if _is_patch(patch):
            patches.setdefault(patch.of and patch.message_id or str(len(patches)), patch)
    found = list(patches.values()) if given.base else once(list(patches.values()), given.name)
    if not patches:
        raise Refused(f"{given.name} has no patch in it")
    return _ordered(found, given.name)


def _heads(lines: List[str]) -> Iterator[tuple]:
    """The lines of a diff that are of no hunk, with their numbers."""
    left = 0
    for number, line in enumerate(lines):
        if left > 0:
            left -= {"+": 1, "-": 1, "\\": 0}.get(line[:1], 2)
            continue
        hunk = HUNK.match(line)
        left = int(hunk.group(1) or 1) + int(hunk.group(2) or 1) if hunk else 0
        yield number, line


def _is_bare(tree: Tree, name: str) -> bool:
    """Is a name of a diff the tree's own, with no folder in front that is to be left out (patch -p0)?"""
    top, _, rest = name.partition("/")
    return top not in ("", ".", "..") and os.path.exists(os.path.join(tree.src, top)) and not os.path.isfile(f"{tree.src}/{rest}")


def _prefixed(tree: Tree, diff: bytes) -> bytes:
    """A diff with a/ and b/ in front of its names, also where it came without (`git diff --no-prefix`, `diff -u`)."""
    lines = diff.decode(errors="surrogateescape").split("\n")
    sides = {number: found.groups() for number, found in ((number, SIDE.match(line)) for number, line in _heads(lines)) if found}
    if not sides or not all(_is_bare(tree, name) for names in sides.values() for name in filter(None, names)):
        return diff
    for number, (one, before, after) in sides.items():
        head, rest = lines[number][:4], lines[number][4:]
        lines[number] = f"{head}{'a' if head == '--- ' else 'b'}/{rest}" if one else f"diff --git a/{before} b/{after}"
    return "\n".join(lines).encode(errors="surrogateescape")


def _unquoted(name: str) -> str:
    """A name as git writes it in quotes: octal numbers are bytes."""
    if not re.fullmatch(r'".*"', name):
        return name
    plain = re.sub(r"\\([0-7]{3}|.)", lambda match: chr(int(match.group(1), 8) & 255) if len(match.group(1)) == 3 else match.group(1), name[1:-1])
    return plain.encode("latin-1", "replace").decode(errors="surrogateescape") if plain != name[1:-1] else plain


def touched(patches: List[Patch]) -> List[str]:
    """Names of files that the patches may be about; only what could be a file of the tree."""
    heads = (line for patch in patches for _, line in _heads(patch.diff.decode(errors="surrogateescape").split("\n")))
    found = ((_unquoted(match.group(2).strip()), match.group(1)) for match in map(NAMES.match, heads) if match)
    names = {name if is_bare else name.partition("/")[2] for name, is_bare in found}
    names = {name for name in names if re.fullmatch(r"(?!-)[\w.,+@%=~-][\w.,+@%=~/ -]{0,300}", name) and
             not {"..", ".", ".git", ""} & set(name.split("/"))}
    if len(names) > MAX_FILES:
        raise Refused(f"the series touches {len(names)} files, which is too many")
    return sorted(names)


def renamed(patches: List[Patch]) -> Dict[str, tuple]:
    """For each .c file that is renamed, all names that it has on the way, itself among them."""
    known = frozenset(touched(patches))
    found: Dict[str, tuple] = {}
    old = ""
    for patch in patches:
        for _, line in _heads(patch.diff.decode(errors="surrogateescape").split("\n")):
            way, name = (match := RENAME.match(line)) and match.groups() or ("", "")
            name = _unquoted(name.strip())
            if way == "to" and {old, name} <= known and old.endswith(".c") and name.endswith(".c"):
                names = tuple(dict.fromkeys((*found.get(old, (old,)), *found.get(name, (name,)))))
                found.update((one, names) for one in names)
            old = name if way == "from" else ""
    return found


def _why(said: str) -> str:
    """What git says, and what is to be done about it where git's words do not tell."""
    for words, advice in ADVICE:
        found = words.search(said)
        if found:
            return advice.format(*filter(None, found.groups()))
    why = re.findall(r"^error: (?:patch failed: )?(.*)$", said, re.M)
    return why[0] if why else "git does not say why"


class Scratch:
    """A repository of ours, with those files of the tree that the series is about; the patches are applied to it."""

    def __init__(self, tree: Tree, given: Input, patches: List[Patch], folder: str) -> None:
        self.folder = os.path.join(folder, "scratch")
        self.patches, self.state = patches, given.state(tree)
        self.names = touched(patches)
        made = [name for name in self.names if MADE.match(name)]
        if made:
            raise Refused(f"the series changes {made[0]}, which the kernel's build makes")
        os.makedirs(self.folder)
        if _git(self.folder, "init", "-q", "--template=", ".").returncode:
            raise WrongUse("git init fails in the scratch folder")
        for name in self.names:
            content = given.base_file(tree, name)
            if content is None:
                continue
            path = os.path.join(self.folder, name)
            try:
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "xb") as file:
                    file.write(content)
            except (FileExistsError, NotADirectoryError, IsADirectoryError):
                continue        # the series makes a folder of a file; git knows what to do

    def title(self, index: int) -> str:
        """The patch as a sentence names it."""
        patch = self.patches[index]
        number = f"patch {patch.number}/{patch.of}" if patch.of else "the patch" if len(self.patches) == 1 else \
            f"patch {index + 1} of {len(self.patches)}"
        return f"{number} ('{PREFIX.sub('', patch.subject, count=1).strip()}')"

    def apply(self, index: int) -> None:
        """The next patch; refused where it does not apply."""
        patch, said = self.patches[index], b""
        for context in ("", "-C2", "-C1"):
            done = _git(self.folder, "apply", "--whitespace=nowarn", *([context] if context else []), "-", data=patch.diff)
            if not done.returncode:
                if context:
                    at = ", ".join(re.findall(r"to apply fragment at (\d+)", done.stderr.decode(errors="replace")))
                    note(f"{self.title(index)} applies with {context[2:]} line{'s'[:context == '-C2']} of context only, at line {at}: see "
                         "whether it belongs there")
                return
            said = said or done.stderr
        if not index and not _git(self.folder, "apply", "--check", "-R", "--whitespace=nowarn", "-", data=patch.diff).returncode:
            raise Refused(f"{self.title(index)} is in {self.state} already: take it back there, or give the commit itself")
        before = f", behind the {index} in front of it" if index else ""
        raise Refused(f"{self.title(index)} does not apply to {self.state}{before}: {_why(said.decode(errors='replace'))}")

    def say_strange(self) -> None:
        """Says which files git made that we would not."""
        found = (os.path.relpath(os.path.join(path, file), self.folder) for path, _, files in os.walk(self.folder) for file in files)
        names = [name for name in found if name not in self.names and not name.startswith(".git/")]
        if names:
            note(f"not looked at: {min(names)!r}{f' and {len(names) - 1} more' if names[1:] else ''}, which is no name of a kernel's file")

    def keep(self, folder: str) -> None:
        """The files as they are now; links are left out. git writes no file in place: what it changes is another one then."""
        for name in self.names:
            path = os.path.join(self.folder, name)
            if os.path.isfile(path) and os.path.realpath(path) == os.path.realpath(self.folder) + "/" + name:
                os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
                os.link(path, os.path.join(folder, name))

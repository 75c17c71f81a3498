# SPDX-License-Identifier: GPL-2.0-only
"""check --against: the same units as they were in a revision or in another tree, and which members changed since."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from typing import Dict, List, NamedTuple, Optional, Set

from lk.check import UNREAD, Answer, State, finding_of, in_parallel, is_unread, is_wrong, judge_state, readings, say, state_of, units_of
from lk import new_members
from lk.errors import Refused, WrongUse
from lk.map import classes
from lk.new_findings import new_findings
from lk.tree import Tree
from lk.unit import embedding_files
from lk.where import public_folders

RECORD = re.compile(r"\b(struct|union)\b[^;{}()]*\{")
TAG = re.compile(r"\b(?:struct|union)\s+(?:__\w+\s+)*(\w+)\s*\{")
NAME = re.compile(r"(?!/)[^\x00-\x1f\x7f]+\.[ch]")
MANY, FEW = 12, 5   # members that a line of text names; moved ones of a struct that are told one by one

# a unit: its file, what is said of it, the structs that changed in it, the files whose structs it shows
Compared = NamedTuple("Compared", [("file", str), ("said", List[str]), ("structs", list), ("shows", Set[str]), ("failed", bool)])

# of all units: the structs that changed, as cacheline-check --before tells of them; the files that differ; what is said; was it an error?
Changes = NamedTuple("Changes", [("structs", list), ("files", List[str]), ("said", List[str]), ("failed", bool)])


def git(tree: Tree, *words: str) -> bytes:
    """What git prints; refused with what it says."""
    call = ["git", "--no-optional-locks", "-c", "core.fsmonitor=false", "-C", tree.src, *words]
    try:
        done = subprocess.run(call, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except FileNotFoundError as err:
        raise WrongUse("there is no git") from err
    if done.returncode:
        raise Refused(f"git {words[0]}: {done.stderr.decode(errors='replace').strip().split(chr(10))[0]}")
    return done.stdout


class Past:
    """The older state: the tree, how to read a unit as it was, the files whose structs are looked at, what was in them."""

    tree: Tree
    state: State

    def __init__(self) -> None:
        self.changed: List[str] = []
        self.texts: List[str] = []
        self.old: Dict[str, Set[str]] = {}      # tags that they had

    def is_new(self, struct: dict) -> bool:
        """Is a struct that a unit did not show before none that was in its file?"""
        return struct["file"] in self.changed and struct["name"] not in self.old.get(struct["file"], ())

    def judge(self, file: str, more: tuple) -> Optional[Answer]:
        """cacheline-check on a unit as it was; None: it was not there."""
        return judge_state(self.tree, self.state, file, more) if os.path.isfile(os.path.join(self.tree.src, file)) else None


class Revision(Past):
    """A revision of the tree: the files that differ lie in a folder of ours, each read in the place of what it became."""

    def __init__(self, tree: Tree, args, folder: str) -> None:
        super().__init__()
        self.tree = tree
        overlays: List[str] = []
        if args.against.startswith("-"):
            raise WrongUse(f"'{args.against}' is no revision")
        try:
            commit = git(tree, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{args.against}^{{commit}}").decode().strip()
        except Refused as err:
            why = str(err).partition(": ")[2]
            raise Refused(f"'{args.against}' is neither a folder nor a revision of {tree.src}{f' ({why})' if why else ''}") from err
        fields = git(tree, "diff", "--raw", "-z", "--abbrev=40", "--no-renames", "--no-ext-diff", "--no-textconv", "--relative",
                     "--ignore-submodules", commit, "--", "*.h", "*.c").decode(errors="surrogateescape").split("\0")
        for head, path in zip(fields[0::2], fields[1::2]):
            overlays += self._take(head.lstrip(":").split(), path, folder)
        # files that are no more are found behind all other folders
        gone = tuple(f"-I{path}" for path, _, _ in os.walk(os.path.join(folder, "gone")))
        self.state = state_of(tree, args, tuple(overlays), gone)

    def _take(self, head: list, path: str, folder: str) -> list:
        """A line of git diff --raw (modes, blobs, what was done) and its file: the words that make the engine see it as it was."""
        if not NAME.fullmatch(path) or ".." in path.split("/") or not {*head[:2]} <= {"000000", "100644", "100755"}:
            print(f"note: not looked at: {path!r} is no plain file of the tree", file=sys.stderr)
            return []
        here = os.path.join(self.tree.src, path)
        is_there = os.path.isfile(here) and os.path.realpath(here).startswith(self.tree.src + "/")
        before = git(self.tree, "cat-file", "blob", head[2]) if head[0] != "000000" else b""
        now = b""
        if is_there:
            with open(here, "rb") as file:
                now = file.read()
        if head[0] == "000000":     # of a file that was not there, what it includes was
            before = b"".join(re.findall(rb"^[ \t]*#[ \t]*include[ \t].*\n", now, re.M))
        old = os.path.join(folder, str(len(self.changed))) if is_there else os.path.join(folder, "gone", path)
        os.makedirs(os.path.dirname(old), exist_ok=True)
        with open(old, "wb") as file:
            file.write(before)
        if not is_there:
            return []
        self.changed.append(path)
        self.texts.append((before + now).decode(errors="replace"))
        self.old[path] = set(TAG.findall(before.decode(errors="replace")))
        return ["--overlay", f"{self.tree.inside(path)}={old}"]


class OtherTree(Past):
    """Another prepared tree, under its own configuration."""

    def __init__(self, tree: Tree, args) -> None:
        super().__init__()
        if not args.files:
            raise WrongUse("with a folder, say of which files: check --against DIR FILE...")
        self.tree = Tree(args.against)
        self.state = state_of(self.tree, args)
        self.changed = [tree.relative(path) for path in args.files]


def read_back(fd: int) -> str:
    with open(f"/proc/self/fd/{fd}", encoding="utf-8", errors="replace") as file:
        return file.read()


def without_old(said: List[str], structs: List[dict]) -> List[str]:
    """What is said, but for what is told of new structs of user space: these are old, the unit has only come to include them."""
    places = {f"{one['file']}:{one['line']}" for one in structs}
    return [text for text in said if "[-Wcacheline-uapi-hole]" not in text or re.sub(r":\d+: (warning|error): .*", "", text) not in places]


def as_it_was(file: str, before: Optional[Answer]) -> List[str]:
    """Why the older state of a unit was not judged."""
    if not before:
        return [f"{file}: error: not judged: it was not there"]
    return [f"{text}, as it was" if UNREAD in text else text for text in before.said if not finding_of(text)]


def compare(tree: Tree, now: State, past: Past, name: str, known: tuple) -> Compared:
    """One unit, then and now; known: where the index's classes are, as words for the engine."""
    trouble: List[str] = []
    for file in readings(tree, name):
        dump, shown = os.memfd_create("before", 0), os.memfd_create("after", 0)
        try:
            before = past.judge(file, (*known, f"--dump=/proc/self/fd/{dump}"))
            if before is None or is_unread(before):
                trouble = trouble or as_it_was(file, before)
                continue
            after = judge_state(tree, now, file, (*known, f"--before=/proc/self/fd/{dump}", f"--dump=/proc/self/fd/{shown}"))
            if is_unread(after):
                trouble = trouble or after.said
                continue
            shows = {line.split("\t")[7] for line in read_back(shown).splitlines() if line.startswith("R\t")}
            structs = json.loads(after.out)
            said = without_old(new_findings(before, after), [one for one in structs if not one["before"] and not past.is_new(one)])
            return Compared(name, said, structs, shows, is_wrong(said))
        finally:
            os.close(dump)
            os.close(shown)
    return Compared(name, trouble, [], set(), True)


def wanted(structs: list, past: Past, only: bool) -> list:
    """Each struct once; a new one where its file is one of those that changed, and of another tree those files' alone."""
    found = {(one["kind"], one["name"], one["file"]): one for one in structs
             if one["file"] in past.changed or (one["before"] and not only)}
    return sorted(found.values(), key=lambda one: (one["file"] not in past.changed, one["file"], one["line"]))


def use_of(member: dict) -> str:
    """What is known of a member's use: "read-mostly, group net_device_read_rx"."""
    words = [member["class"]] if member["class"] else []
    words += [member["class_from"]] if member["class"] and member["class_from"] != "group" else []
    return ", ".join([*words, *(f"group {group}" for group in member["groups"][-1:])])


def some(members: List[dict]) -> str:
    """Members by name, those that stand side by side and of which the same is known together."""
    runs: List[tuple] = []
    for member in members[:MANY]:
        if runs and runs[-1][1] == use_of(member):
            runs[-1][0].append(member["name"])
        else:
            runs.append(([member["name"]], use_of(member)))
    text = "; ".join(", ".join(names) + (f" ({use})" if use else "") for names, use in runs)
    return text + (f" and {len(members) - MANY} more" if len(members) > MANY else "")


def new_company(struct: dict) -> Dict[str, List[dict]]:
    """For each changed member those that were on no line with it; a pair once: at a new member, else at the first of the two."""
    told, found = set(), {}
    for member in sorted(struct["changed"], key=lambda member: member["change"] != "new"):
        mates = [other for other in member["with"] if not other["before"]]
        found[member["name"]] = [other for other in mates if (other["name"], member["name"]) not in told]
        told |= {(member["name"], other["name"]) for other in mates}
    return found


def show_member(member: dict, company: List[dict]) -> str:
    """What became of it, and who is on its line that was not."""
    before, after = member["before"], member["after"]
    line = f"line {before['line']} -> {after['line']}" if before and before["line"] != after["line"] else f"line {after['line']}"
    what = {"new": f"is new at {after['offset']}", "moved": f"moved from {before and before['offset']} to {after['offset']}",
            "resized": f"has {after['size']} bytes instead of {before and before['size']}",
            "regrouped": "is in other groups"}[member["change"]]
    now = "" if member["change"] == "new" else "now "
    mates = f", {now}with: {some(company)}" if company else ", with no other" if not member["with"] else ""
    return f"  {some([member])} {what}, {line}{mates}"


def chosen(changed: List[dict], company: Dict[str, List[dict]], everyone: bool) -> List[dict]:
    """The members to tell one by one: what is no mere move, and of the moved the first few that are in new company or in none."""
    def is_known(member: dict) -> bool:
        return any(map(use_of, [member, *company[member["name"]]]))
    moved = [member for member in changed if member["change"] == "moved"]
    if not everyone:
        moved = [member for member in moved if company[member["name"]] or not member["with"]]
        moved = sorted(moved, key=lambda member: not is_known(member))[:FEW]
    return [member for member in changed if member["change"] != "moved" or member in moved]


def show(struct: dict, is_cause: bool, everyone: bool) -> List[str]:
    """A block of lines for a struct; one line where only what it embeds has changed."""
    def size(one: dict) -> str:
        return f"{one['size']} bytes"
    before, after = struct["before"], struct["after"]
    head = f"{struct['kind']} {struct['name']}  {struct['file']}:{struct['line']}: "
    if not before:
        return [f"{head}is new, {size(after)}"]
    head += f"{size(after)}, as before" if before["size"] == after["size"] else f"{before['size']} -> {size(after)}"
    if before["align"] != after["align"]:
        head += f", aligned to {before['align']} -> {after['align']}"
    changed, company = struct["changed"], new_company(struct)
    if not is_cause:
        return [head + (f"; {len(changed)} member{'s'[:len(changed) != 1]} moved" if changed else "")]
    told = chosen(changed, company, everyone)
    lines = [head, *(show_member(member, company[member["name"]]) for member in told)]
    if len(changed) > len(told):
        lines.append(f"  {len(changed) - len(told)} {'more ' if told else ''}moved")
    if struct["gone"]:
        lines.append(f"  gone: {', '.join(struct['gone'])}")
    return lines


def units(tree: Tree, past: Past, args) -> List[List[str]]:
    """The units to compare, in rounds: of a later one those are left out whose structs an earlier one showed."""
    files = list(dict.fromkeys(tree.relative(path) for path in args.files))
    if not files:
        files = [path for path, text in zip(past.changed, past.texts) if path.endswith(".c") or RECORD.search(text)]
    expanded = {file: units_of(tree, file) for file in files}
    first = [unit for file, found in expanded.items() if found != [file] or file.endswith(".c") or args.files for unit in found]
    return [list(dict.fromkeys(first)), [file for file in files if file not in first]]


def embedders(tree: Tree, structs: list, by_index: bool) -> List[str]:
    """Headers of include/ whose structs hold one whose size or alignment changed, the first few of them."""
    names = sorted({one["name"] for one in structs if one["before"] and one["before"] != one["after"]})
    files = embedding_files(tree, names, public_folders(tree), by_index) if names else []
    if len(files) > MANY:
        print(f"note: {len(files)} headers may embed {names[0]} or another struct that grew or shrank, "
              f"{len(files) - MANY} of them were not looked at", file=sys.stderr)
    return files[:MANY]


def changes(tree: Tree, args) -> Changes:
    """What changed in the tree since args.against, for the command and for whoever else wants to know."""
    is_tree = os.path.isdir(args.against)
    with tempfile.TemporaryDirectory(prefix="linekeeper-") as folder:
        past = OtherTree(tree, args) if is_tree else Revision(tree, args, folder)
        tags = sorted({tag for text in past.texts for tag in TAG.findall(text)})
        now, known = state_of(tree, args), tuple("=".join(pair) for pair in [classes(tree, tags)] if pair)
        results: List[Compared] = []

        def compare_all(files: List[str]) -> List[Compared]:
            shown = {file for result in results for file in result.shows}
            return compare_each([file for file in files if file not in shown])

        def compare_each(files: List[str]) -> List[Compared]:
            return in_parallel(args.jobs, lambda name: compare(tree, now, past, name, known), files)

        for batch in units(tree, past, args):
            results += compare_all(batch)
        if not is_tree:     # of another tree, the files that use a member are not known; an embedder that cannot be read is no fault of the change
            texts = dict(zip(past.changed, past.texts))
            learned = new_members.learn(tree, now, known, results, past.changed, texts.__getitem__, args.jobs)
            known = learned.known
            again = dict(zip(learned.stale, compare_each(learned.stale)))
            results = [again.get(done.file, done) for done in results]
            found = embedders(tree, [one for result in results for one in result.structs], not (args.config or args.set))
            results += [result for result in compare_all(found) if result.shows]
    structs = wanted([one for result in results for one in result.structs], past, is_tree)
    return Changes(structs, past.changed, [text for result in results for text in result.said], any(result.failed for result in results))


def against(tree: Tree, args) -> int:
    """Prints the structs that changed and the findings that are new."""
    found = changes(tree, args)
    if args.format == "json":
        print(json.dumps(found.structs, indent=1))
    elif found.structs:
        print("\n".join(line for one in found.structs for line in show(one, one["file"] in found.files, args.verbose)))
    elif not any(UNREAD in text for text in found.said):
        print(f"no struct that was looked at has changed since {args.against}")
    sys.stdout.flush()
    say(found.said)
    return int(found.failed)

# SPDX-License-Identifier: GPL-2.0-only
"""vet: the rules of cocci/hazard/, run on files of a state."""

from __future__ import annotations

import functools
import itertools
import os
import re
import shutil
import subprocess
import tempfile
import time
from threading import BoundedSemaphore
from typing import Dict, Iterable, List, NamedTuple, Set

from lk import cache, engine, unit
from lk.check import in_parallel
from lk.vet_step import Step

SECONDS = 60                            # for a rule on files
WORTH = 100000                          # bytes to be read that are worth another run
ANSWER = re.compile(r"^(.+):(\d+):(\d+)-\d+: warning: (.*) \[-Wcacheline-[a-z-]+\]$", re.M)

# what one rule says of a file: where, and the sentence
Hit = NamedTuple("Hit", [("file", str), ("line", int), ("column", int), ("text", str), ("id", str)])

BODY = re.compile(r"^(?P<head>[^\n]*= *)?\{\n.*?^\}", re.M | re.S)      # of a function or an initialiser
EMPTY = re.compile(r"^[A-Za-z_][^\n;{}#=/]*(?:\n[^\n;{}#=/]+){0,6}\)[^\n;{}#=/]*\n\{\n+\}", re.M)       # a function without what is in it
CALLED = re.compile(r"\w+(?=\s*\()")


class Rule(NamedTuple):
    """A rule, and what a file must have in it or there is nothing to say. NAME in a pattern: one of the structs."""

    name: str               # its file's stem
    pattern: str            # in a line; no regular expression that grep does not know
    flags: tuple = ()       # what it is run with
    text: str = ""          # in the text, over several lines,
    handed: str = ""        # or this, where a part of the structs is handed to one of BYTES
    only: str = ""          # of the text nothing else is read

    def about(self, names: Iterable[str]) -> Rule:
        """With names."""
        return self._replace(**{key: getattr(self, key).replace("NAME", "|".join(names)) for key in ("pattern", "text", "handed", "only")})

    def has_work(self, text: str, is_handed: bool = True) -> bool:
        return bool(re.search(self.text, text, re.M | re.S) or (is_handed and self.handed and re.search(self.handed, text, re.M | re.S)))

    def worth_reading(self, text: str) -> str:
        """The text without functions of which the rule will say nothing, and what initialisers hold; lines keep their numbers.
        What a function that stays calls keeps its head, which tells a type."""
        if self.only:
            found = list(re.finditer(self.only, text, re.M | re.S))
            gaps = [text.count("\n", end, match.start()) for end, match in zip([0, *(match.end() for match in found)], found)]
            return "".join("\n" * gap + match.group() for gap, match in zip(gaps, found)) + "\n"

        def kept(match: re.Match) -> str:
            body = match.group()
            is_whole = len(re.findall(r"^[ \t]*#[ \t]*if", body, re.M)) == len(re.findall(r"^[ \t]*#[ \t]*endif", body, re.M))
            return body if self.has_work(body) or not is_whole else "%s{%s}" % (match["head"] or "", "\n" * body.count("\n"))
        text = BODY.sub(kept, text)
        called = set(CALLED.findall(EMPTY.sub("", text)))
        return EMPTY.sub(lambda match: match.group() if called & {*CALLED.findall(match.group())} else "\n" * match.group().count("\n"), text)


BYTES = ("memset", "memcpy", "memmove", "memcmp", "memchr_inv", "copy_to_user", "copy_from_user")
HANDED = rf"\b({'|'.join(BYTES)})\("       # a line, as Rule.pattern
OFFSET = r"\boffsetof(?:end)?\(\s*(?:struct (?:NAME)\b|_*typeof)"
RULES = {rule.name: rule for rule in (
    Rule("field-range", r"\bmemset_(after|startat)\(|\boffsetof(end)?\(|\bstruct_group\w*\(", (),
         rf"\bmemset_(?:after|startat)\(|-\s*{OFFSET}|\b(?:{'|'.join(BYTES)})\([^;]*,\s*{OFFSET}|"
         r"\bstruct (?:NAME)\s*\{(?:(?!^\}).)*\bstruct_group",
         r"\bmem(?:set|cpy|move|cmp)\([^;]*(?:\bsizeof\s*\([^;]*\)\s*[-+*]\s|[\w)\]]\s+[-+*]\s+sizeof\b|-\s*(?:\([^()]*\)\s*)?&)"),
    Rule("first-member-cast", r"\((const )?struct \w+ \*\)|\boffsetof\("),
    Rule("positional-initialiser", r"\b(NAME) \w+(\[[^]]*\])* *=( *\{| *$)|\((const )?(NAME)( *\[\])?\) *\{"),
    Rule("alloc-alignment", r"\bkmem_cache_create|\bdevm_k\w*alloc|\b(devm_)?alloc_(etherdev|netdev|candev)|\bieee80211_alloc_hw|\bwiphy_new|"
         r"\b__alloc_(reserved_)?percpu|section\(", ("every",),
         r"\b(?:kmem_cache_create|devm_k|alloc_etherdev|alloc_netdev|alloc_candev|devm_alloc|ieee80211_alloc_hw|wiphy_new|__alloc_)\w*\("
         r"[^;]*\bsizeof\s*\(\s*(?:struct (?:NAME)\b|\*)|\bstruct (?:NAME) [^;=]*section\("),
    Rule("layout-assert", r"^[^*]*\b(OFFSET|DEFINE)\(.*\b(NAME)\b"),
    Rule("uapi-struct", r"\bstruct (NAME) *(\{|$)", only=r"^[^\n]*\bstruct (?:NAME)\s*\{(?:[^\n]*\}[^\n;]*;[^\n;]*$|.*?^\}[^\n]*)"),
    Rule("kfree-rcu-offset", r"\bkv?free_rcu\(", ("every",)),
    Rule("unneeded-write", r"\b(WRITE_ONCE|set_bit|atomic_set)\("),
)}


def structs_in(text: str) -> Set[str]:
    """The structs that a sentence names."""
    return set(re.findall(r"\bstruct (\w+)", text))


def python_options() -> List[str]:
    """What spares spatch a script in the place of python3, as pyenv has one, which takes longer than many a rule."""
    found = shutil.which("python3")
    if not found:
        return []
    with open(found, "rb") as file:
        if file.read(2) != b"#!":
            return []
    done = subprocess.run([found, "-c", "import sys; print(sys.executable)"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return ["--python", done.stdout.strip()] if done.stdout.strip() else []


class Spatch:
    """Runs the rules on files, in a folder that has nothing in it: no .cocciconfig is there to be read."""

    def __init__(self, folder: str, seconds: float, jobs: int) -> None:
        self.folder, self.program, self.end = folder, cache.find("spatch"), time.monotonic() + seconds
        self.jobs, self.turns, self.runs = jobs, BoundedSemaphore(jobs), itertools.count()
        self.unread: Dict[str, str] = {}        # by file, what could not be read of it, or why nothing could

    @functools.cached_property
    def options(self) -> List[str]:
        return python_options()

    def file(self, step: Step, rule: Rule, name: str, folder: str) -> str:
        """What is to be read of a file in a state."""
        if not rule.text and not rule.only:
            return step.path(name)
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(rule.worth_reading(step.read(name)))
        return path

    def call(self, rule: Rule, files: List[str], folder: str) -> tuple:
        """(why it did not end well, stdout, stderr) of a rule on files; most of its time goes into the rule, so it is run on them all."""
        left = self.end - time.monotonic()
        if left <= 0:
            return "spatch took too long for others (--seconds)", "", ""
        path, listed = engine.cocci_file(f"hazard/{rule.name}.cocci"), os.path.join(folder, f"files-{next(self.runs)}")
        with open(path, encoding="utf-8") as text:
            options = engine.rule_options(text.read())
        with open(listed, "w", encoding="utf-8") as file:
            file.write("\n\n".join(files))
        call = [str(self.program), "--quiet", "--verbose-parsing", "--cocci-file", path, "--macro-file-builtins",
                engine.cocci_file("kernel-macros.h"), *self.options, *options, *unit.each("-D", ["report", *rule.flags]), "--file-groups", listed]
        try:
            done = subprocess.run(call, cwd=self.folder, capture_output=True, text=True, errors="replace", timeout=min(SECONDS, left), check=False)
        except subprocess.TimeoutExpired:
            return "spatch took too long (--seconds)", "", ""
        return f"spatch ended with status {done.returncode}" if done.returncode else "", done.stdout, done.stderr

    def shares(self, paths: List[str]) -> List[List[str]]:
        """The files for as many runs as pay, each with about as much to read."""
        sizes = {path: os.path.getsize(path) for path in paths}
        shares: List[List[str]] = [[] for _ in range(min(self.jobs, len(paths), 1 + sum(sizes.values()) // WORTH))]
        for path in sorted(paths, key=lambda path: -sizes[path]):
            min(shares, key=lambda share: sum(sizes[path] for path in share)).append(path)
        return shares

    def run(self, rule: Rule, wanted: List[tuple]) -> List[tuple]:
        """(state, hit) of what a rule says of files, (state, name) each, which are there."""
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            files = {self.file(step, rule, name, os.path.join(folder, str(number))): (step, name) for number, (step, name) in enumerate(wanted)}
            each = in_parallel(self.jobs, lambda share: self.read(rule, {path: files[path] for path in share}, folder), self.shares(list(files)))
        return [hit for found in each for hit in found]

    def read(self, rule: Rule, files: Dict[str, tuple], folder: str) -> List[tuple]:
        """One run; where it fails, one for each file."""
        with self.turns:
            trouble, out, said = self.call(rule, list(files), folder)
        if trouble and len(files) > 1:
            return [hit for path, of in files.items() for hit in self.read(rule, {path: of}, folder)]
        if trouble:
            self.unread[next(iter(files.values()))[1]] = trouble
        for text in re.split(r"^HANDLING: ", said, flags=re.M)[1:]:
            bad = re.findall(r"^(?:bad: |BAD:!!!!! )(.*)$", text, re.M)
            if bad:
                self.unread.setdefault(files[text.split("\n", 1)[0].strip()][1], "\n".join(bad))
        return [(files[path][0], Hit(files[path][1], int(line), int(column) + 1, text, rule.name))
                for path, line, column, text in ANSWER.findall(out) if path in files]

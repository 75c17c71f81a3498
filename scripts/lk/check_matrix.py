# SPDX-License-Identifier: GPL-2.0-only
"""check --matrix: what the rules say of files in other configurations that Kconfig allows, and not in the tree's own."""

from __future__ import annotations

import os
import re
import sys
import tempfile
import time
from typing import Callable, Dict, List, Optional, Tuple

from lk import guarded
from lk.against import TAG
from lk.check import UNREAD, Answer, classes, in_parallel, is_unread, judge, rule_options, subject_of
from lk.matrix_plan import write_fragments
from lk.matrix_read import Reader
from lk.reachable import Reachable, fragments_of
from lk.tree import Tree
from lk.vet_configs import Config, marked, smallest

ASSERTED = re.compile(r"\b(?:CACHELINE_ASSERT_GROUP_|libeth_cacheline_)\w+\(\s*struct\s+(\w+)\s*,")


class Elsewhere:
    """Units, each judged in all that is reachable."""

    def __init__(self, tree: Tree, args, reach: Reachable, end: float) -> None:
        self.tree, self.args, self.reach = tree, args, reach
        self.options = [*rule_options(args), *reach.reader.plain.options, *classes(tree, args)]
        self.end = end
        self.told: List[Config] = []

    def judge(self, config: Config, file: str) -> Optional[Answer]:
        """None: there is no time left."""
        if time.monotonic() > self.end:
            return None
        return judge(self.tree, file, [*self.options, *config.options], config.flags)

    def smallest(self, config: Config, file: str, subject: tuple) -> Config:
        """With the fewest settings with which it is a finding."""
        parts = self.reach.parts(config, file)

        def holds(some: List[Config]) -> bool:
            answer = self.judge(self.reach.joined(some), file)
            return answer is not None and subject in map(subject_of, answer.said)

        return self.reach.joined(smallest(parts, holds)) if parts and parts != [config] and holds(parts) else config

    def news(self, config: Config, file: str, answer: Answer, known: set) -> List[str]:
        """What is said here first, with the setting."""
        found = []
        for said in answer.said:
            subject = subject_of(said)
            if not subject or subject in known:
                continue
            known.add(subject)
            few = self.smallest(config, file, subject)
            there = self.judge(few, file)
            text = next((other for other in there.said if subject_of(other) == subject), said) if there else said
            found += marked([text], f"with {few.name}")
            self.told += [few] * (few not in self.told)
        return found


def structs_of(tree: Tree, files: List[Tuple[str, str]]) -> Dict[str, List[str]]:
    """Of each unit the structs of the file for which it is read, its own, and those whose groups it asserts."""
    found: Dict[str, List[str]] = {}
    for unit, path in files:
        for name in {unit, path}:
            with open(os.path.join(tree.src, name), encoding="utf-8", errors="replace") as source:
                text = source.read()
            found[unit] = sorted({*found.get(unit, []), *TAG.findall(text), *ASSERTED.findall(text)})
    none = [unit for unit, names in found.items() if not names]
    if none:
        print(f"note: --matrix looks for nothing in {', '.join(none)}: no struct is defined or asserted there", file=sys.stderr)
    return {unit: names for unit, names in found.items() if names}


def judge_elsewhere(tree: Tree, args, files: List[Tuple[str, str]], own: List[str]) -> List[str]:
    """What is said of units, and the files for which they are read, that is not among what their own configuration says."""
    def each(call: Callable, items: list) -> list:
        return in_parallel(args.jobs, call, items)

    guarded.leave_by_exit()
    end = time.monotonic() + args.seconds
    known = set(map(subject_of, own))
    said: List[str] = []
    with tempfile.TemporaryDirectory(prefix="linekeeper-matrix-") as folder, \
            Reachable(Reader(tree, args.line_size), args.config or os.path.join(tree.root, ".config"), folder) as reach:
        pairs = reach.nearest(structs_of(tree, files), each)
        look = Elsewhere(tree, args, reach, end)
        answers = each(lambda pair: look.judge(*pair), pairs)
        unread = {}
        for (config, file), answer in zip(pairs, answers):
            if answer and is_unread(answer):
                unread.setdefault(file, []).append(config)
            elif answer:
                said += look.news(config, file, answer, known)
        said += [f"{file}: {UNREAD} in {len(configs)} configurations, as with {configs[0].name}: sparse cannot parse it there"
                 for file, configs in unread.items()]
        left = sum(answer is None for answer in answers)
        if left:
            print(f"note: {left} of {len(pairs)} configurations were not looked at: {args.seconds} seconds are over (--seconds)", file=sys.stderr)
        if args.fragments:
            write_fragments(fragments_of(look.told), args.fragments)
    return said

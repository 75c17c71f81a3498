# SPDX-License-Identifier: GPL-2.0-only
"""The folder of a matrix: its plan, the configurations, and a file for each that was read, so that it can be gone on with."""

from __future__ import annotations

import json
import os
import re
import zlib
from pathlib import Path
from typing import Callable, Dict, Iterable, List, NamedTuple, Optional, Tuple

from lk import engine
from lk.errors import WrongUse
from lk.kconfig import Kconfig
from lk.matrix_plan import ROUNDS, Config, Plan, Planner, make_plan
from lk.matrix_read import BOUNDS, TIMES, Reader, Symbols, Target, replace, settings_of
from lk.matrix_units import Unit, chosen, find_units
from lk.tree import Tree

# a configuration, and what is read in it: (unit, structs)
Job = NamedTuple("Job", [("config", int), ("reads", List[Tuple[str, List[str]]])])
ENGINES = ("cacheline-check", "cacheline-symbols")      # by what they are: a host may have its own


def read_by_kconfig(tree: Tree) -> List[str]:
    """The Kconfig files of a tree, as its own kconfig has listed them."""
    path = Path(tree.root, "include/config/auto.conf.cmd")
    return re.findall(r"^\t(\S+) \\$", path.read_text(encoding="utf-8", errors="replace"), re.M) if path.exists() else []


def stamp(path: str) -> List[int]:
    """Other numbers when a file has changed; [] when it is not there."""
    try:
        found = os.stat(path)
    except OSError:
        return []
    return [found.st_size, found.st_mtime_ns]


class Work:
    """What is to be read, and what was."""

    def __init__(self, folder: str, tree: Tree, question: Dict[str, object], line_size: Optional[str]) -> None:
        self.folder, self.question = folder, question
        self.reader = Reader(tree, line_size)
        self.targets: List[Target] = []
        self.units: List[Unit] = []
        self.asked: Dict[str, str] = {}     # struct -> the unit that its symbols are from
        self.jobs: List[Job] = []
        self.source: Dict[str, List[int]] = {}      # of each struct the job of each configuration
        self.plan: Optional[Plan] = None
        self._values: Dict[str, Dict[str, str]] = {}
        self.stamps: Dict[str, List[int]] = {}      # of the files that the answers are from, when they were first read

    @property
    def _plan_file(self) -> str:
        return os.path.join(self.folder, "plan.json")

    def load(self) -> bool:
        """An earlier plan, if there is one."""
        try:
            with open(self._plan_file, encoding="utf-8") as file:
                saved = json.load(file)
            other = [what for what, value in self.question.items() if saved["question"][what] != value]
            if other:
                raise WrongUse(f"{self.folder} holds a matrix of another {' and '.join(other)}: give another --work")
            self._take(saved)
        except FileNotFoundError:
            return False
        except (ValueError, LookupError, TypeError, AttributeError) as err:
            raise self._broken("plan.json") from err
        now = self._stamps_of(self.stamps)
        changed = next((name for name, was in self.stamps.items() if now[name] != was), "")
        if changed:
            raise WrongUse(f"{self.folder} holds a matrix of an older {changed}: give another --work")
        return True

    def _broken(self, name: str) -> WrongUse:
        return WrongUse(f"{name} in {self.folder} is broken, or of another linekeeper: give another --work")

    def _take(self, saved: dict) -> None:
        """What save() has written."""
        self.targets = [Target(*words) for words in saved["targets"]]
        self.units = [Unit(*words) for words in saved["units"]]
        self.jobs = [Job(*words) for words in saved["jobs"]]
        self.asked, self.source, self.reader.bounds_symbols = saved["asked"], saved["source"], saved["bounds"]
        self.reader.asserting = saved["asserting"]
        configs = [Config(*words)._replace(settings=[tuple(pair) for pair in words[3]]) for words in saved["plan"][0]]
        self.plan = Plan(configs, *saved["plan"][1:])
        self.stamps = dict(saved["stamps"])

    def _stamps_of(self, names: Iterable[str]) -> Dict[str, List[int]]:
        """By name: a file of the tree, or an engine."""
        tree = self.reader.tree

        def one(name: str) -> List[int]:
            if name in ENGINES:
                return [zlib.crc32(Path(engine.program(name)).read_bytes())]
            return stamp(os.path.join(tree.root, name)) or stamp(os.path.join(tree.src, name))

        return {name: one(name) for name in names}

    def _read(self) -> List[str]:
        """Names for _stamps_of(): what the answers are from."""
        files = [*(file for files in self.plan.files.values() for file in files), *(name for target in self.targets for name in target[1:])]
        asserting = {file for files in self.reader.asserting.values() for file in files}
        return sorted({*ENGINES, BOUNDS, TIMES, *files, *asserting, *read_by_kconfig(self.reader.tree)})

    def start(self, targets: List[Target], solver: Kconfig, in_parallel: Callable) -> None:
        """A plan for these structs."""
        self.targets = list({target.struct: target for target in targets}.values())
        self.units, self.asked = find_units(self.reader, self.targets, in_parallel)
        units: Dict[str, List[str]] = {}
        for struct, unit in self.asked.items():
            units.setdefault(unit, []).append(struct)
        self.plan = make_plan(Planner(self.reader, solver, self.folder), units, in_parallel)
        self.save()

    def save(self) -> None:
        """The plan, with what it takes to read it."""
        self._values = {}
        self._add_jobs()
        self.stamps = {**self._stamps_of(name for name in self._read() if name not in self.stamps), **self.stamps}
        replace(self._plan_file, json.dumps({"question": self.question, "stamps": self.stamps, "targets": self.targets, "units": self.units, "asked": self.asked,
                                             "jobs": self.jobs, "source": self.source,
                                             "bounds": self.reader.bounds_symbols, "asserting": self.reader.asserting,
                                             "plan": self.plan}))

    def values(self, path: str) -> Dict[str, str]:
        """Of a .config the symbols that any struct's layout may hang on; what is n is not there."""
        if path not in self._values:
            settings = settings_of(path)
            wanted = {name for names in self.plan.symbols.values() for name in names}
            self._values[path] = {name: settings[f"CONFIG_{name}"] for name in wanted if f"CONFIG_{name}" in settings}
        return self._values[path]

    def key(self, struct: str, path: str) -> tuple:
        """Equal where all symbols have the same values that the struct's layout may hang on."""
        values = self.values(path)
        return (struct, *(values.get(name) for name in self.plan.symbols[struct]))

    def _add_jobs(self) -> None:
        """Jobs for what no job reads yet: a struct once for all configurations that do not differ in its symbols; where it could not be
        read, that is of this configuration alone."""
        known: Dict[tuple, int] = {}
        alone: Dict[Tuple[str, int], int] = {}
        for number, job in enumerate(self.jobs):
            answers = self._result(number)["structs"] if os.path.exists(self._result_file(number)) else {}
            for struct in (name for _, names in job.reads for name in names):
                if isinstance(answers.get(struct), str):
                    alone[struct, job.config] = number
                else:
                    known.setdefault(self.key(struct, self.plan.configs[job.config].path), number)
        self.source = {target.struct: [] for target in self.targets}
        for number, config in enumerate(self.plan.configs):
            keys = {struct: self.key(struct, config.path) for struct in self.source}
            fresh = [struct for struct, key in keys.items() if key not in known and (struct, number) not in alone]
            if fresh:
                known.update((keys[struct], len(self.jobs)) for struct in fresh)
                self.jobs.append(Job(number, chosen(self.units, fresh)))
            for struct, key in keys.items():
                self.source[struct].append(known[key] if key in known else alone[struct, number])

    def _result_file(self, number: int) -> str:
        return os.path.join(self.folder, f"{number}.json")

    def left(self) -> List[int]:
        return [number for number in range(len(self.jobs)) if not os.path.exists(self._result_file(number))]

    def named(self, words: List[str]) -> List[int]:
        """Jobs, as --print-jobs prints them."""
        wrong = [word for word in words if not re.fullmatch(r"\d{1,9}", word) or int(word) >= len(self.jobs)]
        if wrong:
            raise WrongUse(f"{wrong[0]} is no job of {self.folder}, which has 0 to {len(self.jobs) - 1}: --print-jobs prints those that are left")
        return [int(word) for word in words]

    def run(self, number: int) -> None:
        """A job; its result has the structs, and the files that no unit has included whose symbols were looked at."""
        job, structs, fresh = self.jobs[number], {}, {}
        state = self.reader.state(self.plan.configs[job.config].path)
        for unit, names in job.reads:
            found, files = self.reader.layouts(unit, [target for target in self.targets if target.struct in names], state)
            structs.update(found)
            for asked in {self.asked[name] for name in names}:
                fresh[asked] = sorted({*fresh.get(asked, []), *files} - set(self.plan.files[asked]))
        replace(self._result_file(number), json.dumps({"structs": structs, "fresh": fresh}))

    def _result(self, number: int) -> dict:
        path = self._result_file(number)
        try:
            with open(path, encoding="utf-8") as file:
                answer = json.load(file)
            if {"structs", "fresh"} <= answer.keys():
                return answer
        except (ValueError, AttributeError):
            pass
        raise self._broken(os.path.basename(path))

    def results(self) -> Dict[str, List[object]]:
        """Of each struct what it is in each configuration."""
        answers = [self._result(number)["structs"] for number in range(len(self.jobs))]
        return {struct: [answers[number][struct] for number in numbers] for struct, numbers in self.source.items()}

    def again(self) -> bool:
        """Behind all jobs: others for what could not be read, in the next configuration that does not differ in the struct's symbols."""
        before = len(self.jobs)
        if any(isinstance(one, str) for number in range(before) for one in self._result(number)["structs"].values()):
            self.save()
        return len(self.jobs) > before

    def extend(self, solver: Kconfig, in_parallel: Callable) -> bool:
        """Behind all jobs: configurations for the symbols of files that only some of these include; False: there are none."""
        if self.plan.round >= ROUNDS:
            return False
        wanted, covered = [], {(asked, file) for asked, files in self.plan.files.items() for file in files}
        for number, job in enumerate(self.jobs):
            for asked, files in self._result(number)["fresh"].items():
                new = {(asked, file) for file in files} - covered
                if new:
                    covered |= new
                    wanted.append((asked, self.plan.configs[job.config].path))

        def one(pair: Tuple[str, str]) -> Symbols:
            names = [struct for struct, asked in self.asked.items() if asked == pair[0]]
            return self.reader.symbols(pair[0], names, self.reader.state(pair[1]))

        found = in_parallel(one, wanted)
        planner = Planner(self.reader, solver, self.folder)
        self.plan = planner.extended(self.plan, [asked for asked, _ in wanted], found)
        before = len(self.jobs)
        self.save()
        return len(self.jobs) > before

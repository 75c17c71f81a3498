# SPDX-License-Identifier: GPL-2.0-only
"""linekeeper matrix: every configuration that changes a struct, and what it is there; each is a parse, and no build.

The configurations are found with the tree's own kconfig, so its Makefile and Kconfig files run programs, as for
`make olddefconfig`; nothing is written into the tree. docs/matrix.md tells more.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import os
import re
import sys
import tempfile
import time
import zlib
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

from lk import arches, check, where
from lk.errors import Refused, WrongUse
from lk.kconfig import Kconfig
from lk.matrix_plan import Config, Plan, Planner, make_plan
from lk.matrix_read import Reader, Target, by_unit, key_of, setting_lines
from lk.tree import Tree

EXAMPLES = """examples:
  linekeeper matrix address_space --tree ~/linux
  linekeeper matrix tcp_sock net_device --format json
  linekeeper matrix tcp_sock --arch i386,arm,s390           # or all; prepared the first time
  linekeeper matrix cgroup --fragments out                  # then merge_config.sh .config out/cgroup-3.config
  linekeeper matrix --all-groups --work ~/night --print-jobs | parallel --sshloginfile hosts linekeeper matrix --work ~/night --run {}
  linekeeper matrix --all-groups --work ~/night             # what they found; an interrupted one goes on like this too
"""
GROUPED = r"__cacheline_group_begin"
ANNOTATED = r"__cacheline_(isolated|read_mostly|written|in|apart|with|budget|group_begin)\w*\b|____cacheline_aligned"


def parse_arguments(argv: list) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="linekeeper matrix", description=__doc__.split(": ", 1)[1], epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("structs", nargs="*", metavar="STRUCT", help="tag or typedef, with 'struct ' in front or not")
    parser.add_argument("--tree", action="append", default=[], metavar="DIR",
                        help="prepared kernel tree (default: the one around the current folder); again for another one")
    parser.add_argument("--arch", metavar="LIST", help="the tree's source as these architectures have it (i386,s390, or all): prepared the first time, "
                        "outside of the tree")
    parser.add_argument("--file", help="the .c or .h file that defines STRUCT, when there are several")
    parser.add_argument("--all-groups", action="store_true", help="every struct of include/ with cacheline groups")
    parser.add_argument("--all-annotated", action="store_true", help="those, and every one with an annotation or ____cacheline_aligned")
    parser.add_argument("--line-size", metavar="N", help="bytes of a cache line (default: that of each configuration)")
    parser.add_argument("--format", choices=("text", "json", "html"), default="text")
    parser.add_argument("--fragments", metavar="DIR", help="a .config fragment for each layout, DIR/STRUCT-N.config")
    parser.add_argument("--error", action="store_true", help="a finding is an error: exit status 1")
    parser.add_argument("--work", metavar="DIR", help="keep what is found there, one file a configuration, and go on from it")
    parser.add_argument("--print-jobs", action="store_true", help="only print what is left to be read in --work, a job a line")
    parser.add_argument("--run", nargs="+", metavar="JOB", help="only read these jobs of --work")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="so many at once (default: the CPUs)")
    args = parser.parse_args(argv)
    asked = bool(args.structs) + args.all_groups + args.all_annotated
    if args.jobs < 1 or (not args.work and (args.run or args.print_jobs)) or asked != (0 if args.run else 1):
        parser.error("give STRUCT..., --all-groups or --all-annotated; --print-jobs and --run go with --work, and --run with no struct")
    args.arch = arches.named(args.arch) if args.arch else []
    if args.work and max(len(args.tree), len(args.arch)) > 1:
        parser.error("--work is of one tree and one architecture")
    return args


def tables_of(args: argparse.Namespace) -> Iterator[Optional[dict]]:
    """What the report shows of each tree; one of several that is refused is said, and the others go on."""
    wanted = list(itertools.product(args.tree or [""], args.arch or [""]))
    for path, arch in wanted:
        try:
            with work_folder(args.work) as folder:
                yield table(arches.for_arch(Tree(path), arch) if arch else Tree(path), args, folder)
        except (Refused, WrongUse) as err:
            if len(wanted) == 1:
                raise
            print(f"refused: {arch or path}: {err}", file=sys.stderr)


def structs_with(tree: Tree, mark: str) -> List[Tuple[str, str]]:
    """Structs of the headers of include/ whose body has such a word, and their files."""
    found = []
    for path in where.grep(mark, where.public_folders(tree), tree.src, ("*.h",)):
        with open(os.path.join(tree.src, path), encoding="utf-8", errors="replace") as file:
            for name, body in re.findall(r"^struct (\w+) \{((?:\n(?!\}).*)*)\n\}.*", file.read(), re.M):
                if re.search(mark, body):
                    found.append((name, path))
    return found


def targets_of(tree: Tree, reader: Reader, args: argparse.Namespace) -> List[Target]:
    if args.structs:
        places = [(name, tree.relative(args.file) if args.file else where.definition(tree, name)[0]) for name in args.structs]
        return [reader.target(name, file) for name, file in places]
    targets = []
    for name, file in structs_with(tree, GROUPED if args.all_groups else ANNOTATED):
        try:
            targets.append(reader.target(name, file))
        except (Refused, WrongUse) as err:      # one of many: said, and the others go on
            print(f"note: {name} is left out: {err}", file=sys.stderr)
    return targets


# a file that is parsed, for what structs, under which configuration; the configurations that do not differ from it there
Job = NamedTuple("Job", [("unit", str), ("structs", List[str]), ("config", int), ("same", List[int])])


def asked(tree: Tree, args: argparse.Namespace) -> Dict[str, object]:
    """What a work folder holds the answer to; --run does not ask for structs."""
    with open(os.path.join(tree.root, ".config"), "rb") as file:
        what = {"tree": tree.root, "line size": args.line_size, ".config": zlib.crc32(file.read())}
    return what if args.run else {**what, "set of structs": [args.structs, args.file, args.all_groups, args.all_annotated]}


class Work:
    """The folder of a matrix: its plan, the configurations, and a file for each parse."""

    def __init__(self, folder: str, tree: Tree, args: argparse.Namespace) -> None:
        self.folder, self.tree, self.asked = folder, tree, asked(tree, args)
        self.reader = Reader(tree, args.line_size)
        self.targets: List[Target] = []
        self.jobs: List[Job] = []
        self.plan: Optional[Plan] = None

    @property
    def _plan_file(self) -> str:
        return os.path.join(self.folder, "plan.json")

    def load(self) -> bool:
        """An earlier plan, if there is one."""
        try:
            with open(self._plan_file, encoding="utf-8") as file:
                saved = json.load(file)
        except FileNotFoundError:
            return False
        other = [what for what, value in self.asked.items() if saved["asked"][what] != value]
        if other:
            raise WrongUse(f"{self.folder} holds a matrix of another {' and '.join(other)}: give another --work")
        self.targets = [Target(*words) for words in saved["targets"]]
        self.jobs = [Job(*words) for words in saved["jobs"]]
        self.reader.bounds_symbols = saved["bounds"]
        configs = [Config(*words)._replace(settings=[tuple(pair) for pair in words[3]]) for words in saved["plan"][0]]
        self.plan = Plan(configs, *saved["plan"][1:])
        return True

    def save(self) -> None:
        """The plan, with the parses that it takes: one for all configurations that give a file's structs' symbols the same values."""
        found: Dict[tuple, Job] = {}
        values = [dict(line.split("=", 1) for line in setting_lines(config.path)) for config in self.plan.configs]
        for unit, structs in by_unit(self.targets):
            symbols = sorted({f"CONFIG_{name}" for struct in structs for name in self.plan.symbols.get(struct, [])})
            for number, own in enumerate(values):
                key = (unit, *(own.get(name) for name in symbols))
                found.setdefault(key, Job(unit, structs, number, [])).same.append(number)
        self.jobs = list(found.values())
        replace(self._plan_file, json.dumps({"asked": self.asked, "targets": self.targets, "jobs": self.jobs,
                                             "bounds": self.reader.bounds_symbols, "plan": self.plan}))

    def _result_file(self, number: int) -> str:
        return os.path.join(self.folder, f"{number}.json")

    def left(self) -> List[int]:
        return [number for number in range(len(self.jobs)) if not os.path.exists(self._result_file(number))]

    def run(self, number: int) -> None:
        job = self.jobs[number]
        targets = [target for target in self.targets if target.struct in job.structs]
        replace(self._result_file(number), json.dumps(self.reader.layouts(targets, self.plan.configs[job.config].path)))

    def results(self) -> Dict[str, List[object]]:
        """Of each struct what it is in each configuration."""
        found: Dict[str, List[object]] = {target.struct: [None] * len(self.plan.configs) for target in self.targets}
        for number, job in enumerate(self.jobs):
            with open(self._result_file(number), encoding="utf-8") as file:
                answer = json.load(file)
            for struct in job.structs:
                for config in job.same:
                    found[struct][config] = answer[struct]
        return found


def replace(path: str, text: str) -> None:
    with open(f"{path}.{os.getpid()}", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(f"{path}.{os.getpid()}", path)


@contextlib.contextmanager
def work_folder(path: Optional[str]) -> Iterator[str]:
    if path:
        os.makedirs(path, exist_ok=True)
        yield os.path.realpath(path)
        return
    with tempfile.TemporaryDirectory(prefix="linekeeper-matrix-") as name:
        yield name


def progress(jobs: int, call: Callable, items: list, what: str) -> list:
    """in_parallel(), and on a terminal how far it is."""
    start, done = time.monotonic(), 0

    def one(item):
        nonlocal done
        answer = call(item)
        done += 1
        if sys.stderr.isatty() and time.monotonic() - start > 2:
            print(f"\r{what}: {done} of {len(items)} ", end="" if done < len(items) else "\r\033[K", file=sys.stderr, flush=True)
        return answer
    return check.in_parallel(jobs, one, items)


def value_in(lines: List[str], symbol: str) -> str:
    """Of a sorted .config."""
    head = f"CONFIG_{symbol}="
    return next((line[len(head):] for line in lines if line.startswith(head)), "n")


class Matrix:
    """Layouts of one tree's structs, each with the smallest setting that was found for it."""

    def __init__(self, work: Work, solver: Kconfig, jobs: int) -> None:
        self.work, self.solver, self.jobs = work, solver, jobs
        self.found = {struct: list(zip(work.plan.configs, some)) for struct, some in work.results().items()}

    def changes(self, struct: str) -> List[str]:
        """Symbols that change it, alone, in the tree's own configuration."""
        found = self.found[struct]
        return [config.symbol for config, record in found if config.symbol and layout_key(record) != layout_key(found[0][1])]

    def reduce(self) -> None:
        """Looks for layouts that only a wide change has led to with settings of the struct's own symbols alone."""
        planner = Planner(self.work.reader, self.solver, self.work.folder)
        planner.to_own()
        own = setting_lines(self.work.plan.configs[0].path)
        wanted: List[Tuple[Target, Config]] = []
        for target in self.work.targets:
            found, changes = self.found[target.struct], self.changes(target.struct)
            narrow = {layout_key(record) for config, record in found if config.symbol or config is found[0][0]}
            for config, record in found:
                if layout_key(record) in narrow:
                    continue
                narrow.add(layout_key(record))
                lines = setting_lines(config.path)
                wishes = {name: value_in(lines, name) for name in changes if value_in(lines, name) != value_in(own, name)}
                if wishes:
                    wanted.append((target, planner.solve(f"reduced {len(wanted)}", "", wishes)))
        records = progress(self.jobs, lambda pair: self.work.reader.layouts([pair[0]], pair[1].path), wanted, "smaller settings")
        for (target, config), record in zip(wanted, records):
            self.found[target.struct].append((config, record[target.struct]))

    def rows(self, target: Target) -> List[dict]:
        """Distinct layouts, the tree's own first: record, the configuration with fewest settings, how many have it."""
        rows: Dict[str, dict] = {}
        for config, record in self.found[target.struct]:
            if not isinstance(record, dict):
                continue
            row = rows.setdefault(layout_key(record), {"record": record, "config": config, "count": 0})
            row["count"] += 1
            if cost_of(config) < cost_of(row["config"]):
                row["config"] = config
        return list(rows.values())

    def findings(self, all_rows: List[Tuple[Target, dict]]) -> None:
        """Into each row what the rules say there."""
        def one(pair: Tuple[Target, dict]) -> None:
            target, row = pair
            row["findings"] = self.work.reader.findings(target, row["record"], row["config"].path)
        progress(self.jobs, one, all_rows, "findings")


def layout_key(record: object) -> Optional[str]:
    """Equal for equal layouts; None where there is none."""
    return key_of(record) if isinstance(record, dict) else None


def cost_of(config: Config) -> tuple:
    """What a reader has to change for it; another base is more than any settings."""
    return (bool(config.base), len(config.settings))


def table(tree: Tree, args: argparse.Namespace, folder: str) -> Optional[dict]:
    """What the report shows of one tree; None: only jobs were asked for."""
    from lk.matrix_report import facts
    work = Work(folder, tree, args)
    known = work.load()
    if args.run:
        if not known:
            raise WrongUse(f"{folder} has no plan yet: --print-jobs makes it")
        check.in_parallel(args.jobs, lambda name: work.run(int(name)), args.run)
        return None
    start = time.monotonic()
    with Kconfig(tree) as solver:
        if not known:
            work.targets = targets_of(tree, work.reader, args)
            work.plan = make_plan(work.reader, solver, work.targets, folder, lambda call, items: check.in_parallel(args.jobs, call, items))
            work.save()
        planned = time.monotonic()
        if args.print_jobs:
            print("".join(f"{number}\n" for number in work.left()), end="")
            return None
        progress(args.jobs, work.run, work.left(), "parses")
        matrix = Matrix(work, solver, args.jobs)
        matrix.reduce()
    rows = [(target, matrix.rows(target)) for target in work.targets]
    matrix.findings([(target, row) for target, some in rows for row in some])
    return facts(matrix, rows, planned - start, time.monotonic() - planned)


def main(argv: list) -> int:
    from lk import matrix_report
    args = parse_arguments(argv)
    tables = list(tables_of(args))
    if args.run or args.print_jobs or not tables:
        return int(not tables)
    if args.fragments:
        matrix_report.write_fragments(tables, args.fragments)
    print(matrix_report.FORMATS[args.format](tables), end="")
    said = matrix_report.findings(tables)
    check.say(said)
    whole = len(tables) == max(1, len(args.tree)) * max(1, len(args.arch))
    return int(not whole or args.error and bool(said))

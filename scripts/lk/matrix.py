# SPDX-License-Identifier: GPL-2.0-only
"""linekeeper matrix: every configuration that changes a struct, and what it is there; each is a parse, and no build.

The configurations are found with the tree's own kconfig, so its Makefile and Kconfig files run programs, as for
`make olddefconfig`; nothing is written into the tree. docs/matrix.md tells more.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import itertools
import os
import re
import sys
import tempfile
import time
import zlib
from typing import Dict, Iterator, List, Optional, Set, Tuple

from lk import arches, check, guarded, where
from lk.errors import Refused, WrongUse
from lk.kconfig import Kconfig
from lk.matrix_plan import cost_of, write_fragments
from lk.matrix_read import Reader, Target
from lk.matrix_work import Work
from lk.progress import progress
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
ANNOTATED = r"__cacheline_(isolated|read_mostly|written|in|apart|with|budget|group_begin)\w*\b|____cacheline_(aligned|internodealigned)|CACHELINE_PADDING"
# a struct's body, and what stands behind it: a typedef's name, attributes
BODY = re.compile(r"^(?:(typedef) )?struct ([^\n;{}]*)\{((?:\n(?!\}).*)*)\n\}([^;]*);", re.M)


def parse_arguments(argv: list) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="linekeeper matrix", description=__doc__.split(": ", 1)[1], epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("structs", nargs="*", metavar="STRUCT", help="tag or typedef, with 'struct ' in front or not")
    parser.add_argument("--tree", action="append", default=[], metavar="DIR",
                        help="prepared kernel tree (default: the one around the current folder); again for another one")
    parser.add_argument("--arch", metavar="LIST", help="the tree's source as these architectures have it (i386,s390, or all): prepared the first time, "
                        "outside of the tree")
    parser.add_argument("--file", help="the .c or .h file that defines STRUCT, when there are several")
    parser.add_argument("--all-groups", action="store_true", help="every struct of a header with cacheline groups")
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
    """Structs of the tree's headers that have such a word in the body or behind it, and their files, those of include/ first."""
    found: Dict[str, str] = {}
    public = where.grep(mark, where.public_folders(tree), tree.src, ("*.h",))
    for path in dict.fromkeys(public + where.grep(mark, where.all_folders(tree), tree.src, ("*.h",))):
        with open(os.path.join(tree.src, path), encoding="utf-8", errors="replace") as file:
            text = file.read()
        for name in structs_in(text, mark):
            if found.setdefault(name, path) != path:
                print(f"note: {name} of {path} is left out: {found[name]} has one of this name (--file)", file=sys.stderr)
    return list(found.items())


def structs_in(text: str, mark: str) -> List[str]:
    """Tags, and typedefs of what has no tag, of a header's structs with such a word."""
    names = []
    for is_typedef, head, body, behind in BODY.findall(text):
        tag = re.match(r"(?:.*\s)?(\w+)\s*$", re.sub(r"\b__\w+(\(.*\))?", "", head))
        new = re.match(r"[^(]*?\b((?!_)\w+)", behind) if is_typedef else None
        name = tag or new
        if name and re.search(mark, head + body + behind):
            names.append(name[1])
    return names


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


def asked(tree: Tree, args: argparse.Namespace) -> Dict[str, object]:
    """What a work folder holds the answer to; --run does not ask for structs."""
    with open(os.path.join(tree.root, ".config"), "rb") as file:
        what = {"tree": tree.root, "line size": args.line_size, ".config": zlib.crc32(file.read())}
    return what if args.run else {**what, "set of structs": [args.structs, args.file, args.all_groups, args.all_annotated]}


@contextlib.contextmanager
def work_folder(path: Optional[str]) -> Iterator[str]:
    if path:
        os.makedirs(path, exist_ok=True)
        yield os.path.realpath(path)
        return
    with tempfile.TemporaryDirectory(prefix="linekeeper-matrix-") as name:
        yield name


class Matrix:
    """Layouts of one tree's structs, each with the smallest setting that was found for it."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.found = {struct: list(zip(work.plan.configs, some)) for struct, some in work.results().items()}

    def changes(self, struct: str) -> List[str]:
        """Symbols that change it, alone, in the tree's own configuration."""
        found = self.found[struct]
        return [config.symbol for config, record in found if config.symbol and layout_key(record) != layout_key(found[0][1])]

    def rows(self, struct: str) -> List[dict]:
        """Distinct layouts, the tree's own first: record, the configuration with fewest settings, how many have it; behind them one
        again for findings that it has in other configurations only."""
        rows: Dict[str, dict] = {}
        more: List[dict] = []
        read = [(config, record) for config, record in self.found[struct] if isinstance(record, dict)]
        for config, record in read:
            row = rows.setdefault(layout_key(record), {"record": record, "config": config, "count": 0, "again": False})
            row["count"] += 1
            if cost_of(config) < cost_of(row["config"]):
                row.update(config=config, record=record)
        told = {(key, subject) for key, row in rows.items() for subject in subjects(row["record"])}
        for config, record in sorted(read, key=lambda pair: cost_of(pair[0])):
            news = {(layout_key(record), subject) for subject in subjects(record)} - told
            if news:
                told |= news
                count = sum(layout_key(other) == layout_key(record) and {subject for _, subject in news} <= subjects(other) for _, other in read)
                more.append({"record": record, "config": config, "count": count, "again": True})
        return [*rows.values(), *more]


def subjects(record: dict) -> Set[tuple]:
    """What the findings about it are about."""
    return {check.subject_of(said) for said in record["findings"]}


def layout_key(record: object) -> Optional[str]:
    """Equal for equal layouts; None where there is none."""
    return record["key"] if isinstance(record, dict) else None


def print_jobs(work: Work) -> None:
    print("".join(f"{number}\n" for number in work.left()), end="")


def table(tree: Tree, args: argparse.Namespace, folder: str) -> Optional[dict]:
    """What the report shows of one tree; None: only jobs were asked for."""
    from lk.matrix_reduce import smaller
    from lk.matrix_report import facts
    work = Work(folder, tree, asked(tree, args), args.line_size)
    known = work.load()
    if args.run:
        if not known:
            raise WrongUse(f"{folder} has no plan yet: --print-jobs makes it")
        check.in_parallel(args.jobs, work.run, work.named(args.run))
        return None
    if args.print_jobs and known:
        print_jobs(work)
        return None
    start = time.monotonic()
    with Kconfig(tree) as solver:
        if not known:
            work.start(targets_of(tree, work.reader, args), solver, functools.partial(check.in_parallel, args.jobs))
        planned = time.monotonic()
        if args.print_jobs:
            print_jobs(work)
            return None
        more = True
        while more:
            progress(args.jobs, work.run, work.left(), "configurations")
            more = work.again() or work.extend(solver, functools.partial(check.in_parallel, args.jobs))
        matrix = Matrix(work)
        smaller(matrix, solver, lambda call, items: progress(args.jobs, call, items, "smaller settings"))
    return facts(matrix, planned - start, time.monotonic() - planned)


def main(argv: list) -> int:
    from lk import matrix_report
    args = parse_arguments(argv)
    guarded.leave_by_exit()
    tables = list(tables_of(args))
    if args.run or args.print_jobs or not tables:
        return int(not tables)
    if args.fragments:
        write_fragments(matrix_report.fragments(tables), args.fragments)
    print(matrix_report.FORMATS[args.format](tables), end="")
    said = matrix_report.findings(tables)
    unread = matrix_report.unread(tables)
    check.say(said + unread)
    whole = len(tables) == max(1, len(args.tree)) * max(1, len(args.arch))
    return int(not whole or bool(unread) or args.error and bool(said))

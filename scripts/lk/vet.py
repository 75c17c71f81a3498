# SPDX-License-Identifier: GPL-2.0-only
"""linekeeper vet: what a patch series does to the layout of structs: what moved, what grew, what is newly wrong.

The series is a mailbox, a maildir, '-' (standard input), a patch file, or a revision or range of the tree's git.
Nothing is built, nothing of the series is executed, and the tree stays as it is.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
from concurrent.futures import ThreadPoolExecutor
from typing import Collection, Dict, Iterable, Iterator, List, NamedTuple, Optional, Set

from lk import engine, guarded, index_uses, new_members, notes, series, unit, vet_asserts, vet_elsewhere, vet_sized, where
from lk.against import RECORD, TAG, without_old
from lk.built import Built
from lk.check import UNREAD, in_parallel, is_unread, is_wrong, units_of
from lk.map import classes
from lk.new_findings import new_findings
from lk.notes import note
from lk.progress import progress
from lk.tree import Tree, add_arguments
from lk.vet_step import Step, has_other_text, shape

EXAMPLES = """examples:
  b4 am -o - MESSAGE-ID | linekeeper vet -
  linekeeper vet series.mbox --tree ~/linux
  linekeeper vet origin..HEAD
  linekeeper vet --reply 0001-fs-move-i_mmap.patch
"""
SHOWN = re.compile(r"^R(?:\t[^\t\n]*){6}\t([^\t\n]*)", re.M)           # the file of a struct, in a dump
FEW_PATCHES = 5                         # so many are told one by one too
FEW_BODIES = 8                          # .c files in which functions alone changed
FEW_USERS = 2                           # of a header that is gone
MANY_AROUND = 150                       # files with what embeds one that grew
MANY_SIZED = 12                         # files with structs that a number of the series sizes
ASSERTING = 8                           # files that assert sizes or places in structs that changed

# a unit: its file; where it was and is dumped; the structs that changed in it; what is said
Unit = NamedTuple("Unit", [("file", str), ("dumps", tuple), ("structs", list), ("said", List[str]), ("shows", Set[str])])


def parse_arguments(argv: list) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="linekeeper vet", description=__doc__.split(": ", 1)[1], epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("series", metavar="MBOX|MAILDIR|PATCH|RANGE|-")
    parser.add_argument("--format", choices=("text", "json", "html", "sarif"), default="text")
    parser.add_argument("--reply", action="store_const", const="reply", dest="format",
                        help="the patches quoted as in an answer, what is to be said under their lines")
    parser.add_argument("--quiet", "-q", action="store_true", help="findings and errors only")
    parser.add_argument("--error", action="store_true", help="a finding is an error: exit status 1")
    parser.add_argument("--per-patch", action="store_true", help=f"tell of each patch, also of a series of more than {FEW_PATCHES}")
    parser.add_argument("--all-users", action="store_true", help="look for structs that embed one that grew below drivers/ as well")
    parser.add_argument("--verbose", "-v", action="store_true", help="every member that moved, every struct that embeds one that grew")
    parser.add_argument("--matrix", action="store_true", help="ask the tree's own Kconfig for other configurations, instead of options one by one "
                        "(runs the tree's kconfig, as make olddefconfig does)")
    parser.add_argument("--fragments", metavar="DIR", help="of --matrix: a .config fragment for each that is told, DIR/N.config")
    parser.add_argument("--seconds", type=int, default=300, metavar="N", help="give up after so long (default: 300)")
    parser.add_argument("--memory", type=int, default=4096, metavar="MIB", help="no program may take more (default: 4096; 0: no limit)")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="so many units at once (default: the CPUs)")
    parser.set_defaults(only=None, without=[], placements=None)
    add_arguments(parser)
    args, rest = parser.parse_known_args(argv)
    if rest:
        more = not any(word.startswith("-") for word in rest)
        parser.error("several files are one series as in `cat FILE... | linekeeper vet -`" if more else f"unrecognized arguments: {' '.join(rest)}")
    if args.matrix and args.set:
        parser.error("--matrix and --set do not go together: --config FILE says what to start from")
    if min(args.jobs, args.seconds, args.memory + 1) < 1:
        parser.error("numbers above 0, please")
    return args


def showing(tree: Tree, name: str) -> Iterator[str]:
    """The units that show a file: itself, else one that includes it; kernel/sched/ includes .c files too."""
    yield name
    yield from unit.users_of_header(tree, name)


def first_error(said: List[str]) -> str:
    """Of a unit that cannot be read, what the parser stumbled over first."""
    return next(text.split("\n")[0] for text in said if is_wrong([text]) or UNREAD in text)


def compare(before: Step, after: Step, name: str, out: str, known: tuple, files: Optional[Iterable[str]] = None) -> Unit:
    """A unit, then and now. One that the series breaks is an error; one that cannot be read without it is said to be so.
    files: what shows it, one to be taken."""
    trouble: List[str] = []
    for number, file in enumerate(files or showing(before.tree, name)):
        dumps = (f"{out}.{number}.before", f"{out}.{number}.after")
        then = before.judge(file, (*known, f"--dump={dumps[0]}"))
        if is_unread(then):
            trouble = trouble or [f"note: not judged: {name}, which sparse cannot parse without the series either: {first_error(then.said)}"]
            continue
        now = after.judge(file, (*known, f"--before={dumps[0]}", f"--dump={dumps[1]}"))
        if is_unread(now):
            trouble = trouble or now.said
            continue
        with open(dumps[1], encoding="utf-8", errors="replace") as dump:
            shows = set(SHOWN.findall(dump.read()))
        found = json.loads(now.out)
        structs = [one for one in found if one["before"] or has_other_text(before, after, one)]     # others are only newly included
        said = without_old(new_findings(then, now), [one for one in found if one not in structs])
        return Unit(name, dumps, structs, said, shows)
    return Unit(name, (), [], trouble, set())


class Vetting:
    """A series on a tree: what the units say, before and after it."""

    def __init__(self, tree: Tree, args: argparse.Namespace, patches: list, folder: str) -> None:
        self.tree, self.args, self.patches, self.folder = tree, args, patches, folder
        self.renamed = series.renamed(patches)
        self.runs = itertools.count()
        self.fresh: List[str] = []      # files that the tree does not have
        self.built = Built(tree, args)
        self.known: tuple = ()          # where the members' classes are, as words for the engine
        self.own: tuple = ()            # the same, of members that are new
        self.by_number: Set[str] = set()        # files that a number or a type of the series leads to

    def files(self, before: Step, after: Step, patches: list) -> List[str]:
        """The files of the patches whose structs may have changed; those that are gone are there as who included them."""
        found: List[str] = []
        bodies: List[str] = []
        for name in dict.fromkeys(map(self.in_tree, series.touched(patches))):
            then, now = before.text(name), after.text(name)
            if then == now or not name.endswith((".c", ".h")) or not os.path.isfile(os.path.join(self.tree.src, name)) or \
                    self.is_foreign(name):
                continue
            if not now and name.endswith(".h"):
                found += unit.users_of_header(self.tree, name)[:FEW_USERS]
            elif now and (RECORD.search(then + now) and shape(then) != shape(now)):
                found.append(name)
            elif now and name.endswith(".c"):
                bodies.append(name)
        if len(bodies) <= FEW_BODIES:       # what a function writes is asked of a few files, not of a whole subsystem
            found += bodies
        return list(dict.fromkeys(found))

    def sized(self, before: Step, after: Step, patches: list) -> List[str]:
        """Files with structs that a number or a type of the patches' headers may size."""
        headers = [name for name in series.touched(patches) if name.endswith(".h") and not self.is_foreign(name)]
        found = vet_sized.sized_by(self.tree, before, after, headers, self.looked_at())
        public = tuple(f"{path}/" for path in where.public_folders(self.tree))
        files = sorted((file for file in found.files if not self.built.lacks(file)), key=lambda file: not file.startswith(public))
        if patches is self.patches and found.left:
            note(f"structs that {found.left[0]} may size were not looked for{f', nor those of {len(found.left) - 1} more' if found.left[1:] else ''}: "
                 "too many numbers and types may change, or stand in too many files")
        if len(files) > MANY_SIZED and not self.args.all_users:
            if patches is self.patches:
                note(f"{len(files) - MANY_SIZED} more files have structs that numbers or types of the series may size, and were not looked at (--all-users)")
            files = files[:MANY_SIZED]
        self.by_number.update(files)
        return files

    def looked_at(self) -> List[str]:
        """The folders in which structs are looked for that the series has an effect on."""
        return [name for name in where.all_folders(self.tree) if name != "drivers" or self.args.all_users]

    def in_tree(self, name: str) -> str:
        """The name that a file has in the tree, if the series renames it."""
        return next((one for one in (name, *self.renamed.get(name, ())) if os.path.isfile(os.path.join(self.tree.src, one))), name)

    def is_foreign(self, name: str) -> bool:
        """Is a file no part of the kernel that this tree builds?"""
        top, _, rest = name.partition("/")
        return top in where.SKIPPED or (top == "arch" and not rest.startswith(f"{self.tree.arch}/"))

    def say_foreign(self, before: Step, after: Step) -> None:
        """Says which files are not looked at, or under another name."""
        names = [name for name in series.touched(self.patches) if name.endswith((".c", ".h")) and self.is_foreign(name)]
        names += [name for name in self.fresh if name.endswith(".c") and name not in names and self.in_tree(name) == name]
        if names:
            note(f"not looked at: {', '.join(names[:4])}{f' and {len(names) - 4} more' if len(names) > 4 else ''}: new, of "
                 "another architecture or no part of the kernel")
        for name in series.touched(self.patches):
            tags = re.findall(r"^(?:typedef )?((?:struct|union) \w+)[^;=()]*\{", before.text(name), re.M) if name.endswith(".c") and not after.text(name) else []
            if tags and not self.is_foreign(name):
                note(f"not judged: {name}, which the series deletes, with {', '.join(tags[:4])}{f' and {len(tags) - 4} more' if tags[4:] else ''}")
            if self.in_tree(name) != name == self.renamed[name][-1]:
                note(f"{name} is judged as {self.in_tree(name)}, under which name the tree has it")

    def out(self) -> str:
        """How the names of the next unit's dumps begin."""
        return os.path.join(self.folder, f"unit-{next(self.runs)}")

    def run(self, before: Step, after: Step, files: List[str], known: tuple) -> List[Unit]:
        """The units, in order."""
        return self.run_each([(before, after, file) for file in files], known)

    def ask_index(self, before: Step, after: Step) -> None:
        """What the index knows of the members of all structs that the series may be about."""
        texts = [before.text(name) + after.text(name) for name in series.touched(self.patches)]
        tags = sorted({tag for text in texts for tag in TAG.findall(text)})
        self.known = tuple("=".join(pair) for pair in [classes(self.tree, tags)] if pair)

    def learn(self, before: Step, after: Step, units: List[Unit]) -> List[Unit]:
        """The units of the whole series; those with new members again, when it is known what the series' own code does with them."""
        files = [name for name in series.touched(self.patches) if name.endswith((".c", ".h")) and name not in self.fresh and not self.is_foreign(name)]
        learned = new_members.learn(self.tree, after.state, self.known, units, files, after.text, self.args.jobs)
        self.known, self.own = learned.known, learned.own
        again = dict(zip(learned.stale, self.run(before, after, learned.stale, self.known)))
        return [again.get(done.file, done) for done in units]

    def run_each(self, states: List[tuple], known: tuple) -> List[Unit]:
        """Units, each in states of its own: (before, after, file)."""
        return progress(self.args.jobs, lambda state: compare(*state, self.out(), known), states, "units")

    def judge(self, before: Step, after: Step, patches: list) -> List[Unit]:
        """The units of the files themselves."""
        files, sized = self.files(before, after, patches), self.sized(before, after, patches)
        units: List[Unit] = []
        tried: Set[str] = set()
        shown: Set[str] = set()

        def run(names: Iterable[str]) -> None:
            left = [name for name in dict.fromkeys(names) if name not in shown | tried]
            tried.update(left)
            units.extend(self.run(before, after, left, self.known))
            shown.update(file for done in units for file in done.shows)

        # of what a number sizes, sources before headers, which they may show
        for batch in (files, [file for file in sized if file.endswith(".c")], sized):
            run(name for file in batch if file not in shown for name in units_of(self.tree, file))
            run(batch)
        return [done._replace(said=self.said_of(done, done.file in shown)) for done in units]

    def said_of(self, done: Unit, is_shown: bool) -> List[str]:
        """What is said of a unit, but for notes on what another unit shows; one that this configuration does not build need not be read."""
        lacks = self.built.lacks(done.file) if done.file.endswith(".c") else []
        unbuilt = f"{done.file}, which this configuration does not build ({' or '.join(f'{one}=y' for one in lacks)} would)"
        if done.dumps or not all(text.startswith("note: ") for text in done.said):
            return [*done.said, f"note: {unbuilt}, was read as if it did"] if lacks else done.said
        return [] if is_shown else [f"note: not judged: {unbuilt}"] if lacks else done.said

    def around(self, before: Step, after: Step, units: List[Unit]) -> List[Unit]:
        """The units of what embeds the structs that grew, shrank, or became more aligned, as far as this configuration builds it."""
        grown = sorted({one["name"] for done in units for one in done.structs if is_grown(one)})
        shown = {file for done in units for file in done.shows}
        by_index = not (self.args.config or self.args.set)
        found = unit.embedding_files(self.tree, grown, self.looked_at(), by_index) if grown else []
        public = tuple(f"{path}/" for path in where.public_folders(self.tree))
        found = sorted((file for file in found if file not in shown and not self.built.lacks(file)), key=lambda file: not file.startswith(public))
        if len(found) > MANY_AROUND and not self.args.all_users:
            note(f"{len(found)} files have structs that may embed {grown[0]} or another one that grew or shrank, {len(found) - MANY_AROUND} "
                 "of them were not looked at (--all-users)")
            found = found[:MANY_AROUND]
        around = self.run(before, after, [file for file in found if not file.endswith(".h")], ())
        shown |= {file for done in around for file in done.shows}
        left = [file for file in found if file not in shown and file.endswith(".h")]
        sets = [[file for file in left if file.startswith(public) == is_public] for is_public in (True, False)]
        return around + [done for units in in_parallel(self.args.jobs, lambda files: self.together(before, after, files), sets) for done in units]

    def asserting(self, before: Step, after: Step, units: List[Unit]) -> List[Unit]:
        """The units of other files whose asserts no longer hold: on structs that changed, or against numbers that did."""
        structs = [one for done in units for one in done.structs if one["before"]]
        names = sorted({one["name"] for one in structs})
        shown = {file for done in units for file in (done.file, *done.shows)}
        folders = where.all_folders(self.tree)
        known = index_uses.using(self.tree, names, folders) if names else index_uses.Known([], set(), [])
        found = vet_asserts.asserting(names, known.files + known.rest, self.tree.src)
        found = [file for file in found if file not in shown and vet_asserts.may_fail(after, file, structs)]
        numbers = vet_asserts.numbers(before, after, [name for name in series.touched(self.patches) if name.endswith((".c", ".h"))])
        against = where.grep(rf"\b({'|'.join(sorted(numbers))})\b", folders, self.tree.src) if numbers else []
        found += [file for file in against if file not in shown and file not in found and vet_asserts.counts_on(after, file, numbers)]
        found = [file for file in found if not self.built.lacks(file)]
        if len(found) > ASSERTING and not self.args.all_users:
            note(f"{len(found) - ASSERTING} more files assert something of what changed, and were not looked at (--all-users)")
            found = found[:ASSERTING]
        broken = in_parallel(self.args.jobs, lambda file: any("[-Wcacheline-layout-assert]" in said for said in after.judge(file, ()).said), found)
        return self.run(before, after, [file for file, is_broken in zip(found, broken) if is_broken], ())

    def together(self, before: Step, after: Step, files: List[str]) -> List[Unit]:
        """Headers as one unit, which reads what they share once; where they do not go together, without that of the error, or in halves."""
        if len(files) < 2:
            return [compare(before, after, file, self.out(), ()) for file in files]
        *others, last = files
        done = compare(before.including(others), after.including(others), last, self.out(), (), [last])
        if not done.dumps:
            blamed = [file for file in files if any(re.search(rf"\b{re.escape(file)}:\d+:\d+: error: ", text) for text in done.said)]
            half = len(files) // 2
            parts = [files[:half], files[half:]] if len(blamed) in (0, len(files)) else [[file for file in files if file not in blamed], blamed]
            return [done for units in in_parallel(self.args.jobs, lambda part: self.together(before, after, part), parts) for done in units]
        return [done, *(compare(before, after, file, self.out(), ()) for file in files if file not in done.shows)]


def is_grown(one: dict) -> bool:
    """Has a struct another size or alignment than it had?"""
    return bool(one["before"]) and any(one["before"][key] != one["after"][key] for key in ("size", "align"))


def steps_of(tree: Tree, args: argparse.Namespace, scratch: series.Scratch, folder: str, wanted: Collection[int]) -> Dict[int, Step]:
    """The states of a series behind so many of its patches; 0: the tree's own."""
    steps: Dict[int, Step] = {}
    for number in range(len(scratch.patches) + 1):
        if number:
            scratch.apply(number - 1)
        if number in wanted:
            path = os.path.join(folder, f"step-{number}")
            os.makedirs(path)
            scratch.keep(path)
            steps[number] = Step(tree, args, scratch.names, path, series.renamed(scratch.patches))
    return steps


def vet(tree: Tree, args: argparse.Namespace, folder: str) -> int:
    """Reads, applies, compares, reports."""
    from lk import vet_freed, vet_hazards, vet_report
    given = series.Input(tree, args.series)
    patches = series.read(tree, given, folder)
    scratch = series.Scratch(tree, given, patches, folder)
    single = len(patches) > 1 and (args.per_patch or args.format == "reply" or len(patches) <= FEW_PATCHES)
    steps = steps_of(tree, args, scratch, folder, range(len(patches) + 1) if single else (0, len(patches)))
    vetting = Vetting(tree, args, patches, folder)
    first, last = steps[0], steps[len(patches)]
    vetting.fresh = [name for name in scratch.names if last.text(name) and not os.path.isfile(os.path.join(tree.src, name))]
    vetting.say_foreign(first, last)
    scratch.say_strange()
    vetting.ask_index(first, last)
    whole = vetting.learn(first, last, vetting.judge(first, last, patches))
    each = []
    for number, patch in enumerate(patches if single else []):
        states = steps[number], steps[number + 1]
        each.append(vet_report.Report(args, [patch], [], vetting.judge(*states, [patch]), [], *states))
    with ThreadPoolExecutor(1) as pool:
        elsewhere = pool.submit(vet_elsewhere.elsewhere, vetting, first, last, list(whole))
        whole += vetting.around(first, last, whole)
        whole += vetting.asserting(first, last, whole)
        structs = vet_report.structs_of(whole)
        hazards = vet_hazards.Hazards(vetting, first, last, whole, structs, vet_hazards.spatch_of(vetting))
        found = vet_hazards.find(hazards)
    if structs and not os.path.exists(where.index_file(tree)):
        note("there is no index of this tree, so what members are used for is known from declarations, types and the series' own files alone "
             "(`linekeeper index`)")
    others = []
    for config, units in elsewhere.result():
        said = vet_hazards.elsewhere(hazards, vetting, config, units, vet_report.structs_of(units))
        units = vet_freed.without_unfreed(hazards, units)
        others.append((config, [units[0]._replace(said=units[0].said + said), *units[1:]]))
    whole = vet_freed.without_unfreed(hazards, whole)
    each = [one._replace(units=vet_freed.without_unfreed(hazards, one.units)) for one in each]
    if args.fragments:
        from lk.matrix_plan import write_fragments
        from lk.reachable import fragments_of
        write_fragments(fragments_of([config for config, _ in others if config.file]), args.fragments)
    return vet_report.report(vet_report.Report(args, patches, each, whole, others, first, last, found))


def main(argv: list) -> int:
    args = parse_arguments(argv)
    notes.wanted = not args.quiet
    engine.program("cacheline-check")       # one that is not built is no file's fault
    tree = Tree(args.tree)
    return guarded.run(args.seconds, args.memory, lambda folder: vet(tree, args, folder))

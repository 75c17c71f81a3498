# SPDX-License-Identifier: GPL-2.0-only
"""linekeeper check: the rules on some files, as CHECK= of a kernel's make runs them; or what changed since another state.

A header is judged as it is, or as part of a .c file that includes it; one with cacheline groups in those that assert them.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Callable, Iterator, List, NamedTuple, Sequence, Tuple

from lk import engine, where
from lk.errors import WrongUse
from lk.tree import LOCKDEP, LOCKDEP_BOUNDS, Tree, add_arguments, bounds_overlay, configured, overlay_of, strip_options, tree_options
from lk.unit import users_of_header, words

EXAMPLES = """examples:
  linekeeper check mm/memcontrol.c net/core/*.c
  linekeeper check --error --only=group-size,unlisted-member net/ipv4/tcp.c
  linekeeper check --against HEAD~3                 # members that are new or moved since then, and their company
  linekeeper check --against v6.11 include/linux/netdevice.h
  linekeeper check --against ~/linux-6.1 include/linux/page_counter.h
"""
FINDING = re.compile(r"(.*?):\d+:\d+: (?:warning|error): (.*) \[-Wcacheline-([a-z-]+)\]$")
UNREAD = "error: not judged"
# for a kernel of one CPU, where no line goes from one to another: no rule on who shares it
ONE_CPU = tuple(f"--no-{name}" for name in ("class-mix", "group-mix", "group-straddle", "shared-apart", "shared-isolated", "ungrouped-field"))
GROUPED = re.compile(r"^struct (\w+) \{(?:(?!^\}).*\n)*?\s+__cacheline_group_begin", re.M)
MAX_ASSERTING = 4

# what the engine said, notes with what they belong to; its stdout
Answer = NamedTuple("Answer", [("said", List[str]), ("out", str)])

# how a tree is read: words for the engine; those for a reading with LOCKDEP, if any; compiler flags behind the file's own
State = NamedTuple("State", [("options", list), ("lockdep", list), ("flags", tuple)])


def parse_arguments(argv: list) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="linekeeper check", description=__doc__.split(": ", 1)[1], epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE", help=".c or .h file of the tree")
    parser.add_argument("--against", metavar="REV|DIR",
                        help="members that are new or moved since that revision of the tree, or in that other prepared tree, and "
                        "what is wrong that was not; without FILE: of all files that changed since REV")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="of --against")
    parser.add_argument("--verbose", "-v", action="store_true", help="of --against: every member that moved")
    parser.add_argument("--error", action="store_true", help="a finding is an error: exit status 1")
    parser.add_argument("--only", metavar="ID,...", help="these findings; --no-ID: not this one")
    parser.add_argument("--placements", choices=("any", "aligned"), help="aligned: every object starts a line")
    parser.add_argument("--matrix", action="store_true", help="in other configurations too that Kconfig allows, what is a finding only there; "
                        "runs the tree's own kconfig, as make olddefconfig does")
    parser.add_argument("--fragments", metavar="DIR", help="of --matrix: a .config fragment for each that is told, DIR/N.config")
    parser.add_argument("--seconds", type=int, default=300, metavar="N", help="of --matrix: begin no other configuration after so long (default: 300)")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="so many files at once (default: the CPUs)")
    add_arguments(parser)
    args, rest = parser.parse_known_args(argv)
    args.without = [word for word in rest if re.fullmatch(r"--no-[a-z-]+", word)]
    if len(args.without) < len(rest):
        parser.error(f"unrecognized arguments: {' '.join(word for word in rest if word not in args.without)}")
    if min(args.jobs, args.seconds) < 1 or not (args.files or args.against):
        parser.error("give FILE... or --against, seconds and jobs above 0")
    if args.matrix and (args.against or args.set):
        parser.error("--matrix goes with neither --against (linekeeper vet REV.. --matrix tells) nor --set")
    return args


def rule_options(args: argparse.Namespace) -> list:
    """Which findings are wanted, as words for the engine."""
    return (["--error"] if args.error else []) + ([f"--only={args.only}"] if args.only else []) + args.without + \
           ([f"--placements={args.placements}"] if args.placements else [])


def messages(text: str) -> List[str]:
    """What was said, each with the notes that belong to it."""
    found: List[str] = []
    for line in text.splitlines():
        if re.match(r".*?:\d+:\d+: note: ", line) and found and FINDING.match(found[-1].split("\n")[0]):
            found[-1] += f"\n{line}"
        else:
            found.append(line)
    return found


def judge(tree: Tree, file: str, options: list, flags: tuple = ()) -> Answer:
    """cacheline-check on one file, flags behind its own. What the engine fails on is said as what it cannot read."""
    environment = {name: value for name, value in os.environ.items() if name != "LINEKEEPER_THEN"}
    environment["srctree"] = tree.inside(".")       # where the documentation's tables are
    call = [engine.program("cacheline-check"), "--once=/dev/null", *options, *words(tree, file, [])]
    call[-1:] = [*flags, call[-1]]
    done = subprocess.run(call, cwd=tree.root, env=environment, capture_output=True, text=True, errors="replace",
                          close_fds=False, check=False)
    if done.returncode == 2:
        raise WrongUse(done.stderr.strip())
    try:
        engine.ended("cacheline-check", done.returncode)
    except WrongUse as err:
        return Answer([f"{file}: {UNREAD}: {err}"], "")
    return Answer(messages(done.stderr), done.stdout)


def is_unread(answer: Answer) -> bool:
    return any(UNREAD in text for text in answer.said)


def is_wrong(said: List[str]) -> bool:
    """Is one of them an error? A note may quote one."""
    return any(re.match(r"(?!note: ).*?:(\d+:\d+:)? error: ", text) for text in said)


def finding_of(said: str):
    """(file, text, id) of a finding, whatever its line is; None: it is none"""
    match = FINDING.match(said.split("\n")[0])
    return match and match.groups()


def subject_of(said: str):
    """(file, id, the member that it is about) of a finding: with which other one differs from configuration to configuration."""
    finding = finding_of(said)
    return finding and (finding[0], finding[2], "".join(re.findall(r"'[^']*'", finding[1])[:1]))


def readings(tree: Tree, file: str) -> Iterator[str]:
    """The units that show a file, one to be taken: the file itself, else, for a header, a .c file that includes it."""
    yield file
    if file.endswith(".h"):
        yield from users_of_header(tree, file)


def asserting(tree: Tree, header: str, structs: Sequence[str] = ()) -> List[str]:
    """The .c files, not too many, that assert the groups of a header's structs, or of some of them."""
    with open(os.path.join(tree.src, header), encoding="utf-8", errors="replace") as text:
        grouped = [name for name in GROUPED.findall(text.read()) if not structs or name in structs]
    found = where.grep(rf"ASSERT_GROUP_(MEMBER|SIZE)\(struct ({'|'.join(grouped)}),", where.all_folders(tree), tree.src, ("*.c",)) if grouped else []
    return found[:MAX_ASSERTING]


def units_of(tree: Tree, file: str) -> List[str]:
    """The files to be judged for a file: itself, or for a header with cacheline groups those that assert what is in them."""
    return [file] if file.endswith(".c") else asserting(tree, file) or [file]


def has_asserts(tree: Tree, file: str) -> bool:
    """Does the file, or a header beside it that it includes, assert sizes of groups?"""
    pattern = r"ASSERT_GROUP_SIZE|libeth_cacheline"
    with open(os.path.join(tree.src, file), encoding="utf-8", errors="replace") as source:
        text = source.read()
    beside = [os.path.join(tree.src, os.path.dirname(file), name) for name in re.findall(r'^\s*#\s*include\s+"([\w.-]+)"', text, re.M)]
    for path in filter(os.path.isfile, beside):
        with open(path, encoding="utf-8", errors="replace") as header:
            text += header.read()
    return re.search(pattern, text) is not None


def judge_state(tree: Tree, state: State, file: str, more: tuple = ()) -> Answer:
    """judge(), and behind it what a kernel with LOCKDEP would be told of the groups' sizes."""
    answer = judge(tree, file, [*state.options, *more], state.flags)
    if is_unread(answer) or not state.lockdep or not has_asserts(tree, file):
        return answer
    known = set(map(finding_of, answer.said))
    lockdep = judge(tree, file, state.lockdep, state.flags)
    if is_unread(lockdep):
        return Answer([*answer.said, f"note: {file}: not judged with CONFIG_LOCKDEP=y, with which it does not parse"], answer.out)
    again = [said for said in lockdep.said if finding_of(said) and finding_of(said) not in known]
    more_said = [re.sub(r" (\[-Wcacheline-[a-z-]+\])", r", with CONFIG_LOCKDEP=y \1", said, count=1) for said in again]
    return Answer(answer.said + more_said, answer.out)


def wants(args: argparse.Namespace, which: str) -> bool:
    """Is a finding of that id wanted?"""
    return (not args.only or which in args.only.split(",")) and f"--no-{which}" not in args.without


def state_of(tree: Tree, args: argparse.Namespace, overlays: tuple = (), flags: tuple = ()) -> State:
    """How the engine is to read the tree; with LOCKDEP only for findings that are wanted, in a kernel without it."""
    options = [*rule_options(args), *tree_options(tree, args), *overlays]
    if not wants(args, "group-size") or tree.has("CONFIG_LOCKDEP"):
        return State(options, [], flags)
    line_size = ["--line-size", args.line_size] if args.line_size else []
    return State(options, [*rule_options(args), "--only=group-size", *line_size, *strip_options(tree), *overlays,
                           *bounds_overlay(tree, LOCKDEP_BOUNDS), *overlay_of(configured(tree, args.config, args.set, LOCKDEP))], flags)


def in_parallel(jobs: int, call: Callable, items: list) -> list:
    """The results, in order of the items."""
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        return list(pool.map(call, items))


def say(said: List[str]) -> None:
    """Each message once."""
    for text in dict.fromkeys(said):
        print(text, file=sys.stderr)


def classes(tree: Tree, args: argparse.Namespace) -> tuple:
    """What the index, if there is one, infers of members, for the findings that look at it."""
    if not any(wants(args, which) for which in ("class-mix", "ungrouped-field")) or not os.path.exists(where.index_file(tree)):
        return ()
    from lk import index_classes
    path = index_classes.kept(tree)
    return (f"--classes={path}",) if path else ()


def check(tree: Tree, args: argparse.Namespace) -> int:
    """The files as they are."""
    state, known = state_of(tree, args), classes(tree, args)

    def one(name: str) -> Tuple[str, Answer]:
        first = None
        for file in readings(tree, name):
            answer = judge_state(tree, state, file, known)
            if not is_unread(answer):
                return file, answer
            first = first or (file, answer)
        return first

    asked = [(unit, path) for path in map(tree.relative, args.files) for unit in units_of(tree, path)]
    units = list(dict(asked))
    found = dict(zip(units, in_parallel(args.jobs, one, units)))
    said = [text for _, answer in found.values() for text in answer.said]
    if args.matrix:
        from lk.check_matrix import judge_elsewhere
        said += judge_elsewhere(tree, args, [(found[unit][0], path) for unit, path in asked], said)
    say(said)
    return int(is_wrong(said))


def main(argv: list) -> int:
    args = parse_arguments(argv)
    tree = Tree(args.tree)
    if args.against:
        from lk.against import against
        return against(tree, args)
    return check(tree, args)

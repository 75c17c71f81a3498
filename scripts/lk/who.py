# SPDX-License-Identifier: GPL-2.0-only
"""linekeeper who: the functions that read a member, write it, take its address; from the index (linekeeper index).

One line a function and what it does: file:line of the first place, function, what, through which primitives. What runs only at
set-up or tear-down, when somebody configures, or never, comes last and says so.
"""

from __future__ import annotations

import argparse
import sys
from typing import Dict, List, NamedTuple

from lk import index_paths
from lk.errors import Refused
from lk.index_db import Index, marks, no_index, reader, trouble_said
from lk.tree import Tree
from lk.where import index_file, split_name

EXAMPLES = """examples:
  linekeeper who page_counter.usage
  linekeeper who address_space.i_mmap_rwsem | grep writes
  linekeeper who task_struct.se.vruntime --format json
  linekeeper who tcp_sock.snd_cwnd --from tcp_sendmsg   # only what that calls, the most frequent first
  linekeeper who --mixed                        # written members on a line with much read ones, ranked
  linekeeper who --mixed task_struct
"""
DOES = {"r": "reads", "w": "writes", "rw": "reads,writes", "a": "address", "i": "initialises"}
PHASES = {"run": [], "control": ["[control]"], "setup": ["[set-up]"], "uncalled": ["[not called]"]}

Use = NamedTuple("Use", [("phase", str), ("file", str), ("line", int), ("function", str), ("does", str), ("via", str), ("path", str),
                          ("often", float)])


def parse_arguments(argv: list) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="linekeeper who", usage="%(prog)s [OPTION]... STRUCT.FIELD\n       %(prog)s [OPTION]... --mixed [STRUCT]",
                                     description=__doc__.split(": ", 1)[1], epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("member", nargs="*", metavar="STRUCT.FIELD", help="FIELD may be a path: mmap_lock.count")
    parser.add_argument("--from", dest="entries", default="", metavar="FUNCTION[,FUNCTION]...",
                        help=f"only {index_paths.HELP}, and how often, most often first")
    parser.add_argument("--file", help="the file that defines STRUCT, when there are several")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument("--tree", default="", metavar="DIR", help="kernel tree (default: the one around the current folder)")
    parser.add_argument("--mixed", action="store_true",
                        help="instead: where members that many functions write share a line with members that many only read, "
                        "in STRUCT or everywhere, in structs that declare nothing; candidates, ranked by writers x readers")
    parser.add_argument("--limit", type=int, default=20, metavar="N", help="of --mixed: show N (default: 20)")
    parser.add_argument("--line-size", metavar="N", help="of --mixed (default: the tree's L1_CACHE_BYTES)")
    args = parser.parse_args(argv)
    args.struct, _, args.field = " ".join(args.member).partition(".")
    if bool(args.field) == args.mixed or " " in args.field:
        parser.error("give one STRUCT.FIELD, or --mixed with or without STRUCT")
    if args.mixed and (args.format != "text" or args.entries):
        parser.error("--mixed is text only, and of all code")
    return args


def find_struct(index: Index, name: str, file: str) -> List[int]:
    """The ids of a struct's names: one for each place that defines it, and they are of one file."""
    kind, plain = split_name(name)
    names = [kind + plain] if kind else [f"struct {plain}", f"union {plain}", plain]
    found = index.sql.execute("SELECT id, path, line FROM name WHERE name IN (?, ?, ?) AND id IN (SELECT name FROM record) "
                              "ORDER BY path, line", (names * 3)[:3]).fetchall()
    if file:
        found = [row for row in found if row[1] == file]
    if not found:
        raise Refused(f"no indexed file defines a struct or union '{plain}'")
    if len({path for _, path, _ in found}) > 1:
        places = ", ".join(f"{path}:{line}" for _, path, line in found)
        raise Refused(f"'{plain}' is defined {len(found)} times ({places}): give --file")
    return [number for number, _, _ in found]


def check_field(index: Index, ids: List[int], args: argparse.Namespace) -> None:
    """The first name of the path must be a member."""
    first = args.field.split(".")[0]
    known = [name for name, in index.sql.execute(
        f"SELECT DISTINCT m.name FROM member m JOIN record r ON m.record = r.id WHERE r.name IN ({marks(ids)})", ids)]
    if first not in known:
        raise Refused(f"'{args.struct}' has no member '{first}' (`linekeeper map {args.struct}` shows what it has)")


def uses_of(index: Index, ids: List[int], field: str, entries: str) -> List[Use]:
    """What is done with the member or with a part of it; one for each function and each thing that it does; how often, for one call of the
    function or, of a path that begins at `entries`, for one run of it."""
    path = index_paths.reached(index, entries) if entries else None
    rows = index.sql.execute(
        "SELECT CASE WHEN f.id IN (SELECT function FROM uncalled) THEN 'uncalled' ELSE f.phase END, "
        "p.path, a.line, f.name, a.mode, a.via, a.path, a.often, f.id FROM access a JOIN function f ON a.function = f.id "
        f"JOIN part p ON f.part = p.id WHERE a.name IN ({marks(ids)}) AND (a.path = ? OR a.path GLOB ?)", (*ids, field, f"{field}.*"))
    merged: Dict[tuple, tuple] = {}
    for phase, file, line, function, mode, via, member, often, number in rows:
        if path is not None and number not in path:
            continue
        key = (phase, file, function, DOES.get(mode, mode), member)
        first, vias, before = merged.get(key, (line, set(), 0.0))
        merged[key] = (min(first, line), vias | {via} - {""}, max(before, often if path is None else min(often, 1) * path[number]))
    uses = [Use(phase, file, line, function, does, ", ".join(sorted(vias)), member, often)
            for (phase, file, function, does, member), (line, vias, often) in merged.items()]
    return sorted(uses, key=lambda use: ((-use.often if entries else 0), list(PHASES).index(use.phase), *use[1:]))


def show(use: Use, field: str, on_path: bool) -> str:
    words = [f"{use.file}:{use.line}: {use.function}", use.does]
    words += [f"{100 * use.often:.3g} %"] if on_path else []
    words += [use.path] if use.path != field else []
    words += [f"(via {use.via})"] if use.via else []
    return "  ".join(words + PHASES[use.phase])


def main(argv: list) -> int:
    args = parse_arguments(argv)
    tree = Tree(args.tree)
    with trouble_said(index_file(tree)):
        index = reader(tree)
        if not index:
            raise no_index(tree)
        return answer(tree, index, args)


def answer(tree: Tree, index: Index, args: argparse.Namespace) -> int:
    """Prints what was asked for."""
    ids = find_struct(index, args.struct, tree.relative(args.file) if args.file else "") if args.struct else []
    if args.mixed:
        from lk import index_mixed
        return index_mixed.show(tree, index, ids, ["--line-size", args.line_size] if args.line_size else [], args.limit)
    check_field(index, ids, args)
    uses = uses_of(index, ids, args.field, args.entries)
    if args.format == "json":
        import json
        print(json.dumps([use._asdict() for use in uses], indent=1))
        return 0
    for use in uses:
        print(show(use, args.field, bool(args.entries)))
    if not uses:
        print(f"note: no function {'on the path' if args.entries else 'of the indexed objects'} touches {args.struct}.{args.field}", file=sys.stderr)
    return 0

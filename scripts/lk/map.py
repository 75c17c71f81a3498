# SPDX-License-Identifier: GPL-2.0-only
"""linekeeper map: the layout of structs, line by line, from a parse of the source; nothing is built."""

import argparse
import os
import sys

from lk import engine, index_paths, where
from lk.unit import users_of_header, words
from lk.errors import Refused, WrongUse
from lk.tree import Tree, add_arguments, tree_options

EXAMPLES = """examples:
  linekeeper map page_counter --tree ~/linux
  linekeeper map address_space --set CONFIG_SMP=n
  linekeeper map --all mm/page_counter.c --format json | jq '.[].name'
  linekeeper map inode --format svg > inode.svg
"""


def parse_arguments(argv: list) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="linekeeper map", description=__doc__.split(": ", 1)[1], epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("structs", nargs="*", metavar="STRUCT", help="tag or typedef, with 'struct ' in front or not")
    parser.add_argument("--all", metavar="FILE", help="every struct and union that this translation unit defines")
    parser.add_argument("--file", help="the .c or .h file that defines STRUCT, when there are several")
    parser.add_argument("--from", dest="entries", default="", metavar="FUNCTION[,FUNCTION]...",
                        help=f"classes {index_paths.HELP}; needs an index")
    parser.add_argument("--format", choices=("text", "json", "svg", "html"), default="text")
    add_arguments(parser)
    args = parser.parse_args(argv)
    for number, word in reversed(list(enumerate(args.structs[:-1]))):
        if word in ("struct", "union"):     # as one types it, without quotes
            args.structs[number:number + 2] = [f"{word} {args.structs[number + 1]}"]
    if bool(args.structs) == bool(args.all):
        parser.error("give STRUCT... or --all FILE")
    return args


def files_of(tree: Tree, args: argparse.Namespace) -> list:
    """The files that define what is asked for."""
    if args.all or args.file:
        return [tree.relative(args.all or args.file)]
    return list(dict.fromkeys(where.definition(tree, name)[0] for name in args.structs))


def classes(tree: Tree, structs: list, entries: str = "") -> list:
    """What the index knows of the structs' members, as arguments of cacheline-map."""
    path = where.index_file(tree)
    if entries and not os.path.exists(path):
        raise Refused(f"there is no index of {tree.root}: run `linekeeper index`")
    if not structs or not os.path.exists(path):
        return []
    from lk import index_classes, index_db
    with index_db.trouble_said(path):
        index = index_db.reader(tree)
        return ["--classes", index_classes.for_map(index, structs, entries)] if index else []


def command(tree: Tree, args: argparse.Namespace, files: list, output: str) -> list:
    """The call of cacheline-map; paths in it are relative to the tree."""
    what = ["--all"] if args.all else [*args.structs, *classes(tree, args.structs, args.entries)]
    return [engine.program("cacheline-map"), output, *what, *tree_options(tree, args),
            *words(tree, files[-1], files[:-1])]


def main(argv: list) -> int:
    """Text and JSON are the engine's own; SVG and HTML are drawn from its JSON."""
    args = parse_arguments(argv)
    tree = Tree(args.tree)
    drawn = args.format in ("svg", "html")
    status, out = run(tree, args, files_of(tree, args), drawn)
    if drawn and status == 0:
        draw(out, args)
    return status


def run(tree: Tree, args: argparse.Namespace, files: list, capture: bool) -> tuple:
    """The files as they are; a header that needs others before it, as part of a .c file that includes it."""
    output = "--json" if capture else f"--{args.format}"
    status, said, out = engine.run(command(tree, args, files, output), tree.root, capture)
    users = users_of_header(tree, files[0]) if status and files[0].endswith(".h") and not files[1:] else []
    for user in users:
        again, _, out = engine.run(command(tree, args, [user], output), tree.root, capture)
        if again == 0:
            return 0, out
    print("".join(said.splitlines(keepends=True)[:10]), end="", file=sys.stderr)
    if status and files[0].endswith(".c") and not os.path.exists(tree.own_cmd(files[0])):
        print(f"note: {files[0]} was never built here, so flags of its own are not surely known: "
              f"`make {files[0][:-2]}.o` once", file=sys.stderr)
    return status, out


def draw(text: str, args: argparse.Namespace) -> None:
    """SVG or HTML of the engine's JSON."""
    import json

    from lk import html, svg
    records = json.loads(text)
    if args.format == "svg" and len(records) != 1:
        raise WrongUse("--format svg draws one struct: give one")
    print(svg.render(records[0]) if args.format == "svg" else html.render(records, title=", ".join(args.structs)))

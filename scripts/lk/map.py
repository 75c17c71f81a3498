# SPDX-License-Identifier: GPL-2.0-only
"""linekeeper map: the layout of structs, line by line, from a parse of the source; nothing is built."""

import argparse
import os

from lk import engine, where
from lk.unit import words
from lk.errors import WrongUse
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
    parser.add_argument("--format", choices=("text", "json", "svg", "html"), default="text")
    add_arguments(parser)
    args = parser.parse_args(argv)
    if bool(args.structs) == bool(args.all):
        parser.error("give STRUCT... or --all FILE")
    return args


def command(tree: Tree, args: argparse.Namespace, output: str) -> list:
    """The call of cacheline-map; paths in it are relative to the tree."""
    files = [tree.relative(args.all or args.file)] if args.all or args.file else []
    if not files:
        files = list(dict.fromkeys(where.definition(tree, name)[0] for name in args.structs))
    call = [engine.program("cacheline-map"), output]
    call += ["--all"] if args.all else args.structs
    return [*call, *tree_options(tree, args), *words(tree, files[-1], files[:-1])]


def main(argv: list) -> int:
    """Text and JSON are the engine's own; it takes this process over."""
    args = parse_arguments(argv)
    tree = Tree(args.tree)
    if args.format in ("text", "json"):
        engine.run_in_place(command(tree, args, f"--{args.format}"), tree.root)
    return draw(tree, args)


def draw(tree: Tree, args: argparse.Namespace) -> int:
    """SVG or HTML, from the engine's JSON."""
    import json
    import subprocess

    from lk import html, svg
    done = subprocess.run(command(tree, args, "--json"), cwd=tree.root, stdout=subprocess.PIPE, close_fds=False, check=False)
    records = json.loads(done.stdout or b"[]")
    if args.format == "svg" and len(records) > 1:
        raise WrongUse("--format svg draws one struct: give one")
    if records:
        print(svg.render(records[0]) if args.format == "svg" else html.render(records, title=", ".join(args.structs)))
    return done.returncode

# SPDX-License-Identifier: GPL-2.0-only
"""linekeeper diff: a struct in two trees: what moved, who shares a line now, what the structs around it cost."""

import argparse
import json
import subprocess
import tempfile

from lk import unit, where
from lk.tree import Tree, add_arguments, tree_options

EXAMPLES = """examples:
  linekeeper diff address_space --before ~/linux --after ~/linux-next
  linekeeper diff page_counter --before old --after new --format html > page_counter.html
"""


def parse_arguments(argv: list) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="linekeeper diff", description=__doc__.split(": ", 1)[1], epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("struct", metavar="STRUCT")
    parser.add_argument("--before", required=True, metavar="DIR", help="prepared kernel tree")
    parser.add_argument("--after", required=True, metavar="DIR", help="prepared kernel tree")
    parser.add_argument("--file", help="the file that defines STRUCT, when there are several")
    parser.add_argument("--format", choices=("text", "json", "html"), default="text")
    parser.add_argument("--promise", action="append", default=[], metavar="TEXT",
                        help="also judge this, as in a rule's head: 'apart(S.a, S.b)'")
    parser.add_argument("--all-users", action="store_true",
                        help="look for structs that embed it in the whole tree, not in include/ only")
    parser.add_argument("--verbose", "-v", action="store_true", help="show every member and every enclosing struct")
    add_arguments(parser)
    return parser.parse_args(argv)


def notes(change: dict) -> list:
    """The sentences above the HTML page's drawings."""
    def grew(name: str, old: dict, new: dict) -> str:
        return f"{name}: {old['size']} -> {new['size']} bytes, aligned to {old['align']} -> {new['align']}"
    lines = [grew(e["name"], e["before"], e["after"]) for e in change["enclosing"]
             if (e["before"]["size"], e["before"]["align"]) != (e["after"]["size"], e["after"]["align"])]
    pairs = [f"{p['a']} and {p['b']}: {p['before']['sharing']} -> {p['after']['sharing']}" for p in change["pairs"]]
    return lines + pairs


def main(argv: list) -> int:
    args = parse_arguments(argv)
    sides = []
    for path in (args.before, args.after):
        tree = Tree(path)
        file = tree.relative(args.file) if args.file else where.definition(tree, args.struct)[0]
        sides.append(unit.Side(tree, file, tree_options(tree, args)))
    options = unit.each("--promise", args.promise) + (["--verbose"] if args.verbose else [])
    with tempfile.TemporaryDirectory(prefix="linekeeper-") as folder:
        pairs = unit.dump_pairs(sides[0], sides[1], [args.struct], folder, args.all_users)
        if args.format == "text":
            return unit.compare(pairs, [args.struct], options).returncode
        done = unit.compare(pairs, [args.struct], [*options, "--json"], stdout=subprocess.PIPE, text=True)
    if args.format == "json":
        print(done.stdout, end="")
    else:
        from lk import html
        for change in json.loads(done.stdout):
            print(html.render(change["before"][0], change["after"][0], notes(change)))
    return done.returncode

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""linekeeper vet: members that a series adds have the class that its own code gives them, with an index and without."""

import json
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Optional

sys.path.insert(0, "tests")
from index_place import Place  # noqa: E402
from tap import check, done, kernel, run, skip, small_tree  # noqa: E402
from vet_series import Files, mail, show, vet  # noqa: E402

COUNTER, USER, NETDEVICE, DEV = "include/linux/page_counter.h", "mm/page_counter.c", "include/linux/netdevice.h", "net/core/dev.c"
MIX = re.compile(r"warning: '(\w+)' is new and ([a-z-]+) \((in files of the change, [^)]*)\), but shares a \d+-byte line with the ([a-z-]+) '(\w+)' "
                 r"\(([^)]*)\), .* \[-Wcacheline-class-mix\]$", re.M)
FAILS = r"^\t\t+(?:data_race\((?:c|level)->failcnt\+\+\)|level->failcnt\+\+);\n"


def added(tree: Path, behind: str, use: str, *words: str, member: str = "unsigned long planted") -> tuple:
    """What vet says of a member of page_counter behind another one, and of how it is used where a charge fails: (the run, class-mix findings)."""
    files = Files(tree)
    body = files.edit(COUNTER, (rf"^\t.*\b{behind};\n", rf"\g<0>\t{member};\n")) + files.edit(USER, (FAILS, rf"\g<0>\t\t{use}\n"))
    out = vet(tree, mail("[PATCH] mm: planted", body), *words)
    return out, MIX.findall(out.stderr)


def grouped(tree: Path, use: str) -> list:
    """The same of a member in a group of net_device that is read."""
    files = Files(tree)
    body = files.edit(NETDEVICE, (r"^\tint\t\t\tifindex;", r"\tlong planted;\n\g<0>")) + \
        files.edit(DEV, (r"net_device_read_rx, 40", "net_device_read_rx, 48"),
                   (r"\Z", f"void lk_use(struct net_device *dev);\nvoid lk_use(struct net_device *dev)\n{{\n\t{use}\n}}\n"))
    return MIX.findall(vet(tree, mail("[PATCH] net: planted", body)).stderr)


def test_counter(tree: Path) -> None:
    """The small tree's, where all lie side by side."""
    out, found = added(tree, "max", "level->planted++;")
    check([one[:5] for one in found] == [("planted", "written", "in files of the change, 1 writer", "read-mostly", "min")] and
          found[0][5] == "in files of the change, 1 reader", "a counter beside what the same file reads: told without an index", show(out))
    out, found = added(tree, "usage", "if (level->planted)\n\t\t\treturn false;")
    check([one[:2] + one[3:] for one in found] == [("planted", "read-mostly", "written", "usage", "type")], "a flag beside an atomic_t", show(out))
    for what, use in (("nobody uses it", "nr_pages++;"), ("another struct's is used", "struct { long planted; } mine;\n\t\tmine.planted = 0;"),
                      ("its address goes to somebody", "lk_give(&level->planted);"), ("it is stored to", "level->planted = nr_pages;")):
        out, found = added(tree, "max", use)
        check(not found and "warning: 'planted'" not in out.stderr and "error" not in out.stderr, f"harmless: {what}", show(out))
    out, found = added(tree, "failcnt", "level->planted++;")
    check(not found, "harmless: a counter behind the counters, far from what is read", show(out))
    out, _ = added(tree, "max", "level->planted++;", "--format", "json")
    one = next(one for struct in json.loads(out.stdout)["structs"] for one in struct["changed"] if one["name"] == "planted")
    check((one["class"], one["class_from"]) == ("written", "in files of the change, 1 writer"), "JSON: its class, and where it is from", one)
    out, found = added(tree, "max", "level->planted++;\n\t\tbroken(;")
    check("note: what mm/page_counter.c does with new members is not known: sparse cannot parse it\n" in out.stderr and not found and
          out.returncode == 1, "a file that cannot be parsed: said", show(out))


def test_series(tree: Path) -> None:
    """One patch adds it, another one uses it."""
    files = Files(tree)
    first = files.edit(COUNTER, (r"^\tunsigned long max;\n", r"\g<0>\tunsigned long planted;\n"))
    second = files.edit(USER, (FAILS, r"\g<0>\t\tlevel->planted++;\n"))
    out = vet(tree, mail("[PATCH 1/2] mm: planted", first) + mail("[PATCH 2/2] mm: count", second))
    check(len(MIX.findall(out.stderr)) == 1, "a series: its class is from the patch behind", show(out))


def test_macro(tree: Path) -> None:
    """Who uses it does not name it."""
    files = Files(tree)
    body = files.edit(COUNTER, (r"^\tunsigned long max;\n", r"\g<0>\tunsigned long planted;\n"), (r"^#define PAGE_COUNTER_MAX", r"#define count_one(c) ((c)->planted++)\n\g<0>"))
    out = vet(tree, mail("[PATCH] mm: planted", body + files.edit(USER, (FAILS, r"\g<0>\t\tcount_one(level);\n"))))
    check([one[:3] for one in MIX.findall(out.stderr)] == [("planted", "written", "in files of the change, 1 writer")], "a macro that counts", show(out))


def test_group(tree: Path) -> None:
    found = grouped(tree, "dev->planted++;")
    check([one[:2] + one[3:] for one in found] == [("planted", "written", "read-mostly", "features", "group")], "a member in a group that is for another class", found)
    check(not grouped(tree, "if (dev->planted)\n\t\tnet_dev_init();"), "harmless: one that is read, as its group says")
    check(not grouped(tree, "dev->planted = 1;"), "harmless: one that is stored to, which may be a setting")


def test_with_index(tree: Path, place: Place) -> None:
    run("make", "-s", "-j2", "all", cwd=tree, MAKEFLAGS="")
    place.run()
    out, found = added(tree, "max", "level->planted++;")
    check([one[:5] for one in found] == [("planted", "written", "in files of the change, 1 writer", "read-mostly", "min")] and
          found[0][5].startswith("inferred, "), "with an index: it knows of those that were there", show(out))


def test_kernel(tree: Optional[Path]) -> None:
    if tree is None:
        skip("a new counter in page_counter of 6.1", "no kernel")
        return
    out, found = added(tree, "max", "c->planted++;")
    check([one[:5] for one in found] == [("planted", "written", "in files of the change, 1 writer", "read-mostly", "min")] and
          "struct page_counter   192 bytes, as before" in out.stdout, "6.1: a counter on the line of page_counter that is read", show(out))
    for what, behind, use in (("a limit on that line", "max", "if (c->planted)\n\t\t\t\treturn false;"),
                              ("a counter on the line of counters", "elow", "c->planted++;")):
        out, found = added(tree, behind, use)
        check(not found, f"6.1: harmless: {what}", show(out))


def main(folder: Path) -> None:
    os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
    tree = small_tree(folder)
    test_counter(tree)
    test_series(tree)
    test_macro(tree)
    test_group(tree)
    test_with_index(tree, Place(tree, folder / "cache"))
    test_kernel(kernel("6.1"))


with tempfile.TemporaryDirectory() as name:
    main(Path(name).resolve())
sys.exit(done())

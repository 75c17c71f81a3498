#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What an index tells of a tree's files, and when a search by text is asked instead; what vet makes of it."""

import os
import sys
import tempfile
from pathlib import Path

sys.path[:0] = ["tests", "scripts"]
sys.dont_write_bytecode = True
from index_place import Place  # noqa: E402
from lk import index_uses, unit, where  # noqa: E402
from lk.tree import Tree  # noqa: E402
from tap import check, done, linekeeper, run, small_tree  # noqa: E402
from vet_series import Files, mail, show, vet  # noqa: E402

COUNTER = "include/linux/page_counter.h"
# by a name that no search for page_counter finds, in a header that cannot be read alone
HIDDEN = "#define COUNTED struct page_counter\nstruct hidden_holder {\n\tneeded_t n;\n\tCOUNTED c;\n};\n"
OTHER = "#include <linux/page_counter.h>\nstruct other_holder {\n\tstruct page_counter c;\n};\n"
USER = f"""#include <linux/page_counter.h>
typedef long needed_t;
#include "hidden.h"
long hidden_uses(struct hidden_holder *h);
long hidden_uses(struct hidden_holder *h)
{{
	struct local {{ char a; }} one = {{ 1 }};
	return h->c.max + one.a;
}}
long hidden_more(struct hidden_holder *h);
long hidden_more(struct hidden_holder *h)
{{
	struct local {{ long a, b; }} other = {{ 1, 2 }};
	return h->n + other.b;
}}
struct user_holder {{
	struct hidden_holder h;
}};
"""
PATCH = (r"^\tunsigned long failcnt;\n", "\\g<0>\tunsigned long added;\n")


def build(tree: Path) -> None:
    run("make", "-s", "-j2", "all", cwd=tree, MAKEFLAGS="")


def fresh(tree: Path) -> Tree:
    """As a new run of a command sees it."""
    return Tree(str(tree))


def embedding(tree: Path, by_index: bool = True) -> list:
    kernel = fresh(tree)
    return unit.embedding_files(kernel, ["page_counter"], where.all_folders(kernel), by_index)


def test_partly_built(place: Place) -> None:
    """No folder is known to be built whole: what the index knows, and what a search finds."""
    place.run()
    found = embedding(place.tree)
    check({"mm/hidden.h", "fs/other.h", "include/linux/memcontrol.h"} <= set(found), "folders that were not built whole: by text too", found)


def test_whole(place: Place) -> None:
    tree = place.tree
    for folder in ("fs", "kernel", "mm", "net"):
        (tree / folder / "modules.order").touch()       # as kbuild does at the end of a folder
    found = embedding(tree)
    check({"mm/hidden.h", "mm/user.c", "include/linux/memcontrol.h"} <= set(found) and "fs/other.h" not in found,
          "folders that were built: what the compiler saw, and nothing else", found)
    check("fs/other.h" in embedding(tree, False), "another configuration: by text")
    kernel = fresh(tree)
    check(index_uses.using(kernel, ["struct hidden_holder"], ["mm", "fs"]).files == ["mm/user.c"], "who uses a struct")
    check(set(unit.users_of_header(kernel, "mm/hidden.h")) == {"mm/user.c"}, "who reads a header")
    check(index_uses.reading(kernel, ["mm/hidden.h"], ["mm", "fs"]).files == ["mm/hidden.h", "mm/user.c"], "what stands in a unit with it")
    out = vet(tree, mail("[PATCH] mm: added", Files(tree).edit(COUNTER, PATCH)))
    check(out.returncode == 0 and "  hidden_holder, which embeds it: 120 -> 128 bytes" in out.stdout and "user_holder, which embeds it" in out.stdout
          and "error" not in out.stderr and "stale" not in out.stderr, "vet: one that no search by text finds", show(out))
    check("local" not in out.stdout and "1 struct changed" in out.stdout, "two structs of one name in two functions have not changed", show(out))


def test_changed(place: Place) -> None:
    """Files that are not what the index has read are searched, and it is said."""
    tree = place.tree
    text = (tree / "fs/inode.c").read_text()
    (tree / "fs/inode.c").write_text(text + "#include <linux/page_counter.h>\nstruct late_holder {\n\tstruct page_counter c;\n};\n")
    found = embedding(tree)
    check("fs/inode.c" in found and "mm/hidden.h" in found, "a file that changed since: by text", found)
    out = vet(tree, mail("[PATCH] mm: added", Files(tree).edit(COUNTER, PATCH)))
    check("late_holder, which embeds it" in out.stdout and "hidden_holder, which embeds it" in out.stdout and out.stderr.count("the index is stale") == 1,
          "vet: both, and a note, once", show(out))
    (tree / "fs/inode.c").write_text(text)
    out = vet(tree, mail("[PATCH] mm: added", Files(tree).edit(COUNTER, PATCH)))
    check("hidden_holder, which embeds it" in out.stdout and "the index is" not in out.stderr, "a file with a new time stamp alone has not changed", show(out))


def test_some_folders(place: Place) -> None:
    """An index of some folders alone says nothing of the others."""
    place.forget()
    place.run("mm")
    check("fs/other.h" in embedding(place.tree), "an index of one folder: by text")


def main(folder: Path) -> None:
    tree = small_tree(folder)
    os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
    for name, text in (("mm/hidden.h", HIDDEN), ("mm/user.c", USER), ("fs/other.h", OTHER)):
        (tree / name).write_text(text)
    build(tree)
    place = Place(tree, folder / "cache")
    test_partly_built(place)
    test_whole(place)
    test_changed(place)
    test_some_folders(place)


with tempfile.TemporaryDirectory() as name:
    main(Path(name).resolve())
sys.exit(done())

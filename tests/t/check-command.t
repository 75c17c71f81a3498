#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""linekeeper check FILE...: the checker on files of a tree, with the flags that the tree gives them."""

import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, "tests")
from tap import check, done, kernel, linekeeper, scratch_of, skip, small_tree  # noqa: E402

MIXED = """struct mixed {
	unsigned long limit __attribute__((cacheline_layout("read-mostly")));
	unsigned long count __attribute__((cacheline_layout("written")));
};
"""
WARNING = "warning: 'count' is written, but shares a 64-byte line with the read-mostly 'limit', at 7 of 8 placements"
LOCKED = """#include <linux/cache.h>
#include <linux/build_bug.h>
#include <linux/spinlock.h>

struct locked {
	__cacheline_group_begin(locked_write);
	spinlock_t lock;
	__cacheline_group_end(locked_write);
	unsigned long other;
};

static inline void locked_check(void)
{
	CACHELINE_ASSERT_GROUP_SIZE(struct locked, locked_write, 8);
}
"""


def show(out) -> str:
    return f"status {out.returncode}\n{out.stdout}{out.stderr}"


def test_findings(tree: Path) -> None:
    (tree / "include/linux/mixed.h").write_text(MIXED)
    for name in ("one", "two"):
        (tree / f"mm/{name}.c").write_text('#include <linux/mixed.h>\n')
    (tree / "mm/broken.c").write_text("struct s { int a };\n")
    files = [f"mm/{name}.c" for name in ("page_counter", "one", "broken", "two")]
    out = linekeeper("check", "--tree", tree, *files)
    check(out.returncode == 1 and re.search(r"^mm/broken.c:1:\d+: error: ", out.stderr, re.M) and
          "mm/broken.c: error: not judged: sparse cannot parse it\n" in out.stderr, "a file that cannot be parsed is an error", show(out))
    check(out.stderr.count(f"include/linux/mixed.h:3:23: {WARNING}") == 1, "the others are judged, and a header's finding comes once", show(out))
    files.remove("mm/broken.c")
    for jobs in ("1", "3"):
        out = linekeeper("check", "-j", jobs, "--tree", tree, *files)
        check(out.returncode == 0 and not out.stdout and len(out.stderr.splitlines()) == 2, f"-j {jobs}: a finding and its note, status 0", show(out))
    out = linekeeper("check", "--error", *files, cwd=tree)
    check(out.returncode == 1 and WARNING.replace("warning", "error") in out.stderr, "--error; the tree is the current folder", show(out))
    out = linekeeper("check", tree / "include/linux/mixed.h", cwd=tree)
    check(out.returncode == 0 and WARNING in out.stderr, "a header, by its full path", show(out))
    for words in (("--no-class-mix",), ("--only=shared-apart",)):
        out = linekeeper("check", *words, *files, cwd=tree)
        check(out.returncode == 0 and not out.stderr, f"{words[0]}: silent", show(out))
    out = linekeeper("check", "--line-size", "32", "--placements", "aligned", *files, cwd=tree)
    check("shares a 32-byte line with the read-mostly 'limit', always" in out.stderr, "--line-size, --placements", show(out))


def test_wrong_annotation(tree: Path) -> None:
    (tree / "mm/wrong.c").write_text('struct s { int a __attribute__((cacheline_layout("nonsense"))); };\n')
    out = linekeeper("check", "mm/wrong.c", cwd=tree)
    check(out.returncode == 1 and "there is no cacheline annotation 'nonsense'" in out.stderr, "a wrong annotation is an error", show(out))


def test_settings(tree: Path) -> None:
    (tree / "mm/smp.c").write_text("#include <linux/kernel.h>\n#ifndef CONFIG_SMP\n#include <linux/mixed.h>\n#endif\n")
    check(not linekeeper("check", "mm/smp.c", cwd=tree).stderr, "--set: nothing without it")
    out = linekeeper("check", "--set", "CONFIG_SMP=n", "mm/smp.c", cwd=tree)
    check(WARNING in out.stderr, "--set: another configuration", show(out))


def test_needy_header(tree: Path) -> None:
    (tree / "mm/needy.h").write_text("struct needy { size_t size; struct mixed mixed; };\n" + MIXED.replace("mixed", "needy_mixed"))
    (tree / "mm/needy.c").write_text('#include <linux/kernel.h>\n#include <linux/mixed.h>\n#include "needy.h"\n')
    out = linekeeper("check", "mm/needy.h", cwd=tree)
    check(out.returncode == 0 and "mm/needy.h:4:23: warning" in out.stderr and "error" not in out.stderr,
          "a header that needs others is read with a file that includes it", show(out))
    (tree / "mm/needy.c").unlink()
    out = linekeeper("check", "mm/needy.h", cwd=tree)
    check(out.returncode == 1 and "mm/needy.h: error: not judged" in out.stderr, "and without one it is an error", show(out))


def test_wrong_use(tree: Path) -> None:
    for words, text in (((), "give FILE"), (("mm/nowhere.c",), "no file mm/nowhere.c"), (("/etc/passwd",), "no file /etc/passwd"),
                        (("--nonsense", "mm/one.c"), "unrecognized arguments: --nonsense"), (("-j", "0", "mm/one.c"), "jobs above 0"),
                        (("--only=nonsense", "mm/one.c"), "option '--only=nonsense' is unknown"), (("--no-nonsense", "mm/one.c"), "unknown")):
        out = linekeeper("check", *words, cwd=tree)
        check(out.returncode == 2 and text in out.stderr, f"wrong use: {' '.join(words)}", show(out))


def test_lockdep(scratch: Path) -> None:
    """On a kernel, whose locks grow with LOCKDEP."""
    header = scratch / "include/linux/locked.h"
    header.write_text(LOCKED)
    out = linekeeper("check", "include/linux/locked.h", cwd=scratch)
    check(out.returncode == 0 and re.match(r"include/linux/locked\.h:6:\d+: warning: group 'locked_write' has \d+ bytes, but its assert allows 8, "
                                           r"with CONFIG_LOCKDEP=y \[-Wcacheline-group-size\]\n", out.stderr),
          "a group that LOCKDEP makes too large is told before somebody builds with it", show(out))
    out = linekeeper("check", "--error", "include/linux/locked.h", cwd=scratch)
    check(out.returncode == 1 and ": error: group" in out.stderr, "an error when asked", show(out))
    for words in (("--only=class-mix",), ("--no-group-size",)):
        check(not linekeeper("check", *words, "include/linux/locked.h", cwd=scratch).stderr, f"{words[0]}: silent")
    header.write_text(LOCKED.replace(", 8)", ", 2)"))
    out = linekeeper("check", "include/linux/locked.h", cwd=scratch)
    check("allows 2 [" in out.stderr.splitlines()[0], "one that is too large anyway is not LOCKDEP's", show(out))


with tempfile.TemporaryDirectory() as folder:
    small = small_tree(Path(folder))
    test_findings(small)
    test_wrong_annotation(small)
    test_settings(small)
    test_needy_header(small)
    test_wrong_use(small)
    if kernel("6.12"):
        test_lockdep(scratch_of(kernel("6.12"), Path(folder, "scratch")))
    else:
        skip("with LOCKDEP", "no kernel 6.12")
sys.exit(done())

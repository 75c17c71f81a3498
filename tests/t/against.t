#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""linekeeper check --against: members that are new or moved since a revision or in another tree, and their company."""

import json
import os
import re
import sys
import tempfile
from pathlib import Path

sys.path[:0] = ["tests", "scripts"]
from lk.check import Answer  # noqa: E402
from lk.new_findings import new_findings  # noqa: E402
from tap import check, done, kernel, linekeeper, run, scratch_of, skip, small_tree  # noqa: E402

NETDEVICE, PAGE_COUNTER = "include/linux/netdevice.h", "include/linux/page_counter.h"
NOTHING = "no struct that was looked at has changed since "

LOCKED = """#include <linux/cache.h>
#include <linux/build_bug.h>
#include <linux/spinlock.h>

struct locked { __cacheline_group_begin(locked_write); unsigned long lock; __cacheline_group_end(locked_write); };

static inline void locked_check(void)
{
	CACHELINE_ASSERT_GROUP_SIZE(struct locked, locked_write, 8);
}
"""


# a finding's words before and after; is it new?
GROUP, APART = "group 'g1' has %d bytes, 4 of them a hole before '%s', but its assert allows 91 [-Wcacheline-group-size]", \
    "'a' is to be apart from 'b', but shares a 64-byte line with it, %s: 8 bytes between them part them [-Wcacheline-shared-apart]"
WITH = "'a' is to be on a line with 'b', but is so only at %d of 8 placements (0, 8): move the two together [-Wcacheline-split-with]"
ASSERT = "static assertion failed: sizeof(struct s) == %d [-Wcacheline-layout-assert]"
WORDS = (
    (GROUP % (96, "x"), GROUP % (96, "x"), False), (GROUP % (96, "x"), GROUP % (92, "y"), False), (GROUP % (92, "x"), GROUP % (96, "x"), True),
    (GROUP % (96, "x"), GROUP.replace("g1", "g2") % (92, "x"), True), (GROUP % (96, "x"), GROUP.replace("91", "90") % (96, "x"), True),
    (APART % "always", APART % "at 3 of 8 placements (0, 48, 56)", False), (APART % "at 3 of 8 placements (0, 48, 56)", APART % "always", True),
    (WITH % 2, WITH % 3, False), (WITH % 3, WITH % 2, True), (ASSERT % 64, ASSERT % 32, True),
)


def show(out) -> str:
    return f"status {out.returncode}\n{out.stdout}{out.stderr}"


class Repository:
    """A tree under git; each edit is undone behind its test."""

    def __init__(self, tree: Path, *paths: str) -> None:
        self.tree = tree
        self.git("init", "-q", ".")
        self.git("add", "--", *paths)
        self.commit()

    def git(self, *words: object) -> None:
        out = run("git", "-c", "user.name=t", "-c", "user.email=t@example.org", *words, cwd=self.tree)
        assert out.returncode == 0, show(out)

    def commit(self) -> None:
        self.git("commit", "-q", "-m", "state")

    def edit(self, file: str, *edits: tuple) -> None:
        text = (self.tree / file).read_text()
        for pattern, new in edits:
            text, count = re.subn(pattern, new, text, count=1, flags=re.M | re.S)
            assert count, pattern
        (self.tree / file).write_text(text)

    def against(self, *words: object, rev: str = "HEAD"):
        return linekeeper("check", "--against", rev, *words, cwd=self.tree)

    def edited(self, file: str, *edits: tuple, words: tuple = ()):
        """What is said after some edits; they are undone."""
        self.edit(file, *edits)
        out = self.against(*words)
        self.git("checkout", "-q", "--", file)
        return out


def findings(out) -> list:
    """[(id, member that is named first)...], sorted"""
    return sorted((name, member) for member, name in re.findall(r": warning: (?:group )?'(\w+)' .*\[-Wcacheline-([a-z-]+)\]$", out.stderr, re.M))


def test_company(repo: Repository) -> None:
    out = repo.against()
    check(out.returncode == 0 and out.stdout == f"{NOTHING}HEAD\n" and not out.stderr, "nothing changed: one line says so", show(out))
    out = repo.edited(NETDEVICE, (r"\tchar\t\t\tname\[16\];", r"\tint planted;\n\g<0>"))
    check(out.returncode == 0 and findings(out) == [("ungrouped-field", "planted")] and
          f"struct net_device  {NETDEVICE}:20: 256 bytes, as before\n  planted is new at 112, line 1, with: features (read-mostly, group "
          "net_device_read_txrx); ptype_specific, ifindex, gro_max_size, _rx, rps_map (read-mostly, group net_device_read_rx); name\n"
          "  name moved from 112 to 116, line 1, now with: wanted_features" in out.stdout, "a new member behind the groups, on their line", show(out))
    for what, pattern, text in (("a counter behind the groups", r"\tchar\t\t\tname\[16\];", "is written (type) and in no group"),
                                ("a member between two groups", r"\t__cacheline_group_begin\(net_device_read_rx\)", "stands between groups")):
        out = repo.edited(NETDEVICE, (pattern, rf"\t{'atomic_t' if 'counter' in what else 'int'} planted;\n\g<0>"))
        check(findings(out) == [("ungrouped-field", "planted")] and text in out.stderr, f"{what}: told once", show(out))
    out = repo.edited(NETDEVICE, (r"\tint\t\t\tifindex;", r"\tatomic_t planted;\n\g<0>"), words=("net/core/dev.c",))
    check(out.returncode == 1 and "net/core/dev.c: error: not judged" in out.stderr and NOTHING not in out.stdout,
          "a unit that the change breaks is an error", show(out))
    out = repo.edited(NETDEVICE, (r"\tint\t\t\tifindex;", r"\tatomic_t planted;\n\g<0>"))
    check(("class-mix", "planted") in findings(out) and "planted (written, type, group net_device_read_rx) is new" in out.stdout,
          "its header is looked at all the same", show(out))
    out = repo.edited(PAGE_COUNTER, (r"\tunsigned long max;", r"\tlong planted;\n\g<0>"))
    check(re.search(r"^struct mem_cgroup  include/linux/memcontrol.h:\d+: \d+ bytes, as before; \d+ members moved$", out.stdout, re.M) and not out.stderr,
          "a struct of another header, which embeds it", show(out))
    for what, edits in (("a comment", [(r"/\* slow paths only, from here \*/", "/* slow */")]),
                        ("a member behind all others' lines", [(r"\tu8\t\t\tpriv\[\]", r"\tint planted;\n\g<0>")]),
                        ("another name for a type", [(r"\tunsigned int\t\tgro_max_size;", r"\tunsigned\t\tgro_max_size;")])):
        out = repo.edited(NETDEVICE, *edits)
        check(out.returncode == 0 and not out.stderr, f"harmless: {what}", show(out))


def test_used(repo: Repository) -> None:
    """A new member has the class that the change's own code gives it."""
    for use, found in (("level->planted++;", [("class-mix", "planted")]), ("level->max = level->planted;", [("class-mix", "planted")]), ("", [])):
        where = "usage" if "max" in use else "max"
        repo.edit("mm/page_counter.c", (r"\t\tlevel->failcnt\+\+;\n", rf"\g<0>\t\t{use}\n"))
        out = repo.edited(PAGE_COUNTER, (rf"\t\w+ (?:long )?{where};\n", r"\g<0>\tunsigned long planted;\n"))
        repo.git("checkout", "-q", "--", ".")
        check(findings(out) == found and (not use or "  planted (" in out.stdout and ", in files of the change, 1 " in out.stdout),
              f"a new member, and what the same change does with it: '{use}'", show(out))


def test_levels(repo: Repository, no_git: Path) -> None:
    """What git can say of a file: changed, new, gone, not plain; and of a revision."""
    tree = repo.tree
    (tree / "include/linux/added.h").write_text("#include <linux/page_counter.h>\nstruct added { struct page_counter a; };\n")
    (tree / "mm/added.c").write_text('#include <linux/added.h>\n#include <linux/page_counter.h>\nstruct private { int i; };\n')
    repo.git("add", "include/linux/added.h", "mm/added.c")
    out = repo.against()
    check(out.returncode == 0 and not out.stderr and out.stdout == "struct added  include/linux/added.h:2: is new, 112 bytes\n"
          "struct private  mm/added.c:3: is new, 4 bytes\n", "a new header, a new .c: their structs, and no others", show(out))
    repo.commit()
    repo.edit("include/linux/added.h", ("struct page_counter a;", "int first; struct page_counter a;"))
    out = repo.against("mm/added.c")
    check("  first is new at 0, line 0, with: a\n  1 more moved\n" in out.stdout, "a header's change, shown by a .c that includes it", show(out))
    repo.edit(PAGE_COUNTER, (r"\tunsigned long min;", r"\tlong planted;\n\g<0>"))
    out = repo.against("mm/added.c")
    check("struct page_counter  include/linux/page_counter.h:7: 112 -> 120 bytes" in out.stdout and
          "struct added  include/linux/added.h:2: 112 -> 128 bytes" in out.stdout, "what embeds it", show(out))
    repo.git("checkout", "-q", "--", ".")
    (tree / "include/linux/added.h").unlink()
    (tree / "mm/added.c").write_text("struct added { int a; };\nstruct private { long i; };\n")
    out = repo.against()
    check(out.returncode == 0 and "struct added  mm/added.c:1: 112 -> 4 bytes" in out.stdout and "struct private  mm/added.c:2: 4 -> 8" in out.stdout,
          "a header that is gone is read as it was", show(out))
    repo.git("checkout", "-q", "--", ".")
    (tree / "mm/page_counter.c").unlink()
    (tree / "mm/page_counter.c").symlink_to("/etc/hostname")
    out = repo.against()
    check(out.returncode == 0 and "note: not looked at: 'mm/page_counter.c'" in out.stderr, "a file that became a link is not followed", show(out))
    (tree / "mm/page_counter.c").unlink()
    repo.git("checkout", "-q", "--", ".")
    for rev, text in (("nonsense", "'nonsense' is neither a folder nor a revision"), ("--output=x", "expected one argument"),
                      ("HEAD:mm", "'HEAD:mm' is neither a folder nor a revision")):
        out = repo.against(rev=rev)
        check(out.returncode in (1, 2) and text in out.stderr, f"no revision: {rev}", show(out))
    out = linekeeper("check", "--against=--output=x", cwd=tree)
    check(out.returncode == 2 and "'--output=x' is no revision" in out.stderr and not (tree / "x").exists(), "no option reaches git", show(out))
    out = linekeeper("check", "--against", tree, cwd=tree)
    check(out.returncode == 2 and "say of which files" in out.stderr, "a folder without files is wrong use", show(out))
    out = linekeeper("check", "--against", "HEAD", "--tree", no_git)
    check(out.returncode == 1 and "'HEAD' is neither a folder nor a revision" in out.stderr and "not a git repository" in out.stderr,
          "a tree without git", show(out))
    status = run("git", "status", "--porcelain", "--", "*.[ch]", "x", cwd=tree)
    check(not status.stdout, "nothing of all this changed the tree", show(status))


def test_hostile(repo: Repository, mark: Path) -> None:
    """Names that mean something elsewhere, and a repository whose settings name programs."""
    strange = ["mm/a=b.c", "mm/-Ix.c", "mm/$(touch x);.c", "mm/%s.c"]
    for name in [*strange, "mm/n\nl.c"]:
        (repo.tree / name).write_text("struct a { int i; };\n")
    (repo.tree / ".gitattributes").write_text("*.c diff=evil\n")
    repo.git("add", "mm", ".gitattributes")
    repo.commit()
    for key in ("core.fsmonitor", "diff.external", "diff.evil.textconv", "diff.evil.command"):
        repo.git("config", key, f"touch {mark}; cat")
    for name in [*strange, "mm/n\nl.c"]:
        (repo.tree / name).write_text("struct a { int k; int i; };\n")
    out = repo.against()
    check(out.returncode == 0 and all(f"struct a  {name}:1: 4 -> 8 bytes\n" in out.stdout for name in strange), "strange names are names", show(out))
    check("note: not looked at: 'mm/n\\nl.c'" in out.stderr and len(out.stderr.splitlines()) == 1, "but not one of two lines", show(out))
    check(not mark.exists(), "nothing that the repository names is run")


def test_broken_before(repo: Repository) -> None:
    repo.edit("mm/added.c", (r"\Z", "struct s { int a };\n"))
    repo.git("add", "mm/added.c")
    repo.commit()
    repo.edit("mm/added.c", (r"struct s \{ int a \};", "struct s { int a; };"))
    out = repo.against()
    check(out.returncode == 1 and "mm/added.c: error: not judged: sparse cannot parse it, as it was" in out.stderr and not out.stdout,
          "what could not be parsed as it was is an error", show(out))
    repo.git("checkout", "-q", "--", ".")


def test_json(repo: Repository) -> None:
    out = repo.edited(PAGE_COUNTER, (r"\tunsigned long min;", r"\tlong planted;\n\g<0>"), words=("--format", "json", PAGE_COUNTER))
    (struct,) = [one for one in json.loads(out.stdout) if one["name"] == "page_counter"]
    first, second = struct["changed"][:2]
    usage = {"name": "usage", "class": "written", "class_from": "type", "groups": [], "sharing": "may", "before": False}
    check(struct["before"] == {"size": 112, "align": 8} and struct["after"] == {"size": 120, "align": 8} and struct["line_size"] == 64 and
          not struct["gone"] and (struct["kind"], struct["file"], struct["line"]) == ("struct", PAGE_COUNTER, 7), "JSON: the struct", struct)
    check(first["name"] == "planted" and first["change"] == "new" and first["before"] is None and first["source_line"] == 9 and
          first["after"] == {"offset": 8, "size": 8, "line": 0} and usage in first["with"] and len(first["with"]) == 7, "JSON: a new member", first)
    check(second["name"] == "min" and second["change"] == "moved" and second["before"] == {"offset": 8, "size": 8, "line": 0} and
          {**usage, "before": True} in second["with"], "JSON: a moved one", second)


def test_index(repo: Repository, cache: Path) -> None:
    """The classes of those that a counter comes to, from what the tree's code does."""
    run("make", "-s", "all", cwd=repo.tree, MAKEFLAGS="")
    out = linekeeper("index", cwd=repo.tree, XDG_CACHE_HOME=str(cache))
    assert out.returncode == 0, show(out)
    repo.edit(PAGE_COUNTER, (r"\tunsigned long max;", r"\tatomic_long_t planted;\n\g<0>"))
    plain, out = (linekeeper("check", "--against", "HEAD", PAGE_COUNTER, cwd=repo.tree, XDG_CACHE_HOME=str(folder))
                  for folder in (cache / "none", cache))
    repo.git("checkout", "-q", "--", ".")
    check(not plain.stderr and out.returncode == 0 and findings(out) == [("class-mix", "planted")] and
          re.search(r"'planted' is new and written \(type\), but shares a 64-byte line with the read-mostly '\w+' \(inferred, .*reader", out.stderr),
          "a counter beside what the index knows to be read", show(plain) + show(out))


def test_classes(folder: Path) -> None:
    """What the index infers, as cacheline-check is handed it."""
    program = Path(os.environ.get("BUILD") or "build").resolve() / "cacheline-check"
    source, dump, classes = folder / "s.c", folder / "s.dump", folder / "classes"
    source.write_text("struct s { long a; long pad[7]; long b; long d; } __attribute__((aligned(64)));\n")
    run(program, f"--dump={dump}", source)

    def since(text: str, *words: str, **known: str):
        source.write_text(f"struct s {{ {text} }} __attribute__((aligned(64)));\n")
        classes.write_text("".join(f"struct s\t{source}\t{name}\t{class_}\t1\t1\tinferred\n" for name, class_ in known.items()))
        return run(program, "--once=/dev/null", *words, f"--before={dump}", f"--classes={classes}", source)

    known = {"a": "read-mostly", "b": "written", "c": "read-mostly", "pad": "written"}
    out = since("long pad[7]; long a; long b; long c;", **known)
    check(out.returncode == 0 and findings(out) == [("class-mix", "c")] and "'c' is new and read-mostly (inferred), but shares a 64-byte line "
          "with the written 'b' (inferred), always: move it" in out.stderr, "a new member, by classes that were inferred; not who shared before", show(out))
    table = folder / "Documentation/networking/net_cachelines/s.rst"
    table.parent.mkdir(parents=True)
    table.write_text("s struct fast path usage breakdown\n\nType Name fastpath_tx_access fastpath_rx_access comments\nlong b    read_mostly        -\n")
    out = run(program, "--no-doc-table", f"--before={dump}", f"--classes={classes}", source, srctree=str(folder))
    check(not out.stderr and '"name": "b", "class": "read-mostly", "class_from": "documentation"' in out.stdout,
          "a table of the documentation has more weight", show(out))
    moved = "long a; long b; long pad[6];"
    out = since(moved, **known)
    check(findings(out) == [("class-mix", "b")] and "'b' moved from 64 to 8 and is written (inferred), but shares" in out.stderr, "a moved one", show(out))
    out = since("long pad[7]; long x; long c; long b;", **known)
    check(findings(out) == [("class-mix", "b")], "two that changed: told once, of the written one", show(out))
    out = since("long a; long b; long c; long pad[6];", a="read-mostly", pad="written", b="written", c="written")
    check(findings(out) == [("class-mix", "b"), ("class-mix", "c")], "a new one is told besides a moved one", show(out))
    out = since("long a; long b; long d; long pad[6];", a="read-mostly", b="written", d="written")
    check(findings(out) == [("class-mix", "b")], "of those that moved together the first is told", show(out))
    check(not since(moved, "--no-class-mix", **known).stderr and not since(moved, a="read-mostly").stderr and
          not since(moved, **{**known, "a": "cold"}).stderr, "not without both classes, not where it is not wanted")
    out = run(program, "--before=/dev/null", source)
    check(out.returncode == 2, "a broken dump is wrong use", show(out))


def test_kernel(repo: Repository, old: Path) -> None:
    """6.12's own structs."""
    out = repo.edited(NETDEVICE, (r"\t__cacheline_group_end\(net_device_read_txrx\)", r"\tatomic_t planted;\n\g<0>"))
    wanted = [("class-mix", "planted"), ("doc-table", "planted"), ("group-size", "net_device_read_rx"), ("unlisted-member", "planted")]
    check(out.returncode == 0 and findings(out) == wanted and "'planted' is new and written (type), but shares a 64-byte line with the "
          "read-mostly 'ip6_ptr' (group), always" in out.stderr, "a counter in net_device_read_txrx, and nothing that was there", show(out))
    out = repo.edited(NETDEVICE, (r"\t__cacheline_group_end\(net_device_read_txrx\)", r"\tu32 planted;\n\g<0>"), words=("--error",))
    check(out.returncode == 1 and ": error: 'planted' stands in group" in out.stderr and "class-mix" not in out.stderr, "a word there; --error", show(out))
    out = repo.edited(NETDEVICE, (r"\t/\* TXRX read-mostly hotpath \*/", "\t/* used by both paths */"))
    check(out.stdout == f"{NOTHING}HEAD\n" and not out.stderr, "harmless: a comment", show(out))

    # case B09: local_watermark in a line that was full
    repo.edit(PAGE_COUNTER, (r"\tunsigned long local_watermark;[^\n]*\n", ""), (r"\tbool protection_support;\n", ""))
    repo.git("commit", "-q", "-m", "before", PAGE_COUNTER)
    repo.edit(PAGE_COUNTER, (r"\tunsigned long failcnt;", r"\tunsigned long local_watermark;\n\g<0>"))
    out = repo.against()
    check("struct page_counter  include/linux/page_counter.h:10: 192 -> 256 bytes\n" in out.stdout and
          "  local_watermark is new at 120, line 1, with: emin; min_usage, children_min_usage (written, type)" in out.stdout and
          "  failcnt moved from 120 to 128, line 1 -> 2, with no other\n" in out.stdout, "case B09: a line that was full spills over", show(out))
    repo.git("checkout", "-q", "--", PAGE_COUNTER)

    # case A05, A06: what lies between the read and the written members goes, and pulls them together
    memcontrol = "include/linux/memcontrol.h"
    repo.edit(memcontrol, (r"(\tstruct lruvec_stats\t\t\t\*lruvec_stats);", r'\1 __attribute__((cacheline_layout("read-mostly")));'),
              (r"(\tstruct lruvec\t\tlruvec);", r'\1 __attribute__((cacheline_layout("written")));'))
    repo.git("commit", "-q", "-m", "annotated", memcontrol)
    out = repo.edited(memcontrol, (r"\tCACHELINE_PADDING\(_pad1_\);\n", ""), (r"\tstruct rb_node\t\ttree_node;.*?\tbool\t\t\ton_tree;\n", ""))
    check(findings(out) == [("class-mix", "lruvec")] and "mem_cgroup_per_node  include/linux/memcontrol.h:87: 448 -> " in out.stdout and
          re.search(r"  lruvec \(written, annotation\) moved from \d+ to 32, line 1 -> 0, now with: memcg, lruvec_stats_percpu; "
                    r"lruvec_stats \(read-mostly, annotation\); shrinker_info\n", out.stdout), "case A06: a removal is a relayout", show(out))
    out = repo.edited(memcontrol, (r"\tCACHELINE_PADDING\(_pad2_\);\n", ""))
    check(not out.stderr and re.search(r"lru_zone_size moved .*now with: lruvec", out.stdout), "case A06: the second pad", show(out))
    repo.edit(memcontrol, (r"#else\n\tCACHELINE_PADDING\(_pad1_\);\n", ""), (r"\tCACHELINE_PADDING\(_pad2_\);\n", ""),
              (r"#ifdef CONFIG_MEMCG_V1\n(\t/\*\n\t \* Memcg-v1 only.*?\n)#endif\n", r"\1"))
    repo.git("commit", "-q", "-m", "of version 1 always there", memcontrol)
    for setting, wanted in (("y", []), ("n", [("class-mix", "lruvec")])):
        out = repo.edited(memcontrol, (r"\tstruct rb_node\t\ttree_node;.*?\tbool\t\t\ton_tree;\n", r"#ifdef CONFIG_MEMCG_V1\n\g<0>#endif\n"),
                          words=("--set", f"CONFIG_MEMCG_V1={setting}"))
        moved = re.search(r"  lruvec \(written, annotation\) moved from 72 to 32, .*  gone: tree_node, usage_in_excess, on_tree\n", out.stdout, re.S)
        check(findings(out) == wanted and (moved is not None) == bool(wanted) and (wanted or out.stdout == f"{NOTHING}HEAD\n"),
              f"case A06: fields put under #ifdef, MEMCG_V1={setting}", show(out))

    # case A10, the other way round: the lock comes to what a lookup reads
    timers = "include/linux/posix-timers.h"
    repo.edit(timers, (r"\tspinlock_t\t\tit_lock;\n", ""), (r"(\ttimer_t\t\t\tit_id);", r'\1 __attribute__((cacheline_layout("read-mostly")));'),
              (r"(\ttypeof|\tstruct rcu_head\t\trcu;\n\};)", r'\tspinlock_t\t\tit_lock __attribute__((cacheline_layout("written")));\n\1'))
    repo.git("commit", "-q", "-m", "apart", timers)
    out = repo.edited(timers, (r"\tspinlock_t\t\tit_lock ([^;]*);\n", ""), (r"(\tconst struct k_clock\t\*kclock;)",
                      r'\tspinlock_t\t\tit_lock __attribute__((cacheline_layout("written")));\n\1'))
    check(findings(out) == [("class-mix", "it_lock")] and re.search(r"it_lock \(written, annotation\) moved from \d+ to 32, line \d -> 0, now with: .*"
                                                                   r"it_id \(read-mostly, annotation\)", out.stdout), "case A10", show(out))

    locked = "include/linux/locked.h"
    (repo.tree / locked).write_text(LOCKED)
    repo.git("add", locked)
    repo.commit()
    out = repo.edited(locked, ("unsigned long lock;", "spinlock_t lock;"))
    check(findings(out) == [("group-size", "locked_write")] and "allows 8, with CONFIG_LOCKDEP=y [" in out.stderr,
          "a lock in a group: what LOCKDEP makes of it", show(out))

    out = linekeeper("check", "--against", old, PAGE_COUNTER, cwd=kernel("6.12"))
    check(out.returncode == 0 and findings(out) == [("group-straddle", "local_watermark")] and "192 -> 256 bytes" in out.stdout and
          out.stdout.count("struct ") == 1 and
          "  failcnt moved from 120 to 128, line 1 -> 2, with no other\n" in out.stdout, "another tree: 6.1's page_counter", show(out))


def test_numbers() -> None:
    """What was as bad is not new; each that was there excuses one."""
    for then, now, is_new in WORDS:
        before, after = (Answer([f"a.h:{line}:1: warning: {text}" for line in lines], "") for text, lines in ((then, [1]), (now, [2, 3])))
        found = [new_findings(before, after._replace(said=after.said[:1])), new_findings(before, after)]
        check(found == [after.said[:1] * is_new, after.said[not is_new:]], f"{'new' if is_new else 'not new'}: {now}, of {then}", found)


with tempfile.TemporaryDirectory() as name:
    test_numbers()
    small = Repository(small_tree(Path(name)), ".")
    test_company(small)
    test_index(small, Path(name, "cache"))
    test_used(small)
    test_levels(small, small_tree(Path(name, "other")))
    test_broken_before(small)
    test_json(small)
    test_hostile(small, Path(name, "mark"))
    test_classes(Path(name))
    if kernel("6.12") and kernel("6.1"):
        headers = (NETDEVICE, PAGE_COUNTER, "include/linux/memcontrol.h", "include/linux/posix-timers.h")
        test_kernel(Repository(scratch_of(kernel("6.12"), Path(name, "scratch")), *headers), kernel("6.1"))
    else:
        skip("on real kernels", "no kernel 6.1 and 6.12")
sys.exit(done())

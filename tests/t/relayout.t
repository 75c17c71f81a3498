#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""linekeeper relayout on the small tree: the seeds, what is kept, every refusal, and interruption."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, "tests")
from tap import LINEKEEPER, check, done, linekeeper, run, small_tree  # noqa: E402

COCCI = Path("cocci").resolve()
SEEDS = COCCI / "seeds"
MOVE, PAD, EXCHANGE = (COCCI / f"relayout/{name}.cocci" for name in ("move", "pad", "exchange"))


def show(done_run) -> str:
    return f"status {done_run.returncode}\n{done_run.stdout}{done_run.stderr}"


def relayout(tree: Path, rule: Path, *words: object) -> subprocess.CompletedProcess:
    return linekeeper("relayout", "--tree", tree, "--rule", rule, *words)


def snapshot(tree: Path) -> dict:
    """Contents of every file, to see that nothing changed."""
    return {path: path.read_bytes() for path in sorted(tree.rglob("*")) if path.is_file()}


def sums(tree: Path, *files: str) -> list:
    return [(tree / file).read_bytes() for file in files]


def test_seeds(tree: Path) -> None:
    before = snapshot(tree)
    out = relayout(tree, SEEDS / "page_counter_parent.cocci")
    check(out.returncode == 0 and "page_counter.parent moves" in out.stdout and "112 bytes, as before" in out.stdout,
          "000: parent moves, no growth", show(out))
    check(snapshot(tree) == before, "without --write the tree is as it was")
    out = relayout(tree, SEEDS / "page_counter_parent.cocci", "--write")
    check(out.returncode == 0 and "\n+++ b/include/linux/page_counter.h\n" in out.stdout, "000 written, diff shown", show(out))
    patch = subprocess.run(["git", "apply", "--check", "-R", "-"], cwd=tree, input=out.stdout, text=True,
                           capture_output=True, check=False)
    check(patch.returncode == 0, "what is printed can be piped to git apply", patch.stderr)
    out = relayout(tree, SEEDS / "page_counter_usage.cocci", "--write")
    check(out.returncode == 0 and "112 -> 192 bytes" in out.stdout and
          re.search(r"mem_cgroup, which embeds it: 1152 -> \d+ bytes.*objects per 32 KiB slab", out.stdout),
          "001: isolated, and what mem_cgroup pays", show(out))
    out = relayout(tree, SEEDS / "page_counter_usage.cocci")
    check(out.returncode == 1 and "matches nothing" in out.stderr, "001 a second time: nothing to do, said", show(out))
    file = "include/linux/fs.h"
    held = sums(tree, file)
    out = relayout(tree, SEEDS / "address_space_i_mmap.cocci", "-D", "v2", "--write")
    check(out.returncode == 1 and "at 3 of 8 placements (0, 48, 56); before: 7 of 8" in out.stderr and
          sums(tree, file) == held, "002 v2: refused with the placements, tree as it was", show(out))
    out = relayout(tree, SEEDS / "address_space_i_mmap.cocci", "-D", "v2", "--accept-may")
    check(out.returncode == 0 and "+++ b/include/linux/fs.h" in out.stdout, "002 v2 --accept-may goes through", show(out))
    out = relayout(tree, SEEDS / "address_space_i_mmap.cocci", "-D", "v1")
    check(out.returncode == 0 and "192 -> 256 bytes" in out.stdout and "inode, which embeds it" in out.stdout,
          "002 v1: grows, and says what inode pays", show(out))
    out = relayout(tree, SEEDS / "address_space_i_mmap.cocci", "--write")
    check(out.returncode == 0 and "never share a 64-byte line; before: 7 of 8 placements" in out.stdout and
          "192 bytes, as before" in out.stdout, "002: never, without growth", show(out))
    out = relayout(tree, SEEDS / "cgroup_rstat.cocci", "--write")
    check(out.returncode == 0 and "CACHELINE_PADDING(_pad_)" in out.stdout and "cgroup_root, which embeds it" in out.stdout,
          "003: padding, and what cgroup_root pays", show(out))
    made = run("make", "-s", "-C", tree, "mm/page_counter.o", "mm/memcontrol.o", "fs/inode.o", "kernel/cgroup/rstat.o")
    check(made.returncode == 0 and not made.stderr, "all four together compile", show(made))


def test_round_trip(tree: Path) -> None:
    file = "include/linux/page_counter.h"
    for words in (["page_counter_usage.cocci", "-D", "revert"], ["page_counter_parent.cocci", "-D", "revert"]):
        out = relayout(tree, SEEDS / words[0], *words[1:], "--write")
        check(out.returncode == 0, f"{words[0]} taken back out", show(out))
    first = sums(tree, file)
    for _ in range(2):
        for words in (["page_counter_parent.cocci"], ["page_counter_usage.cocci"],
                      ["page_counter_usage.cocci", "-D", "revert"], ["page_counter_parent.cocci", "-D", "revert"]):
            relayout(tree, SEEDS / words[0], *words[1:], "--write")
    check(sums(tree, file) == first, "in and out twice: the file is the same to the byte",
          run("diff", "-u", "-", tree / file).stdout)


def test_kfree_rcu(tree: Path) -> None:
    """What seed 003 broke: with internode lines of 4096 bytes, cgroup_root.rcu leaves the reach of kfree_rcu()."""
    out = relayout(tree, SEEDS / "cgroup_rstat.cocci", "--set", "CONFIG_X86_INTERNODE_CACHE_SHIFT=12")
    check(out.returncode == 1 and re.search(r"cgroup_root\.rcu would lie at \d{4,}, .*-Wcacheline-kfree-rcu-offset", out.stderr),
          "003 under another configuration: rcu beyond 4095 is refused", show(out))


REFUSALS = (
    ("no such struct", MOVE, ["struct=nobody", "field=a", "after=b"], "no struct or union 'nobody' is defined"),
    ("no struct named", MOVE, ["field=a", "after=b"], "names no struct"),
    ("no such member", MOVE, ["struct=page_counter", "field=nobody", "after=usage"], "has no member 'nobody'"),
    ("nothing to do", MOVE, ["struct=page_counter", "field=min", "after=usage"], "matches nothing"),
    ("the first member", MOVE, ["struct=page_counter", "field=usage", "after=max"], "is the first member"),
    ("the flexible array", MOVE, ["struct=cgroup", "field=ancestors", "after=kn"], "flexible"),
    ("a bit-field out of its run", MOVE, ["struct=net_device", "field=lltx", "after=mtu"], "bit-field"),
    ("found twice", MOVE, ["struct=forked", "field=a", "after=b"], "is ambiguous: it is defined under different conditions"),
    ("no such rule", COCCI / "relayout/nobody.cocci", ["struct=page_counter"], "it is no file, and those that come with linekeeper are align, exchange, "),
    ("annotations without their header", COCCI / "annotate/page_counter.cocci", [], "`linekeeper install` puts its header there"),
    ("unreadable for spatch", MOVE, ["struct=odd", "field=b", "after=c"], "spatch cannot read struct odd"),
)
FORKED = "#ifdef CONFIG_SMP\nstruct forked { int first; int a; int b; };\n#else\nstruct forked { long first; int b; };\n#endif\n"
UNREADABLE = "#define MORE(x) int x\nstruct odd { int a; MORE(q) MORE(r) ] b; int c; };\n"


def test_refusals(tree: Path) -> None:
    (tree / "kernel/forked.c").write_text(FORKED)
    (tree / "kernel/odd.c").write_text(UNREADABLE)
    before = snapshot(tree)
    for what, rule, defines, why in REFUSALS:
        words = [word for define in defines for word in ("-D", define)]
        out = relayout(tree, rule, *words, "--write")
        status = 2 if what == "no such rule" else 1
        check(out.returncode == status and why in out.stderr and "Traceback" not in out.stderr, f"refused: {what}", show(out))
    check(snapshot(tree) == before, "after all refusals the tree is as it was")
    out = relayout(tree, MOVE, "-D", "struct=page_counter", "-D", "field=usage", "-D", "after=max", "--force-first")
    check(out.returncode == 0, "--force-first insists", show(out))
    out = linekeeper("relayout", "--tree", tree.parent, "--rule", MOVE, "-D", "struct=page_counter")
    check(out.returncode == 2 and "is not a kernel tree" in out.stderr, "not a kernel tree", show(out))
    for path in ("kernel/forked.c", "kernel/odd.c"):
        (tree / path).unlink()


OPEN = """#include <linux/types.h>
struct tail { int n; long data[]; };
struct holder { long first; int a; struct tail tail; };
struct heads { long first; struct callback_head one, two; char big[4080]; char more[64]; };
"""


def test_layout_refusals(tree: Path) -> None:
    """What only the layout can tell: behind an open end, an rcu_head that is not the first one."""
    (tree / "kernel/open.c").write_text(OPEN)
    for what, words, why in (
            ("behind a struct that ends in a flexible array", ("struct=holder", "field=a", "after=tail"),
             "would lie behind tail, which ends in a flexible array"),
            ("the second rcu_head beyond 4095", ("struct=heads", "field=two", "after=more"), "heads.two would lie at")):
        out = relayout(tree, MOVE, *(word for define in words for word in ("-D", define)))
        check(out.returncode == 1 and why in out.stderr and "+++ b/" not in out.stdout, f"refused: {what}", show(out))
    (tree / "kernel/open.c").unlink()


def test_wrong_use(tree: Path) -> None:
    rule = tree.parent / "typo.cocci"
    text = (SEEDS / "page_counter_parent.cocci").read_text()
    for old, new in (("// Promise: growth", "// promise: growth"), ("// Promise: growth", "//Promise: growth"),
                     ("growth(page_counter) <= 0", "grwth(page_counter) <= 0"), ("(!revert): apart", "(!rvert): apart")):
        assert old in text
        rule.write_text(text.replace(old, new, 1))
        out = relayout(tree, rule)
        check(out.returncode == 2 and "is no promise that can be kept" in out.stderr, f"a promise that is none: {new}", show(out))
    for rule, define in ((MOVE, "feild=min"), (SEEDS / "address_space_i_mmap.cocci", "v3"), (MOVE, "revert")):
        out = relayout(tree, rule, "-D", define)
        check(out.returncode == 2 and f"-D {define}: " in out.stderr and "takes" in out.stderr, f"-D {define}: wrong use", show(out))


def test_closed_pipe(tree: Path) -> None:
    """Whoever asks for --write and reads the first line only has asked for it all the same."""
    file = tree / "include/linux/page_counter.h"
    before = file.read_bytes()
    out = run("sh", "-c", f"{LINEKEEPER} relayout --rule page_counter_parent --write --tree {tree} | head -1")
    check(file.read_bytes() != before and not out.stderr, "--write into a closed pipe is written", show(out))
    file.write_bytes(before)


def test_left_behind(tree: Path) -> None:
    left = tree / "include/linux/.linekeeper-killed"
    left.write_text("of a run that was killed")
    file = tree / "include/linux/page_counter.h"
    before = file.read_bytes()
    out = relayout(tree, SEEDS / "page_counter_parent.cocci", "--write")
    check(out.returncode == 0 and not left.exists(), "what a killed run left behind is cleared by the next", show(out))
    file.write_bytes(before)


def test_two_rules(tree: Path) -> None:
    near = tree.parent / "near.cocci"
    near.write_text("// Struct: page_counter\n// Requires: 1.2\nvirtual patch\n@@\n@@\nstruct page_counter {\n\t...\n"
                    "-\tunsigned long watermark;\n\tunsigned long failcnt;\n+\tunsigned long watermark;\n\t...\n};\n")
    out = linekeeper("relayout", "--tree", tree, "--rule", SEEDS / "page_counter_parent.cocci", "--rule", near)
    check(out.returncode == 0 and out.stdout.count("+++ b/") == 1, "two rules on one file that agree", show(out))
    out = linekeeper("relayout", "--tree", tree, "--rule", SEEDS / "page_counter_parent.cocci", "--rule",
                     SEEDS / "page_counter_usage.cocci")
    check(out.returncode == 1 and "promises growth(page_counter) <= 0: 112 -> 192 bytes" in out.stderr,
          "two rules, one of which breaks the other's promise: refused", show(out))
    away = tree.parent / "away.cocci"
    away.write_text("// Struct: page_counter\n// Requires: 1.2\nvirtual patch\n@@\n@@\nstruct page_counter {\n\t...\n"
                    "+\tstruct page_counter *parent;\n\tunsigned long failcnt;\n-\tstruct page_counter *parent;\n};\n")
    out = linekeeper("relayout", "--tree", tree, "--rule", SEEDS / "page_counter_parent.cocci", "--rule", away)
    check(out.returncode == 1 and "the rules disagree" in out.stderr, "two that disagree: refused",
          show(out))


def test_unannounced(tree: Path) -> None:
    rule = tree.parent / "type.cocci"
    rule.write_text("// Struct: page_counter\n// Requires: 1.2\nvirtual patch\n@@\n@@\nstruct page_counter {\n\t...\n"
                    "-\tunsigned long min;\n+\tunsigned int min;\n\t...\n};\n")
    before = snapshot(tree)
    out = relayout(tree, rule, "--write")
    check(out.returncode == 1 and "refused" in out.stderr and snapshot(tree) == before,
          "a rule that changes a type is no relayout", show(out))


def test_needy_header(tree: Path) -> None:
    """One that cannot be read alone is read as part of its user."""
    header, user = tree / "include/linux/needy.h", tree / "mm/needy.c"
    header.write_text("struct needy {\n\tlong array[NEEDED];\n\tstruct page_counter c;\n};\n")
    user.write_text("#include <linux/page_counter.h>\n#define NEEDED 3\n#include <linux/needy.h>\n")
    move = [word for define in ("struct=page_counter", "field=max", "after=parent") for word in ("-D", define)]
    out = relayout(tree, MOVE, *move)
    check(out.returncode == 0 and "2 that embed it: size as before" in out.stdout and not out.stderr, "a header that needs others: read with its user", show(out))
    user.unlink()
    out = relayout(tree, MOVE, *move)
    check(out.returncode == 0 and "not parsed, though it may embed page_counter: include/linux/needy.h\n" in out.stderr, "without a user: said", show(out))
    header.unlink()


def test_annotated(tree: Path) -> None:
    """A struct whose members say what they are for: as many annotations as they like, with arguments."""
    file = tree / "include/linux/page_counter.h"
    text = file.read_text()
    said = text.replace("long failcnt;", "long failcnt __cacheline_written __cacheline_apart(max) __cacheline_in(hot);")
    said = said.replace("long max;", "long max __cacheline_read_mostly __cacheline_with(high);").replace("\n};", "\n} __cacheline_budget(256);")
    file.write_text("#include <linux/cacheline_layout.h>\n" + said)
    shutil.copy("include/cacheline_layout.h", tree / "include/linux")
    out = relayout(tree, MOVE, "-D", "struct=page_counter", "-D", "field=failcnt", "-D", "after=emin")
    check(out.returncode == 0 and out.stdout.count("\tunsigned long failcnt __cacheline_written __cacheline_apart(max) __cacheline_in(hot);\n") == 2,
          "members with several annotations: one moves with its own, past others", show(out))
    file.write_text(text)
    (tree / "include/linux/cacheline_layout.h").unlink()


def test_interruption(tree: Path) -> None:
    """Killed at any moment, the file is as before or as after, and nothing else is left in the tree."""
    file = tree / "include/linux/page_counter.h"
    before = snapshot(tree)
    whole = time.perf_counter()
    relayout(tree, SEEDS / "page_counter_usage.cocci", "--write")
    whole = time.perf_counter() - whole
    after = file.read_bytes()
    seen, strange = set(), []
    for step in range(16):
        file.write_bytes(before[file])
        process = subprocess.Popen([LINEKEEPER, "relayout", "--tree", tree, "--write", "--rule",
                                    SEEDS / "page_counter_usage.cocci"], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, start_new_session=True)
        time.sleep(whole * (step + 1) / 15)
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        text = file.read_bytes()
        seen.add("before" if text == before[file] else "after" if text == after else "torn")
        strange += [path for path in snapshot(tree) if path not in before and ".linekeeper-" not in path.name]
    check("torn" not in seen and "before" in seen and not strange, "killed at 16 moments: never a torn file", (seen, strange))
    file.write_bytes(before[file])


with tempfile.TemporaryDirectory() as name:
    top = Path(name)
    small = small_tree(top)
    fresh = top / "fresh"
    shutil.copytree(small, fresh)
    test_seeds(small)
    test_round_trip(small)
    test_kfree_rcu(fresh)
    test_refusals(fresh)
    test_layout_refusals(fresh)
    test_wrong_use(fresh)
    test_closed_pipe(fresh)
    test_left_behind(fresh)
    test_two_rules(fresh)
    test_unannounced(fresh)
    test_needy_header(fresh)
    test_annotated(fresh)
    test_interruption(fresh)
sys.exit(done())

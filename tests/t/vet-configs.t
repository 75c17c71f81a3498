#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""linekeeper vet: what a series does in configurations that are not its author's, and only there; cases B10, B15, B17, F01, F03."""

import argparse
import os
import re
import sys
import tempfile
from pathlib import Path

sys.path[:0] = ["tests", "scripts"]
from lk import vet_conditions, vet_configs  # noqa: E402
from lk.built import Built  # noqa: E402
from lk.tree import Tree  # noqa: E402
from tap import annotatable, check, done, skip, small_tree  # noqa: E402
from vet_series import Files, mail, show, vet  # noqa: E402

HEADER = "include/linux/boxes.h"
SOURCE = """#include <linux/kernel.h>
#define LONG_ONE \\
	a \\
	b \\
	c
struct far {
#ifdef CONFIG_PSI
	long a;
	long b;
	long c;
	long d;
#endif
	long e;
};
struct on {
	long a;
	long b;
};
struct limited {
	long a[6];
#ifdef CONFIG_CGROUP_BPF
	char bpf[8];
#endif
#ifdef CONFIG_PSI
	char psi[16];
#endif
} __cacheline_budget(80);
struct roomy {
	long a[6];
#ifdef CONFIG_PSI
	char psi[16];
#endif
} __cacheline_budget(128);
struct long_gap {
	int a __cacheline_apart(b);
	char gap[64];
	int b;
} ____cacheline_aligned;
struct wide {
	void *p[13];
	u32 x[2];
	u32 a __cacheline_apart(b);
	void *q;
	u32 b;
} ____cacheline_aligned;
struct longs {
	int hot_one;
	long cold[2];
	int hot_two;
	long more[8];
} ____cacheline_aligned;
struct broken {
	long a[6];
#ifdef CONFIG_READ_ONLY_THP_FOR_FS
	nosuch_t thp;
#endif
#ifdef CONFIG_PSI
	char psi[16];
#endif
} __cacheline_budget(64);
struct cpumask {
	unsigned long bits[(CONFIG_NR_CPUS + 63) / 64];
};
struct q_vector {
	struct rcu_head rcu;
	struct cpumask mask[4];
	int cpu;
};
struct object {
	char a[%d];
};
struct outer {
	long m;
} __attribute__((aligned(8)));
"""


def edited(tree: Path, *edits: tuple):
    return vet(tree, mail("[PATCH] boxes", Files(tree).edit(HEADER, *edits)))


def is_quiet(out) -> bool:
    return out.returncode == 0 and not out.stderr and "\nwith " not in out.stdout


def test_options(tree: Path) -> None:
    """What lies in #ifs, named by the series or not."""
    out = edited(tree, (r"^\tlong c;\n", "\\g<0>\tlong more;\n"))
    check(out.stdout.startswith("[PATCH] boxes: no struct that was looked at has changed in the tree's own configuration\n"
                                "with CONFIG_PSI=y also: struct far 40 -> 48 bytes\nstruct far   40 -> 48 bytes") and not out.stderr and
          "\n  more                 -        24  - -> 0\n" in out.stdout,
          "a member in an #ifdef that the diff does not show", show(out))
    out = edited(tree, (r"^(\tlong c;\n)(\tlong d;\n)", "\\2\\1"))
    check("with CONFIG_PSI=y also: struct far other places\n" in out.stdout, "two in an #ifdef that change places", show(out))
    out = edited(tree, (r"^\tlong b;\n\};", "#ifdef CONFIG_MEMCG\n\tlong b;\n#endif\n};"))
    check("\nwith CONFIG_MEMCG=n also: struct on 16 -> 8 bytes\n" in out.stdout, "case A06: an #ifdef around what is there", show(out))
    out = edited(tree, (r"^struct limited \{\n", "\\g<0>\tlong more;\n\tlong again;\n"))
    check(re.fullmatch(rf"{HEADER}:\d+:\d+: warning: .*\b88\b.*, with CONFIG_CGROUP_BPF=y, CONFIG_PSI=y \[-Wcacheline-struct-budget\]\n", out.stderr),
          "a budget that two options together break: both, and no other", show(out))
    out = edited(tree, (r"^struct limited \{\n", "\\g<0>\tlong more[3];\n"))
    check(re.fullmatch(rf"{HEADER}:\d+:\d+: warning: .*\b88\b.*, with CONFIG_PSI=y \[-Wcacheline-struct-budget\]\n", out.stderr),
          "one that breaks it: that alone", show(out))
    out = edited(tree, (r"^struct roomy \{\n", "\\g<0>\tlong more[3];\n"))
    check(is_quiet(out), "its twin with room", show(out))
    out = edited(tree, (r"^struct broken \{\n", "\\g<0>\tlong more;\n"))
    check(f"\nnote: not judged with CONFIG_READ_ONLY_THP_FOR_FS=y: {HEADER}, which sparse cannot parse there\n" in f"\n{out.stderr}" and
          ", with CONFIG_PSI=y [-Wcacheline-struct-budget]\n" in out.stderr, "an option that does not parse is left out, which is said", show(out))


def test_machines(tree: Path) -> None:
    out = edited(tree, (r"char gap\[64\];", "long gap[8];"))
    check(re.fullmatch(rf"{HEADER}:\d+:\d+: warning: .*'a'.*, with 32-bit x86 \[-Wcacheline-shared-apart\]\n(?:.*: note: .*\n)?", out.stderr),
          "apart by longs: not on a 32-bit machine", show(out))
    out = edited(tree, (r"char gap\[64\];", "u64 gap[8];"))
    check(is_quiet(out), "its twin by u64s", show(out))
    out = edited(tree, (r"char gap\[64\];", "CACHELINE_PADDING(_gap_);"))
    check(out.returncode == 0 and not out.stderr, "apart by padding: of one CPU it is not told that they share a line there", show(out))
    out = edited(tree, (r"^struct roomy \{\n", "\\g<0>#ifndef CONFIG_SMP\n\tchar up[96];\n#endif\n"))
    check(re.fullmatch(rf"{HEADER}:\d+:\d+: warning: .*, with CONFIG_SMP=n \[-Wcacheline-struct-budget\]\n", out.stderr), "but a budget that is broken there", show(out))
    moved = (r"^\tint hot_two;\n", ""), (r"^\tlong more\[8\];\n", "\\g<0>\tint hot_two;\n")
    out = vet(tree, mail("[PATCH] hot_one and hot_two", Files(tree).edit(HEADER, *moved)))
    check("\n  hot_one, hot_two: never share a 64-byte line; before: 1 of 1 placements; on 128-byte lines: 1 of 2\n"
          "  hot_one, hot_two, with 32-bit x86: always share a 64-byte line\n" in out.stdout, "apart as the mail says, but not everywhere", show(out))
    out = vet(tree, mail("[PATCH] hot_one and hot_two", Files(tree).edit(HEADER, *moved, (r"more\[8\];", "more[16];"))))
    check("\n  hot_one, hot_two: never share" in out.stdout and "with 32-bit" not in out.stdout, "its twin, which is", show(out))
    out = edited(tree, (r"u32 x\[2\];", "u64 x;"))
    check(re.fullmatch(rf"{HEADER}:\d+:\d+: warning: .*'a'.*, with a 32-bit machine that aligns a u64 to 8 \[-Wcacheline-shared-apart\]\n"
                       r"(?:.*: note: .*\n)?", out.stderr), "case B01: the alignment of a u64", show(out))
    out = edited(tree, (r"u32 x\[2\];", "s32 x[2];"))
    check(is_quiet(out), "its twin without one", show(out))
    far = (r"^\tstruct rcu_head rcu;\n", ""), (r"^\tint cpu;\n", "\\g<0>\tstruct rcu_head rcu;\n")
    freed, code = tree / "kernel/freed.c", "#include <linux/boxes.h>\nvoid put(struct q_vector *q, struct on *other)\n{\n\t%s;\n}\n"
    freed.write_text(code % "call_rcu(&q->rcu, put_rcu)")
    out = edited(tree, *far)
    check(is_quiet(out) and "  first member: rcu -> mask\n" in out.stdout, "case B15: freed by call_rcu(), which takes any place", show(out))
    freed.write_text(code % "call_rcu(&q->rcu, put_rcu);\n\tkfree_rcu(other, rcu)")
    out = edited(tree, *far)
    check("kfree-rcu" not in out.stderr or "SPATCH" not in os.environ, "case B15: kfree_rcu() of another struct beside it", show(out))
    freed.write_text(code % "kfree_rcu(q, rcu)")
    out = edited(tree, *far)
    check(re.fullmatch(rf"{HEADER}:\d+:\d+: warning: 'rcu' lies at 4104, .*, with CONFIG_NR_CPUS=8192 \[-Wcacheline-kfree-rcu-offset\]\n", out.stderr),
          "case B15: behind masks of many CPUs", show(out))
    out = edited(tree, (r"^\tstruct rcu_head rcu;\n", "\tint node;\n\\g<0>"))
    check(is_quiet(out), "its twin in front of them", show(out))
    freed.write_text(code % "kfree_rcu(q->others[0].all, rcu)")
    out = edited(tree, *far)
    check("[-Wcacheline-kfree-rcu-offset]\n" in out.stderr, "case B15: what spatch cannot tell the type of may be it", show(out))
    freed.unlink()


def test_sizes(tree: Path) -> None:
    """Cases B10, F01, F03: what a struct costs."""
    for before, after in ((2312, 2368), (4032, 4416), (4032, 4096)):
        (tree / HEADER).write_text(SOURCE % before)
        out = edited(tree, (rf"char a\[{before}\];", f"char a[{after}];"))
        check(f"struct object   {before} -> {after} bytes" in out.stdout and ("kmalloc-4k -> kmalloc-8k" in out.stdout) == (after > 4096) and
              out.stdout.count("kmalloc") == 2 * (after > 4096), f"case B10: {before} to {after} bytes: the bucket {'changes' if after > 4096 else 'stays'}",
              show(out))
    (tree / HEADER).write_text(SOURCE % 8)
    out = edited(tree, (r"^struct outer \{\n\tlong m;", "struct outer {\n\tlong m ____cacheline_aligned;"))
    check("struct outer   8 -> 64 bytes, aligned to 8 -> 64" in out.stdout, "case F01: a member aligned to more than the struct says", show(out))
    out = edited(tree, (r"^struct on \{\n\tlong a;\n\tlong b;\n\};", "struct on {\n\tlong a;\n\tlong b;\n} ____cacheline_aligned;"))
    check("struct on   16 -> 64 bytes, aligned to 8 -> 64" in out.stdout, "case F03: an attribute behind the brace", show(out))


def test_objects(tree: Path) -> None:
    """Case B17: a type that is aligned further, whose objects are an array by the linker's doing."""
    if "SPATCH" not in os.environ:
        skip("case B17", "no spatch 1.2 or newer")
        return
    for file, attribute in (("kernel/classes.c", ""), ("kernel/arrays.c", " __attribute__((aligned(64)))")):
        (tree / file).write_text(f"#include <linux/boxes.h>\nconst struct on fair{attribute} __attribute__((section(\"__fair\"))) = {{ .a = 1 }};\n")
    out = edited(tree, (r"^\tlong b;\n\};", "\tlong b;\n} ____cacheline_aligned;"))
    check(re.fullmatch(r"kernel/classes\.c:2:\d+: warning: 'fair' in a section of its own: struct on may be aligned further there than in an array, "
                       r"align the variable; it is aligned to 8 -> 64 \[-Wcacheline-alloc-alignment\]\n", out.stderr),
          "case B17: an object in a section; none where it is aligned itself", show(out))
    for file in ("classes", "arrays"):
        (tree / f"kernel/{file}.c").unlink()


LEFT = """#ifdef CONFIG_PSI
typedef long left_t;
#endif
struct left {
	left_t b;
	long a;
};
"""
MAKEFILE = """obj-$(CONFIG_PSI) += left.o
obj-y += whole.o
whole-y := \\
	part.o
whole-$(CONFIG_PSI) += more.o
obj-$(CONFIG_LK_NONE) += none/ other.o
other-objs += inner.o
obj-$(CONFIG_SMP) += twice.o
obj-$(CONFIG_PSI) += twice.o
"""


def test_left_out(tree: Path) -> None:
    """A .c file that this configuration does not build."""
    (tree / "mm/left.c").write_text(LEFT)
    series = mail("[PATCH] left", Files(tree).edit("mm/left.c", (r"^\tlong a;\n", "\\g<0>\tlong c;\n")))
    out = vet(tree, series)
    check("note: not judged: mm/left.c, which sparse cannot parse without the series either: " in out.stderr, "nobody says that it is not built", show(out))
    (tree / "mm/Makefile").write_text(MAKEFILE)
    out = vet(tree, series)
    check(out.returncode == 0 and out.stderr == "note: not judged: mm/left.c, which this configuration does not build (CONFIG_PSI=y would)\n" and
          out.stdout.startswith("[PATCH] left: no struct that was looked at has changed in the tree's own configuration\n"
                                "with CONFIG_PSI=y also: struct left 16 -> 24 bytes\n"), "a note, and what becomes of it where it is built", show(out))
    built = Built(Tree(str(tree)), argparse.Namespace(config=None, set=[]))
    found = {name: built.lacks(f"mm/{name}.c") for name in ("left", "part", "more", "none/any", "inner", "twice", "nosuch")}
    check(found == {"left": ["CONFIG_PSI"], "part": [], "more": ["CONFIG_PSI"], "none/any": ["CONFIG_LK_NONE"], "inner": ["CONFIG_LK_NONE"], "twice": [], "nosuch": []},
          "what Makefiles say", found)
    (tree / "mm/left.c").write_text("struct read {\n\tlong a;\n};\n")
    out = vet(tree, mail("[PATCH] read", Files(tree).edit("mm/left.c", (r"^\tlong a;\n", "\\g<0>\tlong c;\n"))))
    check(out.returncode == 0 and out.stderr == "note: mm/left.c, which this configuration does not build (CONFIG_PSI=y would), was read as if it did\n" and
          "struct read   8 -> 16 bytes" in out.stdout, "a note, where it can be read all the same", show(out))
    (tree / "mm/left.c").unlink()
    (tree / "mm/Makefile").unlink()


def test_choice(tree: Path) -> None:
    """Which configurations are read: those that the lines of a struct name."""
    known = Tree(str(tree))
    args = argparse.Namespace(config=None, set=[])
    values = vet_configs.values_of(known, args)

    def names(text: str) -> list:
        return [config.name for config in vet_configs.others(known, args, values, text)]

    always = ["128-byte lines", "32-bit x86"]
    check(names("long a;") == always, "a long: other machines", names("long a;"))
    check(names("#ifdef CONFIG_DEBUG_SPINLOCK\nlong a;\n#endif") == ["CONFIG_LOCKDEP=y", *always], "what locks are made of: LOCKDEP")
    check(names("CACHELINE_PADDING(_pad_);") == ["CONFIG_X86_VSMP=y", "CONFIG_SMP=n", *always], "padding: VSMP, and one CPU")
    check(names("unsigned long bits[NR_CPUS];") == ["CONFIG_NR_CPUS=8192", "CONFIG_SMP=n", *always], "an array for the CPUs: how many they are")
    check(names("u64 a;") == [*always, "a 32-bit machine that aligns a u64 to 8"], "a u64: how it is aligned")
    args.set = ["CONFIG_SMP=y"]
    check("CONFIG_SMP=n" not in names("NR_CPUS"), "what the user sets is left as it is")
    chosen = vet_conditions.choices(known, ["CONFIG_PSI", "CONFIG_MEMCG_KMEM", "CONFIG_64BIT", "CONFIG_NOSUCH"])
    check(chosen == {"CONFIG_PSI"}, "options are what has a prompt", chosen)


with tempfile.TemporaryDirectory() as name:
    small = annotatable(small_tree(Path(name)))
    (small / HEADER).write_text(SOURCE % 8)
    test_options(small)
    test_machines(small)
    test_objects(small)
    test_left_out(small)
    test_choice(small)
    test_sizes(small)
sys.exit(done())

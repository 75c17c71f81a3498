#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
linekeeper matrix finds what broke elsewhere (cases A06, B01, B03, B07, B15), planted in a copy of a real kernel.

With the argument "all", for `make check-matrix`, B03 on other architectures too.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, "tests")
from tap import LINEKEEPER, check, done, kernel, linekeeper, planted, skip, writable  # noqa: E402

B03 = {"x86_64": 28, "i386": 20, "arm": 24, "ppc32": 24}
HEADER = """/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _LINUX_PLANTED_H
#define _LINUX_PLANTED_H
#include <linux/cache.h>
#include <linux/cpumask.h>
#include <linux/types.h>

#define __cacheline_apart(F)	__attribute__((cacheline_layout("apart", #F)))

struct planted_a06 {
	char before[24];
	atomic_long_t usage;
#ifdef CONFIG_MEMCG_V1
	unsigned long tree_node[4];
#endif
	unsigned long low __cacheline_apart(usage);
} ____cacheline_aligned;

struct planted_b01 {
	void *before[3];
	char last;
	__cacheline_group_begin(txrx);
	u32 pred;
	u64 first, second;
	u32 x[11];
	char rx[24];
	u8 n : 4;
	__cacheline_group_end(txrx);
};

struct planted_up {
	__cacheline_group_begin(up_read);
	long a;
	__cacheline_group_end(up_read);
	__cacheline_group_begin(up_write) ____cacheline_aligned_in_smp;
	long b;
	__cacheline_group_end(up_write);
};

struct planted_b03 {
	u32 before;
	__cacheline_group_begin(txrx);
	unsigned int flags;
	unsigned short header_len;
	u64 features;
	void *ip6;
	__cacheline_group_end(txrx);
};

struct planted_rxq {
	void *dev;
	u32 a, b;
	long m[2];
	u32 id;
} ____cacheline_aligned;

struct planted_b07 {
	__cacheline_group_begin_aligned(cl5);
	struct planted_rxq rxq;
	__cacheline_group_end_aligned(cl5);
};

struct planted_b15 {
	char state[3200];
	cpumask_t affinity_mask;
	struct rcu_head rcu;
};

struct planted_mended {
	char state[3200];
	struct rcu_head rcu;
	cpumask_t affinity_mask;
};

struct planted_lim {
	__cacheline_group_begin(lim);
	long a[3];
	__cacheline_group_end(lim);
};

struct planted_other {
	__cacheline_group_begin(oth);
	long a[3];
#ifdef CONFIG_PSI
	long b;
#endif
	__cacheline_group_end(oth);
};

struct planted_victim {
	long a;
};

struct planted_names {
	__cacheline_group_begin(nm);
	long planted_victim;
	long q[10];
	__cacheline_group_end(nm);
};

#ifdef CONFIG_MK8
#include <linux/planted_more.h>
#else
#define PLANTED_MORE
#endif

struct planted_deep {
	long a;
	PLANTED_MORE
};

struct planted_hostile {
	long a;
""" + "".join(f"#ifdef CONFIG_HOSTILE_{number}\n\tlong a{number};\n#endif\n" for number in range(2500)) + """};
#endif
"""
# the first configuration that has the member cannot be read
FAILS = """#include <linux/types.h>
#ifdef CONFIG_PSI
#error not to be parsed
#endif
struct planted_fails {
	long a;
#ifdef CONFIG_MEMCG_V1
	long b;
#endif
};
"""
# no corner includes it
MORE = """#ifdef CONFIG_UBSAN
#define PLANTED_MORE long more[2];
#else
#define PLANTED_MORE long more;
#endif
"""
CODE = """/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/planted.h>

static void __attribute__((used)) planted_check(void)
{
	CACHELINE_ASSERT_GROUP_SIZE(struct planted_b01, txrx, 92);
	CACHELINE_ASSERT_GROUP_SIZE(struct planted_b03, txrx, 24);
	CACHELINE_ASSERT_GROUP_SIZE(struct planted_b07, cl5, 64);
	CACHELINE_ASSERT_GROUP_MEMBER(struct planted_names, nm, q);
	CACHELINE_ASSERT_GROUP_SIZE(struct planted_names, nm, 80);
#ifdef CONFIG_CGROUP_BPF
	CACHELINE_ASSERT_GROUP_SIZE(struct planted_lim, lim, 16);
#else
	CACHELINE_ASSERT_GROUP_SIZE(struct planted_lim, lim, 24);
#endif
}
"""
MORE_CODE = """#include <linux/planted.h>

static void __attribute__((used)) planted_check_too(void)
{
	CACHELINE_ASSERT_GROUP_SIZE(struct planted_b03, txrx, 24);
	CACHELINE_ASSERT_GROUP_SIZE(struct planted_other, oth, 24);
}
"""


def matrix(tree: Path, *structs: str) -> dict:
    """Structs by name, with what was said on stderr under ''."""
    out = linekeeper("matrix", *(f"planted_{name}" for name in structs), "--tree", tree, "--format", "json", "-j2")
    tables = json.loads(out.stdout or "[]")
    unread = any(one["unread"] for table in tables for one in table["structs"])
    if not check(tables and out.returncode == unread == (": error: not judged: " in out.stderr), f"{' '.join(structs)} on {tree.name}", out.stdout + out.stderr):
        return {}
    return {**{one["struct"][len("planted_"):]: one for one in tables[0]["structs"]}, "": out.stderr}


def found(one: dict, rule: str) -> list:
    """Settings in which it is a finding."""
    return [layout["setting"] for layout in one["layouts"] if any(f"[-Wcacheline-{rule}]" in said for said in layout["findings"])]


def group_sizes(tree: Path, folder: Path) -> dict:
    """B03's group by architecture, bytes: the hole behind its marker is of it."""
    out = linekeeper("matrix", "planted_b03", "--tree", tree, "--arch", ",".join(B03), "--format", "json", XDG_CACHE_HOME=str(folder))
    check(out.returncode == 0, f"B03 on {', '.join(B03)}", out.stderr)
    sizes = {}
    for table in json.loads(out.stdout or "[]"):
        at = {member["name"]: member["offset"] for member in table["structs"][0]["layouts"][0]["members"]}
        sizes[table["machine"]] = at["__cacheline_group_end__txrx"] - at["__cacheline_group_begin__txrx"]
    return sizes


def test(tree: Path) -> None:
    all_ = matrix(tree, "a06", "b01", "b03", "b07", "b15", "mended", "deep", "up", "lim", "other", "victim", "names", "fails", "hostile")
    if not all_:
        return
    sizes = {layout["setting"]: layout["size"] for layout in all_["a06"]["layouts"]}
    check("MEMCG_V1" in all_["a06"]["changes"] and sizes["as prepared"] == 64 and sizes["MEMCG_V1=y"] == 128, "A06: MEMCG_V1", sizes)
    near = found(all_["a06"], "shared-apart")
    check("as prepared" in near and "MEMCG_V1=y" not in near, "A06: 'low' shares a line with 'usage' where these members are gone, only there", near)
    check("txrx' has 96 bytes on arm" in all_[""] and "as prepared" in found(all_["b01"], "group-size"),
          "B01: too large where u64 is aligned to 8 bytes on 32 bits", all_[""])
    check("group 'txrx' has 28 bytes, 6 of them a hole before 'features', but its assert allows 24 [" in all_[""] and "as prepared" in found(all_["b03"], "group-size"),
          "B03: too large by its hole", all_[""])
    check("'cl5' has 128 bytes" in all_[""] and {"as prepared", "MPSC=y"} <= set(found(all_["b07"], "group-size")),
          "B07: too large with lines of 128 bytes", all_["b07"])
    far = found(all_["b15"], "kfree-rcu-offset")
    check(far and "as prepared" not in far and "MAXSMP=y" in far, "B15: rcu_head too far with 8192 CPUs", far)
    check(len(all_["mended"]["layouts"]) > 1 and not found(all_["mended"], "kfree-rcu-offset"), "B15: as it was mended, before the mask", all_["mended"])
    check(", with MAXSMP=y [-Wcacheline-kfree-rcu-offset]" in all_[""], "said with its setting", all_[""])
    alone = [layout for layout in all_["up"]["layouts"] if layout["size"] == 16]
    check(alone and alone[0]["setting"] == "SMP=n" and not any(layout["findings"] for layout in all_["up"]["layouts"]),
          "nobody shares a line with another CPU where there is one", all_["up"]["layouts"])
    check({layout["size"] for layout in all_["hostile"]["layouts"]} == {8} and len(all_["hostile"]["symbols"]) >= 2500, "2500 symbols that Kconfig has not",
          all_["hostile"]["layouts"])
    deep = {layout["size"]: layout["setting"] for layout in all_["deep"]["layouts"]}
    lim = [layout for layout in all_["lim"]["layouts"] if layout["line_size"] == 64]
    check([(layout["again"], len(layout["findings"])) for layout in lim] == [(False, 0), (True, 1)],
          "a limit that hangs on an option: the layout once more, for its finding", lim)
    check("BPF_SYSCALL=y, CGROUP_BPF=y" in found(all_["lim"], "group-size"), "with that option", lim)
    check("PSI=y" in found(all_["other"], "group-size"), "asserted in another .c file than the header's other structs", all_["other"]["layouts"])
    check(not any(layout["findings"] for layout in all_["victim"]["layouts"]) and "as prepared" in found(all_["names"], "group-size"),
          "a finding is of its struct, and of none that is called as its members are", all_["victim"]["layouts"])
    fails = {layout["size"]: layout["setting"] for layout in all_["fails"]["layouts"]}
    check(fails.keys() == {8, 16}, "what cannot be parsed in one configuration is read in the next", all_["fails"])
    check(deep.keys() == {8, 16, 24} and "UBSAN=y" in deep[24], "a symbol of a file that no corner includes", deep)


def work_folder(tree: Path, folder: Path) -> None:
    """What a folder is gone on with for, and what not."""
    work = folder / "work"

    def jobs(*words: str) -> tuple:
        out = linekeeper("matrix", "--tree", tree, "--work", work, *words)
        return out.returncode, out.stdout, out.stderr.replace(str(folder), "DIR")

    asked = ("planted_b01", "--print-jobs")
    first = jobs(*asked)
    check(first[0] == 0 and first[1].startswith("0\n1\n") and jobs(*asked) == first, "a plan, and the same plan", first)
    for word in ("x", "999", "-1"):
        status, _, said = jobs("--run", word)
        check(status == 2 and said.startswith(f"linekeeper: {word} is no job of DIR/work, which has 0 to "), f"--run {word}", said)
    header = tree / "include/linux/planted.h"
    header.write_text(HEADER.replace("u32 x[11]", "u32 x[15]"), encoding="utf-8")
    want = (2, "", "linekeeper: DIR/work holds a matrix of an older include/linux/planted.h: give another --work\n")
    check(jobs(*asked) == want and jobs("--run", "0") == want, "a header has changed since", jobs(*asked))
    plan = work / "plan.json"
    text = plan.read_text(encoding="utf-8")
    for broken in (text[:1000], "[]", "{}", text.replace('"stamps"', '"other"')):
        plan.write_text(broken, encoding="utf-8")
        said = jobs(*asked)
        check(said == (2, "", "linekeeper: plan.json in DIR/work is broken, or of another linekeeper: give another --work\n"), f"a plan of {len(broken)} bytes", said)


def ended(tree: Path, folder: Path) -> None:
    """Asked to end, it leaves nothing behind."""
    folder.mkdir()
    child = subprocess.Popen([LINEKEEPER, "matrix", "planted_b01", "--tree", tree], env={**os.environ, "TMPDIR": str(folder)},
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 600
    while len(list(folder.glob("linekeeper-*"))) < 2 and child.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    child.terminate()
    check(child.wait() == 143 and not list(folder.glob("linekeeper-*")), "SIGTERM: no folder is left", list(folder.iterdir()))


path = kernel("6.12")
if path and (path / "scripts/kconfig/conf").exists():
    with tempfile.TemporaryDirectory() as name:
        scratch = planted(path, Path(name, "linux"), HEADER, CODE)
        (scratch / "include/linux/planted_more.h").write_text(MORE, encoding="utf-8")
        (scratch / "include/linux/planted_fails.h").write_text(FAILS, encoding="utf-8")
        writable(scratch, "kernel/planted_too.c").write_text(MORE_CODE, encoding="utf-8")
        test(scratch)
        ended(scratch, Path(name, "ended"))
        work_folder(scratch, Path(name))
        (scratch / "include/linux/planted.h").write_text(HEADER, encoding="utf-8")
        if sys.argv[1:] == ["all"]:
            said = group_sizes(scratch, Path(name))
            check(said == B03, "B03: a table of the group's size", said)
else:
    skip("planted structs", "KERNEL612 is not set, or has no scripts/kconfig/conf")
sys.exit(done())

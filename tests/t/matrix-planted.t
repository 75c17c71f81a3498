#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""linekeeper matrix finds what broke elsewhere (cases A06, B01, B07, B15), planted in a copy of a real kernel."""

import json
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, "tests")
from tap import check, done, kernel, linekeeper, scratch_of, skip  # noqa: E402

HEADER = """/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _LINUX_PLANTED_H
#define _LINUX_PLANTED_H
#include <linux/cache.h>
#include <linux/cpumask.h>
#include <linux/types.h>

struct planted_a06 {
	atomic_long_t usage;
#ifdef CONFIG_MEMCG_V1
	unsigned long tree_node[4];
#endif
	unsigned long low;
};

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
#endif
"""
CODE = """/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/planted.h>

static void __attribute__((used)) planted_check(void)
{
	CACHELINE_ASSERT_GROUP_SIZE(struct planted_b01, txrx, 92);
	CACHELINE_ASSERT_GROUP_SIZE(struct planted_b07, cl5, 64);
}
"""


def matrix(tree: Path, *structs: str) -> dict:
    """Structs by name, with what was said on stderr under ''."""
    out = linekeeper("matrix", *(f"planted_{name}" for name in structs), "--tree", tree, "--format", "json", "-j2")
    if not check(out.returncode == 0, f"{' '.join(structs)} on {tree.name}", out.stdout + out.stderr):
        return {}
    return {**{one["struct"][len("planted_"):]: one for one in json.loads(out.stdout)[0]["structs"]}, "": out.stderr}


def found(one: dict, rule: str) -> list:
    """Settings in which it is a finding."""
    return [layout["setting"] for layout in one["layouts"] if any(f"[-Wcacheline-{rule}]" in said for said in layout["findings"])]


def planted(source: Path, folder: Path) -> Path:
    tree = scratch_of(source, folder)
    os.unlink(tree / "kernel")
    (tree / "kernel").mkdir()
    for entry in (source / "kernel").iterdir():
        (tree / "kernel" / entry.name).symlink_to(entry)
    (tree / "include/linux/planted.h").write_text(HEADER, encoding="utf-8")
    (tree / "kernel/planted.c").write_text(CODE, encoding="utf-8")
    return tree


def test(tree: Path) -> None:
    all_ = matrix(tree, "a06", "b01", "b07", "b15")
    if not all_:
        return
    sizes = {layout["setting"]: layout["size"] for layout in all_["a06"]["layouts"]}
    check("MEMCG_V1" in all_["a06"]["changes"] and sizes["as prepared"] == 16 and sizes["MEMCG_V1=y"] == 48, "A06: MEMCG_V1", sizes)
    check("txrx' has 96 bytes on arm" in all_[""] and "as prepared" in found(all_["b01"], "group-size"),
          "B01: too large where u64 is aligned to 8 bytes on 32 bits", all_[""])
    check("'cl5' has 128 bytes" in all_[""] and {"as prepared", "MPSC=y"} <= set(found(all_["b07"], "group-size")),
          "B07: too large with lines of 128 bytes", all_["b07"])
    far = found(all_["b15"], "kfree-rcu-offset")
    check(far and "as prepared" not in far and "MAXSMP=y" in far, "B15: rcu_head too far with 8192 CPUs", far)
    check(", with MAXSMP=y [-Wcacheline-kfree-rcu-offset]" in all_[""], "said with its setting", all_[""])


path = kernel("6.12")
if path and (path / "scripts/kconfig/conf").exists():
    with tempfile.TemporaryDirectory() as name:
        test(planted(path, Path(name, "linux")))
else:
    skip("planted structs", "KERNEL612 is not set, or has no scripts/kconfig/conf")
sys.exit(done())

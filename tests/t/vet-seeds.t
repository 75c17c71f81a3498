#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""linekeeper vet: the seeds' own patches on a real 6.1, 000, 001 and 003 on the structs as they stood then."""

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Optional

sys.path.insert(0, "tests")
from tap import check, done, kernel, scratch_of, skip  # noqa: E402
from vet_series import Files, changed, mail, show, vet  # noqa: E402

FS, CGROUP, COUNTER = "include/linux/fs.h", "include/linux/cgroup-defs.h", "include/linux/page_counter.h"
RWSEM = r"^\tstruct rw_semaphore\s+i_mmap_rwsem;\n"
FLAGS = r"^\tunsigned long\s+flags;\n(?=\terrseq_t\s+wb_err)"
# who embeds an inode in this configuration: all that `grep "struct inode .*;"` finds and the .config builds
INODES = {"proc_inode": (16, 23, 19), "netfs_inode": (16, 25, 21), "hugetlbfs_inode_info": (16, 25, 19), "msdos_inode_info": (16, 21, 18),
          "iso_inode_info": (16, 24, 21), "v9fs_inode": (16, 23, 19), "shmem_inode_info": (16, 21, 18), "ext4_inode_info": (32, 28, 25),
          "bdev_inode": (32, 21, 19), "rpc_inode": (16, 24, 21), "socket_alloc": (16, 21, 19), "mqueue_inode_info": (32, 35, 30),
          "nfs_inode": (32, 31, 28)}
READ_MOSTLY = "".join(f"\tunsigned long {name};\n" for name in ("min", "low", "high", "max"))
PARENT = "\tstruct page_counter *parent;\n"
USAGE = r"^\tatomic_long_t usage;\n"
PADS = (r"^\tCACHELINE_PADDING\(_pad1_\);\n", ""), (r"^\t/\* .*\n\tCACHELINE_PADDING\(_pad2_\);\n\n", "")


def seed(tree: Path, subject: str, why: str, file: str, *edits: tuple) -> subprocess.CompletedProcess:
    """The report on a patch; its time is a remark, for docs/figures.md."""
    data, before, start = mail(f"[PATCH] {subject}", Files(tree).edit(file, *edits), why=why), os.times(), time.monotonic()
    out = vet(tree, data)
    cpu = sum(os.times()[2:4]) - sum(before[2:4])
    print(f"# {cpu:.1f} s of CPU, {time.monotonic() - start:.1f} s: {subject}", flush=True)
    return out


def test_address_space(tree: Path) -> None:
    subject = "fs/address_space: add alignment padding for i_map and i_mmap_rwsem to mitigate a false sharing."
    out = seed(tree, subject, "i_mmap and i_mmap_rwsem are on one line.", FS,
               (RWSEM, lambda line: line.group().replace(";", " ____cacheline_aligned_in_smp;")))
    check(out.returncode == 0 and "1 struct changed, 14 around it\n\nstruct address_space   192 -> 256 bytes, aligned to 8 -> 64; "
          "21 -> 16 objects per 4 KiB slab" in out.stdout and "\n  i_mmap, i_mmap_rwsem: never share a 64-byte line; before: 7 of 8 placements" in out.stdout,
          "002 v1: apart, for 64 bytes", show(out))
    check("  inode, which embeds it: 616 -> 704 bytes, aligned to 8 -> 64; 26 -> 23 objects per 16 KiB slab\n" in out.stdout and
          "  ext4_inode_info, which embeds it: 1168 -> 1280 bytes, aligned to 8 -> 64; 28 -> 25 objects per 32 KiB slab\n" in out.stdout,
          "002 v1: what inode and ext4_inode_info pay", show(out))
    pays = {name: (int(size), int(old), int(new or old)) for name, old, new, size in
            re.findall(r"^  (\w+), which embeds it: .*?(\d+)(?: -> (\d+))? objects per (\d+) KiB slab", out.stdout, re.M) if name != "inode"}
    check(pays == INODES, "002 v1: every other inode pays, in objects of a slab", pays)
    if "SPATCH" in os.environ:
        said = [line for line in out.stderr.splitlines() if not line.startswith("note: ")]
        check(len(said) >= 8 and all(re.fullmatch(r"\S+: warning: kmem_cache_create\w*\(\) is told no alignment: .*; it is aligned to 8 -> 64 "
              r"\[-Wcacheline-alloc-alignment\]", line) for line in said), "002 v1: and none of their caches would give them the lines", show(out))
    else:
        skip("002 v1: caches", "no spatch 1.2 or newer")
    text = re.search(RWSEM, (tree / FS).read_text(), re.M).group()
    out = seed(tree, subject, "i_mmap and i_mmap_rwsem are on one line.", FS, (RWSEM, ""), (FLAGS, f"\\g<0>{text}"))
    check(out.returncode == 0 and "warning" not in out.stderr and "1 struct changed\n\nstruct address_space   192 bytes, as before" in out.stdout and
          "\n  i_mmap, i_mmap_rwsem: may share a 64-byte line, at 3 of 8 placements (0, 48, 56); before: 7 of 8 placements" in out.stdout,
          "002 v2, as it was merged: may still share; nothing else breaks", show(out))
    out = seed(tree, subject, "i_mmap_rwsem is taken often.", FS, (RWSEM, lambda line: line.group().replace(";", ";\t/* of i_mmap */")))
    check(out.stdout.endswith(": no struct that was looked at has changed\n") and not out.stderr, "a comment: nothing", show(out))


def test_cgroup(tree: Path, old: Path) -> None:
    """003 broke linux-next: the padding is a page of a kernel for VSMP, which allmodconfig is, and cgroup_root.rcu stood behind it."""
    edit = (r"^\tstruct list_head rstat_css_list;\n", "\\g<0>\n\tCACHELINE_PADDING(_pad_);\n")
    out = seed(tree, "cgroup/rstat: reduce cpu_lock hold time", "rstat_css_list is read.", CGROUP, edit)
    check(out.returncode == 0 and "struct cgroup   1008 -> 1088 bytes" in out.stdout and "  cgroup_root, which embeds it: 5232 -> 5376 bytes" in out.stdout and
          not out.stderr, "003 on 6.1, where rcu of cgroup_root stands in front: no finding", show(out))
    text = (old / CGROUP).read_text()
    rcu, root_list = r"^\tstruct rcu_head rcu;.*\n", r"^\t/\* A list running through the active hierarchies \*/\n\tstruct list_head root_list;\n"
    lines = re.search(root_list, text, re.M).group() + "\n" + re.search(rcu, text, re.M).group()
    (old / CGROUP).write_text(changed(text, (rcu, ""), (root_list, ""), (r"^\tatomic_t nr_cgrps;\n", f"\\g<0>\n{lines}")))
    out = seed(old, "cgroup/rstat: reduce cpu_lock hold time", "rstat_css_list is read.", CGROUP, edit)
    check(out.returncode == 0 and re.fullmatch(rf"{CGROUP}:\d+:\d+: warning: 'rcu' lies at \d+, where kfree_rcu\(\) cannot free the struct: move it "
          r"to below 4096, with CONFIG_X86_VSMP=y \[-Wcacheline-kfree-rcu-offset\]\n", out.stderr),
          "003 as it stood in 2023: a finding where everything is on, by what makes it one; none in the small configuration", show(out))


def test_page_counter(old: Path) -> None:
    new = (old / COUNTER).read_text()
    before_001 = changed(new, *PADS, (rf"\n{READ_MOSTLY}", ""), (USAGE, f"\\g<0>{READ_MOSTLY}"),
                         (r"^\} ____cacheline_internodealigned_in_smp;", "};"))
    before_000 = changed(before_001, (re.escape(PARENT), ""), (r"^\tunsigned long max;\n", f"\\g<0>{PARENT}"))
    (old / COUNTER).write_text(before_000)
    out = seed(old, "mm: page_counter: re-layout structure to reduce false sharing", "'usage' is written, 'parent' is read.", COUNTER,
               (re.escape(PARENT), ""), (r"^\};", f"{PARENT}}};"))
    check("struct page_counter   112 bytes, as before" in out.stdout and
          "\n  usage, parent: never share a 64-byte line; before: 3 of 8 placements" in out.stdout and not out.stderr, "000: apart, for nothing", show(out))
    (old / COUNTER).write_text(before_001)
    out = seed(old, "mm: page_counter: rearrange struct page_counter fields", "memory.usage is written, memory.high is read.", COUNTER,
               (r"(?s).*", lambda _: new))
    check("struct page_counter   112 -> 192 bytes, aligned to 8 -> 64" in out.stdout and
          re.search(r"^  usage, high: never share a 64-byte line; before: \d of 8 placements", out.stdout, re.M), "001: usage apart from high", show(out))
    check("\n  mem_cgroup, which embeds it: 1792 -> 2112 bytes; 18 -> 15 objects per 32 KiB slab; kmalloc-2k -> kmalloc-4k\n" in
          out.stdout.replace(", aligned to 64", ""), "001: what mem_cgroup pays: another bucket", show(out))


def main(tree: Optional[Path]) -> None:
    if tree is None:
        skip("the seeds' patches on 6.1", "no kernel")
        return
    test_address_space(tree)
    with tempfile.TemporaryDirectory() as name:
        old = scratch_of(tree, Path(name) / "linux")
        test_cgroup(tree, old)
        test_page_counter(old)


main(kernel("6.1"))
sys.exit(done())

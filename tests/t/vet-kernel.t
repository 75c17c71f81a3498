#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""linekeeper vet on real kernels: the seeds' patches and what became of them, case B09."""

import re
import sys
import tempfile
from pathlib import Path
from typing import Optional

sys.path.insert(0, "tests")
from tap import check, done, kernel, scratch_of, skip  # noqa: E402
from vet_series import Files, changed, mail, show, vet  # noqa: E402

FS, CGROUP, COUNTER = "include/linux/fs.h", "include/linux/cgroup-defs.h", "include/linux/page_counter.h"
RWSEM = r"^\tstruct rw_semaphore\s+i_mmap_rwsem;\n"
PAD = (r"^\tstruct list_head rstat_css_list;\n", "\\g<0>\n\tCACHELINE_PADDING(_pad_);\n")


def vet_edits(tree: Path, subject: str, file: str, *edits: tuple):
    """The edits as a patch that was mailed."""
    return vet(tree, mail(f"[PATCH] {subject}", Files(tree).edit(file, *edits)))


def has(out, *texts: str) -> bool:
    return out.returncode == 0 and all(text in out.stdout for text in texts)


def test_address_space(tree: Path) -> None:
    out = vet_edits(tree, "fs: separate i_mmap and i_mmap_rwsem", FS, (RWSEM, lambda line: line.group().replace(";", " ____cacheline_aligned_in_smp;")))
    check(has(out, "struct address_space   192 -> 256 bytes, aligned to 8 -> 64", "  i_mmap, i_mmap_rwsem: never share a 64-byte line",
              "  inode, which embeds it: 616 -> 704 bytes", "  ext4_inode_info, which embeds it: 1168 -> 1280 bytes", "  shmem_inode_info, which"),
          "seed 002 v1: every inode pays", show(out))
    flags = r"^\tunsigned long\s+flags;\n(?=\terrseq_t\s+wb_err)"
    text = re.search(RWSEM, (tree / FS).read_text(), re.M).group()
    out = vet_edits(tree, "fs: separate i_mmap and i_mmap_rwsem", FS, (RWSEM, ""), (flags, f"\\g<0>{text}"))
    check(has(out, "1 struct changed\n", "struct address_space   192 bytes, as before", "  i_mmap, i_mmap_rwsem: may share a 64-byte line, "
              "at 3 of 8 placements (0, 48, 56); before: 7 of 8 placements"), "seed 002 v2, as it was merged: may still share", show(out))
    out = vet_edits(tree, "fs: a comment", FS, (RWSEM, lambda line: line.group().replace(";", ";\t/* of i_mmap */")))
    check(has(out, "no struct that was looked at has changed") and not out.stderr, "a comment", show(out))


def test_cgroup(tree: Path, folder: Path) -> None:
    """Seed 003 broke linux-next: the padding is a page of a kernel for VSMP, which allmodconfig is, and cgroup_root.rcu stood behind it."""
    out = vet_edits(tree, "cgroup: pad", CGROUP, PAD)
    check(has(out, "struct cgroup   1008 -> 1088 bytes", "  cgroup_root, which embeds it: 5232 -> 5376 bytes") and not out.stderr,
          "seed 003 on 6.1, where rcu of cgroup_root stands in front: no finding", show(out))
    old = scratch_of(tree, folder / "linux")
    text = (old / CGROUP).read_text()
    (old / CGROUP).write_text(changed(text, (r"^\tstruct rcu_head rcu;.*\n", ""), (r"^\tatomic_t nr_cgrps;\n", "\\g<0>\tstruct rcu_head rcu;\n")))
    out = vet_edits(old, "cgroup: pad", CGROUP, PAD)
    check(out.returncode == 0 and re.fullmatch(rf"{CGROUP}:\d+:\d+: warning: 'rcu' lies at \d+, where kfree_rcu\(\) cannot free the struct: move it "
          r"to below 4096, with CONFIG_X86_VSMP=y \[-Wcacheline-kfree-rcu-offset\]\n", out.stderr),
          "seed 003 where it stood in 2023: a finding in that configuration, and in no other", show(out))


def test_page_counter(tree: Path) -> None:
    out = vet_edits(tree, "mm: local_watermark", COUNTER, (r"^\tunsigned long watermark;\n", "\\g<0>\tunsigned long local_watermark;\n"))
    check(has(out, "struct page_counter   192 -> 256 bytes", "  failcnt               120       128  1 -> 2\n",
              "  mem_cgroup, which embeds it: 2112 -> 2368 bytes"), "case B09: one more in a full line", show(out))


def main(old: Optional[Path], new: Optional[Path]) -> None:
    if old is None or new is None:
        skip("vet on 6.1 and 6.12", "no kernels")
        return
    with tempfile.TemporaryDirectory() as name:
        test_address_space(old)
        test_cgroup(old, Path(name))
        test_page_counter(old)
        out = vet_edits(new, "mm: local_watermark goes", COUNTER, (r"^\tunsigned long local_watermark;.*\n", ""))
        check(has(out, "struct page_counter   256 -> 192 bytes"), "6.12: to take it out again shrinks it", show(out))


main(kernel("6.1"), kernel("6.12"))
sys.exit(done())

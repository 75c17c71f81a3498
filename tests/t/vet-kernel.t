#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""linekeeper vet on real kernels: case B09, on the day and when it was mended."""

import sys
from pathlib import Path
from typing import Optional

sys.path.insert(0, "tests")
from tap import check, done, kernel, skip  # noqa: E402
from vet_series import Files, mail, show, vet  # noqa: E402

COUNTER = "include/linux/page_counter.h"


def main(old: Optional[Path], new: Optional[Path]) -> None:
    if old is None or new is None:
        skip("vet on 6.1 and 6.12", "no kernels")
        return
    out = vet(old, mail("[PATCH] mm: local_watermark", Files(old).edit(COUNTER, (r"^\tunsigned long watermark;\n", "\\g<0>\tunsigned long local_watermark;\n"))))
    check(out.returncode == 0 and "struct page_counter   192 -> 256 bytes" in out.stdout and "  failcnt               120       128  1 -> 2\n" in out.stdout and
          "  mem_cgroup, which embeds it: 2112 -> 2368 bytes" in out.stdout, "case B09: one more in a full line", show(out))
    out = vet(new, mail("[PATCH] mm: local_watermark goes", Files(new).edit(COUNTER, (r"^\tunsigned long local_watermark;.*\n", ""))))
    check(out.returncode == 0 and "struct page_counter   256 -> 192 bytes" in out.stdout, "6.12: to take it out again shrinks it", show(out))


main(kernel("6.1"), kernel("6.12"))
sys.exit(done())

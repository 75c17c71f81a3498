#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
What broke builds upstream, put back into a copy of 6.12 by a small edit, is a finding of linekeeper matrix, with its setting or machine.

With the argument "all", for `make check-matrix`: on machines whose trees take longer too.
"""

import json
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, "tests")
from tap import TOP, check, done, kernel, linekeeper, scratch_of, skip, writable  # noqa: E402

sys.path.insert(0, str(TOP / "scripts"))
from lk import needs  # noqa: E402
from lk.arches import ARCHES  # noqa: E402

DEVICE, TCP, CGROUP = "include/linux/netdevice.h", "net/ipv4/tcp.c", "include/linux/cgroup-defs.h"


def edit(tree: Path, path: str, *pairs: tuple) -> None:
    """Each pattern stands there once."""
    file = writable(tree, path)
    text = file.read_text(encoding="utf-8")
    for pattern, instead in pairs:
        text, count = re.subn(pattern, instead, text, flags=re.M)
        check(count == 1, f"{path}: {pattern[:40]!r} is put back", count)
    file.write_text(text, encoding="utf-8")


def put_back(tree: Path) -> None:
    # the limit as on 64 bits: linux-next of 2024-04-09, arm multi_v7_defconfig; later "+ 4" for a u64 that is aligned to 8
    edit(tree, TCP, (r"(tcp_sock_write_txrx, \d+) \+ 4\)", r"\1)"))
    # behind the cgroup, where d23b5c577715 had it; a7fb0423c201 moved it up
    edit(tree, CGROUP, (r"^\tstruct rcu_head rcu;.*\n((?:.*\n)*?\tatomic_t nr_cgrps;\n)", r"\1\tstruct rcu_head rcu;\n"))


def put_device_back(tree: Path) -> None:
    # the group of the first series and its limit (lkp, 202311162002.m26ObVLU, powerpc-mpc8313_rdb_defconfig): it had no pointer at its start
    edit(tree, DEVICE, (r"^(\t__cacheline_group_begin\(net_device_read_txrx\);\n)((?:.*\n)*?\tunsigned long\t\tstate;\n)((?:.*\n)*?"
                        r"\t__cacheline_group_end\(net_device_read_txrx\);\n)", r"\1\3\2"))
    edit(tree, "net/core/dev.c", (r"(net_device_read_txrx,) 46\)", r"\1 24)"))


def matrix(tree: Path, struct: str, *machines: str) -> dict:
    """Tables by machine; {} when it failed, which is a test."""
    out = linekeeper("matrix", struct, "--tree", tree, "--arch", ",".join(machines), "--format", "json", "-j2", XDG_CACHE_HOME=str(tree.parent))
    check(out.returncode == 0, f"matrix {struct} on {', '.join(machines)}", out.stdout[-500:] + out.stderr)
    return {table["machine"]: table["structs"][0]["layouts"] for table in json.loads(out.stdout or "[]")}


def settings(layouts: list, text: str) -> list:
    """Those in which that is said."""
    return [one["setting"] for one in layouts if any(text in said for said in one["findings"])]


def on_x86(tree: Path) -> None:
    far = settings(matrix(tree, "cgroup_root", "x86_64").get("x86_64", []), "where kfree_rcu() cannot free the struct")
    check("X86_VSMP=y" in far and "as prepared" not in far, "cgroup_root: rcu behind byte 4095 with what allmodconfig has", far)
    out = linekeeper("check", TCP, "--tree", tree)
    said = [line for line in out.stderr.splitlines() if "[-Wcacheline-group-size]" in line]
    check(len(said) == 1 and "'tcp_sock_write_txrx' has 95 bytes on arm, 4 of them a hole before 'tcp_clock_cache', but its assert allows 91, on ppc32 too ["
          in said[0], "tcp_sock: right where its author built it, which is said of arm there", said or out.stderr)


def tcp_sock(tree: Path, machines: dict) -> None:
    """machines: by name, is the group too large there?"""
    for name, layouts in matrix(tree, "tcp_sock", *machines).items():
        said = settings(layouts, "group 'tcp_sock_write_txrx' has 95 bytes, ")
        check(bool(said) == machines[name] and said[:1] == ["as prepared"] * machines[name], f"tcp_sock: write_txrx on {name}", said)


def everything(tree: Path) -> None:
    tcp_sock(tree, {"i386": False, "ppc32": True, "riscv64": False})
    put_device_back(tree)
    for name, layouts in matrix(tree, "net_device", "x86_64", "ppc32").items():
        said = settings(layouts, "group 'net_device_read_txrx' has ")
        check(said and "as prepared" not in said, f"net_device: read_txrx on {name}", said or [one["findings"] for one in layouts])


def test(source: Path, folder: Path) -> None:
    tree = scratch_of(source, folder / "linux")
    put_back(tree)
    on_x86(tree)
    if needs.where(f"{ARCHES['arm'].cross}gcc"):
        tcp_sock(tree, {"arm": True})
    else:
        skip("tcp_sock on arm", "no compiler for it")
    if sys.argv[1:] == ["all"]:
        everything(tree)


path = kernel("6.12")
if path and (path / "scripts/kconfig/conf").exists():
    with tempfile.TemporaryDirectory() as scratch:
        test(path, Path(scratch))
else:
    skip("what broke upstream", "KERNEL612 is not set, or has no scripts/kconfig/conf")
sys.exit(done())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""linekeeper matrix on a real kernel: the kernel's own merge_config.sh, gcc and pahole agree; stopped and gone on with, it is the same."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from xml.etree import ElementTree

sys.path.insert(0, "tests")
from tap import LINEKEEPER, TOP, check, compiler_call, done, kernel, linekeeper, run, skip  # noqa: E402

sys.path.insert(0, str(TOP / "scripts"))
from lk.kconfig import environment  # noqa: E402
from lk.tree import Tree  # noqa: E402

STRUCT, HEADER = "page_counter", "linux/page_counter.h"


def matrix(tree: Path, *words: object) -> dict:
    """Without what differs from run to run."""
    out = linekeeper("matrix", STRUCT, "--tree", tree, "--format", "json", "-j2", *words)
    if out.returncode:
        check(False, "matrix", out.stdout + out.stderr)
        return {}
    table = json.loads(out.stdout)[0]
    del table["seconds"]
    return table


def layout(table: dict, setting: str) -> dict:
    return next((one for one in table["structs"][0]["layouts"] if one["setting"] == setting), {"size": 0, "members": []})


def built(tree: Path, folder: Path, fragment: Path) -> dict:
    """Offsets that gcc gives the struct under a fragment that merge_config.sh and conf have taken: name -> offset."""
    here = folder / "merge"
    here.mkdir(exist_ok=True)
    subprocess.run([tree / "scripts/kconfig/merge_config.sh", "-m", "-O", here, tree / ".config", fragment], cwd=here, check=True,
                   capture_output=True)
    (here / "x/generated").mkdir(parents=True, exist_ok=True)
    private = {"KCONFIG_CONFIG": str(here / ".config"), "KCONFIG_AUTOCONFIG": str(here / "auto.conf"),
               "KCONFIG_AUTOHEADER": str(here / "x/generated/autoconf.h"), "KCONFIG_RUSTCCFG": str(here / "rustc_cfg")}
    env = {**environment(Tree(str(tree)), str(here / "env")), **private}
    for mode in ("olddefconfig", "syncconfig"):
        subprocess.run([tree / "scripts/kconfig/conf", "-s", f"--{mode}", "Kconfig"], cwd=here, env=env, check=True, capture_output=True)
    (here / "a.c").write_text(f"#include <{HEADER}>\nstruct {STRUCT} a;\n", encoding="utf-8")
    compiler, *rest = compiler_call(tree, str(here / "a.c"), here / "a.o")
    done_ = run(compiler, f"-I{here}/x", *rest, cwd=tree)
    text = run("pahole", "-F", "dwarf", "-C", STRUCT, here / "a.o").stdout
    offsets = {name: int(offset) for name, offset in re.findall(r"(\w+)(?:\[\d+\])?(?: __attribute__\S+)?; +/\* +(\d+) +\d+ \*/", text)}
    size = re.search(r"/\* size: (\d+)", text)
    check(done_.returncode == 0 and size, f"gcc compiles under {fragment.name}", done_.stderr + text)
    return {**offsets, "size": int(size[1]) if size else -1}


def agrees(tree: Path, folder: Path, table: dict) -> None:
    for number, one in enumerate(table["structs"][0]["layouts"]):
        if one["setting"] not in ("as prepared", "SMP=n", "X86_VSMP=y", "MPSC=y"):
            continue
        real = built(tree, folder, folder / f"fragments/{STRUCT}-{number}.config")
        ours = {member["name"]: member["offset"] for member in one["members"] if member["name"] in real}
        check(len(ours) > 5 and real == {**ours, "size": one["size"]}, f"{one['setting']}: gcc's offsets and size", (ours, real))


def stopped(tree: Path, work: Path, when: Path) -> None:
    """A matrix that is killed as soon as a file is there."""
    child = subprocess.Popen([LINEKEEPER, "matrix", STRUCT, "--tree", tree, "--work", work, "-j1"], stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, start_new_session=True)
    deadline = time.monotonic() + 600
    while not when.exists() and child.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def goes_on(tree: Path, folder: Path, whole: dict) -> None:
    """Stopped while it plans, and in the middle; then its jobs one by one; the same comes out."""
    work = folder / "work"
    stopped(tree, work, work / "pairs")
    check((work / "pairs").exists() and not (work / "plan.json").exists(), "stopped while it plans", list(work.iterdir()))
    stopped(tree, work, work / "1.json")
    random = [path.name for path in work.rglob("*") if path.is_file() and "\nCONFIG_RANDSTRUCT_FULL=y" in path.read_text(encoding="utf-8")]
    check((work / "allmodconfig.config").exists() and random == ["random"], "no configuration of the plan has members in an order by chance", random)
    ready = len(list(work.glob("[0-9]*.json")))
    out = linekeeper("matrix", STRUCT, "--tree", tree, "--work", work, "--print-jobs")
    jobs = out.stdout.split()
    check(ready >= 2 and jobs and len(jobs) + ready == whole["parses"], f"stopped behind {ready} parses, {len(jobs)} left", out.stderr)
    stamp = (work / "0.json").stat().st_mtime_ns
    out = linekeeper("matrix", "--tree", tree, "--work", work, "--run", *reversed(jobs[1:]))
    left = linekeeper("matrix", STRUCT, "--tree", tree, "--work", work, "--print-jobs").stdout.split()
    check(out.returncode == 0 and left == jobs[:1], "jobs in another order", out.stderr)
    check(matrix(tree, "--work", work) == whole, "the result is the same as in one go")
    check((work / "0.json").stat().st_mtime_ns == stamp, "what was read is not read again")
    out = linekeeper("matrix", STRUCT, "--tree", tree, "--work", work, "--format", "html")
    cells = [cell.text for cell in ElementTree.fromstring(out.stdout.split("\n", 1)[1]).iter("{http://www.w3.org/1999/xhtml}td")]
    check("X86_VSMP=y" in cells and "256" in cells, "as a page", out.stdout[:500])
    out = linekeeper("matrix", STRUCT, "--tree", tree, "--work", work)
    check(re.search(r"^ +256 +64 +4 +- +as prepared$", out.stdout, re.M) and not out.stderr, "as text", out.stdout + out.stderr)
    out = linekeeper("matrix", STRUCT, "--tree", tree, "--work", work, "--line-size", "128")
    check(out.returncode == 2 and "another line size: give another --work" in out.stderr, "another question needs another folder", out.stderr)
    out = linekeeper("matrix", "file", "--tree", tree, "--work", work)
    check(out.returncode == 2 and "another set of structs: give another --work" in out.stderr, "other structs too", out.stderr)


def found_elsewhere(tree: Path) -> None:
    """A struct that the tree's own configuration has not."""
    out = linekeeper("matrix", "kasan_cache", "--tree", tree, "-j2")
    check(re.search(r"^ +8 +4 +1 +- +KASAN=y$", out.stdout, re.M) and "configurations have no kasan_cache" in out.stdout
          and "as prepared\n" not in out.stdout, "a struct of other configurations than the tree's", out.stdout + out.stderr)


def test(tree: Path, folder: Path) -> None:
    table = matrix(tree, "--fragments", folder / "fragments")
    if not table:
        return
    one = table["structs"][0]
    check({"SMP", "X86_VSMP", "MPSC"} <= set(one["changes"]), "symbols that change it", one["changes"])
    check(layout(table, "as prepared")["size"] == 256 and layout(table, "SMP=n")["size"] == 128, "with SMP and without", one)
    check(layout(table, "X86_VSMP=y")["align"] == 4096 and layout(table, "MPSC=y")["line_size"] == 128, "lines of other sizes")
    check({"setting": "MPENTIUM4=y", "because": "X86_32 stays n: nothing here can turn it on"} in table["not_reached"], "what is not reached")
    check(table["randstruct"] and not one["unread"] and not table["pairs_left"], "RANDSTRUCT is said, every configuration was read", table)
    found_elsewhere(tree)
    agrees(tree, folder, table)
    goes_on(tree, folder, table)


path = kernel("6.12")
if path and (path / "scripts/kconfig/conf").exists():
    with tempfile.TemporaryDirectory() as name:
        test(path, Path(name))
else:
    skip("matrix on linux 6.12", "KERNEL612 is not set, or has no scripts/kconfig/conf")
sys.exit(done())

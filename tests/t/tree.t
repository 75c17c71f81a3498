#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""tests/tree is what it says: every compiler and parser reads it without a word, and the sizes are those of 6.1."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Callable, List

TREE = Path("tests/tree").resolve()
COCCI_MACROS = Path("cocci/kernel-macros.h").resolve()
CONFIGS = ("", "debug", "up", "vsmp")

SIZES = """
#include <linux/memcontrol.h>
#include <linux/netdevice.h>
#include "fs/minifs/minifs.h"

#define IS(value, number)	_Static_assert((value) == (number), #value " is not " #number)
#define AT(type, member, number)	IS(offsetof(struct type, member), number)

IS(sizeof(struct page_counter), 112);
AT(page_counter, parent, 40);
AT(page_counter, failcnt, 104);

IS(sizeof(struct address_space), 192);
IS(_Alignof(struct address_space), 8);
AT(address_space, i_mmap, 72);
AT(address_space, i_mmap_rwsem, 88);
AT(address_space, private_data, 184);

AT(cgroup, rstat_cpu, 776);
AT(cgroup, rstat_css_list, 784);
AT(cgroup, last_bstat, 808);
IS(sizeof(struct cgroup_subsys_state), 200);
IS(sizeof(struct cgroup_file), 56);
IS(sizeof(struct cgroup_rstat_cpu), 64);

IS(sizeof(struct rw_semaphore), 40);
IS(sizeof(struct mutex), 32);
IS(sizeof(struct work_struct), 32);
IS(sizeof(struct timer_list), 40);
IS(sizeof(struct wait_queue_head), 24);
IS(sizeof(struct xarray), 16);
IS(sizeof(struct rb_root_cached), 16);
IS(sizeof(spinlock_t), 4);
IS(sizeof(atomic_long_t), 8);

IS(offsetof(struct inode, i_data) % 8, 0);
IS(offsetof(struct mem_cgroup, vmstats) % 64, 0);
IS(offsetof(struct net_device, priv) % 64, 0);
"""


class Skip(Exception):
    """The reason why a test cannot run."""


def run(*words: str, cwd: Path) -> str:
    """What the command says on both channels, and its exit status when that is not 0."""
    done = subprocess.run(words, cwd=cwd, env={**os.environ, "LC_ALL": "C"}, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.stdout + (f"exit status {done.returncode}\n" if done.returncode else "")


def make(tree: Path, *words: str) -> str:
    """make's own output, less the short lines that say what is compiled."""
    output = run("make", *words, cwd=tree)
    return "".join(line for line in output.splitlines(True) if not re.match(r"  CC      \S+\n$", line))


def tool(name: str, where: str = "") -> str:
    path = shutil.which(where or name)
    if not path:
        raise Skip(f"no {name}")
    return path


def files() -> List[Path]:
    return sorted(path for path in TREE.rglob("*") if path.is_file())


def scratch(folder: Path, config: str = "") -> Path:
    """A copy of the tree, prepared."""
    tree = folder / (config or "default")
    if not tree.exists():
        shutil.copytree(TREE, tree, symlinks=True)
        for words in ([f"{config}.config"] if config else []), ["prepare"]:
            said = make(tree, *words) if words else ""
            if said:
                raise AssertionError(said)
    return tree


def flags(tree: Path, of: str = "arch/x86/kernel/.asm-offsets.s.cmd") -> List[str]:
    """The compiler and its flags out of a .cmd file, less what names the output."""
    words = shlex.split((tree / of).read_text().splitlines()[0].split(" := ", 1)[1])
    return [word for word in words[:words.index("-o")] if not word.startswith("-Wp,") and word not in ("-S", "-c")]


def small(_: Path) -> str:
    lines = sum(len(path.read_text().splitlines()) for path in files())
    return "" if lines < 1500 else f"{lines} lines"


def licensed(_: Path) -> str:
    return "".join(f"{path}\n" for path in files()
                   if path.suffix in (".c", ".h", ".sh") or path.name in ("Makefile", "Kconfig")
                   if "SPDX-License-Identifier: GPL-2.0-only" not in "".join(path.read_text().splitlines()[:2]))


def configured(_: Path) -> str:
    known = set(re.findall(r"^config (\w+)", (TREE / "Kconfig").read_text(), re.M))
    used = {(path.name, name) for path in files() if path.name != "Kconfig"
            for name in re.findall(r"\bCONFIG_([A-Z0-9_]+)\b", path.read_text())}
    return "".join(f"{name} in {file}\n" for file, name in sorted(used) if name not in known)


def prepared(folder: Path) -> str:
    tree = scratch(folder)
    cmd = (tree / "arch/x86/kernel/.asm-offsets.s.cmd").read_text().splitlines()
    source = "arch/x86/kernel/asm-offsets.c"
    if not re.match(r"cmd_arch/x86/kernel/asm-offsets\.s := gcc -Wp,-MMD,\S+ -nostdinc -I\./arch/x86/include .*"
                    r" -D__KERNEL__ .* -m64 .*-DKBUILD_MODNAME='\"asm_offsets\"'.* -S -o \S+ " + source, cmd[0]):
        return cmd[0]
    if cmd[2] != f"source_arch/x86/kernel/asm-offsets.s := {source}":
        return cmd[2]
    if "CONFIG_NR_CPUS=64\n" not in (tree / "include/config/auto.conf").read_text():
        return "auto.conf"
    header = (tree / "include/generated/autoconf.h").read_text()
    return "" if "#define CONFIG_SMP 1\n" in header and "LOCKDEP" not in header else header


def unknown_symbol(folder: Path) -> str:
    tree = folder / "unknown"
    shutil.copytree(TREE, tree)
    with open(tree / ".config", "a", encoding="ascii") as file:
        file.write("CONFIG_SPELT_WORNG=y\n")
    said = make(tree, "prepare")
    return "" if "unknown symbol CONFIG_SPELT_WORNG" in said and not (tree / "include/generated/autoconf.h").exists() \
        else said or "was taken"


def same_flags(folder: Path) -> str:
    """An object is compiled with the flags that `make prepare` wrote down, but for its names."""
    tree = scratch(folder)
    said = make(tree, "mm/page_counter.o")
    ours, theirs = ([word for word in flags(tree, cmd) if "KBUILD_" not in word]
                    for cmd in ("mm/.page_counter.o.cmd", "arch/x86/kernel/.asm-offsets.s.cmd"))
    return said or "" if ours + ["-fverbose-asm"] == theirs else f"{ours}\n{theirs}\n"


def rebuilt(folder: Path) -> str:
    """A second make compiles nothing, one after a header or the configuration changed does."""
    tree = scratch(folder)
    said = make(tree, "mm/mmap.o") + run("make", "mm/mmap.o", cwd=tree)
    time.sleep(0.05)  # file times come from a clock that ticks 100 times a second
    os.utime(tree / "include/linux/fs.h")
    again = run("make", "mm/mmap.o", cwd=tree)
    time.sleep(0.05)
    os.utime(tree / ".config")
    both = "  CC      arch/x86/kernel/asm-offsets.s\n  CC      mm/mmap.o\n"
    configured_again = run("make", "prepare", "mm/mmap.o", cwd=tree)
    good = "is up to date" in said and again == "  CC      mm/mmap.o\n" and configured_again == both
    return "" if good else said + again + configured_again


def compiled(config: str, compiler: str) -> Callable[[Path], str]:
    def test(folder: Path) -> str:
        tree = scratch(folder, config)
        for path in tree.rglob("*.o"):
            path.unlink()
        return make(tree, "all", f"CC={os.path.basename(tool(compiler))}")
    return test


def parsed_by_sparse(config: str) -> Callable[[Path], str]:
    def test(folder: Path) -> str:
        source = os.environ.get("SPARSE_SRC", "")
        sparse = tool("sparse", f"{source}/sparse" if source else "")
        return make(scratch(folder, config), "all", "C=2", f"CHECK={sparse}", "-B")
    return test


def parsed_by_spatch(folder: Path) -> str:
    """Lines that spatch cannot read; it reads no macro that declares something, and takes size_t for a keyword."""
    spatch = tool("spatch", os.environ.get("SPATCH", ""))
    sources = [str(path.relative_to(TREE)) for path in files() if path.suffix in (".c", ".h")]
    said = run(spatch, "--macro-file-builtins", str(COCCI_MACROS), "--parse-c", *sources, cwd=scratch(folder))
    if f"NB total files = {len(sources)};" not in said:
        return said
    bad = re.findall(r"^BAD:!+ (.*)", said, re.M)
    macros = re.findall(r"^[ \t]*#[ \t]*define(?:.*\\\n)*.*", "".join(path.read_text() for path in files()), re.M)
    return "".join(f"{line}\n" for line in bad
                   if not line.startswith("typedef ") and not any(line in macro for macro in macros))


def sized(folder: Path) -> str:
    tree = scratch(folder)
    (tree / "sizes.c").write_text(SIZES)
    return run(*flags(tree), "-I.", "-fsyntax-only", "sizes.c", cwd=tree)


def seed_003_breaks(folder: Path) -> str:
    """The padding of seed 003 pushes cgroup_root.rcu past a page where nodes, not CPUs, share lines."""
    wrong = ""
    for config in "", "vsmp":
        tree = folder / f"seed-003-{config}"
        shutil.copytree(scratch(folder, config), tree)
        header = tree / "include/linux/cgroup-defs.h"
        behind = "\tstruct list_head rstat_css_list;\n"
        header.write_text(header.read_text().replace(behind, behind + "\tCACHELINE_PADDING(_pad_);\n"))
        said = make(tree, "-B", "kernel/cgroup/cgroup.o")
        if ("BUILD_BUG_ON" in said) != (config == "vsmp"):
            wrong += said or f"{config or 'default'}: compiles\n"
    return wrong


def main() -> int:
    tests = [("below 1,500 lines", small), ("every file has its licence", licensed),
             ("every CONFIG_ symbol stands in Kconfig", configured),
             ("make prepare leaves what kbuild leaves", prepared),
             (".config with an unknown symbol is refused", unknown_symbol),
             ("make FILE.o takes the same flags", same_flags),
             ("an object follows its headers and .config", rebuilt),
             ("sizes and offsets are those of 6.1", sized)]
    for config in CONFIGS:
        name = config or "default"
        tests += [(f"{name} configuration: {compiler} says nothing", compiled(config, compiler))
                  for compiler in ("gcc", "clang")]
        tests.append((f"{name} configuration: sparse says nothing", parsed_by_sparse(config)))
    tests += [("spatch reads all structs and functions", parsed_by_spatch),
              ("seed 003 builds, and does not where lines are pages", seed_003_breaks)]

    print(f"1..{len(tests)}")
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for number, (what, test) in enumerate(tests, 1):
            try:
                fault = test(Path(folder))
            except Skip as why:
                print(f"ok {number} - {what} # SKIP {why}")
                continue
            except (AssertionError, OSError) as err:
                fault = str(err) or repr(err)
            failed |= bool(fault)
            print(f"{'not ok' if fault else 'ok'} {number} - {what}")
            for line in fault.splitlines():
                print(f"# {line}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

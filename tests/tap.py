# SPDX-License-Identifier: GPL-2.0-only
"""For tests in Python: TAP, the trees to work on, linekeeper's commands."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Optional

TOP = Path(__file__).resolve().parent.parent
LINEKEEPER = os.environ.get("LINEKEEPER") or str(TOP / "scripts/linekeeper")
_count = 0
_failed = 0


def check(passed: bool, what: str, detail: object = "") -> bool:
    """One test; what a failure shows is `detail`."""
    global _count, _failed
    _count += 1
    _failed += not passed
    print(f"{'ok' if passed else 'not ok'} {_count} - {what}")
    if not passed:
        print("".join(f"#   {line}\n" for line in str(detail).splitlines()), end="", flush=True)
    return passed


def skip(what: str, why: str) -> None:
    global _count
    _count += 1
    print(f"ok {_count} - {what} # SKIP {why}")


def done() -> int:
    print(f"1..{_count}")
    return 1 if _failed else 0


def run(*argv: object, cwd: Optional[Path] = None, **environment: str) -> subprocess.CompletedProcess:
    """A command with its output as text; never raises for its status."""
    return subprocess.run([str(word) for word in argv], cwd=cwd, env={**os.environ, **environment}, text=True,
                          capture_output=True, errors="replace", check=False)


def linekeeper(*argv: object, **how: object) -> subprocess.CompletedProcess:
    return run(LINEKEEPER, *argv, **how)


def kernel(version: str) -> Optional[Path]:
    """The prepared kernel tree of the tests, "6.1" or "6.12", "5.10" or "new" where a user names one; not to be changed."""
    path = os.environ.get(f"KERNEL{version.replace('.', '').upper()}")
    return Path(path) if path else None


def small_tree(folder: Path) -> Path:
    """A prepared copy of tests/tree."""
    tree = folder / "linux"
    shutil.copytree(TOP / "tests/tree", tree)
    subprocess.run(["make", "-s", "-C", tree, "prepare"], check=True, stdout=subprocess.DEVNULL)
    return tree


def scratch_of(kernel_tree: Path, scratch: Path) -> Path:
    """A tree whose include/ is a copy and whose rest are links to kernel_tree."""
    scratch.mkdir(parents=True, exist_ok=True)
    for entry in kernel_tree.iterdir():
        if entry.name != "include":
            (scratch / entry.name).symlink_to(entry)
    shutil.copytree(kernel_tree / "include", scratch / "include", symlinks=True)
    return scratch


def writable(tree: Path, path: str) -> Path:
    """A file, which need not exist, of a scratch_of(): its folders become the tree's own, and it a copy."""
    for folder in [tree / name for name in reversed(Path(path).parents)]:
        if folder.is_symlink():
            there = folder.resolve()
            folder.unlink()
            folder.mkdir()
            for entry in there.iterdir():
                (folder / entry.name).symlink_to(entry)
    file = tree / path
    if file.is_symlink():
        text = file.read_bytes()
        file.unlink()
        file.write_bytes(text)
    return file


def planted(kernel_tree: Path, scratch: Path, header: str, code: str) -> Path:
    """scratch_of() with an include/linux/planted.h and a kernel/planted.c."""
    tree = scratch_of(kernel_tree, scratch)
    (tree / "include/linux/planted.h").write_text(header, encoding="utf-8")
    writable(tree, "kernel/planted.c").write_text(code, encoding="utf-8")
    return tree


def tree_to_build(source: Path, tree: Path, written: tuple) -> Path:
    """A built kernel to build in: copies of the folders that are written, links to the rest."""
    for folder in ("", "arch"):
        (tree / folder).mkdir()
        for entry in (source / folder).iterdir():
            name = os.path.join(folder, entry.name)
            if name in written:
                shutil.copytree(entry, tree / name, symlinks=True)
            elif entry.is_dir() and name != "arch":
                (tree / name).symlink_to(entry)
            elif name != "arch":
                shutil.copy2(entry, tree / name, follow_symlinks=False)
    return tree


def annotatable(tree: Path) -> Path:
    """A tree whose include/ is a copy, with the header where every unit reads it: the compiler's, and those that relayout parses."""
    shutil.copy(TOP / "include/cacheline_layout.h", tree / "include/linux")
    with open(tree / "include/linux/kconfig.h", "a", encoding="utf-8") as file:
        file.write("#include <linux/cacheline_layout.h>\n")
    return tree


def relayout(tree: Path, folder: str, rules: list, *words: str) -> None:
    """Applies rules of cocci/FOLDER one after the other, each a test."""
    for rule in rules:
        out = linekeeper("relayout", "--tree", tree, "--rule", TOP / "cocci" / folder / f"{rule}.cocci", "--write", *words)
        check(out.returncode == 0, f"relayout {folder}/{rule} {' '.join(words)}".strip(), out.stdout + out.stderr)


def compiler_call(tree: Path, source: str, out: object) -> list:
    """gcc as kbuild would call it on a file of the (x86) tree, with DWARF, the object elsewhere; cwd is to be the tree."""
    with open(tree / "arch/x86/kernel/.asm-offsets.s.cmd", encoding="utf-8") as file:
        words = shlex.split(file.readline().split(":=", 1)[1])
    flags = [word for word in words[1:-1] if not word.startswith(("-Wp,-MM", "-DKBUILD_")) and word not in
             ("-S", "-fverbose-asm", "-o") and not word.endswith(".s")]
    return [shutil.which(words[0]) or words[0], *flags, '-DKBUILD_MODNAME="x"', '-DKBUILD_BASENAME="x"',
            '-DKBUILD_MODFILE="x"', "-g", "-c", source, "-o", str(out)]


sys.dont_write_bytecode = True

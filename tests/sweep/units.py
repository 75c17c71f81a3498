#!/usr/bin/python3 -SE
# SPDX-License-Identifier: GPL-2.0-only
"""
Which calls of the checker kbuild makes in whole folders: what `make C=2` hands to CHECK=, recorded.

The makefiles decide, nothing is guessed. make's CHECK= is this file, which writes its arguments down. Its CC= is this file
too: no object is wanted, so an empty file is compiled with the flags of the real one, and make goes on at once.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from lk.arches import ARCHES  # noqa: E402


def clean_env(**more: str) -> dict:
    ours = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "O", "V", "BUILD", "ARCH", "CROSS_COMPILE")
    return {**{k: v for k, v in os.environ.items() if k not in ours}, "LC_ALL": "C", **more}


def make(source: Path, out: Path, arch: str, *words: str) -> str:
    """make's log; CalledProcessError when it fails"""
    argv = ["nice", "make", "-s", "-k", f"-j{os.cpu_count() or 1}", f"O={out}", f"ARCH={ARCHES[arch].make}", f"CROSS_COMPILE={ARCHES[arch].cross}"]
    return subprocess.run([*argv, *words], cwd=source, env=clean_env(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", check=True).stdout


def prepare(source: Path, out: Path, arch: str, config: Path | str, more: list) -> None:
    """An O= folder with that configuration (a .config, or a make target) and the words of `more` (MEMCG=y, WERROR=n)"""
    stamp = out / ".prepared"
    if stamp.exists():
        return
    out.mkdir(parents=True, exist_ok=True)
    if isinstance(config, str):
        make(source, out, arch, config)
    else:
        (out / ".config").write_text(config.read_text())
    with open(out / ".config", "a", encoding="ascii") as file:
        file.writelines(f"# CONFIG_{word[:-2]} is not set\n" if word.endswith("=n") else f"CONFIG_{word}\n" for word in more)
    make(source, out, arch, "olddefconfig")
    make(source, out, arch, "prepare")
    stamp.touch()


def record(source: Path, out: Path, arch: str, targets: list) -> list:
    """[{"cwd", "argv" (flags, then the file)}...] of every unit of the targets, in order of their files' names"""
    log = out.with_name(f"{out.name}.units")
    if not log.exists():
        part = log.with_suffix(".part")
        part.unlink(missing_ok=True)
        me = f"{Path(__file__).resolve()}"
        try:
            make(source, out, arch, "C=2", f"CHECK={me} check {part}", f"CC={me} cc {ARCHES[arch].cross}gcc", *targets)
        except subprocess.CalledProcessError as failed:
            sys.stderr.write(failed.stdout[-3000:])
            raise
        part.rename(log)
    units = {line: json.loads(line) for line in log.read_text().splitlines()}
    return sorted(units.values(), key=lambda unit: unit["argv"][-1])


def write_down(part: str, argv: list) -> None:
    line = json.dumps({"cwd": os.getcwd(), "argv": argv}) + "\n"
    fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    os.write(fd, line.encode())        # one write: make runs several of us
    os.close(fd)


def compile_nothing(compiler: str, argv: list) -> None:
    if "-c" in argv and "-D__KERNEL__" in argv and argv[-1].endswith(".c"):
        argv = [*argv[:-1], "-x", "c", "/dev/null"]
    os.execvp(compiler, [compiler, *argv])


if __name__ == "__main__":
    if sys.argv[1] == "check":
        write_down(sys.argv[2], sys.argv[3:])
    elif sys.argv[1] == "cc":
        compile_nothing(sys.argv[2], sys.argv[3:])
    else:
        sys.exit("usage: units.py check FILE FLAG... | cc COMPILER FLAG...")

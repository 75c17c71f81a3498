# SPDX-License-Identifier: GPL-2.0-only
"""Objects of a real kernel, built aside with DWARF: the prepared tree itself is never written to."""

import os
import shlex
import subprocess
from pathlib import Path
from typing import List, Optional

# make's name of the architecture: its folder below arch/, the compilers' prefix, the configuration, our ABI
ARCHES = {
    "arm": ("arm", "arm-linux-gnueabihf-", "multi_v7_defconfig", "arm"),
    "arm64": ("arm64", "aarch64-linux-gnu-", "defconfig", "arm64"),
    "x86_64": ("x86", "", "", "x86-64"),
}
GENERATED_DIRS = ("include/config", "include/generated")
GENERATED_SUFFIXES = (".a", ".cmd", ".d", ".ko", ".mod", ".o", ".order", ".so")
# types that only a declaration uses are compared too, whatever the configuration thinks of debug information
KCFLAGS = "-g -fno-eliminate-unused-debug-types -femit-struct-debug-detailed=any"


class BuildFailed(Exception):
    """make said no; the text is its last lines"""


def is_generated(folder: str, name: str, names: set) -> bool:
    """a file that an in-tree build left behind, which would mislead a build with O="""
    if name.endswith(GENERATED_SUFFIXES) or f".{name}.cmd" in names:
        return True
    return folder == "" and (name.startswith(".config") or name in ("Module.symvers", "System.map", "vmlinux"))


def shadow(tree: Path, dest: Path) -> Path:
    """dest, a tree of links to the source files of tree, which looks as if nothing was ever built in it"""
    done = dest / ".shadow-complete"
    if done.exists():
        return dest
    for folder, dirs, files in os.walk(tree):
        rel = os.path.relpath(folder, tree)
        rel = "" if rel == "." else rel
        dirs[:] = [d for d in dirs if os.path.join(rel, d) not in GENERATED_DIRS and d != ".git"
                   and not (rel.startswith("arch/") and rel.endswith("/include") and d == "generated")]
        target = dest / rel
        target.mkdir(parents=True, exist_ok=True)
        names = set(files)
        for name in files:
            if is_generated(rel, name, names) or (target / name).is_symlink():
                continue
            (target / name).symlink_to(os.path.join(os.path.realpath(folder), name))
    done.touch()
    return dest


class Build:
    """an O= folder for one tree and one architecture"""

    def __init__(self, tree: Path, work: Path, arch: str):
        self.tree, self.arch = tree.resolve(), arch
        self.srcarch, self.cross, self.config, self.abi = ARCHES[arch]
        self.src = work / "src"
        self.out = work / arch

    def make(self, *targets: str, keep_going: bool = False, jobs: Optional[int] = None) -> subprocess.CompletedProcess:
        """make in the shadow tree; never raises"""
        argv = ["nice", "make", "-s", f"-j{jobs or os.cpu_count() or 1}", f"O={self.out}", f"ARCH={self.arch}",
                f"CROSS_COMPILE={self.cross}", f"KCFLAGS={KCFLAGS}"]
        argv += ["-k"] if keep_going else []
        env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "O", "V", "BUILD")}
        env["LC_ALL"] = "C"
        return subprocess.run(argv + list(targets), cwd=self.src, env=env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)

    def must_make(self, *targets: str) -> None:
        """make, or BuildFailed"""
        done = self.make(*targets)
        if done.returncode:
            raise BuildFailed(f"make {' '.join(targets)}: " + "\n".join(done.stdout.splitlines()[-15:]))

    def prepare(self) -> None:
        """configure as the tree is (its own architecture) or by the architecture's defconfig, and make prepare"""
        done = self.out / ".prepare-complete"
        if done.exists():
            return
        shadow(self.tree, self.src)
        self.out.mkdir(parents=True, exist_ok=True)
        if self.config:
            self.must_make(self.config)
        else:
            (self.out / ".config").write_bytes((self.tree / ".config").read_bytes())
        with open(self.out / ".config", "a", encoding="ascii") as config:
            config.write("CONFIG_MEMCG=y\n# CONFIG_DEBUG_INFO_BTF is not set\n# CONFIG_GCC_PLUGINS is not set\n")
        self.must_make("olddefconfig")
        self.must_make("prepare")
        done.touch()

    def objects(self, wanted: List[str]) -> List[str]:
        """build the wanted objects (paths from the top, .o); those that this configuration has, in order"""
        missing = [o for o in wanted if not (self.out / o).exists()]
        if missing:
            self.make(*missing, keep_going=True)
        return [o for o in wanted if (self.out / o).exists() and self.command(o) is not None]

    def command(self, obj: str) -> Optional[List[str]]:
        """the compiler's argument list, from the object's .cmd file; None when there is none"""
        path = self.out / obj
        cmd = path.with_name(f".{path.name}.cmd")
        if not cmd.exists():
            return None
        first = cmd.read_text(encoding="utf-8", errors="replace").split("\n", 1)[0]
        name, _, text = first.partition(":=")
        if not name.startswith(("cmd_", "savedcmd_")):
            return None
        return shlex.split(text.split(" ; ", 1)[0])

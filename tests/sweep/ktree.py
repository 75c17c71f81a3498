# SPDX-License-Identifier: GPL-2.0-only
"""Objects of a real kernel, built aside with DWARF: the prepared tree itself is never written to."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import List, Optional

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from lk import shadow as links  # noqa: E402
from lk.arches import ARCHES  # noqa: E402

ABIS = {"ppc64le": "ppc64", "x86_64": "x86-64"}      # ours, where it has another name
# types that only a declaration uses are compared too, whatever the configuration thinks of debug information
KCFLAGS = "-g -fno-eliminate-unused-debug-types -femit-struct-debug-detailed=any"


class BuildFailed(Exception):
    """make said no; the text is its last lines"""


def shadow(tree: Path, dest: Path) -> Path:
    """dest, folders with links to the source files of tree, which look as if nothing was ever built there"""
    done = dest / ".shadow-complete"
    if not done.exists():
        shutil.rmtree(dest, ignore_errors=True)
        links.shadow(os.path.realpath(tree), str(dest), each=True)
        done.touch()
    return dest


class Build:
    """an O= folder for one tree and one architecture"""

    def __init__(self, tree: Path, work: Path, arch: str):
        self.tree, self.arch = tree.resolve(), arch
        self.names, self.abi = ARCHES[arch], ABIS.get(arch, arch)
        self.src = work / "src"
        self.out = work / arch

    def make(self, *targets: str, keep_going: bool = False, jobs: Optional[int] = None) -> subprocess.CompletedProcess:
        """make in the shadow tree; never raises"""
        argv = ["nice", "make", "-s", f"-j{jobs or os.cpu_count() or 1}", f"O={self.out}", f"ARCH={self.names.make}",
                f"CROSS_COMPILE={self.names.cross}", f"KCFLAGS={KCFLAGS}"]
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
        if self.arch != "x86_64":
            self.must_make(self.names.config)
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

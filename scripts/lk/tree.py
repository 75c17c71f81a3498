# SPDX-License-Identifier: GPL-2.0-only
"""A kernel tree: where it is, which compiler flags its files are read with, under which configuration."""

import os
import re
from functools import cached_property

from lk.errors import WrongUse

# arch/ folder -> what the kernel's own arch/*/Makefile adds to CHECKFLAGS, without and with CONFIG_64BIT
CHECKFLAGS = {
    "arm": (["-D__arm__"], []),
    "arm64": ([], ["-D__aarch64__"]),
    "powerpc": (["-D__powerpc__", "-D__powerpc32__"], ["-D__powerpc__", "-D__powerpc64__"]),
    "riscv": (["-D__riscv", "-D__riscv_xlen=32"], ["-D__riscv", "-D__riscv_xlen=64"]),
    "s390": ([], ["-D__s390__", "-D__s390x__"]),
    "x86": (["-D__i386__"], ["-D__x86_64__"]),
}
# what `menuconfig` turns on with PROVE_LOCKING (lib/Kconfig.debug) and makes locks, work items and timers larger
LOCKDEP = tuple(f"CONFIG_{name}=y" for name in (
    "PROVE_LOCKING", "LOCKDEP", "DEBUG_LOCK_ALLOC", "DEBUG_SPINLOCK", "DEBUG_MUTEXES", "DEBUG_RWSEMS", "DEBUG_RT_MUTEXES",
    "DEBUG_WW_MUTEX_SLOWPATH", "TRACE_IRQFLAGS"))
LOCKDEP_BOUNDS = {"SPINLOCK_SIZE": 72}      # bytes, of a 64-bit kernel; mm_types.h asserts by it
AUTOCONF = "include/generated/autoconf.h"
# gcc's flags that say nothing about a layout and that sparse takes for something else
DROPPED = re.compile(r"-Wp,-MM?D,.*|-fverbose-asm|-S|-c|-g.*|-Werror.*")


def split_words(text: str) -> list:
    """The words of a command as a shell splits it; .cmd files quote with ' and \\ only."""
    return [re.sub(r"'([^']*)'|\\(.)", lambda m: m.group(1) or m.group(2) or "", word)
            for word in re.findall(r"(?:'[^']*'|\\.|[^\s'\\])+", text)]


def command_words(line: str) -> list:
    """The compiler's arguments, of the first line of a .cmd file; what make runs behind the compiler is cut off."""
    words = split_words(line.split(":=", 1)[-1].split(" ; ")[0])
    first = next((number for number, word in enumerate(words) if word.startswith("-")), len(words))
    return words[first:]        # the compiler may be two words: ccache gcc


def _tree_around(folder: str) -> str:
    """The folder, or the first one above it, that looks like a kernel tree, or like the O= folder of a build."""
    here = above = os.path.realpath(folder)
    while above != "/":
        if os.path.exists(os.path.join(above, "Kconfig")) and os.path.isdir(os.path.join(above, "kernel")) or \
                os.path.islink(os.path.join(above, "source")) and os.path.exists(os.path.join(above, AUTOCONF)):
            return above
        above = os.path.dirname(above)
    return here


class Tree:
    """A kernel tree that `make prepare` was run in; `src` differs from `root` for a build with O=."""

    def __init__(self, path: str) -> None:
        self.root = os.path.realpath(path or _tree_around("."))
        link = os.path.join(self.root, "source")
        self.src = os.path.realpath(link) if os.path.islink(link) else self.root
        if not all(os.path.exists(os.path.join(self.src, name)) for name in ("Kconfig", "Makefile", "include/linux")):
            raise WrongUse(f"{path or self.root} is not a kernel tree: give one with --tree, the source or the O= folder of a build")
        self.autoconf = os.path.join(self.root, AUTOCONF)
        if not os.path.exists(self.autoconf):
            raise WrongUse(f"{self.root} is not prepared: run `make defconfig && make prepare` there, or give the O= folder of its build")
        self.cmd = self._asm_offsets_cmd()
        self.arch = self.cmd.split("arch/")[-1].split("/")[0]

    def _asm_offsets_cmd(self) -> str:
        arches = sorted(os.listdir(os.path.join(self.root, "arch")))
        for arch in arches:
            path = os.path.join(self.root, "arch", arch, "kernel/.asm-offsets.s.cmd")
            if os.path.exists(path):
                return path
        raise WrongUse(f"{self.root} is not prepared: run `make prepare` there")

    def has(self, symbol: str) -> bool:
        """Is the Kconfig symbol y or m in the tree's own configuration?"""
        with open(self.autoconf, encoding="utf-8") as file:
            return re.search(rf"^#define {symbol}(_MODULE)? 1$", file.read(), re.M) is not None

    def own_cmd(self, file: str) -> str:
        """The .cmd file of the object that kbuild made of that .c file, which need not exist."""
        folder, name = os.path.split(file)
        return os.path.join(self.root, folder, f".{os.path.splitext(name)[0]}.o.cmd")

    def flags(self, file: str) -> list:
        """How the kernel's make would call sparse for that file: CHECKFLAGS, then the compiler's flags."""
        own = self.own_cmd(file)
        built = file.endswith(".c") and os.path.exists(own)
        cmd = own if built else self.cmd
        with open(cmd, encoding="utf-8", errors="replace") as lines:
            words = command_words(lines.readline())
        flags = self.for_sparse(words[:-1], file)
        if not built and not file.startswith("include/"):
            from lk.folder_flags import folder_flags
            flags += [re.sub("^-I", f"-I{self.inside('.')}/", flag) for flag in folder_flags(self.src, os.path.dirname(file))]
        return flags

    @cached_property
    def bits64(self) -> bool:
        return self.has("CONFIG_64BIT")

    @cached_property
    def checkflags(self) -> list:
        """What the kernel's make adds for its checker."""
        endian = "-mbig-endian" if self.has("CONFIG_CPU_BIG_ENDIAN") else "-mlittle-endian"
        return ["-D__linux__", "-Dlinux", "-D__STDC__", "-Dunix", "-D__unix__", f"--arch={self.arch}", endian,
                "-m64" if self.bits64 else "-m32", *CHECKFLAGS.get(self.arch, ([], []))[self.bits64]]

    def for_sparse(self, words: list, file: str) -> list:
        """CHECKFLAGS, then those of the compiler's flags that sparse is to have for that file."""
        kept = []
        skip = False
        for word in words:
            if skip or word == "-o":
                skip = word == "-o"
            elif not DROPPED.fullmatch(word) and not word.startswith("-DKBUILD_"):
                kept.append(word)
        stem = os.path.splitext(os.path.basename(file))[0].replace("-", "_")
        return [*self.checkflags, *(f'-DKBUILD_{name}="{stem}"' for name in ("MODNAME", "BASENAME", "MODFILE")), *kept]

    def inside(self, file: str) -> str:
        """A file of the source tree as seen from root, where the engines run."""
        return os.path.normpath(os.path.join(os.path.relpath(self.src, self.root), file))

    def relative(self, path: str) -> str:
        """A path that the user gave, relative to the source tree; refused when it is outside."""
        for base in ("", self.src + "/"):
            full = os.path.realpath(base + path)
            if os.path.isfile(full) and full.startswith(self.src + "/"):
                return full[len(self.src) + 1:]
        raise WrongUse(f"no file {path} in {self.src}")


def add_arguments(parser) -> None:
    """The arguments that say which tree and which configuration."""
    parser.add_argument("--tree", default="", metavar="DIR", help="kernel tree (default: the one around the current folder)")
    parser.add_argument("--line-size", metavar="N", help="bytes of a cache line (default: the tree's L1_CACHE_BYTES)")
    parser.add_argument("--config", metavar="FILE", help="read the tree under this .config instead of its own")
    parser.add_argument("--set", action="append", default=[], metavar="CONFIG_X=VALUE",
                        help="with this symbol y, n, m or a value; what depends on it stays as it is")
    parser.set_defaults(assumed=())


def defines(symbol: str, value: str) -> list:
    """What autoconf.h says of a setting of a .config."""
    if value == "n":
        return []
    if value in ("y", "m"):
        return [f"#define {symbol}{'_MODULE' if value == 'm' else ''} 1"]
    return [f"#define {symbol} {value}"]


def _known(tree: Tree, symbol: str) -> bool:
    """Does any Kconfig file or the tree's configuration speak of it?"""
    from lk import where
    pattern = rf"^[[:space:]]*(menu)?config {symbol[len('CONFIG_'):]}[[:space:]]*$"
    folders = [name for name in ("Kconfig", *where.all_folders(tree), "arch") if os.path.exists(os.path.join(tree.src, name))]
    return bool(where.grep(pattern, folders, tree.src, ("Kconfig*",)))


def check_setting(tree: Tree, setting: str, lines: list) -> None:
    """Refuses what is no setting of a symbol that the tree knows."""
    symbol, sep, value = setting.partition("=")
    if not sep or not re.fullmatch(r"CONFIG_\w+", symbol) or not value:
        raise WrongUse(f"--set {setting}: give it as CONFIG_X=y, =n, =m or =value")
    if not re.fullmatch(r'[ynm]|-?\d+|0x[0-9a-fA-F]+|"[^"\n]*"', value):
        raise WrongUse(f"--set {setting}: the value is none of y, n, m, a number, a \"string\"")
    if not any(line.startswith((f"#define {symbol} ", f"#define {symbol}_MODULE ")) for line in lines) and not _known(tree, symbol):
        raise WrongUse(f"--set {setting}: no Kconfig file of {tree.src} knows {symbol}")


def configured_lines(tree: Tree, config, settings: list, assumed: tuple = ()) -> list:
    """The lines of autoconf.h with --config, --set, and settings that nobody typed."""
    if config:
        try:
            with open(config, encoding="utf-8") as file:
                pairs = re.findall(r"^(CONFIG_\w+)=(.*)$", file.read(), re.M)
        except OSError as err:
            raise WrongUse(f"{config}: {err.strerror}") from err
        if not pairs:
            raise WrongUse(f"{config} has no line CONFIG_X=..., so it is no .config")
        lines = [line for symbol, value in pairs for line in defines(symbol, value)]
    else:
        with open(tree.autoconf, encoding="utf-8") as file:
            lines = file.read().splitlines()
    for setting in settings:
        check_setting(tree, setting, lines)
    values = dict(setting.split("=", 1) for setting in [*settings, *assumed])
    other = tuple(f"#define {symbol}{end} " for symbol in values for end in ("", "_MODULE"))
    return [line for line in lines if not line.startswith(other)] + [line for pair in values.items() for line in defines(*pair)]


def configured(tree: Tree, config, settings: list, assumed: tuple = ()):
    """configured_lines() as an open file without a name; None: the tree's own will do."""
    if not config and not settings and not assumed:
        return None
    fd = os.memfd_create("autoconf.h", 0)
    os.write(fd, ("\n".join(configured_lines(tree, config, settings, assumed)) + "\n").encode())
    return fd


def overlay_of(fd) -> list:
    """The arguments that make an engine read that autoconf.h; it must inherit the file."""
    return [] if fd is None else ["--overlay", f"{AUTOCONF}=/proc/self/fd/{fd}"]


def bounds_overlay(tree: Tree, values: dict) -> list:
    """The arguments that make an engine read other numbers than the kernel's build has computed (include/generated/bounds.h)."""
    name = "include/generated/bounds.h"
    path = os.path.join(tree.root, name)
    if not values or not os.path.isfile(path):
        return []
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for symbol, value in values.items():
        text = re.sub(rf"^#define {symbol} \d+", f"#define {symbol} {value}", text, flags=re.M)
    fd = os.memfd_create("bounds.h", 0)
    os.write(fd, text.encode())
    return ["--overlay", f"{name}=/proc/self/fd/{fd}"]


def strip_options(tree: Tree) -> list:
    """The arguments that make an engine name a file of an O= build's source tree without the way there."""
    return [] if tree.src == tree.root else ["--strip", os.path.relpath(tree.src, tree.root), "--strip", tree.src]


def tree_options(tree: Tree, args) -> list:
    """What add_arguments() took, as arguments of an engine."""
    options = ["--line-size", args.line_size] if args.line_size else []
    return options + strip_options(tree) + overlay_of(configured(tree, args.config, args.set, args.assumed))

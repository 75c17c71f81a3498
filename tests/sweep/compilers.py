# SPDX-License-Identifier: GPL-2.0-only
"""
Real compilers for each ABI, and what they say of a layout: a source file puts sizes, offsets and one object for each
bit-field into sections of their own, whose contents are read back from the object file.

  .lk.s.TAG         two unsigned ints: sizeof, _Alignof
  .lk.o.TAG.MEMBER  two unsigned ints: offsetof, sizeof (0 for a flexible array)
  .lk.b.TAG.MEMBER  an object whose bits are all 0 but those of the bit-field
"""

import os
import shutil
import struct
import subprocess
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Tuple

Compiler = NamedTuple("Compiler", [("abi", str), ("argv", List[str])])

COMPILERS = {
    "arm": Compiler("arm", ["arm-linux-gnueabihf-gcc"]),
    "arm64": Compiler("arm64", ["aarch64-linux-gnu-gcc"]),
    "i386": Compiler("i386", ["i686-linux-gnu-gcc"]),
    "ppc32": Compiler("ppc32", ["powerpc-linux-gnu-gcc"]),
    "ppc64": Compiler("ppc64", ["powerpc64-linux-gnu-gcc"]),
    "ppc64le": Compiler("ppc64", ["powerpc64le-linux-gnu-gcc"]),
    "riscv64": Compiler("riscv64", ["riscv64-linux-gnu-gcc"]),
    "s390": Compiler("s390", ["s390x-linux-gnu-gcc"]),
    "x86-64": Compiler("x86-64", ["gcc", "-m64"]),
}
HEADER = "#define LK(name) __attribute__((used, section(name)))\n"


class Refused(Exception):
    """the compiler does not take the source"""


class Layout:
    """one struct or union as a compiler lays it out: bytes; bit-fields by first bit and width"""

    def __init__(self) -> None:
        self.size = self.align = 0
        self.members: Dict[str, Tuple[int, int]] = {}
        self.bits: Dict[str, Tuple[int, int]] = {}


def installed(name: str) -> bool:
    """is there such a compiler on this machine?"""
    return shutil.which(COMPILERS[name].argv[0]) is not None


def object_of(name: str, source: Path, out: Path, flags: Tuple[str, ...] = ()) -> None:
    """compile, or Refused"""
    argv = [*COMPILERS[name].argv, "-std=gnu11", "-O0", "-w", "-ffreestanding", *flags, "-c", str(source), "-o", str(out)]
    env = dict(os.environ, LC_ALL="C")
    done = subprocess.run(argv, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", check=False)
    if done.returncode:
        raise Refused(f"{' '.join(argv)}: {done.stdout}")


def elf_sections(path: Path) -> Tuple[str, Dict[str, bytes]]:
    """byte order ("<" or ">"), and contents by name"""
    data = path.read_bytes()
    if data[:4] != b"\x7fELF":
        raise Refused(f"{path}: not an ELF file")
    wide, order = data[4] == 2, "<" if data[5] == 1 else ">"
    at, = struct.unpack_from(order + ("Q" if wide else "I"), data, 40 if wide else 32)
    entsize, number, strings = struct.unpack_from(order + "HHH", data, 58 if wide else 46)
    form = order + ("IIQQQQ" if wide else "IIIIII")
    if number == 0 or strings == 0xffff:			# more than 65,279 of them: they stand in the first header
        first = struct.unpack_from(order + ("IIQQQQI" if wide else "IIIIIII"), data, at)
        number = first[5] if number == 0 else number
        strings = first[6] if strings == 0xffff else strings
    heads = [struct.unpack_from(form, data, at + i * entsize) for i in range(number)]
    names = data[heads[strings][4]:heads[strings][4] + heads[strings][5]]
    table = {}
    for name, kind, _, _, offset, size in heads:
        text = names[name:names.index(b"\0", name)].decode("ascii", "replace")
        table[text] = bytes(size) if kind == 8 else data[offset:offset + size]	# 8: SHT_NOBITS
    return order, table


def bits_set(data: bytes, order: str) -> Optional[Tuple[int, int]]:
    """first bit and number of bits of the one run of ones, counted as the machine stores them; None: no such run"""
    run = [i for i in range(8 * len(data)) if data[i // 8] >> (i % 8 if order == "<" else 7 - i % 8) & 1]
    if not run or run[-1] - run[0] + 1 != len(run):
        return None
    return run[0], len(run)


def layouts(path: Path) -> Dict[str, Layout]:
    """what the probes of an object say, by tag"""
    order, sections = elf_sections(path)
    found: Dict[str, Layout] = {}
    for name, data in sections.items():
        parts = name.split(".")
        if parts[:2] != ["", "lk"]:
            continue
        layout = found.setdefault(parts[3], Layout())
        if parts[2] == "s":
            layout.size, layout.align = struct.unpack(order + "II", data)
        elif parts[2] == "o":
            layout.members[parts[4]] = struct.unpack(order + "II", data)
        else:
            layout.bits[parts[4]] = bits_set(data, order) or (-1, -1)
    return found


def probe_record(kind: str, tag: str) -> str:
    """C text of a record's probe"""
    return (f'static const unsigned int s_{tag}[2] LK(".lk.s.{tag}") = '
            f'{{ sizeof({kind} {tag}), _Alignof({kind} {tag}) }};\n')


def probe_member(kind: str, tag: str, name: str, flexible: bool = False) -> str:
    """C text of a member's probe"""
    size = "0" if flexible else f"sizeof((({kind} {tag} *)0)->{name})"
    return (f'static const unsigned int o_{tag}_{name}[2] LK(".lk.o.{tag}.{name}") = '
            f'{{ __builtin_offsetof({kind} {tag}, {name}), {size} }};\n')


def probe_bits(kind: str, tag: str, name: str) -> str:
    """C text of a bit-field's probe"""
    return f'static const {kind} {tag} b_{tag}_{name} LK(".lk.b.{tag}.{name}") = {{ .{name} = -1 }};\n'

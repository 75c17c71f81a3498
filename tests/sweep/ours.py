# SPDX-License-Identifier: GPL-2.0-only
"""What cacheline-map says of a translation unit: its JSON, and from its dump what lies inside members without a type's name."""

import json
import subprocess
from pathlib import Path
from typing import Dict, List, Tuple

from pahole import Place, Struct

# the driver's own options, and those that only steer the compiler's output
DROPPED_WITH_VALUE = ("-o", "-MF", "-MT", "-MQ")
DROPPED = ("-c",)


class NoLayout(Exception):
    """cacheline-map failed on the file"""


def parser_flags(command: List[str]) -> Tuple[List[str], str]:
    """the compiler's argument list without its name, its output and its source file; and that file"""
    flags, skip = [], False
    for arg in command[1:-1]:
        if skip or arg in DROPPED:
            skip = False
        elif arg in DROPPED_WITH_VALUE:
            skip = True
        else:
            flags.append(arg)
    return flags, command[-1]


def run(program: Path, form: str, abi: str, command: List[str], cwd: Path) -> str:
    """stdout of the program for one file"""
    flags, source = parser_flags(command)
    argv = [str(program), form, "--all", "--abi", abi, "--", *flags, source]
    done = subprocess.run(argv, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, errors="replace", check=False)
    if done.returncode or done.stderr.strip():
        raise NoLayout(f"{source}: exit {done.returncode}: {done.stderr.strip()[:500]}")
    return done.stdout


def place_of_json(member: dict) -> Place:
    """a member of the JSON"""
    if member["bit_size"] is not None:
        return Place(member["bit_offset"], member["size"], member["bit_size"])
    return Place(member["offset"], member["size"], None)


def structs_of_json(text: str) -> List[Struct]:
    """the named structs and unions"""
    structs = []
    for record in json.loads(text):
        struct = Struct(record["kind"], record["name"])
        struct.file, struct.line, struct.size = record["file"], record["line"], record["size"]
        for member in record["members"]:
            struct.add(member["name"], place_of_json(member))
        structs.append(struct)
    return structs


class Dump:
    """records of a dump by id: (fields of the R line, fields of each M line)"""

    def __init__(self, text: str):
        self.records: Dict[str, Tuple[List[str], List[List[str]]]] = {}
        members: List[List[str]] = []
        for line in text.splitlines():
            kind, *fields = line.split("\t")
            if kind == "R":
                members = []
                self.records[fields[0]] = (fields, members)
            elif kind == "M":
                members.append(fields)

    def paths(self, ident: str, prefix: str = "", base: int = 0) -> List[Tuple[str, Place]]:
        """every member, and those inside members whose type has no name; base in bits"""
        found = []
        for name, _, flags, _, _, at, size, _, _, _, _, width, inner, *_ in self.records[ident][1]:
            bits = int(width) if "b" in flags else None
            start = base + int(at)
            if name != "-":
                found.append((prefix + name, Place(start if bits is not None else start // 8, int(size) // 8, bits)))
            if inner != "0" and self.records[inner][0][1] == "-":
                found += self.paths(inner, prefix + ("" if name == "-" else name + "."), start)
        return found


def structs_of_dump(text: str) -> List[Struct]:
    """the named structs and unions"""
    dump = Dump(text)
    structs = []
    for ident, (fields, _) in dump.records.items():
        if fields[1] == "-":
            continue
        struct = Struct("union" if "u" in fields[2] else "struct", fields[1])
        struct.file, struct.line, struct.size = fields[6], int(fields[7]), int(fields[3])
        for path, place in dump.paths(ident):
            struct.add(path, place)
        structs.append(struct)
    return structs

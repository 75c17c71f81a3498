# SPDX-License-Identifier: GPL-2.0-only
"""What DWARF says of an object's structs and unions, from the text that pahole prints."""

import os
import re
import subprocess
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Tuple

# one member: bytes, or bits for a bit-field (then bits is its width and at its first bit)
Place = NamedTuple("Place", [("at", int), ("size", int), ("bits", Optional[int])])


class Struct:
    """
    one definition; members by path: "a", "a.b" where a's type has no name of its own. pahole drops the name a of
    "const struct { int b; } a": b stands in nameless as "?.b" then.
    """

    def __init__(self, kind: str, name: Optional[str]):
        self.kind, self.name = kind, name
        self.file: Optional[str] = None
        self.line = 0
        self.size: Optional[int] = None
        self.members: Dict[str, Place] = {}
        self.nameless: List[Tuple[str, Place]] = []
        self.twice: List[str] = []

    def add(self, path: str, place: Place) -> None:
        """a second member of one path is kept in mind: it can be compared with nothing"""
        if path.startswith("?"):
            self.nameless.append((path, place))
            return
        if path in self.members:
            self.twice.append(path)
        self.members[path] = place


class Unreadable(Exception):
    """a line of pahole that this parser does not know"""


DECL_INFO = re.compile(r"/\* <[0-9a-f]+> (.*):(\d+) \*/$")
OPEN_TOP = re.compile(r"(typedef )?(struct|union)(?: (\w+))? \{$")
OPEN_INNER = re.compile(r"((?:const |volatile )*)(struct|union|enum)(?: \w+)? \{$")
CLOSE_POINTER = re.compile(r"\}\s*\*")
CLOSE = re.compile(r"\}(.*);$")
SIZE = re.compile(r"/\* size: (\d+), cachelines: ")
OFFSETS = re.compile(r"(.*);\s*/\*\s*(\d+)(?::\s*(\d+))?\s+(\d+) \*/$")
ATTRIBUTE = re.compile(r"\s*__attribute__ ?\(\((?:[^()]|\([^()]*\))*\)\)")
FUNCTION_POINTER = re.compile(r"\(\s*\*+(?:const\b|volatile\b|\s)*(\w+)\s*(?:\[\d*\])*\s*\)\s*[(\[]")
BIT_WIDTH = re.compile(r":(\d+)$")
NAME = re.compile(r"(\w+)\s*(?:\[\d*\])*$")
UNNAMED_BITS = re.compile(r"[\w ]+ :\d+;$")


def declared_name(decl: str) -> Optional[str]:
    """the member's name, of its declaration without attributes and width; None: it has none"""
    function = FUNCTION_POINTER.search(decl)
    if function:
        return function.group(1)
    name = NAME.search(decl)
    return name.group(1) if name else None


class Parser:
    """line by line; scopes holds the path in front of a member's name, None inside an enum"""

    def __init__(self) -> None:
        self.structs: List[Struct] = []
        self.current: Optional[Struct] = None
        self.scopes: List[List[tuple]] = []
        self.inner: List[str] = []
        self.qualified: List[bool] = []
        self.place = (None, 0)

    def top(self, line: str) -> None:
        """a line outside every struct"""
        info = DECL_INFO.match(line)
        if info:
            self.place = (info.group(1), int(info.group(2)))
            return
        start = OPEN_TOP.match(line)
        if start:
            self.current = Struct(start.group(2), start.group(3))
            self.current.file, self.current.line = self.place
            self.scopes, self.inner, self.qualified = [[]], [], []
        elif line and not line.startswith("/*") and not line.endswith(";"):
            raise Unreadable(line)

    def inside(self, line: str) -> None:
        """a line of a struct's body"""
        if not line:
            return
        if line.startswith("/*") and not OFFSETS.match(line):
            size = SIZE.match(line)
            if size and not self.inner:
                self.current.size = int(size.group(1))
            return
        start = OPEN_INNER.match(line)
        if start:
            self.inner.append(start.group(2))
            self.qualified.append(bool(start.group(1)))
            self.scopes.append([])
        elif line.startswith("}"):
            self.close(line)
        elif not (self.inner and self.inner[-1] == "enum") and not UNNAMED_BITS.match(line):
            self.member(line)

    def member(self, line: str) -> None:
        """a declaration with its offset, or the end of an inner struct with one"""
        found = OFFSETS.match(line)
        if not found:
            raise Unreadable(line)
        decl = ATTRIBUTE.sub("", found.group(1)).strip()
        width = BIT_WIDTH.search(decl)
        name = declared_name(decl[:width.start()] if width else decl)
        at, bit, size = int(found.group(2)), found.group(3), int(found.group(4))
        if name is None and not decl.startswith("}"):
            raise Unreadable(line)
        if width:
            self.scopes[-1].append((name, Place(8 * at + int(bit or 0), size, int(width.group(1)))))
        else:
            self.scopes[-1].append((name, Place(at, size, None)))

    def close(self, line: str) -> None:
        """the end of an inner struct, whose members get its name in front, or of the outermost"""
        if not self.inner:
            closing = CLOSE.match(line)
            if not closing:
                raise Unreadable(line)
            name = ATTRIBUTE.sub("", closing.group(1)).strip()
            self.current.name = self.current.name or name or None
            for path, place in self.scopes[0]:
                self.current.add(path, place)
            self.structs.append(self.current)
            self.current = None
            return
        self.inner.pop()
        qualified = self.qualified.pop()
        members = self.scopes.pop()
        self.member(line)
        if CLOSE_POINTER.match(line):
            return
        name, place = self.scopes[-1].pop()
        if name is not None:
            self.scopes[-1].append((name, place))
        elif qualified:
            name = "?"
        prefix = f"{name}." if name else ""
        self.scopes[-1].extend((prefix + path, at) for path, at in members)


def parse(text: str) -> List[Struct]:
    """every struct and union of pahole's output, which must be that of -I"""
    parser = Parser()
    for line in text.splitlines():
        if parser.current is None:
            parser.top(line.rstrip())
        else:
            parser.inside(line.strip())
    if parser.current is not None:
        raise Unreadable("the output ends inside a struct")
    return parser.structs


def run(argv: List[str]) -> str:
    """stdout of pahole; always from DWARF, which it would otherwise replace by the running kernel's BTF"""
    env = dict(os.environ, LC_ALL="C")
    done = subprocess.run(["pahole", "-F", "dwarf", *argv], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="replace", check=False)
    if done.returncode:
        raise Unreadable(f"pahole: {done.stderr.strip()}")
    return done.stdout


def structs_of(obj: Path) -> List[Struct]:
    """the definitions in one object; those inside functions too, and the sizes of named unions"""
    structs = parse(run(["-I", "-a", "--show_private_classes", str(obj)]))
    sizes: Dict[str, set] = {}
    for line in run(["--sizes", "--unions", str(obj)]).splitlines():
        fields = line.split("\t")
        if len(fields) >= 2:
            sizes.setdefault(fields[0], set()).add(int(fields[1]))
    for struct in structs:
        known = sizes.get(struct.name or "", set())
        if struct.kind == "union" and len(known) == 1:
            struct.size = next(iter(known))
    return structs

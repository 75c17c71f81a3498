# SPDX-License-Identifier: GPL-2.0-only
"""Dumps: every layout of a translation unit that shows a struct and what embeds it, under some overlay."""

import os
import re
import subprocess
import sys

from lk import engine, where
from lk.errors import Refused
from lk.tree import Tree

DEFINES = re.compile(r"^(?:typedef )?(?:struct|union)\s+(?:__\w+\s+)*(\w*)[^;]*\{\s*$", re.M)
MAX_DEPTH = 6


def _owners(text: str, names: list) -> set:
    """Tags of the structs at the left margin whose bodies declare a member of one of the types."""
    member = re.compile(rf"^\s+(?:const |volatile )?(?:struct |union )?(?:{'|'.join(names)})\s+\w[^;*()]*;", re.M)
    starts = [(match.start(), match.group(1)) for match in DEFINES.finditer(text)]
    owners = set()
    for match in member.finditer(text):
        before = [tag for start, tag in starts if start < match.start()]
        if before and before[-1]:
            owners.add(before[-1])
    return owners


def embedding_files(tree: Tree, structs: list, folders: list) -> list:
    """Files whose structs hold one of the structs by value, or hold one that does, in order of discovery."""
    files, known, names = [], set(structs), list(structs)
    for _ in range(MAX_DEPTH):
        found = [path for name in names for path in where.embedders(tree, name, folders)]
        owners = set()
        for path in dict.fromkeys(found):
            with open(os.path.join(tree.src, path), encoding="utf-8", errors="replace") as file:
                owners |= _owners(file.read(), names)
        files += [path for path in dict.fromkeys(found) if path not in files]
        names = sorted(owners - known)
        known |= owners
        if not names:
            break
    return files


def users_of_header(tree: Tree, header: str) -> list:
    """.c files beside a private header that include it by its name."""
    folder, name = os.path.split(header)
    users = []
    for entry in sorted(os.listdir(os.path.join(tree.src, folder))):
        if entry.endswith(".c"):
            path = os.path.join(folder, entry)
            with open(os.path.join(tree.src, path), encoding="utf-8", errors="replace") as file:
                if re.search(rf'^\s*#\s*include\s+["<](?:[^">]*/)?{re.escape(name)}[">]', file.read(), re.M):
                    users.append(path)
    return users


def words(tree: Tree, file: str, extra: list) -> list:
    """The compiler flags and the files of a unit, paths as seen from tree.root."""
    paths = [tree.inside(path) for path in [*extra, file]]
    return ["--", *tree.flags(file), *(word for path in paths[:-1] for word in ("-include", path)), paths[-1]]


def start_dump(tree: Tree, out: str, file: str, extra: list, options: list) -> subprocess.Popen:
    """Begins to parse; finish_dump() waits for it."""
    call = [engine.program("cacheline-map"), "--dump", *options, *words(tree, file, extra)]
    with open(out, "wb") as stdout, open(f"{out}.err", "wb") as stderr:
        return subprocess.Popen(call, cwd=tree.root, stdout=stdout, stderr=stderr, close_fds=False)


def finish_dump(process: subprocess.Popen, out: str) -> str:
    """'' when it went well, else what sparse said."""
    if process.wait() == 0:
        return ""
    with open(f"{out}.err", encoding="utf-8", errors="replace") as file:
        return file.read().strip() or f"cacheline-map ended with status {process.returncode}"


def tries(tree: Tree, file: str, extra: list) -> list:
    """[(file, extra)...] to parse until one can be: all together, alone, a .c file that uses the header."""
    alone = [(file, [])] if extra else []
    users = [(user, []) for user in users_of_header(tree, file)[:3]] if file.endswith(".h") else []
    return [(file, extra), *alone, *users]


class Side:
    """One side of a comparison: a tree, the file of the struct in it, and how it is to be read."""

    def __init__(self, tree: Tree, file: str, options: list) -> None:
        self.tree, self.file, self.options = tree, file, options

    def start(self, out: str, file: str, extra: list) -> subprocess.Popen:
        return start_dump(self.tree, out, file, extra, self.options)


def _dump_pair(before: Side, after: Side, out: str, file: str, extra: list) -> str:
    """Both sides of one unit at once, to out.before and out.after; '' or what went wrong."""
    names = (f"{out}.before", f"{out}.after")
    jobs = [side.start(name, file, extra) for side, name in zip((before, after), names)]
    trouble = [finish_dump(job, name) for job, name in zip(jobs, names)]
    if trouble[1] and not trouble[0]:
        raise Refused(f"{after.file} does not parse with the change:\n{trouble[1]}")
    return trouble[0]


def dump_pairs(before: Side, after: Side, structs: list, folder: str, everywhere: bool) -> list:
    """[(before.dump, after.dump)...]: the unit that defines the structs first, then others that embed them.

    Without `everywhere` only headers of include/ are looked at, and become part of the first unit.
    """
    tree = after.tree
    public = tuple(f"{path}/" for path in where.public_folders(tree))
    folders = where.all_folders(tree) if everywhere else where.public_folders(tree)
    found = [path for path in embedding_files(tree, structs, folders) if path not in (before.file, after.file)]
    extra = [path for path in found if path.startswith(public)]
    said, out = [], os.path.join(folder, "0")
    for file, more in tries(tree, after.file, extra):
        said.append(_dump_pair(before, after, out, file, more))
        if not said[-1]:
            break
    else:
        raise Refused(f"{after.file} cannot be parsed:\n{said[0]}")
    pairs, unread = [(f"{out}.before", f"{out}.after")], extra if said[0] else []
    for number, path in enumerate(path for path in found if path not in extra):
        out = os.path.join(folder, str(number + 1))
        if any(not _dump_pair(before, after, out, file, []) for file, _ in tries(tree, path, [])):
            pairs.append((f"{out}.before", f"{out}.after"))
        else:
            unread.append(path)
    if unread:
        print(f"note: could not parse {len(unread)} files that may embed it: {', '.join(unread[:5])}", file=sys.stderr)
    return pairs


def each(option: str, values: list) -> list:
    """The option in front of each value."""
    return [word for value in values for word in (option, value)]


def compare(pairs: list, structs: list, options: list, **how) -> subprocess.CompletedProcess:
    """cacheline-diff on the first pair, the others for what embeds the structs."""
    call = [engine.program("cacheline-diff"), *options, *each("--struct", structs)]
    for pair in pairs[1:]:
        call += ["--also", *pair]
    sys.stdout.flush()
    return subprocess.run([*call, *pairs[0]], check=False, **how)

# SPDX-License-Identifier: GPL-2.0-only
"""Dumps: every layout of a translation unit that shows a struct and what embeds it, under some overlay."""

from __future__ import annotations

import bisect
import os
import re
import sys

from lk import engine, where
from lk.c_text import definition
from lk.errors import Refused
from lk.tree import AUTOCONF, Tree

DEFINES = re.compile(r"^(?:typedef )?(?:struct|union)\s+(?:__\w+\s+)*(\w*)[^;]*\{\s*$", re.M)
MAX_DEPTH = 12          # of names: a typedef's counts too
FEW_UNREAD = 5          # headers, each read as part of its users


def _owners(text: str, names: list) -> set:
    """Names of the structs at the left margin whose bodies declare a member of one of the types."""
    member = re.compile(rf"^\s+(?:const |volatile )?(?:struct |union )?(?:{'|'.join(names)})\s+\w[^;*()]*;", re.M)
    starts = [(match.start(), match.group(1)) for match in DEFINES.finditer(text)]
    begins = [start for start, _ in starts]
    owners = {starts[at - 1] for at in {bisect.bisect_left(begins, match.start()) for match in member.finditer(text)} if at}
    return {name for start, tag in owners for name in (tag, *_declared(text, start)) if name}


def _declared(text: str, start: int) -> list:
    """The names, but for pointers', that a typedef with a struct's body gives; start: where it begins. None: it is no typedef."""
    if not text.startswith("typedef", start):
        return []
    behind = re.sub(r"\(.*\)", "", definition(text, start).rpartition("}")[2], flags=re.S)
    words = [re.findall(r"[*\w]+", one) for one in behind.split(",")]
    return [sorted(some, key=lambda word: word.startswith("__"))[0] for some in words if some and not any("*" in word for word in some)]


def _aliases(text: str, names: list) -> set:
    """The names that typedefs give to one of the types."""
    either = rf"{where.ATTRIBUTE}(?:{'|'.join(names)})\b"
    found = set(re.findall(rf"^\s*typedef\s+(?:(?:const|volatile|struct|union)\s+)*{either}\s+(\w+)\s*[,;[]", text, re.M))
    bodies = re.finditer(rf"^typedef\s+(?:struct|union)\s+{either}[^;{{}}]*\{{", text, re.M)
    return found.union(*(_declared(text, match.start()) for match in bodies))


def has_index(tree: Tree) -> bool:
    return os.path.exists(where.index_file(tree))


def embedding_files(tree: Tree, structs: list, folders: list, by_index: bool = True) -> list:
    """Files whose structs hold one of the structs by value, or hold one that does, in order of discovery.

    by_index: what was built says it too, as the tree's own configuration has it.
    """
    files, known, rest = [], set(structs), folders
    if by_index and has_index(tree):
        from lk import index_uses
        files, owners, rest = index_uses.embedding(tree, structs, folders)
        known |= owners
    names = sorted(known)
    for _ in range(MAX_DEPTH if rest else 0):
        owners = set()
        for path in where.embedders(tree, names, rest):
            with open(os.path.join(tree.src, path), encoding="utf-8", errors="replace") as file:
                text = file.read()
            aliases = _aliases(text, names)
            owners |= aliases | _owners(text, names)
            files += [path] if path not in files and where.has_member(text, names) else []
        names = sorted(owners - known)
        known |= owners
        if not names:
            break
    return files


def users_of_header(tree: Tree, header: str) -> list:
    """Some .c files that include the header: by the index, else beside it, or, for one of include/, anywhere."""
    if has_index(tree):
        from lk import index_uses
        users = index_uses.readers_of(tree, header)
        if users:
            return sorted(users, key=lambda path: os.path.dirname(path) != os.path.dirname(header))[:8]
    if "include/" in header:
        folders, name = where.all_folders(tree), f'["<]{re.escape(header.split("include/", 1)[1])}[">]'
    else:
        folders, name = [os.path.dirname(header)], f'"([^"]*/)?{re.escape(os.path.basename(header))}"'
    pattern = rf"^[[:space:]]*#[[:space:]]*include[[:space:]]+{name}"
    users = [path for path in where.grep(pattern, folders, tree.src) if path.endswith(".c")]
    return sorted(users, key=lambda path: os.path.dirname(path) != os.path.dirname(header))[:8]


def words(tree: Tree, file: str, extra: list) -> list:
    """The compiler flags and the files of a unit, paths as seen from tree.root."""
    paths = [tree.inside(path) for path in [*extra, file]]
    return ["--", *tree.flags(file), *(word for path in paths[:-1] for word in ("-include", path)), paths[-1]]


def start_dump(tree: Tree, out: str, file: str, extra: list, options: list) -> subprocess.Popen:
    """Begins to parse; finish_dump() waits for it."""
    import subprocess
    call = [engine.program("cacheline-map"), "--dump", *options, *words(tree, file, extra)]
    with open(out, "wb") as stdout, open(f"{out}.err", "wb") as stderr:
        return subprocess.Popen(call, cwd=tree.root, stdout=stdout, stderr=stderr, close_fds=False)


def finish_dump(process: subprocess.Popen, out: str) -> str:
    """'' when it went well, else what sparse said."""
    if engine.ended("cacheline-map", process.wait()) == 0:
        return ""
    with open(f"{out}.err", encoding="utf-8", errors="replace") as file:
        return file.read().strip() or f"cacheline-map ended with status {process.returncode}"


class Side:
    """One side of a comparison: a tree, the file of the struct in it, and how it is to be read."""

    def __init__(self, tree: Tree, file: str, options: list) -> None:
        self.tree, self.file, self.options = tree, file, options

    def start(self, out: str, file: str, extra: list) -> subprocess.Popen:
        return start_dump(self.tree, out, file, extra, self.options)


def _unknown_annotation(trouble: str) -> str:
    """What to do about annotations that the tree has no header for, "" when that is not the trouble."""
    name = re.search(r"error: got (__cacheline_(?:isolated|read_mostly|written|in|apart|with|budget))$", trouble, re.M)
    return f" the tree does not know {name[1]}: `linekeeper install` puts its header there" if name else ""


def _dump_pair(before: Side, after: Side, out: str, file: str, extra: list) -> str:
    """Both sides of one unit at once, to out.before and out.after; '' or what went wrong."""
    names = (f"{out}.before", f"{out}.after")
    jobs = [side.start(name, file, extra) for side, name in zip((before, after), names)]
    trouble = [finish_dump(job, name) for job, name in zip(jobs, names)]
    if trouble[1] and not trouble[0] and file == after.file:
        raise Refused(f"{after.file} does not parse with the change:{_unknown_annotation(trouble[1])}\n{trouble[1]}")
    return trouble[0] or trouble[1]


def _first_pair(before: Side, after: Side, out: str, extra: list) -> list:
    """Dumps the unit of the struct's own file; the headers of `extra` that could not be read with it come back."""
    left, said = list(extra), ""
    while True:
        trouble = _dump_pair(before, after, out, after.file, left)
        if not trouble:
            return [path for path in extra if path not in left]
        said = said or trouble
        blamed = [path for path in left if re.search(rf"^(\./)?{re.escape(path)}:\d+", trouble, re.M)]
        if not left:
            break
        left = [path for path in left if path not in blamed] if blamed else []
    if any(not _dump_pair(before, after, out, user, []) for user in _users(after)):
        return extra
    raise Refused(f"{after.file} cannot be parsed:\n{said}")


def _users(side: Side) -> list:
    return users_of_header(side.tree, side.file) if side.file.endswith(".h") else []


def dump_pairs(before: Side, after: Side, structs: list, folder: str, everywhere: bool) -> list:
    """[(before.dump, after.dump)...]: the unit that defines the structs first, then others that embed them.

    Without `everywhere` only headers of include/ are looked at, and become part of the first unit; a few that cannot are read as part of
    their users.
    """
    tree = after.tree
    public = tuple(f"{path}/" for path in where.public_folders(tree))
    folders = where.all_folders(tree) if everywhere else where.public_folders(tree)
    is_own = not any(f"{AUTOCONF}=" in option for option in after.options)
    found = [path for path in embedding_files(tree, structs, folders, is_own) if path not in (before.file, after.file)]
    extra = [path for path in found if path.startswith(public)]
    out = os.path.join(folder, "0")
    unread = _first_pair(before, after, out, extra)
    pairs = [(f"{out}.before", f"{out}.after")]
    others = [path for path in found if path not in extra] + unread if everywhere else unread[:FEW_UNREAD]
    unread = [] if everywhere else unread[FEW_UNREAD:]
    hint = " (--all-users looks harder)" if unread else ""
    for number, path in enumerate(others):
        out = os.path.join(folder, str(number + 1))
        users = users_of_header(tree, path) if path.endswith(".h") else []
        if any(not _dump_pair(before, after, out, file, []) for file in (path, *users)):
            pairs.append((f"{out}.before", f"{out}.after"))
        else:
            unread.append(path)
    if unread:
        print(f"note: not parsed, though it may embed {structs[0]}: {', '.join(unread[:5])}"
              f"{f' and {len(unread) - 5} more' if len(unread) > 5 else ''}{hint}", file=sys.stderr)
    return pairs


def each(option: str, values: list) -> list:
    """The option in front of each value."""
    return [word for value in values for word in (option, value)]


def compare(pairs: list, structs: list, options: list, **how) -> subprocess.CompletedProcess:
    """cacheline-diff on the first pair, the others for what embeds the structs."""
    import subprocess
    call = [engine.program("cacheline-diff"), *options, *each("--struct", structs)]
    for pair in pairs[1:]:
        call += ["--also", *pair]
    sys.stdout.flush()
    done = subprocess.run([*call, *pairs[0]], check=False, **how)
    engine.ended("cacheline-diff", done.returncode)
    return done

# SPDX-License-Identifier: GPL-2.0-only
"""Finds the files that define a struct, and those that embed it. Text only; the parse has the last word."""

import os
import re

from lk.errors import Refused, WrongUse
from lk.tree import Tree

SKIPPED = ("Documentation", "tools", "scripts", "samples", ".git", "LICENSES")
ATTRIBUTE = r"(?:__\w+(?:\([^{};]{0,200}\))?\s+){0,8}"

# a line with a member of one of some types, for grep
MEMBER = r"^[[:space:]]+(const |volatile |struct |union )*({})[[:space:]]+[a-zA-Z_][^*();]*(__[a-z_]+(\(.*\))?)?[[:space:]]*;"
LOCK = r"context_lock_struct\("      # the struct word of locks in 7.0 and newer


def grep(pattern: str, folders: list, cwd: str, names: tuple = ("*.h", "*.c")) -> list:
    """Files of such names, of or below the folders, that have a line which the extended regular expression matches."""
    import subprocess
    if not folders:
        return []
    command = ["grep", "-rlZE", *(f"--include={name}" for name in names), "-e", pattern, "--", *folders]
    done = subprocess.run(command, cwd=cwd, env={"LC_ALL": "C", "PATH": os.environ.get("PATH", "")},
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return sorted(os.fsdecode(name) for name in done.stdout.split(b"\0") if name and b"\n" not in name)


def _public(tree: Tree) -> list:
    return [path for path in ("include", f"arch/{tree.arch}/include") if os.path.isdir(os.path.join(tree.src, path))]


def _private(tree: Tree) -> list:
    tops = [name for name in sorted(os.listdir(tree.src))
            if os.path.isdir(os.path.join(tree.src, name)) and name not in SKIPPED + ("include", "arch")]
    arch = os.path.join("arch", tree.arch)
    return tops + [os.path.join(arch, name) for name in sorted(os.listdir(os.path.join(tree.src, arch)))
                   if name != "include" and os.path.isdir(os.path.join(tree.src, arch, name))]


def _lines(tree: Tree, path: str, name: str) -> list:
    """The lines of path at which a definition of the struct, union or typedef begins."""
    with open(os.path.join(tree.src, path), encoding="utf-8", errors="replace") as file:
        text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), file.read(), flags=re.S)
    tag = rf"\b(?:struct|union)\s+{ATTRIBUTE}{name}\b\s*(?:__\w+\s*)?\{{|^{LOCK}{name}\b[^{{}};()]*\)\s*\{{"
    alias = rf"^\}}\s*{ATTRIBUTE}{name}\b\s*(?:__\w+\s*)?;|^typedef\s+(?:struct|union)\b[^;\n]*(?:;[^;\n]*)*[\s}}]{name}\s*;"
    return [text.count("\n", 0, match.start()) + 1 for match in re.finditer(f"{tag}|{alias}", text, re.M)
            if match.group()[0] != "}" or _is_typedef(text, match.start())]


def _is_typedef(text: str, brace: int) -> bool:
    """Is the closing brace at the left margin a typedef's, and no variable's?"""
    heads = re.findall(r"^(?=[^\s#}])(typedef\b)?[^\n;]*\{\s*$|^(typedef\b)[^;{]*$", text[:brace], re.M)
    return bool(heads) and any(heads[-1])


def split_name(name: str) -> tuple:
    """("", "fs.h:inode") is the kind in front and the plain name of "struct inode"."""
    match = re.fullmatch(r"(struct |union )?([A-Za-z_]\w*)", name)
    if not match:
        raise WrongUse(f"'{name}' is no name of a struct or union")
    return match.group(1) or "", match.group(2)


def definitions(tree: Tree, name: str) -> list:
    """[(file relative to the source tree, line)...], those of include/ alone when it has one."""
    name = split_name(name)[1]
    pattern = rf"^{LOCK}{name}\b|(struct|union)[[:space:]]+(__.*[[:space:]])?{name}\b|^}}.*\b{name}\b.*;|^typedef.*\b{name};"
    for folders in (_public(tree), _private(tree)):
        found = [(path, line) for path in grep(pattern, folders, tree.src) for line in _lines(tree, path, name)]
        if found:
            return found
    return []


def definition(tree: Tree, name: str) -> tuple:
    """The one file and line that define it; refused when there is none or more than one file."""
    found = remembered(tree, name)
    if not found:
        raise Refused(f"no struct or union '{name}' is defined in {tree.src}")
    if len({path for path, _ in found}) > 1:
        places = ", ".join(f"{path}:{line}" for path, line in found[:5])
        raise Refused(f"'{name}' is defined {len(found)} times ({places}): say which with --file")
    return found[0]


def embedders(tree: Tree, names: list, folders: list) -> list:
    """Files that have a member of one of the types by value, or an array of it (or text that looks like it), or a typedef on a line with it."""
    plain = "|".join(split_name(name)[1] for name in names)
    return grep(rf"{MEMBER.format(plain)}|^[[:space:]]*typedef[[:space:]](.*[^A-Za-z0-9_])?({plain})\b", folders, tree.src)


def has_member(text: str, names: list) -> bool:
    """Has a file's text a line with a member of one of the types?"""
    return re.search(MEMBER.format("|".join(names)).replace("[[:space:]]", r"[ \t]"), text, re.M) is not None


def public_folders(tree: Tree) -> list:
    """include/ and the architecture's."""
    return _public(tree)


def all_folders(tree: Tree) -> list:
    """Every folder with kernel code that this architecture builds."""
    return _public(tree) + _private(tree)


def _cached(name: str, path: str) -> str:
    """A file of the cache folder; %s in its name stands for the tree's path."""
    import zlib
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "linekeeper", name % f"{zlib.crc32(os.fsencode(path)):08x}")


def _memo_file(tree: Tree) -> str:
    return _cached("where/%s.json", tree.src)


def index_file(tree: Tree) -> str:
    """Where the index of a tree is, or would be."""
    return _cached("index/%s.db", tree.root)


def _stamps(tree: Tree, folders) -> dict:
    return {path: os.stat(os.path.join(tree.src, path)).st_mtime_ns for path in folders}


def remembered(tree: Tree, name: str) -> list:
    """definitions(), remembered for a struct of include/ while no folder there has changed."""
    import json
    memo_file = _memo_file(tree)
    try:
        with open(memo_file, encoding="utf-8") as file:
            memo = json.load(file)
        if memo["tree"] != tree.src or memo["folders"] != _stamps(tree, memo["folders"]):
            memo = None
    except (OSError, ValueError, KeyError):
        memo = None
    if memo and name in memo["names"]:
        path, line = memo["names"][name]
        if line in _lines(tree, path, split_name(name)[1]):
            return [(path, line)]
    found = definitions(tree, name)
    if len(found) == 1 and found[0][0].startswith(tuple(f"{folder}/" for folder in _public(tree))):
        _remember(tree, memo_file, memo, name, found[0])
    return found


def _remember(tree: Tree, memo_file: str, memo, name: str, place: tuple) -> None:
    import json
    if memo is None:
        folders = [os.path.relpath(folder, tree.src) for top in _public(tree)
                   for folder, _, _ in os.walk(os.path.join(tree.src, top))]
        memo = {"tree": tree.src, "folders": _stamps(tree, folders), "names": {}}
    memo["names"][name] = place
    try:
        os.makedirs(os.path.dirname(memo_file), exist_ok=True)
        with open(f"{memo_file}.{os.getpid()}", "w", encoding="utf-8") as file:
            json.dump(memo, file)
        os.replace(f"{memo_file}.{os.getpid()}", memo_file)
    except OSError:
        pass  # it only saves time

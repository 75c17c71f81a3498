# SPDX-License-Identifier: GPL-2.0-only
"""linekeeper install: puts the annotation header, the GCC plugin with its Kconfig switch, and the rules into a kernel tree.

    linekeeper install --tree DIR              once more: completes it, or brings it up to date
    linekeeper install --tree DIR --remove     gives the tree back as it was
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import signal
import sys
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Tuple

from lk import engine
from lk.errors import Refused, WrongUse

PLUGINS = "scripts/gcc-plugins"
FOLDER = f"{PLUGINS}/cacheline_layout"      # lib, what the plugin needs of it
PLUGIN = f"{FOLDER}_plugin"
HEADER = "include/linux/cacheline_layout.h"
RULES = "scripts/coccinelle/cacheline"
MACROS = f"{RULES}/kernel-macros.h"
NOTES = f"{FOLDER}/installed.json"          # what was put where, so that it can be found and told from the user's
KNOWN = "linekeeper knows how to install itself into linux 6.1 and 6.12 and what is like them"
OURS = re.compile(rf"{re.escape(HEADER)}|{PLUGIN}\.c|(?:{FOLDER}|{RULES})/\w[\w.-]*")


class Edit(NamedTuple):
    """Lines that a file of the kernel gets, before or behind a line that it has once, however that is indented."""
    path: str
    before: bool
    anchor: str
    optional: bool = False      # a kernel that has no such line does without ours

    def block(self) -> bytes:
        """Ours, without the line for the licence: the file has its own."""
        text = ours(f"plugin/kbuild/{os.path.basename(self.path)}").split(b"\n", 1)[1]
        return text + b"\n" if self.before else text

    def places(self, text: bytes) -> List[re.Match]:
        return list(re.finditer(rb"^[ \t]*" + re.escape(self.anchor.encode()) + rb"\n", text, re.M))


# In this order: whenever it stops, what is in the tree builds; the switch comes last.
EDITS = (
    Edit("include/linux/compiler_types.h", False, "#include <linux/compiler_attributes.h>"),
    Edit(f"{PLUGINS}/Makefile", True, "always-y += $(GCC_PLUGIN)"),
    Edit("scripts/Makefile.gcc-plugins", True, "# All the plugin CFLAGS are collected here in case a build target needs to"),
    # both know attributes by their names; a kernel-doc of 6.16 is a link to another program
    Edit("scripts/checkpatch.pl", False, "# remove $Attribute/$Sparse uses to simplify comparisons", True),
    Edit("scripts/kernel-doc", False, r"$members =~ s/\s*____cacheline_aligned/ /gos;", True),
    Edit(f"{PLUGINS}/Kconfig", True, "endif"),
)
Change = Tuple[str, Optional[bytes]]        # path, and what is to be in it; None: nothing is to be there


def ours(name: str) -> bytes:
    """A file of linekeeper."""
    try:
        return Path(engine.TOP, name).read_bytes()
    except OSError as err:
        raise WrongUse(f"{name} of linekeeper: {err.strerror}") from err


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def plugin_files() -> Dict[str, bytes]:
    """The plugin, what it includes, and each file of lib that defines a function which one of them names."""
    lib = Path(engine.TOP, "lib")
    texts = {path: path.read_text(encoding="utf-8") for path in sorted([*lib.glob("*.[ch]"), *lib.glob("rules/*.c")])}
    defined = {name: path for path, text in texts.items()
               for name in re.findall(r"^(?!static\b)\w[^;{}=#\n]*?\b(\w+)\([^;{}]*\)\n\{", text, re.M)}
    plugin = ours("plugin/cacheline_plugin.c")
    files, pending = {f"{PLUGIN}.c": plugin}, [plugin.decode()]
    while pending:
        text = pending.pop()
        local = re.findall(r"^static\b[^;{}=#\n]*?\b(\w+)\(", text, re.M)
        named = sorted({defined[word] for word in {*re.findall(r"\w+", text)}.difference(local) if word in defined})
        for path in [*named, *(lib / name for name in re.findall(r'^#include "(.*)"', text, re.M))]:
            there = f"{FOLDER}/{'rule_' * (path.parent != lib)}{path.name}"
            if path in texts and there not in files:
                files[there] = path.read_bytes()
                # a declaration in a header is no use of it
                pending.append("\n".join(re.findall("^#.*", texts[path], re.M)) if path.suffix == ".h" else texts[path])
    return files


def rule_files() -> Dict[str, bytes]:
    """The rules that plain `make coccicheck` can run, told of the macro file.

    Not those that take names by -D: without one spatch fails, and coccicheck stops at the first rule that does.
    """
    files = {MACROS: ours("cocci/kernel-macros.h")}
    for path in sorted(Path(engine.TOP, "cocci").glob("*/*.cocci")):
        text = path.read_text(encoding="utf-8")
        if not re.search(r"^identifier\b.*\bvirtual\.", text, re.M):
            told = re.sub(r"^// Options:.*", rf"\g<0> --macro-file-builtins {MACROS}", text, count=1, flags=re.M)
            files[f"{RULES}/{path.name}"] = told.encode()
    return files


class KernelTree:
    """A kernel's source tree: read and judged first, written only then."""

    def __init__(self, path: str) -> None:
        link = Path(path, "source")         # of a build with O=
        self.root = os.path.realpath(link if link.is_symlink() else path)
        try:
            makefile = Path(self.root, "Makefile").read_text(encoding="utf-8", errors="replace")
            release = re.search(r"^VERSION = (\d+)\nPATCHLEVEL = (\d+)$", makefile, re.M)
        except OSError:
            release = None
        if not release or not Path(self.root, "Kconfig").is_file() or not Path(self.root, "include/linux").is_dir():
            raise Refused(f"{path} is not a kernel tree (give one with --tree)")
        if not all(Path(self.root, folder).is_dir() for folder in (PLUGINS, os.path.dirname(RULES))):
            raise Refused(f"{path} has no {PLUGINS} or no {os.path.dirname(RULES)}: {KNOWN}")
        self.name = f"linux {release[1]}.{release[2]} in {self.root}"
        self.files, self.blocks = self._notes()

    def _notes(self) -> Tuple[Dict[str, List[str]], Dict[str, List[str]]]:
        """path: digests of what we put there, and path: lines that we put into it."""
        text = self.read(NOTES)
        try:
            notes = json.loads(text or '{"files": {}, "blocks": {}}')
            files, blocks = ({str(path): [str(one) for one in known] for path, known in notes[what].items()}
                             for what in ("files", "blocks"))
        except (ValueError, KeyError, AttributeError, TypeError) as err:
            raise Refused(f"{NOTES} is not as linekeeper wrote it") from err
        if not all(OURS.fullmatch(path) for path in files):
            raise Refused(f"{NOTES} names files that linekeeper does not install")
        return files, blocks

    def read(self, path: str) -> Optional[bytes]:
        """None when it is not there; refused when it is no plain file, or cannot be replaced."""
        full = Path(self.root, path)
        folder = full.parent
        while not os.path.lexists(folder):
            folder = folder.parent
        if os.path.realpath(folder) != str(folder) or not folder.is_dir():
            raise Refused(f"{os.path.relpath(folder, self.root)} is no folder of the tree itself: a link to elsewhere is not followed")
        if not os.access(folder, os.W_OK | os.X_OK):
            raise Refused(f"{folder} cannot be written")
        if not os.path.lexists(full):
            return None
        if full.is_symlink() or not full.is_file() or not os.access(full, os.R_OK):
            raise Refused(f"{path} is no file that can be replaced")
        return full.read_bytes()

    def own(self, path: str, wanted: Optional[bytes]) -> Optional[bytes]:
        """What is at a path of ours; refused when somebody else wrote it."""
        there = self.read(path)
        if there is not None and there != wanted and digest(there) not in self.files.get(path, []):
            raise Refused(f"{path} is there and not as linekeeper installed it: move it away, or undo its changes")
        return there

    def without(self, edit: Edit) -> Tuple[bytes, bytes]:
        """A file that gets lines: as it is, and without our lines."""
        there = self.read(edit.path)
        if there is None:
            raise Refused(f"{edit.path} is not there: {KNOWN}")
        plain = there
        for block in {edit.block(), *(text.encode() for text in self.blocks.get(edit.path, []))}:
            plain = plain.replace(block, b"", 1) if block in plain else plain
        if re.search(rb"cacheline_layout", plain, re.I):
            raise Refused(f"{edit.path} has lines about cacheline_layout that are not as linekeeper installed them: undo that first")
        return there, plain

    def edits(self) -> List[Edit]:
        """Those that this kernel takes."""
        return [edit for edit in EDITS if not edit.optional or
                (Path(self.root, edit.path).is_file() and not Path(self.root, edit.path).is_symlink()
                 and edit.places(self.read(edit.path) or b""))]

    def with_block(self, edit: Edit) -> bytes:
        """That file with our lines."""
        plain = self.without(edit)[1]
        found = edit.places(plain)
        if len(found) != 1:
            raise Refused(f"{edit.path} has the line '{edit.anchor}' {len(found)} times, not once: where to install is not sure")
        at = found[0].start() if edit.before else found[0].end()
        return plain[:at] + edit.block() + plain[at:]

    def put(self, path: str, content: Optional[bytes]) -> None:
        """Replaces a file by rename, keeping its mode and owner; or takes it away."""
        full = Path(self.root, path)
        if content is None:
            full.unlink(missing_ok=True)
            return
        full.parent.mkdir(exist_ok=True)
        new = self.temporary(path)
        new.unlink(missing_ok=True)
        try:
            with open(new, "xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
                if full.exists():
                    was = full.stat()
                    os.fchmod(file.fileno(), was.st_mode & 0o7777)
                    if (was.st_uid, was.st_gid) != (os.fstat(file.fileno()).st_uid, os.fstat(file.fileno()).st_gid):
                        os.fchown(file.fileno(), was.st_uid, was.st_gid)
            os.replace(new, full)
        except BaseException:
            new.unlink(missing_ok=True)
            raise

    def temporary(self, path: str) -> Path:
        """Always the same name, so that what a killed run left is found again."""
        return Path(self.root, path).with_name(f".{os.path.basename(path)}.linekeeper")

    def sweep(self, changes: List[Change]) -> None:
        """Takes away what a killed run left of its last change."""
        for path, _ in changes:
            self.temporary(path).unlink(missing_ok=True)

    def carry_out(self, changes: List[Change]) -> int:
        """The changes that are to be made, one by one; how many were."""
        due = [(path, content) for path, content in changes if self.read(path) != content]
        for path, content in due:
            try:
                self.put(path, content)
            except OSError as err:
                raise Refused(f"{path}: {err.strerror}; run it again, or with --remove, to have a whole state") from err
        return len(due)


def notes(files: Dict[str, List[str]], blocks: Dict[str, List[str]]) -> Change:
    return NOTES, (json.dumps({"files": files, "blocks": blocks}, indent=1, sort_keys=True) + "\n").encode()


def install(tree: KernelTree) -> str:
    files = {HEADER: ours("include/cacheline_layout.h"), **plugin_files(), **rule_files()}
    for path, content in files.items():
        tree.own(path, content)
    stale = [path for path in tree.files if path not in files and tree.own(path, None) is not None]
    edits = [(edit.path, tree.with_block(edit)) for edit in tree.edits()]
    new = {path: [digest(content)] for path, content in files.items()}
    blocks = {edit.path: [edit.block().decode()] for edit in tree.edits()}
    # While it is under way both the old and the new are ours.
    both = [{path: sorted({*wanted.get(path, []), *had.get(path, [])}) for path in {*wanted, *had}}
            for wanted, had in ((new, tree.files), (blocks, tree.blocks))]
    changes: List[Change] = [*files.items(), *edits, *((path, None) for path in stale)]
    tree.sweep([*changes, notes(new, blocks)])
    if all(tree.read(path) == content for path, content in [*changes, notes(new, blocks)]):
        return f"{tree.name}: installed already, nothing changed"
    count = tree.carry_out([notes(*both), *changes])
    tree.carry_out([notes(new, blocks)])
    return (f"{tree.name}: {len(files)} files and lines in {len(edits)} are there now ({count - 1} of them new or changed); "
            "CONFIG_GCC_PLUGIN_CACHELINE_LAYOUT switches the plugin on")


def built_from(path: str) -> List[str]:
    """What a build in the tree itself leaves of a source file of ours."""
    folder, name = os.path.split(path)
    stem = name[:-len(".c")]
    return [f"{folder}/{stem}.o", f"{folder}/.{stem}.o.cmd", f"{folder}/.{stem}.o.d"] if name.endswith(".c") else []


def still_annotated(tree: KernelTree) -> List[str]:
    """Headers that nothing gives their annotations a meaning any more."""
    said = re.compile(rb"\b__cacheline_(?:isolated|read_mostly|written|(?:in|apart|with|budget)\()")
    return [str(path.relative_to(tree.root)) for path in sorted(Path(tree.root, "include").rglob("*.h"))
            if path.is_file() and not path.is_symlink() and said.search(path.read_bytes())]


def remove(tree: KernelTree) -> str:
    files = [path for path in tree.files if tree.own(path, None) is not None]
    edits = [(edit.path, *tree.without(edit)) for edit in EDITS
             if (edit.path in tree.blocks or not edit.optional) and tree.read(edit.path) is not None]
    built = [f"{PLUGIN}.so", f"{PLUGINS}/.cacheline_layout_plugin.so.cmd", *(name for path in tree.files for name in built_from(path))]
    changes: List[Change] = [(path, plain) for path, _, plain in reversed(edits)]
    changes += [(path, None) for path in [*files, *built, NOTES]]
    tree.sweep([*changes, *((path, None) for path in tree.files)])
    count = tree.carry_out(changes)
    kept = []
    for folder in (FOLDER, RULES):
        try:
            os.rmdir(Path(tree.root, folder))
        except FileNotFoundError:
            pass
        except OSError:
            kept.append(folder)
    if not count:
        return f"{tree.name}: nothing is installed there"
    left = still_annotated(tree)
    if left:
        print(f"warning: what is still annotated does not compile without our header: {', '.join(left[:3])}"
              f"{', ...' if len(left) > 3 else ''}", file=sys.stderr)
    return f"{tree.name}: as before" + "".join(f"; {folder} has files of somebody else, and stays" for folder in kept)


def main(argv: list) -> int:
    parser = argparse.ArgumentParser(prog="linekeeper install", description=__doc__.split(": ", 1)[1],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tree", default=".", metavar="DIR", help="kernel tree (default: the current folder)")
    parser.add_argument("--remove", action="store_true", help="takes out what was installed")
    args = parser.parse_args(argv)
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    tree = KernelTree(args.tree)
    print(remove(tree) if args.remove else install(tree))
    return 0

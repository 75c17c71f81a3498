#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""uapi-hole, by linekeeper vet and check --against: bytes without a name in what a change adds for user space, and none of what was there.
uapi-struct, by vet: old members that user space no longer finds where they were."""

import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Optional

sys.path.insert(0, "tests")
from tap import check, done, kernel, linekeeper, run, skip, small_tree  # noqa: E402
from vet_series import Files, diff, mail, show, vet  # noqa: E402

HEADER, INSIDE, CODE = "include/uapi/linux/boxes.h", "include/linux/boxes.h", "mm/page_counter.c"
TYPES = "typedef unsigned char __u8;\ntypedef unsigned int __u32;\ntypedef unsigned long long __u64;\ntypedef __u64 __attribute__((aligned(8))) __aligned_u64;\n\n"
OLD = "struct old {\n\t__u8 a;\n\t__u32 b;\n\t__u64 c;\n\t__u32 d;\n};\n"
USER_MM = "include/uapi/rdma/rdma_user_cm.h"

# members of a new struct, and what is told of it
NEW = (
    ("a hole that 32-bit machines do not have", "__u32 n; __u64 at;", "4 bytes without a name between 'n' and 'at' (none on 32-bit x86)"),
    ("one that all have", "__u8 n; __u32 at;", "3 bytes without a name between 'n' and 'at'"),
    ("one byte", "__u8 n; unsigned short at;", "1 byte without a name between 'n' and 'at'"),
    ("padding at the end", "__u64 at; __u32 n;", "4 bytes without a name behind 'n', at its end (none on 32-bit x86)"),
    ("in front of a flexible array", "__u32 n; __u64 at[];", "4 bytes without a name between 'n' and 'at' (none on 32-bit x86)"),
    ("in a struct without a name", "__u32 n; struct { __u8 kind; __u32 id; } one[2]; __u32 end;", "3 bytes without a name between 'kind' and 'id'"),
    ("behind an anonymous union", "union { __u32 n; __u32 m; }; __u64 at;", "4 bytes without a name between an anonymous member and 'at' (none on 32-bit x86)"),
    ("behind bits", "__u32 a : 3; __u64 at;", "7 bytes without a name between 'a' and 'at' (3 on 32-bit x86)"),
)
DIFFERENT = (("a long", "long n; __u32 at, more;", "'at' of struct fresh lies at 8, on 32-bit x86 at 4: use types that have one size everywhere"),
             ("a pointer", "void *n, *at;", "'at' of struct fresh lies at 8, on 32-bit x86 at 4: use types that have one size everywhere"))
HARMLESS = (("all bytes have names", "__u32 n, pad; __u64 at;"), ("bits with names", "__u32 a : 3, rest : 29; __u32 at;"),
            ("bits without a name on purpose", "__u32 a : 3, : 29; __u32 at;"), ("aligned alike everywhere", "__aligned_u64 at; __u32 n, more;"),
            ("one member of a union is smaller", "union { __u64 at; __u8 n; struct { __u32 x; } y; };"), ("a flexible array ends it", "__u32 n; __u8 at[];"))

# a struct's members then and now, and what is told of it; '': nothing. ID and NAMES are a number and a type of the header's own, of which more changes
PLACES = (
    ("an array in the middle that grows", "__u32 a; char name[16]; __u32 b;", "__u32 a; char name[32]; __u32 b;", "'name' has 32 bytes instead of 16"),
    ("one whose length is a #define", "char id[ID]; __u32 b;", "char id[ID]; __u32 b;", "'id' has 16 bytes instead of 8"),
    ("a struct in it that grows", "struct names n; __u32 b;", "struct names n; __u32 b;", "'n' has 16 bytes instead of 8"),
    ("packed", "__u8 a; __u32 b;", "__u8 a; __u32 b; PACKED", "'b' lies at 1, not at 4"),
    ("a union that grows", "union { __u32 a; __u32 c; }; __u32 b;", "union { __u32 a; __u64 c; }; __u32 b;", "'c' has 8 bytes instead of 4"),
    ("a union that grows by a new member", "__u32 b; union { __u32 a; };", "__u32 b; union { __u32 a; __u32 c[4]; };", "it has 20 bytes instead of 8"),
    ("u32 to u64", "__u64 b; __u32 a;", "__u64 b; __u64 a;", "'a' has 8 bytes instead of 4"),
    ("in front of a flexible array", "__u32 a; __u8 data[];", "__u32 a, b; __u8 data[];", "'data' lies at 8, not at 4"),
    ("one that is gone", "__u32 a, b;", "__u32 a;", "'b' is gone"),
    ("alignment", "__u32 a, b, c;", "__u32 a, b, c; ALIGNED", "it has 16 bytes instead of 12"),
    ("reserved room that grows", "__u32 a, reserved[2];", "__u32 a, reserved[4];", "'reserved' has 16 bytes instead of 8"),
    ("room for more than was reserved", "__u32 a, pad;", "__u32 a, c[3];", "it has 16 bytes instead of 8"),
    ("bits", "__u32 a : 4, b : 4;", "__u32 a : 3, b : 4;", "'a' has other bits"),
    ("a result is not reserved", "__u32 result[2];", "__u32 c, result[1];", "'result' lies at 4, not at 0"),
    ("a part of reserved room", "__u32 a, reserved[3];", "__u32 a, fresh, reserved[2];", ""),
    ("padding", "__u8 a[4]; __u32 pad;", "__u8 a[4]; __u16 x, pad;", ""),
    ("padding, all of it", "__u32 a; __u16 b, rsvd1;", "__u32 a; __u16 b; __u8 x, y;", ""),
    ("reserved bits", "__u32 a : 3, res : 29;", "__u32 a : 3, b : 1, res : 28;", ""),
    ("a hole", "__u8 a; __u32 b;", "__u8 a, x[3]; __u32 b;", ""),
    ("one more at the end", "__u32 a;", "__u32 a; __u32 b;", ""),
    ("another name", "__u32 a, b;", "__u32 a, flags;", ""),
    ("a union around one", "__u32 a, b;", "__u32 a; union { __u32 b; __u16 c; };", ""),
)


def test_places(tree: Path) -> None:
    """All structs in one header, and user space's names of what the kernel does not."""
    def header(which: int, number: int) -> str:
        bodies = [f"struct place{i} {{ {row[which].replace(' PACKED', '').replace(' ALIGNED', '')} }}"
                  f"{' __attribute__((packed))' if 'PACKED' in row[which] else ' __attribute__((aligned(16)))' if 'ALIGNED' in row[which] else ''};"
                  for i, row in enumerate(PLACES)]
        return "\n".join([TYPES, "typedef unsigned short __u16;", f"#define ID {number}", f"struct names\n{{\n\tchar name[{number}];\n}};", *bodies, ""])

    for file, is_told in ((HEADER, True), (INSIDE, False)):
        before = (tree / file).read_text()
        (tree / file).write_text(header(1, 8))
        out = vet(tree, mail("[PATCH] uapi: places", diff(file, header(1, 8), header(2, 16))), "--verbose")
        (tree / file).write_text(before)
        found = dict(re.findall(r"warning: struct (\w+) is read outside the kernel, as its file says: never move its members; (.*): add a new revision beside it "
                                r"\[-Wcacheline-uapi-struct\]$", out.stderr, re.M))
        for i, (what, _, _, text) in enumerate(PLACES):
            check(re.search(rf"\bplace{i}\b", out.stdout) and found.get(f"place{i}", "") == text * is_told, f"{'place' if text and is_told else 'harmless'}: {what}", show(out))
        check(("names" in found) == is_told, f"{file}: a brace on its own line", show(out))


def told(out) -> list:
    return re.findall(r"(?:warning|error): (.*) \[-Wcacheline-uapi-hole\]$", out.stderr, re.M)


def changed(tree: Path, *edits: tuple, file: str = HEADER):
    return vet(tree, mail("[PATCH] uapi: boxes", Files(tree).edit(file, *edits)))


def added(tree: Path, members: str, file: str = HEADER, behind: str = ""):
    return changed(tree, (r"\Z", f"\nstruct fresh {{\n\t{members}\n}}{behind};\n"), file=file)


def test_new(tree: Path) -> None:
    for what, members, text in NEW:
        out = added(tree, members)
        check(told(out) == [f"struct fresh of user space has {text}: name them, so that they are set"] and out.returncode == 0, f"new: {what}", show(out))
    for what, members, text in DIFFERENT:
        out = added(tree, members)
        check(told(out) == [text], f"new: {what}", show(out))
    for what, members in HARMLESS:
        out = added(tree, members)
        check("fresh   is new" in out.stdout and not out.stderr, f"harmless: {what}", show(out))
    out = added(tree, NEW[0][1], behind=" __attribute__((packed))")
    check(not out.stderr, "harmless: a packed struct", show(out))
    out = added(tree, NEW[0][1], file=INSIDE)
    check("fresh   is new" in out.stdout and not out.stderr, "harmless: a struct of the kernel's own", show(out))
    (tree / "include/uapi/linux/sized.h").write_text("struct sized { long a; };\n")
    out = vet(tree, mail("[PATCH] sized", Files(tree).edit("include/uapi/linux/sized.h", (r"long a;", "long a, b;"))))
    check("struct sized   8 -> 16 bytes, aligned to 8   include/uapi/linux/sized.h:1\n" in out.stdout, "no slab holds a struct of user space", show(out))
    body = diff("include/uapi/linux/fresh.h", "", f"{TYPES}struct fresh {{\n\t{NEW[0][1]}\n}};\n") + Files(tree).edit(CODE, (r"\A", "#include <uapi/linux/fresh.h>\n"))
    out = vet(tree, mail("[PATCH] uapi: fresh", body))
    check(len(told(out)) == 1 and "include/uapi/linux/fresh.h:6:8: warning: " in out.stderr, "a new header", show(out))


def test_hostile(tree: Path) -> None:
    """Structs that each hold two of the next, and one with more members than anybody reads."""
    rows = ["struct t0 { struct { __u8 n; __u32 m; } a; };"]
    rows += [f"struct t{level} {{ struct {{ typeof(((struct t{level - 1} *)0)->a) b, c; }} a; }};" for level in range(1, 40)]
    out = changed(tree, (r"\Z", "\n" + "\n".join(rows) + "\n"))
    check(out.returncode == 0 and told(out)[0].startswith("struct t0 of user space has 3 bytes"), "structs that each hold two of the next come to an end", show(out)[-500:])
    out = added(tree, "".join(f"__u32 m{number}; " for number in range(20000)) + "__u64 n;")
    check("fresh   is new, 80008 bytes" in out.stdout and not told(out), "20,000 members", show(out)[-500:])


def test_changed(tree: Path) -> None:
    for what, edit, texts in (
            ("a member that makes a hole", (r"__u64 c;", "__u8 n;\n\t__u64 c;"), ["7 bytes without a name between 'n' and 'c' (3 on 32-bit x86)"]),
            ("one in a hole, of which a part is left", (r"__u8 a;", "__u8 a, n;"), ["2 bytes without a name between 'n' and 'b'"]),
            ("one at the end", (r"__u32 d;", "__u32 d;\n\t__u8 n;"), ["3 bytes without a name behind 'n', at its end"]),
            ("a name that goes", (r"__u32 d;", "__u8 d;"), ["7 bytes without a name behind 'd', at its end (3 on 32-bit x86)"]),
            ("one that fills a hole", (r"__u32 d;", "__u32 d, n;"), []), ("another name", (r"__u32 d;", "__u32 e;"), []),
            ("another type, of that size", (r"__u32 b;", "int b;"), [])):
        out = changed(tree, edit)
        check(told(out) == [f"struct old of user space has {text}: name them, so that they are set" for text in texts], f"changed: {what}", show(out))
    out = changed(tree, (r"__u32 d;", "__u32 d;\n\t__u8 n;"))
    check(f"{HEADER}:" in out.stderr and re.search(r":(\d+):\d+: warning: struct old", out.stderr).group(1) == "11", "it is told at the member", show(out))


def test_included(tree: Path) -> None:
    """What was there, and a unit only comes to include, is not new."""
    body = Files(tree).edit(CODE, (r"\A", f"#include <{HEADER[8:]}>\nstruct fresh {{ struct old o; }};\n"))
    out = vet(tree, mail("[PATCH] mm: boxes", body))
    check("struct fresh   is new" in out.stdout and not told(out), "vet: an old header, included by one more", show(out))
    files = Files(tree)
    body = files.edit(CODE, (r"\A", f"#include <{HEADER[8:]}>\nstruct fresh {{ struct old o; }};\n")) + files.edit(HEADER, (r"\Z", "struct more { int a; };\n"))
    out = vet(tree, mail("[PATCH] mm: boxes", body), "--error")
    check("struct more   is new" in out.stdout and not told(out), "vet: and one more struct in that header", show(out))


def test_against(tree: Path) -> None:
    def against(*words: str):
        return linekeeper("check", "--against", "HEAD", *words, cwd=tree)

    for words in (("init", "-q", "."), ("add", HEADER, CODE), ("-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", "state")):
        assert run("git", *words, cwd=tree).returncode == 0
    header, code = (tree / HEADER).read_text(), (tree / CODE).read_text()
    (tree / CODE).write_text(f"#include <{HEADER[8:]}>\n{code}")
    out = against()
    check(not told(out) and out.returncode == 0, "check --against: an old header, included by one more", show(out))
    (tree / HEADER).write_text(f"{header}struct fresh {{ {NEW[0][1]} }};\n")
    out = against()
    check(len(told(out)) == 1, "check --against: a new struct in it", show(out))
    out = against("--no-uapi-hole")
    check(not told(out) and out.returncode == 0, "check --against --no-uapi-hole", show(out))


def test_kernel(tree: Optional[Path]) -> None:
    """What upstream had to correct in December 2025: a count behind a u64 at the end of an answer."""
    if tree is None:
        skip("a new struct in rdma_user_cm.h of 6.12", "no kernel")
        return
    answer = "\nstruct rdma_ucm_query_planted_resp {\n\t__u32 nr;\n\tstruct rdma_ucm_planted_rec recs[];\n};\n"
    record = "struct rdma_ucm_planted_rec {\n\t__aligned_u64 id;\n};\n"
    out = changed(tree, (r"^struct rdma_ucm_bind \{", f"{record}{answer}\n\\g<0>"), file=USER_MM)
    check(told(out) == ["struct rdma_ucm_query_planted_resp of user space has 4 bytes without a name between 'nr' and 'recs': name them, so that "
                        "they are set"], "6.12: a new answer of rdma_cm", show(out))
    out = changed(tree, (r"^struct rdma_ucm_bind \{", f"{record}{answer.replace('nr;', 'nr, pad;')}\n\\g<0>"), file=USER_MM)
    check("is new" in out.stdout and not told(out), "6.12: and its twin, with a name", show(out))


def main(folder: Path) -> None:
    os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
    tree = small_tree(folder)
    for name in (HEADER, INSIDE):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(TYPES + (OLD if name == HEADER else ""))
    test_new(tree)
    test_hostile(tree)
    test_changed(tree)
    test_places(tree)
    test_included(tree)
    test_against(tree)
    test_kernel(kernel("6.12"))


with tempfile.TemporaryDirectory() as name:
    main(Path(name).resolve())
sys.exit(done())

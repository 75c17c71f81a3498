#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""linekeeper vet on the small tree: mails in every form, what does not apply, what is hostile, what is said of the layout."""

import email.mime.application
import email.mime.multipart
import email.mime.text
import json
import os
import re
import sys
import tempfile
from pathlib import Path
from xml.dom import minidom

sys.path.insert(0, "tests")
from tap import check, done, linekeeper, run, small_tree  # noqa: E402
from vet_series import MEMORY, Files, changed, diff, mail, show, snapshot, vet  # noqa: E402

FS, COUNTER = "include/linux/fs.h", "include/linux/page_counter.h"

ALIGN = (r"i_mmap_rwsem;", "i_mmap_rwsem ____cacheline_aligned_in_smp;")
WATERMARK = (r"^\tunsigned long watermark;", "\tunsigned long watermark;\n\tunsigned long local_watermark;")


def test_layout(tree: Path) -> None:
    before = snapshot(tree)
    out = vet(tree, mail("[PATCH] fs: part i_mmap from i_mmap_rwsem", Files(tree).edit(FS, ALIGN)))
    check(out.returncode == 0 and out.stdout.startswith("[PATCH] fs: part i_mmap from i_mmap_rwsem: 1 struct changed, 2 around it\n\n"
          "struct address_space   192 -> 256 bytes, aligned to 8 -> 64; 21 -> 16 objects per 4 KiB slab; kmalloc-192 -> kmalloc-256   "
          f"{FS}:") and "\n  i_mmap, i_mmap_rwsem: never share a 64-byte line; before: 7 of 8 placements" in out.stdout,
          "seed 002 v1: what it costs, and that the members that it names are apart", show(out))
    check("  inode, which embeds it: 504 -> " in out.stdout and "  minifs_inode_info, which embeds it: 616 -> " in out.stdout,
          "what embeds it, below fs/ too", show(out))
    check(snapshot(tree) == before, "the tree is as it was, to the time stamps")
    out = vet(tree, mail("[PATCH] fs: a comment", Files(tree).edit(FS, (r"i_mmap_rwsem;", "i_mmap_rwsem; /* taken often */"))))
    check(out.returncode == 0 and out.stdout == "[PATCH] fs: a comment: no struct that was looked at has changed\n" and not out.stderr,
          "a comment changes nothing", show(out))
    shifted = mail("[PATCH] net: more", Files(tree).edit("include/linux/netdevice.h", (r"^struct net_device \{", "\\g<0>\n\tchar more[100];")))
    few, every = (vet(tree, shifted, *words).stdout for words in ((), ("--verbose",)))
    check(few.count(": never -> ") == 6 and re.search(r"\n  \d+ lines on other pairs with --verbose\n", few) and every.count(": never -> ") > 6,
          "all members moved alike: a few of those that came to share a line, all of them with --verbose", few)
    body = Files(tree).edit(COUNTER, (r"unsigned long failcnt;", "unsigned int failcnt;"))
    out = vet(tree, mail("[PATCH] smaller", body), "--format", "json")
    found = json.loads(out.stdout)
    one = next(struct for struct in found["structs"] if struct["name"] == "page_counter")
    check(one["cause"] and any(member["name"] == "failcnt" and member["change"] == "resized" for member in one["changed"]) and
          found["patches"][0]["subject"] == "[PATCH] smaller" and found["patches"][0]["author"] == "J\u00f6rg <j@example.org>",
          "JSON: the patch, the struct, the member", show(out))


def test_answers(tree: Path) -> None:
    """The forms of a report with a finding."""
    series = mail("[PATCH] net: planted", Files(tree).edit("include/linux/netdevice.h", (r"^\tint\t\t\tifindex;", "\tatomic_t\t\tplanted;\n\\g<0>")))
    out = vet(tree, series)
    finding = re.search(r"^include/linux/netdevice\.h:(\d+):\d+: warning: ('planted' .*) \[-Wcacheline-class-mix\]$", out.stderr, re.M)
    check(out.returncode == 1 and finding and "net/core/dev.c:28:9: error: static assertion failed: " in out.stderr and ", with " not in out.stderr,
          "a finding, told once; an assert of another file that fails", show(out))
    quiet = vet(tree, series, "--quiet", "--error")
    check(quiet.returncode == 1 and not quiet.stdout and ": error: 'planted' " in quiet.stderr, "--quiet: nothing else; --error: status 1", show(quiet))
    out = vet(tree, series, "--reply")
    check(out.stdout.startswith("J\u00f6rg <j@example.org> wrote:\n\n> +++ b/include/linux/netdevice.h\n> @@ ") and not out.stderr and
          f"\n> +\tatomic_t\t\tplanted;\n\n{finding.group(2)} [-Wcacheline-class-mix]\n" in out.stdout and
          "\n\nstruct net_device   " in out.stdout.split("> +\tatomic_t")[1], "--reply: the hunk, the finding under its line, the struct", show(out))
    out = vet(tree, series, "--format", "sarif")
    result = json.loads(out.stdout)["runs"][0]["results"][0]
    check(result["ruleId"] == "class-mix" and result["locations"][0]["physicalLocation"]["region"]["startLine"] == int(finding.group(1)), "SARIF", show(out))
    out = vet(tree, series, "--format", "html")
    check(minidom.parseString(out.stdout.split("\n", 1)[1]).documentElement.tagName == "html" and "atomic_t" in out.stdout and
          out.stdout.count("planted") > 2, "HTML: well-formed, the finding, the member with its type", show(out)[:500])


def test_indirect(tree: Path) -> None:
    """What no patch names: a number that sizes an array, a type that is embedded."""
    files = Files(tree)
    user = "#include <linux/slots.h>\nstruct slots { int a; long slot[LK_WAYS]; };\nstruct holder { char c; struct slots s; };\n"
    (tree / "include/linux/slots.h").write_text("#define LK_WAYS 2\n")
    (tree / "include/linux/user.h").write_text(user)
    out = vet(tree, mail("[PATCH] ways", files.edit("include/linux/slots.h", (r"LK_WAYS 2", "LK_WAYS 6"))))
    check("1 struct changed, 1 around it" in out.stdout and "struct slots   24 -> 56 bytes" in out.stdout and
          "holder, which embeds it: 32 -> 64 bytes" in out.stdout, "a #define in another file sizes an array", show(out))
    for name in ("slots", "user"):
        (tree / f"include/linux/{name}.h").unlink()


def test_typedefs(tree: Path) -> None:
    """Structs that embed one by a name that a typedef gives it: with its body, in another file, by way of another typedef or struct."""
    head = '#include <linux/{}.h>\n'
    written = {"held": "typedef struct held {\n\tlong a;\n} __attribute__((aligned(8))) held_t, *held_p;\n",
               "by_body": head.format("held") + "struct by_body {\n\tlong b;\n\theld_t held[2];\n};\n",
               "other": head.format("held") + "typedef struct held other_t;\ntypedef other_t third_t;\n",
               "by_other": head.format("other") + "typedef struct {\n\tchar c;\n\tthird_t held;\n} __attribute__((aligned(8))) by_other_t;\n",
               "by_owner": head.format("by_other") + "struct by_owner {\n\tby_other_t other;\n\theld_p pointer;\n};\n",
               "by_pointer": head.format("held") + "struct by_pointer {\n\theld_p pointer;\n};\n"}
    for name, text in written.items():
        (tree / f"include/linux/{name}.h").write_text(text)
    out = vet(tree, mail("[PATCH] held", Files(tree).edit("include/linux/held.h", (r"long a;", "long a, more;"))))
    check(out.returncode == 0 and not out.stderr and "  by_body, which embeds it: 24 -> 40 bytes" in out.stdout and
          "  by_owner, which embeds it: 24 -> 32 bytes" in out.stdout and "by_pointer" not in out.stdout, "what embeds it by a typedef's name", show(out))
    for name in written:
        (tree / f"include/linux/{name}.h").unlink()


def test_enums(tree: Path) -> None:
    """Numbers that no line of the patch names: those behind a new enumerator, and what is made of them elsewhere."""
    written = {"include/linux/kinds.h": "enum kinds {\n\tKIND_A,\n\tKIND_B,\n\tKIND_C,\n\tKIND_D,\n\tNR_KINDS\n};\n"
               "enum fixed {\n\tFIXED_A,\n\tFIXED_B,\n\tNR_FIXED = 8\n};\n",
               "include/linux/kinds_more.h": "#include <linux/kinds.h>\nenum {\n\tMORE_A = NR_KINDS,\n\tNR_MORE\n};\n#define MORE_BITS (NR_MORE * 2)\n",
               "mm/kinds.c": "#include <linux/kinds_more.h>\nstruct by_kind {\n\tchar kind[NR_KINDS];\n};\nstruct by_more {\n\tunsigned int bits : MORE_BITS;\n"
               "\tunsigned int rest : 32 - 12;\n};\nstruct by_fixed {\n\tchar fixed[NR_FIXED];\n};\n"}
    for name, text in written.items():
        (tree / name).write_text(text)
    for what, edit, told in (("first of all", (r"^\tKIND_A,", "\tKIND_NEW,\n\tKIND_A,"), True), ("last", (r"^\tNR_KINDS", "\tKIND_NEW,\n\tNR_KINDS"), True),
                             ("gone", (r"^\tKIND_B,\n", ""), True), ("behind the number", (r"^\tNR_KINDS", "\tNR_KINDS,\n\tKIND_NEW"), False),
                             ("in front of one with a value", (r"^\tFIXED_A", "\tFIXED_NEW,\n\tFIXED_A"), False)):
        out = vet(tree, mail("[PATCH] kinds", Files(tree).edit("include/linux/kinds.h", edit)))
        check(out.returncode == 0 and not out.stderr and ("struct by_kind   4 -> " in out.stdout and "struct by_more " in out.stdout) == told and
              ("no struct that was looked at has changed" in out.stdout) != told and "by_fixed" not in out.stdout, f"an enumerator, {what}", show(out))
    wanted = "\nwith CONFIG_LK_FRESH=y also: struct by_kind 4 -> 5 bytes"
    out = vet(tree, mail("[PATCH] kinds", Files(tree).edit("include/linux/kinds.h", (r"^\tNR_KINDS", "#ifdef CONFIG_LK_FRESH\n\tKIND_NEW,\n#endif\n\tNR_KINDS"))))
    check(out.returncode == 0 and not out.stderr and wanted in out.stdout, "an enumerator of another configuration", show(out))
    (tree / "include/linux/kinds.h").write_text("enum kinds {\n" + "".join(f"\tKIND_{number},\n" for number in range(410)) + "};\n")
    out = vet(tree, mail("[PATCH] kinds", Files(tree).edit("include/linux/kinds.h", (r"^\tKIND_0,", "\tKIND_NEW,\n\tKIND_0,"))))
    check(out.returncode == 0 and re.fullmatch(r"note: structs that KIND_0 may size were not looked for, nor those of 409 more: too many numbers .*\n", out.stderr),
          "more numbers than are looked for: said", show(out))
    for name in written:
        (tree / name).unlink()


def test_other_configurations(tree: Path) -> None:
    """What is there only with a symbol that this configuration does not have."""
    member = "#ifdef CONFIG_LK_FRESH\n\tlong fresh;\n#endif\n"
    out = vet(tree, mail("[PATCH] fresh", Files(tree).edit(COUNTER, (r"^\tunsigned long watermark;", f"{member}\\g<0>"))))
    check(out.returncode == 0 and out.stdout.startswith("[PATCH] fresh: no struct that was looked at has changed in the tree's own configuration\nwith CONFIG_LK_FRESH=y also: "
          "struct page_counter 112 -> 120 bytes"), "a member under an #ifdef", show(out))


def test_foreign_includes(tree: Path) -> None:
    """A unit that was built with the plugin's header in front of it, and one with another file from outside the tree."""
    body = Files(tree).edit("mm/page_counter.c", (r"^#include .*", "\\g<0>\\nstruct fresh { long a; };"))
    cmd = tree / "mm/.page_counter.o.cmd"
    for header, is_read in (("include/cacheline_layout.h", True), (os.devnull, False)):
        out = run("make", "-s", "-B", f"KCFLAGS=-include {os.path.abspath(header)}", "mm/page_counter.o", cwd=tree, MAKEFLAGS="")
        assert out.returncode == 0, show(out)
        out = vet(tree, mail("[PATCH] fresh", body))
        error = re.search("^note: not judged: mm/page_counter.c, which sparse cannot parse without the series either: .*: error: .*", out.stderr, re.M)
        check("struct fresh   is new" in out.stdout if is_read else error, f"a unit that includes {header}", show(out))
    out = vet(tree, mail("[PATCH] fresh", body), "--reply")
    check(out.stdout == "[PATCH] fresh: not judged\n" and error.group() in out.stderr, "--reply: nothing but a note is no answer", show(out))
    cmd.unlink()


def test_series(tree: Path) -> None:
    files = Files(tree)
    one, two, three = (files.edit(COUNTER, WATERMARK), files.edit(FS, ALIGN),
                       files.edit(COUNTER, (r"^\tunsigned long local_watermark;\n", "")))
    cover = mail("[PATCH v2 0/3] counters", "nothing to apply\n")
    answer = mail("Re: [PATCH v2 1/3] counters: one more", one)
    mails = [mail("[PATCH v2 3/3] counters: and away again", three, "base64", "\r\n"), cover, answer,
             mail("[PATCH v2 1/3] counters: one more", one, "quoted-printable"),
             mail("[PATCH v2 2/3] fs: =?utf-8?q?=C3=BCber?=", two, "8bit", "\r\n")]
    out = vet(tree, b"".join(mails))
    check(out.returncode == 0 and out.stdout.startswith("3 patches, from '[PATCH v2 1/3] counters: one more': 1 struct changed, 2 around it\n"
          "  [PATCH v2 1/3] counters: one more: struct page_counter 112 -> 120 bytes"), "out of order, quoted-printable, base64, CRLF", show(out))
    check("\n  [PATCH v2 2/3] fs: \u00fcber: struct address_space 192 -> 256 bytes" in out.stdout and
          "\n  [PATCH v2 3/3] counters: and away again: struct page_counter 120 -> 112 bytes" in out.stdout and
          "\nstruct page_counter" not in out.stdout, "each patch alone, and all of them together", show(out))
    check(out.stderr.startswith("note: not looked at: the diff in 'Re: [PATCH v2 1/3] counters: one more', which is an answer\n"), "an answer is no patch",
          show(out))
    out = vet(tree, b"".join(mails), "--reply")
    heads = re.findall(r"^(\[PATCH .*)\n(.*) wrote:\n\n> ", out.stdout, re.M)
    check(heads == [(f"[PATCH v2 {what}", "J\u00f6rg <j@example.org>") for what in ("1/3] counters: one more", "2/3] fs: \u00fcber", "3/3] counters: and away again")],
          "--reply: the subject of each patch above what is said of it", show(out))
    out = vet(tree, b"".join(mails[:2] + mails[4:]))
    check("lacks patch 1 of 3" in out.stderr and out.returncode == 1 and f"refused: patch 3/3 ('counters: and away again') does not apply to "
          f"{tree.resolve()}, behind the 1 in front of it: {COUNTER}:" in out.stderr, "a patch that is missing; one that does not apply: where", show(out))
    out = vet(tree, mail("[PATCH 11/12] counters: one more", one))
    check("lacks patch 1, 2, 3, 4, 5, 6, 7, 8 and 3 more of 12\n" in out.stderr, "many that are missing", show(out))
    out = vet(tree, mails[3] + mail("[PATCH 1/2] counters: other", one))
    check(out.returncode == 1 and "holds more than one series ([PATCH n/2], [PATCH v2 n/3])" in out.stderr, "two series are not mixed", show(out))
    out = vet(tree, mails[1])
    check(out.returncode == 1 and out.stderr == "refused: standard input has no patch in it\n", "a cover letter alone", show(out))


def test_forms(tree: Path, folder: Path) -> None:
    body = Files(tree).edit(COUNTER, WATERMARK)
    text = "struct page_counter   112 -> 120 bytes"
    near = (tree / COUNTER).read_text().split("\tunsigned long watermark;")[0].rstrip("\n").split("\n")[-1]
    whole = email.mime.multipart.MIMEMultipart()
    whole["Subject"], whole["From"] = "[PATCH] attached", "j@example.org"
    whole.attach(email.mime.text.MIMEText("See the attachment.\n"))
    part = email.mime.text.MIMEText(body, "x-patch")
    part.add_header("Content-Disposition", "attachment", filename="x.patch")
    whole.attach(part)
    flowed = "".join((" " * line.startswith((" ", ">", "From ")) + line.rstrip(" \n") + "\n") for line in body.splitlines())
    files = {"attached.mbox": b"From x Thu Jan  1 00:00:00 1970\n" + whole.as_bytes() + b"\n", "bare.patch": body.encode(),
             "flowed.mbox": mail("[PATCH] flowed", flowed, flowed=True), "headers.patch": mail("[PATCH] a mail", body).split(b"\n", 1)[1],
             "fuzz.mbox": mail("[PATCH] fuzz", body.replace(f" {near}\n", " /* another comment */\n"))}
    assert f" {near}\n" in body
    for name, data in files.items():
        (folder / name).write_bytes(data)
        out = linekeeper("vet", folder / name, "--tree", tree, *MEMORY)
        check(out.returncode == 0 and text in out.stdout and ("of context only, at line " in out.stderr) == (name == "fuzz.mbox"), f"{name}: read", show(out))
    check("\nnote: there is no index of this tree, " in out.stderr, "a note that there is no index", show(out))
    out = vet(tree, (folder / "fuzz.mbox").read_bytes() + Files(tree).edit(FS, ALIGN).encode(), "--quiet")
    check(not out.stdout and "[-Wcacheline-" in out.stderr and "note: " not in out.stderr, "--quiet: the finding, no note", show(out))
    maildir = folder / "maildir"
    for name in ("cur", "new", "tmp"):
        (maildir / name).mkdir(parents=True)
    (maildir / "new/1").write_bytes(files["headers.patch"])
    out = linekeeper("vet", maildir, "--tree", tree, *MEMORY)
    check(out.returncode == 0 and text in out.stdout, "a maildir", show(out))
    out = linekeeper("vet", folder, "--tree", tree, *MEMORY)
    check(out.returncode == 2 and f"is no maildir, it has no cur/ and new/: give patches of a folder as in `cat {folder}/*.patch | " in out.stderr,
          "another folder is none: what to do", show(out))
    out = linekeeper("vet", folder / "bare.patch", folder / "headers.patch", "--tree", tree, *MEMORY)
    check(out.returncode == 2 and "several files are one series as in `cat FILE... | linekeeper vet -`" in out.stderr, "several files: what to do", show(out))
    out = linekeeper("vet", folder / "bare.patch", "--nosuch", "--tree", tree, *MEMORY)
    check(out.returncode == 2 and "unrecognized arguments: --nosuch" in out.stderr, "no such option", show(out))
    (folder / "empty").write_bytes(b"")
    out = linekeeper("vet", folder / "empty", "--tree", tree, *MEMORY)
    check(out.returncode == 1 and "has no patch in it" in out.stderr, "an empty file", show(out))


def test_files(tree: Path) -> None:
    """New, renamed and removed files."""
    files = Files(tree)
    include = files.edit(COUNTER, (r"^struct page_counter \{", "#include <linux/fresh.h>\n\\g<0>\n\tstruct fresh fresh;"))
    fresh = diff("include/linux/fresh.h", "", "struct fresh { long a[3]; };\n")
    out = vet(tree, mail("[PATCH] a new header", fresh + include))
    check(out.returncode == 0 and "struct page_counter   112 -> 136 bytes" in out.stdout and
          "struct fresh   is new, 24 bytes   include/linux/fresh.h:1\n" in out.stdout,
          "a new header is read where it will be", show(out))
    out = vet(tree, mail("[PATCH] include", Files(tree).edit(COUNTER, (r"^struct page_counter \{", "#include <linux/fs.h>\n\\g<0>"))))
    check(out.returncode == 0 and "no struct that was looked at has changed" in out.stdout, "what is only newly included is not new", show(out))
    text = (tree / COUNTER).read_text()
    out = vet(tree, mail("[PATCH] gone", diff(COUNTER, text, "")))
    check(out.returncode == 1 and "error: not judged" in out.stderr, "a header that is missed when it is gone", show(out))
    out = vet(tree, mail("[PATCH] new", diff("kernel/fresh.c", "", "struct fresh { int a; };\n") + include.replace("#include <linux/fresh.h>", "/* */")
                         .replace("struct fresh fresh", "long fresh[3]")))
    check(out.returncode == 0 and "112 -> 136 bytes" in out.stdout and out.stderr.startswith("note: not looked at: kernel/fresh.c: "),
          "a new .c file is not looked at, which is said", show(out))
    broken = files.edit("include/linux/fs.h", (r"^struct address_space \{", "\\g<0>\n\tint = nosuch;"))
    out = vet(tree, mail("[PATCH] broken", broken))
    check(out.returncode == 1 and out.stdout == "[PATCH] broken: not judged\n" and "fs.h: error: not judged" in out.stderr,
          "a series that does not parse", show(out))
    renamed = f"diff --git a/{COUNTER} b/include/linux/counter.h\nsimilarity index 100%\nrename from {COUNTER}\nrename to include/linux/counter.h\n"
    users = [str(path.relative_to(tree)) for path in tree.rglob("*.[ch]") if "<linux/page_counter.h>" in path.read_text()]
    body = renamed + "".join(files.edit(name, (r"<linux/page_counter\.h>", "<linux/counter.h>")) for name in users)
    out = vet(tree, mail("[PATCH] renamed", body))
    check(out.returncode == 0 and out.stdout == "[PATCH] renamed: no struct that was looked at has changed\n" and not out.stderr,
          "a renamed header is the same", show(out))
    files.now["include/linux/counter.h"] = text
    grown = files.edit("include/linux/counter.h", (r"^struct page_counter \{", "\\g<0>\n\tlong fresh;"))
    out = vet(tree, mail("[PATCH 1/2] renamed", body) + mail("[PATCH 2/2] grown", grown))
    check(re.search(r"^struct page_counter   112 -> 120 bytes.*   include/linux/counter.h:\d+$", out.stdout, re.M) and out.returncode == 0,
          "one that is changed too, under its new name", show(out))


def test_sources(tree: Path) -> None:
    """Renamed and removed .c files."""
    text = "#include <linux/types.h>\nstruct moved {\n\tlong a;\n};\nlong moved(struct moved *m);\nlong moved(struct moved *m)\n{\n\treturn m->a;\n}\n"
    (tree / "mm/moved.c").write_text(text)

    def rename(old: str, new: str, body: str) -> str:
        head = f"diff --git a/{old} b/{new}\nsimilarity index 90%\nrename from {old}\nrename to {new}\n"
        return head + body.partition("\n")[2].replace(f"+++ b/{old}", f"+++ b/{new}")

    grown = changed(text, (r"^\tlong a;\n", "\\g<0>\tlong more;\n"))
    note = "note: mm/away.c is judged as mm/moved.c, under which name the tree has it\n"
    out = vet(tree, mail("[PATCH] renamed", rename("mm/moved.c", "mm/away.c", "\n")))
    check(out.returncode == 0 and out.stdout == "[PATCH] renamed: no struct that was looked at has changed\n" and out.stderr == note, "a renamed .c file is the same", show(out))
    body = rename("mm/moved.c", "mm/away.c", diff("mm/moved.c", text, grown))
    out = vet(tree, mail("[PATCH] renamed", body))
    check(out.returncode == 0 and "struct moved   8 -> 16 bytes" in out.stdout and out.stderr == note, "a .c file that is renamed and changed", show(out))
    more = rename("mm/away.c", "mm/far.c", diff("mm/away.c", grown, changed(grown, (r"^\tlong more;\n", "\\g<0>\tlong most;\n"))).replace("b/mm/away.c", "b/mm/far.c"))
    out = vet(tree, mail("[PATCH 1/2] renamed", body) + mail("[PATCH 2/2] and again", more))
    check(out.returncode == 0 and "struct moved   8 -> 24 bytes" in out.stdout and "[PATCH 1/2] renamed: struct moved 8 -> 16 bytes" in out.stdout and
          "[PATCH 2/2] and again: struct moved 16 -> 24 bytes" in out.stdout and out.stderr == note.replace("away", "far"), "renamed twice, each patch alone", show(out))
    out = vet(tree, mail("[PATCH] gone", diff("mm/moved.c", text, "")))
    check(out.returncode == 0 and out.stderr == "note: not judged: mm/moved.c, which the series deletes, with struct moved\n", "a .c file that is gone", show(out))
    (tree / "mm/moved.c").unlink()


def test_range(tree: Path) -> None:
    def git(*words: object) -> None:
        out = run("git", "-c", "user.name=t", "-c", "user.email=t@example.org", *words, cwd=tree)
        assert out.returncode == 0, show(out)
    git("init", "-q", ".")
    git("add", "include", "fs", "mm")
    git("commit", "-q", "-m", "base")
    for subject, edit in (("one more", WATERMARK), ("one less", (r"^\tunsigned long failcnt;\n", ""))):
        text = (tree / COUNTER).read_text()
        (tree / COUNTER).write_text(re.sub(edit[0], edit[1], text, count=1, flags=re.M))
        git("commit", "-q", "-a", "-m", subject)
    index = (tree / ".git/index").read_bytes()
    out = linekeeper("vet", "HEAD~2..HEAD", "--tree", tree, *MEMORY)
    check(out.returncode == 0 and "  one more: struct page_counter 112 -> 120 bytes" in out.stdout and
          "  one less: struct page_counter 120 -> 112 bytes" in out.stdout, "a range: what is in front of it is the base", show(out))
    out = linekeeper("vet", "HEAD~1", "--tree", tree, *MEMORY)
    check(out.returncode == 0 and out.stdout.startswith("one more: 1 struct changed") and "112 -> 120 bytes" in out.stdout,
          "one commit", show(out))
    check((tree / ".git/index").read_bytes() == index and not (tree / ".git/worktrees").exists(), "index and worktrees are as they were")
    out = linekeeper("vet", "HEAD~2", "--tree", tree, *MEMORY)
    check(out.returncode == 1 and re.search(r"^refused: [0-9a-f]{12}, with which 'HEAD~2' begins, has no commit in front of it in ", out.stderr),
          "the first commit of all", show(out))
    applied = run("git", "format-patch", "-1", "--stdout", "HEAD", cwd=tree).stdout.encode()
    out = vet(tree, applied)
    check(out.returncode == 1 and out.stderr == f"refused: the patch ('one less') is in {tree.resolve()} already: take it back there, or give the commit itself\n",
          "a patch that was applied already", show(out))
    git("checkout", "-q", "-b", "side", "HEAD~1")
    (tree / FS).write_text(changed((tree / FS).read_text(), ALIGN))
    git("commit", "-q", "-a", "-m", "aligned")
    git("checkout", "-q", "-")
    git("merge", "-q", "--no-ff", "-m", "merged", "side")
    out = linekeeper("vet", "HEAD", "--tree", tree, *MEMORY)
    check(out.returncode == 2 and not out.stdout and out.stderr.endswith("'HEAD' is a merge: give the commits that it brought, as in `linekeeper vet 'HEAD^..HEAD'`\n") and
          out.stderr.count("\n") == 1, "a merge is no commit to be vetted: what to write", show(out))
    out = linekeeper("vet", "HEAD^..HEAD", "--tree", tree, *MEMORY)
    check(out.returncode == 0 and out.stdout.startswith("aligned: 1 struct changed, 2 around it\n") and "struct address_space   192 -> 256" in out.stdout,
          "the commits that it brought", show(out))
    out = linekeeper("vet", "nosuch..HEAD", "--tree", tree, *MEMORY)
    check(out.returncode == 1 and "neither a file nor a revision" in out.stderr, "no such revision", show(out))


with tempfile.TemporaryDirectory() as name:
    small = small_tree(Path(name))
    test_layout(small)
    test_answers(small)
    test_indirect(small)
    test_typedefs(small)
    test_enums(small)
    test_other_configurations(small)
    test_foreign_includes(small)
    test_series(small)
    test_forms(small, Path(name))
    test_files(small)
    test_sources(small)
    test_range(small)
sys.exit(done())

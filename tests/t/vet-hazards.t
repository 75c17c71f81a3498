#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""linekeeper vet: code that a series breaks, each with a harmless twin; what it says of new members, and of structs that are gone."""

import json
import os
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, "tests")
from tap import check, done, skip, small_tree  # noqa: E402
from vet_series import changed, diff, mail, show, vet  # noqa: E402

HEADER, CODE = "include/linux/x.h", "net/core/x.c"


class Case:
    """A header and code that are in the tree only while a series is vetted."""

    def __init__(self, tree: Path, header: str, code: str = "") -> None:
        self.tree = tree
        self.files = {HEADER: "#include <linux/kernel.h>\n" + header}
        if code:
            self.files[CODE] = "#include <linux/x.h>\n" + code

    def vet(self, *edits: tuple, words: tuple = (), **of: tuple):
        """vet's answer to edits of the header, or (file, edits) of others."""
        after = {**self.files, HEADER: changed(self.files[HEADER], *edits)}
        for name, more in of.items():
            after[name.replace("__", "/")] = changed(self.files[name.replace("__", "/")], *more)
        for name, text in self.files.items():
            (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
            (self.tree / name).write_text(text)
        body = "".join(diff(name, text, after[name]) for name, text in self.files.items() if text != after[name])
        out = vet(self.tree, mail("[PATCH] a change", body), *words)
        for name in self.files:
            (self.tree / name).unlink()
        return out


def found(out, name: str) -> list:
    """(file, line, text) of the findings of an id."""
    return re.findall(rf"^(\S+?):(\d+):\d+: (?:warning|error): (.*) \[-Wcacheline-{name}\]$", out.stderr, re.M)


def swap(first: str, second: str) -> tuple:
    """An edit that exchanges two lines or words that stand side by side."""
    return rf"({first})(\s*)({second})", r"\3\2\1"


def tells(out, name: str, *texts: str) -> bool:
    """One finding, of that id, with these words."""
    one = found(out, name)
    return len(one) == 1 and all(text in one[0][2] for text in texts) and out.stderr.count("[-Wcacheline-") == 1


def silent(out) -> bool:
    return out.returncode == 0 and "[-Wcacheline-" not in out.stderr and "struct" in out.stdout


def test_ranges(tree: Path) -> None:
    clear = "#define memset_after(obj, v, member) do { } while (0)\nvoid init(struct bundle *b)\n{\n\tmemset_after(b, 0, u.dst);\n}\n"
    dst = Case(tree, "struct dst { int flags; struct list_head list; };\nstruct route { struct dst dst; int gen; void *uncached; };\n"
               "struct bundle {\n\tunion {\n\t\tstruct dst dst;\n\t\tstruct route route;\n\t} u;\n\tint more;\n};\n", clear)
    out = dst.vet((r"int flags;", "int flags; void *uncached;"), (r"int gen; void \*uncached;", "int gen;"))
    check(tells(out, "field-range", "memset_after() covers the end behind struct bundle.u.dst: no longer u.route.uncached") and
          f"{CODE}:5:2: note: it covered u.route.gen, u.route.uncached, more; it covers u.route.gen, more\n" in out.stderr,
          "C01: a member that moves out of a memset_after(), into an embedded struct", show(out))
    out = dst.vet((r"int flags; struct list_head list;", "struct list_head list; int flags;"))
    check(silent(out), "C01: its order in front of the range is nobody's business", show(out))

    flow = Case(tree, "typedef unsigned int __be32;\nstruct flow {\n\tint oif;\n\t__be32 saddr;\n\t__be32 daddr;\n\tint mark;\n};\n"
                "struct head { __be32 saddr, daddr; };\n",
                "void copy(struct head *h, struct flow *f)\n{\n\tmemcpy(&h->saddr, &f->saddr, sizeof(f->saddr) + sizeof(f->daddr));\n}\n")
    out = flow.vet((r"__be32 saddr;\n", "\\g<0>\tint fresh;\n"))
    check(tells(out, "field-range", "memcpy() covers saddr and daddr of f: no longer daddr, now fresh too"), "C05: an insertion between two that are copied as one",
          show(out))
    check(silent(flow.vet(swap("int oif;\n\t", "__be32 saddr;\n\t__be32 daddr;\n\t"))), "C05: both move", "")

    conn = "#define offsetof(T, f) __builtin_offsetof(T, f)\n#define sizeof_field(T, f) sizeof(((T *)0)->f)\n" \
           "struct conn {\n\tint refs;\n\tstruct { } init;\n\tint mark;\n\tlong state;\n\tint proto;\n};\nstruct base { int a; };\n" \
           "struct derived { struct base base; int b; int c; };\n"
    calls = {"memset(&c->init, 0, offsetof(struct conn, proto) - offsetof(struct conn, init));": (swap("long state;\n\t", "int proto;\n"), "memset() covers struct conn.init "
             "up to proto: no longer state"),
             "memset(&c->mark, 0, sizeof(*c) - offsetof(struct conn, mark));": (swap("int refs;\n\tstruct { } init;\n\t", "int mark;\n"),
             "memset() covers the end from struct conn.mark: now refs too"),
             "memset(&c->mark, 0, sizeof(*c) - offsetof(typeof(*c), mark));": (swap("int refs;\n\tstruct { } init;\n\t", "int mark;\n"),
             "memset() covers the end from typeof(*c).mark: now refs too"),
             "memset(c, 0, offsetof(struct conn, state));": (swap("int mark;\n\t", "long state;\n"), "memset() covers the start up to struct conn.state: no longer mark")}
    for call, (edit, text) in calls.items():
        out = Case(tree, conn, f"void clear(struct conn *c)\n{{\n\t{call}\n}}\n").vet(edit)
        check(tells(out, "field-range", text), f"C07: {call}", show(out))
        out = Case(tree, conn, f"void clear(struct conn *c)\n{{\n\t{call}\n}}\n").vet((r"long state;", "int fresh;\n\\g<0>"))
        check(silent(out), "C07: a new member in the middle is cleared with the others", show(out))
    old = "memset(&c->init, 0, offsetof(struct conn, proto) - offsetof(struct conn, init));"
    case = Case(tree, conn, f"void clear(struct conn *c)\n{{\n\t{old}\n}}\n")
    new = (re.escape(old), "memset(&c->init, 0, offsetofend(struct conn, proto) - offsetof(struct conn, init));")
    out = case.vet((r"int refs;", "long refs2;\n\tint refs;"), **{CODE.replace("/", "__"): (new,)})
    check(tells(out, "field-range", "up to the end of proto: now proto too"), "C07: a conversion that covers one more", show(out))


def test_forms(tree: Path) -> None:
    """A hazard in each form of the report, and what stands in front of what."""
    case = Case(tree, "struct info { int cpu; };\nstruct task {\n\tstruct info info;\n\tint usage;\n};\n",
                "struct task *task_of(struct info *i)\n{\n\treturn (struct task *)i;\n}\n")
    front, text = (r"^\tstruct info info;", "\tlong fresh;\n\\g<0>"), "struct info is cast to struct task: one must stay"
    out = case.vet(front, words=("--format", "json"))
    hazard = json.loads(out.stdout)["hazards"][0]
    check(hazard["id"] == "first-member-cast" and hazard["file"] == CODE and hazard["line"] == 4 and hazard["text"].startswith(text), "JSON", show(out))
    out = case.vet(front, words=("--format", "sarif"))
    check(text in json.loads(out.stdout)["runs"][0]["results"][0]["message"]["text"], "SARIF", show(out))
    out = case.vet(front, words=("--format", "html"))
    check(text in out.stdout, "HTML", show(out)[:500])
    out = case.vet(front, words=("--reply",))
    check(f"\n{CODE}:4: {text}" in out.stdout and not out.stderr, "--reply: where it is, which no hunk has", show(out))
    out = case.vet(front, words=("--quiet",))
    check(not out.stdout and found(out, "first-member-cast") and out.returncode == 0, "--quiet", show(out))
    out = case.vet(front, words=("--quiet", "--error"))
    check(out.returncode == 1 and f"{CODE}:4:17: error: {text}" in out.stderr, "--error", show(out))


def test_initialisers(tree: Path) -> None:
    ops = Case(tree, "struct common { void (*filter)(void); };\nstruct ops {\n\tstruct common common;\n\tvoid (*stop)(void);\n\tint flags;\n};\n",
               "static void f(void) { }\nstruct ops x = { { .filter = f }, .stop = f };\nstruct ops named = { .common = { .filter = f } };\n")
    out = ops.vet((r"^\tstruct common common;\n(.*\n)", "\\1\tstruct common common;\n"))
    check(tells(out, "positional-initialiser", "struct ops") and found(out, "positional-initialiser")[0][:2] == (CODE, "3"),
          "C10: braces without a name in front, in a struct whose order changes", show(out))
    check(silent(ops.vet((r"int flags;", "int flags;\n\tint more;"))), "C10: one more at the end", "")
    check(silent(ops.vet(swap(r"void \(\*stop\)\(void\);\n\t", "int flags;"))), "C10: others are exchanged than the one without a name", "")
    pair = Case(tree, "struct pair {\n\tint a;\n\tint b;\n\tint c;\n};\n", "struct pair table[] = { { 1 }, { .c = 3 }, { 1, /* two */ 2 } };\n"
                "int f(void)\n{\n\tstruct pair one = { 1 };\n\treturn one.a;\n}\n")
    out = pair.vet(swap("int b;\n\t", "int c;"))
    check(tells(out, "positional-initialiser", "struct pair") and found(out, "positional-initialiser")[0][1] == "2", "an array: the second value", show(out))
    (tree / "net/core").mkdir(parents=True, exist_ok=True)
    makefile = tree / "net/core/Makefile"
    kept = makefile.read_text() if makefile.exists() else ""
    makefile.write_text("obj-$(CONFIG_PSI) += x.o\n")
    out = pair.vet(swap("int b;\n\t", "int c;"))
    check(silent(out) and f"note: 1 file that may count on the layout of the structs is not built by this configuration and was not looked at for hazards: {CODE} "
          "(--set CONFIG_PSI=y for the first)\n" in out.stderr, "C10: a file that is not built: a note", show(out))
    out = pair.vet(swap("int b;\n\t", "int c;"), words=("--set", "CONFIG_PSI=y"))
    check(tells(out, "positional-initialiser", "struct pair") and "not built" not in out.stderr, "C10: as the note says", show(out))
    check("not built" not in pair.vet((r"int c;", "int c, more;")).stderr, "C10: of one more at the end no note either", "")
    makefile.write_text(kept)
    typed = Case(tree, "typedef struct pair {\n\tint a;\n\tint b;\n\tint c;\n} pair_t;\ntypedef struct pair pairs_t[];\n"
                 "typedef struct {\n\tint d;\n\tint e;\n} nameless_t;\n",
                 "pairs_t list = { { 1, 2 }, { .c = 3 } };\npair_t one = { 1 };\nnameless_t two = { 1, 2 };\n")
    out = typed.vet(swap("int b;\n\t", "int c;"))
    check(tells(out, "positional-initialiser", "members of pairs_t are given by position: name them, their order in struct pair changes"),
          "an array with a typedef of its own", show(out))
    out = typed.vet(swap("int d;\n\t", "int e;"))
    check(tells(out, "positional-initialiser", "members of nameless_t are given by position: name them, their order in struct nameless_t changes"),
          "a struct that has the typedef's name alone", show(out))


def test_first(tree: Path) -> None:
    task = "struct info { int cpu; };\nstruct task {\n\tstruct info info;\n\tvoid *stack;\n\tint usage;\n};\n"
    front = (r"^\tstruct info info;", "\tlong fresh;\n\\g<0>")
    case = Case(tree, task, "struct task *task_of(struct info *i)\n{\n\treturn (struct task *)i;\n}\n")
    out = case.vet(front)
    check(tells(out, "first-member-cast", "struct info is cast to struct task", "'fresh' is first in struct task now, in front of 'info'"),
          "C12: a cast to a struct that has another first member now", show(out))
    check(silent(case.vet((r"int cpu;", "long flags; int cpu;"))), "C12: what is first in the first one does not matter", "")
    check(silent(case.vet(swap(r"void \*stack;\n\t", "int usage;"))), "C12: those behind", "")
    commented = Case(tree, task.replace("info;\n\tvoid", "info;\t/* must be first */\n\tvoid"))
    out = commented.vet(front)
    check(tells(out, "first-member-cast", "'info' is no longer the first member of struct task, and a comment says that it must be"), "C14: a comment", show(out))
    check(silent(commented.vet((r"int usage;", "int usage; int more;"))), "C14: a comment that still holds", "")
    wordings = {"/* keep these two at the top */\n\tlong data;": True, "long data; /* DO NOT MOVE */": True, "/* must stay at offset 0\n\t * of it all,\n\t * in words\n\t */\n\tlong data;": True,
                "/* must be set first */\n\tlong data;": False, "long data; /* moved first */": False}
    header = "".join(f"struct s{number} {{\n\t{member}\n\tint n{number};\n}};\n" for number, member in enumerate(wordings)) + \
        "/**\n * struct doc - one\n * @data: the data; has to be the first\n * @n: more\n */\nstruct doc {\n\tlong data;\n\tint m;\n};\n"
    out = Case(tree, header).vet((r"^(\tlong data;\n)(\tint m;\n)", "\\2\\1"))
    check(tells(out, "first-member-cast", "'data' is no longer the first member of struct doc, and a comment"), "C14: of a kernel-doc's lines", show(out))
    out = Case(tree, header).vet(*((rf"^(struct s{number} \{{\n(?:.*\n)*?)(\t(?:/\*.*\n)?\tlong data;|\tlong data;)", "\\1\tlong fresh;\n\\2") for number in range(5)))
    check(re.findall(r"first member of struct (\w+), and a comment", out.stderr) == [f"s{number}" for number, told in enumerate(wordings.values()) if told],
          "C14: the words that comments use, and what only looks like them", show(out))
    absent = Case(tree, "struct group {\n#ifdef CONFIG_PSI\n\tlong data;\t/* must be first */\n\tlong path;\n\tlong more;\n#endif\n\tint usage;\n};\n")
    out = absent.vet(swap(r"long data;\t/\* must be first \*/\n\t", "long path;\n"))
    check(tells(out, "first-member-cast", "'data' is no longer the first member of struct group", ", with CONFIG_PSI=y"),
          "C14: what the author's configuration does not have", show(out))
    check(silent(absent.vet(swap("long path;\n\t", "long more;\n"))), "C14: those behind, where it is", "")
    asm = Case(tree, task)
    asm.files["arch/x86/kernel/asm-offsets_64.c"] = "#include <linux/x.h>\nvoid f(void)\n{\n\tOFFSET(TASK_stack, task, stack);\n\tOFFSET(TASK_info, task, info);\n}\n"
    out = asm.vet((r"^\tvoid \*stack;\n(.*\n)", "\\1\tvoid *stack;\n"))
    check(silent(out), "C12: a hole: nothing in assembly moves", show(out))
    out = asm.vet((r"^\tvoid \*stack;\n", "\tlong fresh;\n\\g<0>"))
    check(silent(out) and "\nnote: constants for assembly change with struct task (stack 8 -> 16): the build computes them anew; look at assembly that counts on more, "
          "as on two members side by side (arch/x86/kernel/asm-offsets_64.c)\n" in f"\n{out.stderr}", "C12: a constant of assembly is a note", show(out))
    asm.files["arch/x86/kernel/asm-offsets_64.c"] += "void g(void)\n{\n\tDEFINE(TASK_size, sizeof(struct task));\n}\n"
    out = asm.vet((r"^\tint usage;\n", "\\g<0>\tlong fresh;\n"))
    check(silent(out) and "struct task (its size 24 -> 32): the build" in out.stderr, "C12: a size", show(out))


def test_interfaces(tree: Path) -> None:
    mark = "struct mark_info {\n\tunsigned char mode, pad[3];\n\tunsigned int secid;\n\tchar text[256];\n};\n"
    case = Case(tree, "#include <uapi/linux/mark.h>\n")
    case.files["include/uapi/linux/mark.h"] = mark
    move = {"include__uapi__linux__mark.h": ((r"^\tunsigned int secid;\n(.*\n)", "\\1\tunsigned int secid;\n"),)}
    out = case.vet(**move)
    check(tells(out, "uapi-struct", "struct mark_info is read outside the kernel", "'secid' lies at 260, not at 4: add a new revision"), "C04: what user space reads is not reordered", show(out))
    out = case.vet(**{"include__uapi__linux__mark.h": ((r"char text\[256\];\n", "\\g<0>\tunsigned int more;\n"),)})
    check(silent(out), "C04: one more at the end", show(out))
    out = case.vet(**{"include__uapi__linux__mark.h": ((r"unsigned int secid;", "unsigned int other;"),)})
    check(silent(out), "C04: another name for the same bytes", show(out))
    case.files["include/uapi/linux/mark.h"] = mark.replace("char text", "unsigned int reserved[4];\n\tchar text")
    for more, used in (("unsigned int flags;\n\tunsigned int reserved[3];", "a part"), ("unsigned int flags[4];", "all")):
        out = case.vet(**{"include__uapi__linux__mark.h": ((r"unsigned int reserved\[4\];", more),)})
        check(silent(out) and "flags" in out.stdout, f"C04: of reserved room {used} is used", show(out))
    out = case.vet(**{"include__uapi__linux__mark.h": ((r"unsigned int reserved\[4\];", "unsigned int flags;\n\tunsigned int reserved[4];"),)})
    check(tells(out, "uapi-struct", "'reserved' lies at 12, not at 8"), "C04: something new, and none of the reserved room for it", show(out))


def test_allocations(tree: Path) -> None:
    timer = "struct timer {\n\tlong hash;\n\tlong lock;\n};\n#define SLAB_HWCACHE_ALIGN 8192\n#define SLAB_ACCOUNT 1\n"
    code = "void *cache;\nvoid init(void)\n{\n\tcache = kmem_cache_create(\"timers\", sizeof(struct timer), 0, SLAB_ACCOUNT, 0);\n}\n"
    align = (r"long lock;", "long lock ____cacheline_aligned_in_smp;")
    out = Case(tree, timer, code).vet(align)
    check(tells(out, "alloc-alignment", "kmem_cache_create()", "it is aligned to 8 -> 64"), "A10: a cache that does not know", show(out))
    check(silent(Case(tree, timer, code.replace("SLAB_ACCOUNT", "SLAB_HWCACHE_ALIGN")).vet(align)), "A10: one that does", "")
    check(silent(Case(tree, timer, code).vet((r"long lock;", "long lock, more;"))), "A10: it grows, and is aligned as it was", "")


def test_asserts(tree: Path) -> None:
    build_bug = "#define __compiletime_error(m) __attribute__((__error__(m)))\n#define __ca(c, msg, name) do { __attribute__((noreturn)) extern void name(void) " \
                "__compiletime_error(msg); if (!(c)) name(); } while (0)\n#define BUILD_BUG(c) __ca(!(c), \"BUILD_BUG_ON failed: \" #c, __bug)\n"
    inner = "struct inner { int a; };\nstruct outer { struct inner in; int b; };\n"
    code = f"{build_bug}void f(struct outer *o)\n{{\n\tBUILD_BUG(sizeof(struct outer) != 8);\n\tBUILD_BUG(sizeof(*o) != 8);\n}}\n" \
           "_Static_assert(sizeof(struct outer) == 8, \"two ints\");\n"
    out = Case(tree, inner, code).vet((r"int a;", "int a, more;"))
    texts = [text for _, _, text in found(out, "layout-assert")]
    check(texts == ["BUILD_BUG_ON failed: sizeof(struct outer) != 8", "BUILD_BUG_ON failed: sizeof(*o) != 8", "static assertion failed: two ints"] and out.returncode == 1,
          "asserts of another file, about what embeds the struct", show(out))
    check(silent(Case(tree, inner, code).vet((r"int a;", "unsigned int a;"), (r"int b;", "int c;"))), "asserts that still hold", "")


def test_comments(tree: Path) -> None:
    slot = Case(tree, "/* a slot has 16 bytes */\nstruct slot {\n\tlong a, b;\n};\n")
    out = slot.vet((r"long a, b;", "long a, b, c;"))
    check(tells(out, "layout-assert", "a comment gives struct slot 16 bytes, it has 24"), "a size in a comment", show(out))
    check(silent(slot.vet((r"has 16", "has 24"), (r"long a, b;", "long a, b, c;"))), "one that is mended with it", "")


PAD = "struct cacheline_padding { char x[0]; } ____cacheline_internodealigned_in_smp;\n#define CACHELINE_PADDING(name) struct cacheline_padding name\n"


def test_lines(tree: Path) -> None:
    """Case B09, and a line that was kept for one member."""
    body = "\n".join(f"\tlong m{number};" for number in range(8))
    counter = Case(tree, f"#include <linux/cache.h>\nstruct counter {{\n\tlong usage;\n\tCACHELINE_PADDING(_pad1_);\n{body}\n"
                   "\tCACHELINE_PADDING(_pad2_);\n\tlong max, min;\n};\n")
    out = counter.vet((r"long m3;", "long m3;\n\tlong fresh;"))
    check(tells(out, "group-straddle", "'fresh' is new on a line that was full between paddings: 'm7' is on one of its own now, the struct has 256 bytes instead of 192"),
          "B09: one more in a full line", show(out))
    out = counter.vet((r"long usage;", "long usage;\n\tlong fresh;"))
    check(tells(out, "shared-isolated", "'fresh' is new on the line of 'usage', which padding kept alone"), "a new member beside one that was alone", show(out))
    check(silent(counter.vet((r"long max, min;", "long max, min, fresh;"))), "one behind all", "")
    check(silent(counter.vet((r"long m3;", "int m3, fresh;"))), "one that fits", "")


def test_ends(tree: Path) -> None:
    array = Case(tree, "struct tail { int n; int list[]; };\nstruct owner {\n\tint a;\n\tstruct tail tail;\n};\n")
    out = array.vet((r"struct tail tail;", "struct tail tail;\n\tint fresh;"))
    check(tells(out, "flexible-array", "'tail' is a flexible array or ends in one, and 'fresh' lies behind it now"), "behind an open end", show(out))
    check(silent(array.vet((r"int a;", "int a, fresh;"))), "in front of it", "")
    zero = Case(tree, "struct owner {\n\tint marker[0];\n\tint a;\n\tint b;\n\tint key[0];\n};\n")
    out = zero.vet((r"key\[0\];", "key[0];\n\tint fresh;"))
    check(tells(out, "flexible-array", "'key' is a flexible array or ends in one, and 'fresh' lies behind it now"), "behind a [0] of the struct's own", show(out))
    check(silent(zero.vet((r"int b;", "int b, fresh;"))), "in front of it", "")
    out = zero.vet((r"marker\[0\];", "marker[0];\n\tint fresh;"), (r"int b;", "int more[0];\n\tint b;"))
    check("flexible-array" not in out.stderr and "fresh" in out.stdout, "a [0] that marks a place, and a new one", show(out))
    kiocb = Case(tree, "struct file { int a; };\nstruct kiocb { struct file *filp; long pos; };\nstruct rw { struct kiocb kiocb; long len; };\n"
                 "struct io {\n\tunion {\n\t\tstruct file *file;\n\t\tstruct rw rw;\n\t};\n\tint x;\n};\n")
    out = kiocb.vet((r"struct file \*filp; long pos;", "long pos; struct file *filp;"))
    check(tells(out, "first-member-cast", "'rw' no longer begins with a 'struct file *', as 'file' that it overlays: it begins with 'pos'"),
          "C14: structs that overlay each other", show(out))
    check(silent(kiocb.vet((r"long pos;", "long pos; int more;"))), "C14: what is behind does not matter", "")


def test_structs(tree: Path) -> None:
    """What stands in a struct's lines besides the layout."""
    case = Case(tree, "struct gone { int a; };\nstruct stays {\n\tint f_ref;\n\tint flags;\n};\nstruct pointed_to {\n\tint one;\n};\n#define DEFINE_PER_CPU(t, n) t n\n",
                "DEFINE_PER_CPU(struct stays, all_of_them);\nDEFINE_PER_CPU(struct pointed_to *, current_one);\n")
    out = case.vet((r"struct gone.*\n", ""), (r"int flags;", "int flags, more;"), (r"int one;", "int one, two;"))
    check(f"\nstruct gone   is gone, it had 4 bytes   {HEADER}:2\n" in out.stdout, "a struct that is taken out", show(out))
    check(out.stdout.count(f"\n  one for each possible CPU ({CODE}): +4 bytes on each\n") == 1, "one for each CPU; not what has a pointer for each", show(out))
    out = case.vet((r"struct gone.*\n", ""), **{CODE.replace("/", "__"): ((r"^DEFINE", "struct gone { int a; };\n\\g<0>"),)})
    check("is gone" not in out.stdout, "one that is taken elsewhere", show(out))
    out = case.vet(swap("int f_ref;\n\t", "int flags;\n"))
    check("\n  first member: f_ref -> flags\n" in out.stdout and "__randomize_layout" not in out.stdout, "A07: another first member", show(out))
    body = "\n".join(f"\tvoid *p{number};" for number in range(22))
    file = Case(tree, f"struct file {{\n\tlong f_ref;\n{body}\n}} __attribute__((aligned(4)));\n")
    out = file.vet((r"^\tlong f_ref;\n", ""), (r"^\tvoid \*p15;\n", "\\g<0>\tunsigned char padding[8];\n\tlong f_ref;\n"))
    check("\nstruct file   184 -> 192 bytes, aligned to 8; 22 -> 21 objects per 4 KiB slab" in out.stdout and "\n  first member: f_ref -> p0\n" in out.stdout,
          "A07: padding costs an object in each slab", show(out))
    out = file.vet((r"^\tlong f_ref;\n", ""), (r"^\tvoid \*p16;\n", "\\g<0>\tlong f_ref;\n"))
    check("\nstruct file   184 bytes, as before" in out.stdout and "slab" not in out.stdout, "A07: a member in its place costs none", show(out))
    shuffled = Case(tree, "struct file {\n\tint f_ref;\n\tint flags;\n} __randomize_layout;\n")
    out = shuffled.vet((r"int flags;", "int flags, more;"))
    check("\n  __randomize_layout, or function pointers alone: with CONFIG_RANDSTRUCT" in out.stdout, "A07: a struct that may be shuffled", show(out))
    anonymous = Case(tree, "struct two {\n\tunion { int a; long b; };\n\tint x;\n\tunion { int c; long d; };\n};\n")
    out = anonymous.vet((r"\tunion \{ int a; long b; \};\n(\tint x;\n)(.*\n)", "\\2\\1\tunion { int a; long b; };\n"), words=("-v",))
    check(re.search(r"^  a +0 +16 ", out.stdout, re.M) and re.search(r"^  c +16 +0 ", out.stdout, re.M) and "gone" not in out.stdout,
          "D08: members of nameless unions are told by their names", show(out))
    out = anonymous.vet((r"^struct two \{\n", "\\g<0>\tstruct { int e; long f; };\n"), words=("-v",))
    check(all(re.search(rf"^  {name} +{then} +{now} ", out.stdout, re.M) for name, then, now in (("e", "-", 0), ("f", "-", 8), ("a", 0, 16), ("c", 16, 32))) and
          "gone" not in out.stdout, "D08: one more in front of them", show(out))


with tempfile.TemporaryDirectory() as name:
    small = small_tree(Path(name))
    if os.environ.get("SPATCH"):
        test_ranges(small)
        test_forms(small)
        test_initialisers(small)
        test_first(small)
        test_interfaces(small)
        test_allocations(small)
        test_comments(small)
    else:
        skip("hazards", "no spatch 1.2 or newer")
    test_asserts(small)
    test_lines(small)
    test_ends(small)
    test_structs(small)
sys.exit(done())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""cacheline-check on tests/findings/*.c, which say what is to be found: the same lines as the plugin's (plugin.t).

And what it is beside the plugin: a checker that kbuild calls, for many units at once, with another one behind it.
"""

import os
import re
import stat
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, "tests")
from findings import expected, reported  # noqa: E402
from tap import check, done, run, skip  # noqa: E402

PROGRAM = Path(os.environ.get("BUILD") or "build").resolve() / "cacheline-check"
SPARSE = Path(os.environ.get("SPARSE_SRC") or "") / "sparse"
MIXED = Path("tests/findings/class-mix.c").resolve()
HEADER = f"-I{Path('include').resolve()}"


def checked(*words: object, **environment: str):
    return run(PROGRAM, "--once=/dev/null", *words, **environment)     # `make check` is one run of make


def test_input(path: Path) -> None:
    wanted, name = expected(path), path.stem
    check(bool(wanted), f"{name}: has expectations")
    out = checked("-O2", "-Iinclude", path)
    check(out.returncode == 0 and reported(out.stderr, path) == wanted and len(out.stderr.splitlines()) == len(wanted),
          f"{name}: found what is expected, and nothing else is said", f"expected {wanted}\n{out.stderr}")
    out = checked("--error", "-O2", "-Iinclude", path)
    errors = sorted((line, text.replace("warning: ", "error: ")) for line, text in wanted)
    check(out.returncode == 1 and reported(out.stderr, path) == errors, f"{name}: an error when asked", out.stderr)
    out = checked(f"--no-{name}", "-O2", "-Iinclude", path)
    check(out.returncode == 0 and not out.stderr, f"{name}: silent when not wanted", out.stderr)


def test_options() -> None:
    for word in ("--nonsense", "--line-size=63", "--line-size=", "--placements=some", "--only=nonsense", "--no-nonsense", "--error=1",
                 "--once=", "--once"):
        out = checked(word, "-Iinclude", MIXED)
        check(out.returncode == 2 and f"option '{word}' is unknown or has a wrong value" in out.stderr, f"{word}: refused", out.stderr)
    for words in ((), ("--error",), ("--error", "--")):
        check(checked(*words).returncode == 2, f"'{' '.join(words)}': no file is wrong use")
    check(checked("--line-size", "63", "-Iinclude", MIXED).returncode == 2, "--line-size 63: refused")
    out = checked("--only=shared-apart,split-with", "-Iinclude", MIXED)
    check(out.returncode == 0 and not out.stderr, "--only=: the others are silent", out.stderr)
    out = checked("--only=kfree-rcu-offset", "-Iinclude", "tests/findings/kfree-rcu-offset.c")
    check(out.stderr.count("'rcu' lies at 4096") == 3, "--only=: asked for, of structs that nobody watches too", out.stderr)
    out = checked("--placements=aligned", "-Iinclude", MIXED)
    check("shares a 64-byte line with the read-mostly 'max', always" in out.stderr, "--placements=aligned", out.stderr)
    for words in (("--line-size=32",), ("--line-size", "32"), ("--line-size=32", "--")):
        out = checked(*words, "-Iinclude", MIXED)
        check("32-byte line" in out.stderr and "64" not in out.stderr, f"{' '.join(words)}: another line", out.stderr)
    out = checked("--abi", "arm", "-Iinclude", MIXED)
    check("at 14 of 16 placements" in out.stderr, "--abi: another machine", out.stderr)
    out = checked("--arch=parisc", "-Iinclude", MIXED)
    check(out.returncode == 0 and "error: not judged, as all others: the ABI of parisc is not known" in out.stderr and
          len(out.stderr.splitlines()) == 1, "a machine whose layouts are not known is said, and stops no build", out.stderr)
    for words in (("--arch=riscv", "-m32"), ("-m64", "--arch=riscv", "-m32")):
        out = checked(*words, "-Iinclude", MIXED)
        check(out.returncode == 0 and "error: not judged, as all others: the ABI of riscv without -m64 is not known" in out.stderr,
              f"{' '.join(words)}: the 32-bit one of a known machine", out.stderr)
    for arch in ("x86", "x86_64", "um", "arm64", "powerpc", "riscv", "s390"):
        out = checked("-m64", f"--arch={arch}", "-m64", "-Iinclude", MIXED)
        check("is written" in out.stderr, f"ARCH={arch}: judged", out.stderr)
    out = checked("--strip", MIXED.parent.parent, "-Iinclude", MIXED)
    check(out.stderr.startswith("findings/class-mix.c:"), "--strip: the user's name of a file", out.stderr)


def test_annotations(folder: Path) -> None:
    bad = folder / "bad.c"
    bad.write_text('struct s { int a __attribute__((cacheline_layout("nonsense"))); int b __attribute__((cacheline_layout("in")));\n'
                   ' int c __attribute__((cacheline_layout("budget", 3))); int d __attribute__((cacheline_layout(3))); }\n'
                   ' __attribute__((cacheline_layout("isolated"))) s;\n')
    out = checked(bad)
    for text in ("1:.*there is no cacheline annotation 'nonsense'", "1:.*'in' needs a name", "2:.*'budget' belongs behind a struct's closing brace",
                 "2:.*its first argument is no string", "3:.*'isolated' belongs behind a member"):
        check(re.search(f"bad.c:{text}", out.stderr), f"a wrong annotation is an error where it stands: {text}", out.stderr)
    check(out.returncode == 0 and len(out.stderr.splitlines()) == 5 and checked("--error", bad).returncode == 1,
          "wrong annotations stop no build, but with --error", out.stderr)
    bad.write_text('#include "cacheline_layout.h"\nstruct s { int a __cacheline_read_mostly __cacheline_written; } s;\n')
    check("bad.c:2:16: error: 'a' is annotated as read-mostly and as written" in checked(HEADER, bad).stderr, "two classes are an error")


def test_unread(folder: Path) -> None:
    """What sparse cannot parse is said, and stops no build."""
    broken, missing = folder / "broken.c", folder / "missing.c"
    broken.write_text("struct s { int a };\n")
    missing.write_text('#include "nowhere.h"\n')
    for path in (broken, missing):
        out = checked(path)
        check(out.returncode == 0 and re.search(rf"{path.name}:1:\d+: error: ", out.stderr) and
              out.stderr.endswith(f"{path}: error: not judged: sparse cannot parse it\n"), f"{path.name}: said, and no more", out.stderr)
        check(checked("--error", path).returncode == 1, f"{path.name}: a failure with --error")
        out = checked(path, LINEKEEPER_THEN="false")
        check(out.returncode == 1, f"{path.name}: the checker behind has its say")
    out = checked(folder / "nothing.c")
    check(out.returncode == 2 and "nothing.c: No such file or directory" in out.stderr, "a file that is not there is said", out.stderr)


def test_bodies(folder: Path) -> None:
    """Bodies of functions are left out, but not what counts in them."""
    source = folder / "bodies.c"
    members = "{ long a __cacheline_written; long b __cacheline_read_mostly; }"
    source.write_text(f'#include "cacheline_layout.h"\nint f(void) {{ struct s {members} s; return sizeof(s); }}\n'
                      f"static int a[] = {{ 1 }};\nint k(x) int x; {{ return x; }}\n"
                      f"struct t {members} *g(void) {{ return 0; }}\nint (*h(int n))(void) {{ if (n) {{ }} return 0; }}\n"
                      f"enum e {{ E }} e(void) {{ return E; }}\nstruct u {members};\n"
                      "__attribute__((aligned(64))) int l(void) { struct { int i; } s; return s.i; }\n")
    out = checked(HEADER, source)
    lines = [int(line) for line in re.findall(r"bodies.c:(\d+):\d+: warning: 'a' is written", out.stderr)]
    check(out.returncode == 0 and lines == [2, 5, 8], "structs in a body, before one, behind one", out.stderr)


def test_asserts(folder: Path) -> None:
    """Where asserts can stand: in a body, which is left out or not, and as a static_assert(), which does not hold."""
    source = folder / "asserts.c"
    build_bug = ' extern void {0}(void) __attribute__((__error__("BUILD_BUG_ON failed: " "sizeof(struct s) > {1}")));'
    source.write_text("struct s { char __cacheline_group_begin__g[0]; long a, b; char __cacheline_group_end__g[0]; };\n" + f"void f(void) {{{build_bug.format('f1', 11)} }}\n" +
                      f"void g(void) {{ struct l {{ int i; }} l;{build_bug.format('g1', 12)} }}\n" +
                      '_Static_assert(sizeof(struct s) <= 13, "sizeof(struct s) <= 13");\n_Static_assert(sizeof(int) == 4, "int");\n')
    out = checked(source)
    said = re.findall(r"asserts.c:1:\d+: warning: the struct has 16 bytes, but its assert allows (\d+) .*\n.*asserts.c:(\d+):", out.stderr)
    check(out.returncode == 0 and said == [("11", "2"), ("12", "3"), ("13", "4")], "asserts of a struct's size", out.stderr)


def test_many_groups(folder: Path) -> None:
    """Each assert is judged for other machines; the struct is laid out for these once."""
    source = folder / "many.c"
    source.write_text("struct s {" + "".join(f"char __cacheline_group_begin__g{i}[0]; int a{i}; char __cacheline_group_end__g{i}[0];\n" for i in range(1000)) +
                      "};\nvoid f(void) {" + "".join(
                          f'extern void f{i}(void) __attribute__((__error__("BUILD_BUG_ON failed: " "offsetof(struct s, __cacheline_group_end__g{i}) - '
                          f'offsetofend(struct s, __cacheline_group_begin__g{i}) > {3 if i == 999 else 4}")));\n' for i in range(1000)) + "}\n")
    out = run("sh", "-c", 'ulimit -t 2; exec "$@"', "sh", PROGRAM, "--once=/dev/null", source)
    check(out.returncode == 0 and re.search(r"many.c:1000:.* group 'g999' has 4 bytes, but its assert allows 3", out.stderr) and
          len(out.stderr.splitlines()) == 2, "a thousand asserts of a thousand groups take no time", out.stderr[-500:])


def test_wider(folder: Path) -> None:
    """A bound that holds on the 32-bit machine that is built for, and on no other."""
    source = folder / "wider.c"
    source.write_text("struct s { char __cacheline_group_begin__g[0]; long a, b; char __cacheline_group_end__g[0]; };\n"
                      'void f(void) { extern void f1(void) __attribute__((__error__("BUILD_BUG_ON failed: " "offsetof(struct s, __cacheline_group_end__g) - '
                      'offsetofend(struct s, __cacheline_group_begin__g) > 8"))); }\n')
    for abi in ("arm", "i386"):
        out = checked("--abi", abi, source)
        check("warning: group 'g' has 16 bytes on x86-64, but its assert allows 8 [" in out.stderr, f"{abi}: too large on 64 bits", out.stderr)
    out = checked("--abi", "arm64", source)
    check("warning: group 'g' has 16 bytes, but its assert allows 8 [" in out.stderr, "arm64: as it is", out.stderr)


def test_unbalanced(folder: Path) -> None:
    """Brackets that nothing closes are looked for once, not at each declaration."""
    source = folder / "unbalanced.c"
    source.write_text("( int f ; " * 60000)
    out = run("timeout", "5", PROGRAM, source)
    check(out.returncode == 0 and "not judged" in out.stderr, "60,000 open brackets: said in a moment", out.returncode)


def test_shuffled(folder: Path) -> None:
    """Under randstruct the order is not known to sparse: of the structs that say so nothing is claimed (case F07)."""
    source = folder / "shuffled.c"
    struct = "{ long a __cacheline_written; long b __cacheline_read_mostly; }"
    source.write_text(f'#include "cacheline_layout.h"\nstruct shuffled {struct} __attribute__((designated_init));\n'
                      f"struct holds {{ struct shuffled s; long a __cacheline_written; long b __cacheline_read_mostly; }};\nstruct plain {struct};\n")
    out = checked(HEADER, source)
    check(out.stderr.count("warning: 'a' is written") == 3, "without randstruct all are judged", out.stderr)
    out = checked(HEADER, "-DRANDSTRUCT", source)
    check(re.findall(r":(\d+):\d+: (\w+)", out.stderr) == [("2", "note"), ("3", "note"), ("4", "warning"), ("4", "note")],
          "with it those that are shuffled are told, and not judged", out.stderr)


def make_twice(folder: Path, *words: object, **environment: str) -> int:
    """How often two units of one run of make say what they both see."""
    call = " ".join(map(str, [PROGRAM, *words, HEADER, MIXED]))
    (folder / "Makefile").write_text(f"all: one two\none two:\n\t{call}\n")
    out = run("make", "-s", "-k", "-j2", cwd=folder, MAKEFLAGS="", **environment)
    return len(re.findall(r": (?:warning|error): 'usage' is written", out.stderr))


def orphaned(folder: Path, **environment: str) -> int:
    """How often it is said by a checker that no make has started, though `make check` has started this test."""
    log, over = folder / "orphan.log", folder / "orphan.over"
    run("sh", "-c", 'over=$1 log=$2; shift 2; (sleep 0.2; "$@" 2>"$log"; : >"$over") </dev/null >/dev/null 2>&1 &',
        "sh", over, log, PROGRAM, HEADER, MIXED, **environment)
    for _ in range(200):
        if over.exists():
            break
        time.sleep(0.1)
    over.unlink()
    return log.read_text().count("warning: 'usage' is written")


def test_once(folder: Path) -> None:
    place, other = folder / "run", folder / "other"
    place.mkdir()
    for times in (1, 2):
        said = make_twice(folder, XDG_RUNTIME_DIR=str(place))
        check(said == 1, f"run {times} of make: said once", said)
    record = place / "linekeeper"
    check(stat.S_IMODE(record.stat().st_mode) == 0o700 and sorted(os.listdir(folder)) == ["Makefile", "run"],
          "the record is nobody else's, and not in the build folder", list(folder.iterdir()))
    said = make_twice(folder, "--once=here", XDG_RUNTIME_DIR=str(place))
    check(said == 1 and (folder / "here").is_dir(), "--once=: the user's folder", said)
    said = make_twice(folder, "--error", XDG_RUNTIME_DIR=str(place))
    check(said == 2, "an error is said by each", said)
    other.mkdir()
    (other / f"linekeeper-{os.geteuid()}").symlink_to(record)
    said = make_twice(folder, XDG_RUNTIME_DIR="", TMPDIR=str(other))
    check(said == 2, "a link in the place of the record is not followed", said)
    (other / f"linekeeper-{os.geteuid()}").unlink()
    said = make_twice(folder, XDG_RUNTIME_DIR="", TMPDIR=str(other))
    check(said == 1 and (other / f"linekeeper-{os.geteuid()}").is_dir(), "without XDG_RUNTIME_DIR: TMPDIR", said)
    said = [orphaned(folder, XDG_RUNTIME_DIR=str(place)) for _ in range(2)]
    check(said == [1, 1], "without make all is said each time", said)


def test_classes(folder: Path) -> None:
    """What is inferred of members, by a file: of structs that declare nothing, for who asks; of those that do, nothing is told."""
    source, classes = folder / "classes.c", folder / "classes"
    source.write_text('#include "cacheline_layout.h"\nstruct plain { long hot; long pad[6]; long limit; struct { long max; }; };\n'
                      "struct declared { long hot; long limit; long max __cacheline_read_mostly; };\n")
    known = (("hot", "written", 1, 12, "inferred, h"), ("limit", "read-mostly", 30, 0, "inferred, l"), ("max", "read-mostly", 7, 1, "inferred, m"))
    classes.write_text("".join("\t".join(map(str, (f"struct {name}", source, *row))) + "\n" for name in ("plain", "none", "declared") for row in known))
    out = checked("--only=class-mix", f"--classes={classes}", HEADER, source)
    check(out.stderr == f"{source}:2:21: warning: 'hot' of struct plain is written (inferred, h), but shares a 64-byte line with the read-mostly 'limit' "
          f"(inferred, l), at 1 of 8 placements (0): move one of them [-Wcacheline-class-mix]\n{source}:2:44: note: 'limit' is here\n",
          "class-mix, asked for", out.stderr)
    out = checked("--only=class-mix", f"--classes={classes}", "--line-size=128", HEADER, source)
    check("'limit' (inferred, l) and 1 more, at 9 of 16 placements" in out.stderr, "class-mix: other lines, two that are read", out.stderr)
    for words in ((f"--classes={classes}",), ("--only=class-mix",)):
        out = checked(*words, HEADER, source)
        check(not out.stderr, f"{words[0].split('=')[0]} alone: nothing", out.stderr)
    classes.write_text("struct plain\tx\n")
    out = checked(f"--classes={classes}", HEADER, source)
    check(out.returncode == 2 and "not a file of classes" in out.stderr, "what is no file of classes is said", out.stderr)
    check(checked(f"--classes={folder}/none", HEADER, source).returncode == 2, "one that is not there, too")


def test_then(folder: Path) -> None:
    """The user's own checker, sparse, behind this one."""
    source = folder / "then.c"
    source.write_text('#include "cacheline_layout.h"\nstruct s { long a __cacheline_written; long b __cacheline_read_mostly; };\nint *p = 0;\n')
    words = ("--only=class-mix", HEADER, "-Wnon-pointer-null", source)
    if SPARSE.exists():
        out = checked(*words, LINEKEEPER_THEN=f" {SPARSE}  -Wsparse-all ")
        check(out.returncode == 0 and 0 <= out.stderr.find("'a' is written") < out.stderr.find("plain integer as NULL"),
              "sparse speaks after us", out.stderr)
        check("unknown attribute" not in out.stderr, "and sees none of the annotations", out.stderr)
        out = checked(*words, LINEKEEPER_THEN=f"{SPARSE} -Wsparse-error")
        check(out.returncode == 1 and "'a' is written" in out.stderr, "its exit status is ours", out.stderr)
    else:
        skip("sparse behind us", "SPARSE_SRC has the library only")
    check(checked("--error", *words, LINEKEEPER_THEN="true").returncode == 1, "ours, where it is worse")
    out = checked(*words, LINEKEEPER_THEN="/nowhere/sparse -x")
    check(out.returncode == 2 and "LINEKEEPER_THEN: /nowhere/sparse" in out.stderr, "one that is not there is said", out.stderr)
    out = checked(*words[:-1], "-DVALUE=3", source, LINEKEEPER_THEN="echo $(touch hostile); `touch hostile` >hostile")
    check(out.stdout.endswith(f" -Wnon-pointer-null -DVALUE=3 {source}\n"), "it gets the flags as they came", out.stdout)
    check(out.stdout.startswith("$(touch hostile); `touch hostile` >hostile ") and not Path("hostile").exists(), "no shell reads it", out.stdout)


def in_folder(test) -> None:
    with tempfile.TemporaryDirectory() as name:
        test(Path(name))


for one in sorted(Path("tests/findings").glob("*.c")):
    test_input(one)
test_options()
for each in (test_annotations, test_unread, test_bodies, test_asserts, test_many_groups, test_wider, test_unbalanced, test_shuffled, test_once, test_classes, test_then):
    in_folder(each)
sys.exit(done())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The GCC plugin on tests/findings/*.c, by every compiler here that has plugin headers: each input says on its lines
what is to be found there, and nothing else may be.

/* expect: warning: text [-Wcacheline-id] */ on the line that deserves it; severity and text must match. Each
input must also compile without the plugin, and the object must be the same with and without it.
"""

import json
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, "tests")
from findings import expected, reported  # noqa: E402
from tap import check, done, run, skip  # noqa: E402

BUILD = Path(os.environ.get("BUILD") or "build").resolve()
COMPILERS = ("gcc", "gcc-11", "gcc-12", "gcc-13", "gcc-14", "aarch64-linux-gnu-gcc")
FLAGS = ["-O2", "-Iinclude", "-DCACHELINE_LAYOUT_PLUGIN", "-c"]


def plugin_of(compiler: str) -> Path:
    return BUILD / f"plugin/{compiler}/cacheline_plugin.so"


def compile_with(compiler: str, path: Path, out: Path, *words: object, plugin: str = ""):
    return run(compiler, *FLAGS, f"-fplugin={plugin_of(plugin or compiler)}", *words, path, "-o", out, LC_ALL="C")


def test_input(compiler: str, path: Path, folder: Path) -> None:
    wanted, plain, loaded = expected(path), folder / "plain.o", folder / "loaded.o"
    check(bool(wanted) and all(f"[-Wcacheline-{path.stem}]" in text for _, text in wanted if "note: " not in text),
          f"{compiler}: {path.stem}: has expectations, all of its own id", wanted)
    without = run(compiler, "-O2", "-Wall", "-Iinclude", "-c", path, "-o", plain)
    check(without.returncode == 0 and not without.stderr, f"{compiler}: {path.stem}: compiles without the plugin", without.stderr)
    out = compile_with(compiler, path, loaded)
    check(reported(out.stderr, path) == wanted, f"{compiler}: {path.stem}: found what is expected, and nothing else",
          f"expected {wanted}\ngot {reported(out.stderr, path)}\n{out.stderr}")
    if not any(text.startswith("error: ") for _, text in wanted):
        check(out.returncode == 0 and plain.read_bytes() == loaded.read_bytes(), f"{compiler}: {path.stem}: the same object", out.stderr)
        check(compile_with(compiler, path, loaded, "-fplugin-arg-cacheline_plugin-error").returncode == 1,
              f"{compiler}: {path.stem}: an error when asked")
    out = compile_with(compiler, path, loaded, f"-fplugin-arg-cacheline_plugin-no-{path.stem}")
    check(out.returncode == 0 and not reported(out.stderr, path), f"{compiler}: {path.stem}: silent when not wanted", out.stderr)


def test_arguments(compiler: str, folder: Path) -> None:
    path, out = Path("tests/findings/class-mix.c"), folder / "x.o"
    for word in ("nonsense", "line-size=63", "line-size=", "placements=some", "only=nonsense", "no-nonsense", "error=1"):
        done_run = compile_with(compiler, path, out, f"-fplugin-arg-cacheline_plugin-{word}")
        check(done_run.returncode == 1 and "is unknown or has a wrong value" in done_run.stderr, f"{compiler}: {word}: refused",
              done_run.stderr)
    done_run = compile_with(compiler, path, out, "-fplugin-arg-cacheline_plugin-only=shared-apart,split-with")
    check(done_run.returncode == 0 and not done_run.stderr, f"{compiler}: only=: the others are silent", done_run.stderr)
    done_run = compile_with(compiler, Path("tests/findings/kfree-rcu-offset.c"), out, "-fplugin-arg-cacheline_plugin-only=kfree-rcu-offset")
    check(len(reported(done_run.stderr, Path("tests/findings/kfree-rcu-offset.c"))) == 3, f"{compiler}: only=: asked for, of structs that nobody watches too", done_run.stderr)
    done_run = compile_with(compiler, path, out, "-fplugin-arg-cacheline_plugin-placements=aligned")
    check("shares a 64-byte line with the read-mostly 'max', always" in done_run.stderr, f"{compiler}: placements=aligned", done_run.stderr)
    done_run = compile_with(compiler, path, out, "-fplugin-arg-cacheline_plugin-line-size=16")
    check(done_run.returncode == 0 and "'usage' is written" not in done_run.stderr, f"{compiler}: line-size=16", done_run.stderr)
    done_run = run(compiler, *FLAGS[:-1], "-E", "-D__GENKSYMS__", path)
    check("long usage" in done_run.stdout and "cacheline_layout(" not in done_run.stdout, f"{compiler}: genksyms sees no annotation")
    text = run(compiler, f"-fplugin={plugin_of(compiler)}", "--help", "-v", LC_ALL="C").stderr
    for word in ("line-size=N", "placements=", "error", "only=ID", "no-ID", "once=FOLDER", "report=FILE", "strict"):
        check(f"\n    {word}" in text, f"{compiler}: --help -v tells of {word}", text[-1500:])
    done_run = compile_with(compiler, path, out, "-fsyntax-only")
    check(reported(done_run.stderr, path) == expected(path), f"{compiler}: -fsyntax-only: judged too", done_run.stderr)
    bad = folder / "bad.c"
    bad.write_text("struct s { int a __attribute__((cacheline_layout(\"nonsense\"))); int b __attribute__((cacheline_layout(\"in\")));"
                   " int c __attribute__((cacheline_layout(\"budget\", 3))); } s;\n"
                   "struct t { int a; } __attribute__((cacheline_layout(\"budget\", -1))) t;\n")
    done_run = compile_with(compiler, bad, out)
    check(done_run.returncode == 1 and "there is no cacheline annotation 'nonsense'" in done_run.stderr and
          "'in' needs a name" in done_run.stderr and "'budget' needs a number of bytes" in done_run.stderr and "belongs behind a struct's closing brace" in done_run.stderr,
          f"{compiler}: a wrong annotation is an error where it stands", done_run.stderr)
    bad.write_text('#include "cacheline_layout.h"\nstruct s { int a __cacheline_read_mostly __cacheline_written; } s;\n')
    done_run = compile_with(compiler, bad, out)
    check(done_run.returncode == 1 and f"{bad}:2:16: error: 'a' is annotated as read-mostly and as written" in done_run.stderr,
          f"{compiler}: so are two classes", done_run.stderr)


def test_report(compiler: str, folder: Path) -> None:
    """report=: what cacheline-map says of the same structs; a folder has a file for each unit, and keeps to itself."""
    abi, flag = "arm64" if compiler.startswith("aarch64") else "x86-64", "-fplugin-arg-cacheline_plugin-report="
    for source in sorted(Path("tests/findings").glob("*.c")):
        file = folder / "report.json"
        compile_with(compiler, source, folder / "x.o", f"{flag}{file}")
        out = run(BUILD / "cacheline-map", "--json", "--all", "--abi", abi, "--line-size", "64", "--", "-Iinclude", source)
        known = {record["name"]: record for record in json.loads(out.stdout)}
        found = json.loads(file.read_text())
        file.unlink()
        check(found and all(record == known.get(record["name"]) for record in found), f"{compiler}: report of {source.stem}: as cacheline-map",
              "\n".join(f"{record}\n{known.get(record['name'])}" for record in found if record != known.get(record["name"])))
    for where in ("reports/", "there"):
        (folder / "there").mkdir(exist_ok=True)
        compile_with(compiler, Path("tests/../tests/findings/class-mix.c"), folder / "x.o", f"{flag}{folder}/{where}")
        found = [str(path.relative_to(folder / where)) for path in (folder / where).rglob("*") if path.is_file()]
        check(found == ["tests/tests/findings/class-mix.c.json"], f"{compiler}: report={where}: one file, below it", found)
    out = compile_with(compiler, Path("tests/findings/class-mix.c"), folder / "x.o", f"{flag}{folder}/absent/report.json")
    check(out.returncode == 1 and "cacheline report" in out.stderr, f"{compiler}: a report that cannot be written is an error", out.stderr)


def test_once(compiler: str, folder: Path) -> None:
    """What two units of one run of make have to say is said once; in the next run again; errors by each."""
    option, source = "-fplugin-arg-cacheline_plugin", Path("tests/findings/class-mix.c").resolve()
    words = [compiler, *FLAGS, f"-I{Path('include').resolve()}", f"-fplugin={plugin_of(compiler)}", source]
    (folder / "Makefile").write_text("all: one two\none two:\n\t" + " ".join(map(str, words)) + " $(MORE) -o $@.o\n")
    for times, more in ((1, "-once=seen"), (1, "-once=seen"), (1, "-once"), (2, f"-once {option}-error")):
        done_run = run("make", "-k", "-j2", f"MORE={option}{more}", cwd=folder, LC_ALL="C", MAKEFLAGS="", XDG_RUNTIME_DIR=str(folder))
        said = len(re.findall(r"^\S+: (warning|error): 'usage' is written", done_run.stderr, re.M))
        check(said == times, f"{compiler}: said {times} time(s) with '{more}'", done_run.stderr)
    kept = [len(list((folder / name).iterdir())) for name in ("seen", "linekeeper")]
    check(kept == [1, 1], f"{compiler}: the record of the run that ended is gone", kept)
    shutil.rmtree(folder / "seen")
    shutil.rmtree(folder / "linekeeper")


def test_twice(compiler: str, folder: Path) -> None:
    """The kernel's own and one by KCFLAGS: the first does the work."""
    second, path = folder / "second_plugin.so", Path("tests/findings/class-mix.c")
    shutil.copy(plugin_of(compiler), second)
    out = compile_with(compiler, path, folder / "x.o", f"-fplugin={second}")
    check(out.returncode == 0 and reported(out.stderr, path) == expected(path) and out.stderr.count("another copy is loaded") == 1,
          f"{compiler}: loaded twice", out.stderr)


def test_collected(compiler: str, folder: Path) -> None:
    """Structs of functions that GCC has forgotten, and whose memory it used again, when the unit ends."""
    source, members = folder / "forgotten.c", "{ long a __cacheline_written; long b __cacheline_read_mostly; }"
    source.write_text('#include "cacheline_layout.h"\n' + "".join(
        f"static inline int f{n}(void) {{ struct s{n} {members} *p = 0; return sizeof(*p); }}\nint h{n}(struct t{n} {members} *);\n"
        for n in range(60)))
    out = compile_with(compiler, source, folder / "x.o", "--param", "ggc-min-expand=0", "--param", "ggc-min-heapsize=0")
    check(out.returncode == 0 and len(re.findall(r": warning: 'a' is written", out.stderr)) == 120,
          f"{compiler}: types that were collected", out.stderr[-2000:])


def test_others(compiler: str, others: list, folder: Path) -> None:
    """Plugins of other compilers: said, not checked, and an error when that is asked for."""
    path = Path("tests/findings/class-mix.c")
    for other in others:
        done_run = compile_with(compiler, path, folder / "x.o", plugin=other)
        check(done_run.returncode == 0 and "no struct is checked" in done_run.stderr and "Wcacheline" not in done_run.stderr
              and done_run.stderr.count("warning:") == 1, f"{compiler}: the plugin of {other} checks nothing, and says so",
              done_run.stderr)
        done_run = compile_with(compiler, path, folder / "x.o", "-fplugin-arg-cacheline_plugin-strict", plugin=other)
        check(done_run.returncode == 1 and "error: plugin 'cacheline_plugin' was built for" in done_run.stderr,
              f"{compiler}: strict: the plugin of {other} is an error", done_run.stderr)


def built() -> dict:
    """{compiler: its version and target}, one name for each, of those whose plugin could be built"""
    found = {}
    for compiler in filter(shutil.which, COMPILERS):
        name = run(compiler, "-dumpfullversion").stdout + run(compiler, "-dumpmachine").stdout
        if name in found.values():
            continue
        out = run("make", "plugin", f"BUILD={BUILD}", f"PLUGIN_CC={compiler}")
        if plugin_of(compiler).exists():
            found[compiler] = name
        else:
            check("SKIP: no plugin headers" in out.stdout, f"{compiler}: plugin", out.stdout + out.stderr)
    return found


compilers = built()
if not compilers:
    skip("the plugin", "no compiler with plugin headers")
with tempfile.TemporaryDirectory() as name:
    for one in compilers:
        for source in sorted(Path("tests/findings").glob("*.c")):
            test_input(one, source, Path(name))
        test_arguments(one, Path(name))
        test_report(one, Path(name))
        test_once(one, Path(name))
        test_twice(one, Path(name))
        test_collected(one, Path(name))
        test_others(one, [other for other in compilers if other != one], Path(name))
sys.exit(done())

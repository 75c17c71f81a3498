#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What somebody does wrong in his first hour: the message says what to do, and the exit status is 2."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, "tests")
from tap import TOP, check, done, linekeeper, run, small_tree  # noqa: E402


def show(out: subprocess.CompletedProcess) -> str:
    return f"status {out.returncode}\n{out.stdout}{out.stderr}"


def built_aside(tree: Path, build: Path) -> Path:
    """The tree's build as make O= would have left it: the source is only prepared there."""
    machine = Path("arch/x86")
    for folder in ("include/generated", "include/config", machine / "include/generated", machine / "kernel"):
        (build / folder).parent.mkdir(parents=True, exist_ok=True)
        run("cp", "-r", tree / folder, build / folder)
    for name in (machine / "kernel/.asm-offsets.s.cmd", "mm/.page_counter.o.cmd"):
        (build / name).parent.mkdir(exist_ok=True)
        text = (tree / name).read_text().replace("./", f"{tree}/").replace(f"{tree}/{machine}/include/generated", f"./{machine}/include/generated")
        (build / name).write_text(text.replace(" mm/page_counter.c", f" {tree}/mm/page_counter.c"))
    (build / "source").symlink_to(tree)
    return build


def says(out: subprocess.CompletedProcess, text: str, what: str, status: int = 2) -> None:
    check(out.returncode == status and text in out.stderr and not out.stdout and "Traceback" not in out.stderr, what, show(out))


def test_trees(tree: Path, build: Path, folder: Path) -> None:
    out = linekeeper("map", "page_counter", cwd=build / "mm")
    check(out.returncode == 0 and out.stdout.startswith("struct page_counter   112 bytes"), "below an O= folder", show(out))
    says(linekeeper("map", "page_counter", cwd=folder), "give one with --tree, the source or the O= folder of a build", "no tree at all")
    run("cp", "-r", TOP / "tests/tree", folder / "pristine")
    says(linekeeper("map", "page_counter", "--tree", folder / "pristine"), "make prepare` there, or give the O= folder", "a tree that is not prepared")
    says(run("tests/demo", folder), "is not a kernel tree", "make demo: no tree")
    out = run("tests/demo", build, cwd=TOP)
    check(out.returncode == 0 and f"4 of 4 seeds made and proved on {build}" in out.stdout, "make demo: an O= folder", show(out)[-3000:])


def test_index(tree: Path, build: Path, cache: str) -> None:
    out = linekeeper("index", "--tree", build, XDG_CACHE_HOME=cache)
    check(out.stdout.startswith("1 object: 1 read"), "an O= folder is indexed", show(out))
    says(linekeeper("who", "page_counter.usage", "--tree", tree, XDG_CACHE_HOME=cache),
         f"run `linekeeper index`, or ask that of another build of this source: --tree {build}", "who: there is another build's index")
    says(linekeeper("index", "nowhere", "--tree", tree, XDG_CACHE_HOME=cache), "has no folder or file nowhere", "index: no such folder")
    says(linekeeper("index", "scripts", "--tree", tree, XDG_CACHE_HOME=cache), "has no .cmd file of an object of scripts", "index: nothing was built there")


def test_rules(tree: Path) -> None:
    move = ("relayout", "--tree", tree, "--rule", "move", "-D", "struct=page_counter", "-D", "field=max")
    says(linekeeper(*move), "move.cocci matches nothing: it was not told -D after=, end or front", "relayout: where to is not said")
    for rule, words, said in (("move", ["front"], "spatch failed on move.cocci: it was not told -D field="),
                              ("exchange", ["a=usage"], "spatch failed on exchange.cocci: it was not told -D b="),
                              ("group", ["group=x"], "it was not told -D first=, last= or aligned"), ("pad", [], "it was not told -D after=\n")):
        out = linekeeper("relayout", "--tree", tree, "--rule", rule, *(f"-D{word}" for word in ["struct=page_counter", *words]))
        says(out, said, f"relayout {rule}: which -D is missing")
    says(linekeeper("relayout", "--tree", tree, "--rule", "mov"), "no rule 'mov': it is no file, and those that come with linekeeper are ",
         "relayout: a rule's name mistyped")
    out = linekeeper("check", "--only=bogus", "mm/page_counter.c", "--tree", tree)
    says(out, "option '--only=bogus' is unknown or has a wrong value; ids are align-lost, ", "check: no such id")
    check("usage" not in out.stderr, "check: no usage of a program that was not called", show(out))


def test_words() -> None:
    says(linekeeper("plugin-flags", "--cc", "no-such-gcc"), "there is no compiler no-such-gcc", "plugin-flags: no such compiler")
    says(linekeeper("plugin-flags", "--cc", "clang-17"), "clang-17 loads no GCC plugin: use the checker, `make C=1 CHECK=", "plugin-flags: clang")
    out = linekeeper("--version")
    check(out.returncode == 0 and out.stdout.startswith("linekeeper 0."), "--version", show(out))
    out = run(Path(os.environ.get("BUILD", "build")) / "cacheline-check", "--help")
    check(out.returncode == 0 and out.stdout.startswith("usage: cacheline-check ") and not out.stderr, "cacheline-check --help", show(out))


def main(folder: Path) -> None:
    tree = small_tree(folder)
    run("make", "-s", "mm/page_counter.o", cwd=tree, MAKEFLAGS="")
    build = built_aside(tree, folder / "build")
    test_trees(tree, build, folder)
    test_index(tree, build, str(folder / "cache"))
    test_rules(tree)
    test_words()


with tempfile.TemporaryDirectory() as name:
    main(Path(name).resolve())
sys.exit(done())

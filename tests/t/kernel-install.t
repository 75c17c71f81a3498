#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""linekeeper install: into a tree and out of it to the byte, whatever stops it; then in real kernels, built with the switch on."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = ["tests", "scripts"]
from lk import engine, install  # noqa: E402
from lk.errors import Refused  # noqa: E402
from lk.job import clean_env  # noqa: E402
from tap import TOP, check, done, kernel, run, skip, tree_to_build  # noqa: E402

TOUCHED = [edit.path for edit in install.EDITS]
# what a build of one object in mm/ writes to; the rest of a scratch tree are links
WRITTEN = ("arch/x86", "include", "kernel", "mm", "scripts", "tools")
STRUCT = """#include <linux/cache.h>
struct annotated {
	long max __cacheline_read_mostly;
	long hits __cacheline_written;
	struct { long parts[16]; } there ____cacheline_aligned __cacheline_apart(max) __cacheline_isolated;
} ____cacheline_aligned __cacheline_budget(192);
int size_of_annotated(void);
int size_of_annotated(void) { return sizeof(struct annotated); }
"""
DOCUMENTED = """/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * struct documented - every annotation on a member that is described
 * @first: none
 * @max: one
 * @hits: two
 * @call: three
 * @more: four
 * @last: five
 */
struct documented {
	long first;
	long max __cacheline_read_mostly;
	long *hits ____cacheline_aligned __cacheline_apart(max) __cacheline_isolated;
	int (*call)(int value) __cacheline_in(calls);
	unsigned int more:3 __cacheline_written __cacheline_apart(hits);
	char *last[4] __cacheline_with(more);
} ____cacheline_aligned __cacheline_budget(192);
"""
FOUND = "page_counter.c:4:14: warning: 'hits' is written, but shares a 64-byte line with the read-mostly 'max', always"


def copy_of_linekeeper(folder: Path) -> None:
    """What install reads, so that nobody changes it between two calls."""
    for name in ("cocci", "include", "lib", "plugin", "scripts"):
        shutil.copytree(TOP / name, folder / name)
    engine.TOP = str(folder)


def linekeeper(*argv: object, **how: object) -> subprocess.CompletedProcess:
    return run(f"{engine.TOP}/scripts/linekeeper", *argv, **how)


def small_tree(source: Path, folder: Path) -> Path:
    """What install looks at."""
    for name in ("Makefile", "Kconfig", *TOUCHED):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source / name, folder / name)
    (folder / "scripts/coccinelle").mkdir()
    return folder


def state(tree: Path) -> dict:
    """Every path with its mode and content."""
    return {str(path.relative_to(tree)): (path.lstat().st_mode, b"" if path.is_dir() or path.is_symlink() else path.read_bytes())
            for path in tree.rglob("*")}


def stopped_after(count: int, tree: Path, *words: str) -> bool:
    """install in a process that is gone at its count-th change of the tree; False: it came to its end."""
    pid = os.fork()
    if not pid:
        left = [count]

        def counted(call):
            def changed(*args, **more):
                left[0] -= 1
                if left[0] < 0:
                    os._exit(9)
                return call(*args, **more)
            return changed

        os.fsync = lambda fd: None
        os.replace, os.unlink, os.rmdir = counted(os.replace), counted(os.unlink), counted(os.rmdir)
        Path.unlink = lambda path, missing_ok=False: os.unlink(path) if os.path.lexists(path) else None
        sys.stdout = open(os.devnull, "w", encoding="utf-8")
        try:
            os._exit(install.main(["--tree", str(tree), *words]))
        except BaseException as err:  # pylint: disable=broad-except
            print(f"# {err!r}", file=sys.stderr, flush=True)
            os._exit(1)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if status not in (0, 9):
        raise RuntimeError(f"install {words} stopped after {count} changes: status {status}")
    return status == 9


def test_stopped(tree: Path, before: dict, after: dict) -> None:
    count, wrong = 0, []
    while stopped_after(count, tree):
        halfway = state(tree)
        if halfway[f"{install.PLUGINS}/Kconfig"] != before[f"{install.PLUGINS}/Kconfig"] and \
                any(halfway.get(path) != after[path] for path in after if path != install.NOTES):
            wrong.append(f"install, {count}: the switch is there before what it switches")
        if count % 2:
            stopped_after(999, tree)
            wrong += [f"install, {count}: not completed"] if state(tree) != after else []
        stopped_after(999, tree, "--remove")
        wrong += [f"install, {count}: not removed"] if state(tree) != before else []
        count += 1
    check(count > 30 and not wrong, f"install stopped at each of its {count} changes: completed, or removed", "\n".join(wrong))
    count, wrong = 0, []
    while stopped_after(count, tree, "--remove"):
        if count % 2:
            stopped_after(999, tree, "--remove")
            wrong += [f"remove, {count}: not completed"] if state(tree) != before else []
        stopped_after(999, tree)
        wrong += [f"remove, {count}: not installed"] if state(tree) != after else []
        count += 1
    check(count > 30 and not wrong and state(tree) == before, f"--remove stopped at each of its {count} changes: the same",
          "\n".join(wrong))


def test_in_and_out(tree: Path) -> None:
    before = state(tree)
    out = linekeeper("install", "--tree", tree)
    after = state(tree)
    check(out.returncode == 0 and "CONFIG_GCC_PLUGIN_CACHELINE_LAYOUT" in out.stdout, "install", out.stdout + out.stderr)
    changed = sorted(path for path in before if before[path] != after.get(path) and not (tree / path).is_dir())
    check(changed == sorted(TOUCHED), "four files have new lines", changed)
    check(all(install.OURS.fullmatch(path) or path in (install.FOLDER, install.RULES) for path in {*after} - {*before}),
          "all else is in folders of its own, or has its name", sorted({*after} - {*before}))
    mtimes = {path: (tree / path).stat().st_mtime_ns for path in after}
    out = linekeeper("install", cwd=tree)
    check(out.returncode == 0 and "nothing changed" in out.stdout and
          mtimes == {path: (tree / path).stat().st_mtime_ns for path in state(tree)}, "twice changes nothing", out.stdout + out.stderr)
    out = linekeeper("install", "--tree", tree, "--remove")
    check(out.returncode == 0 and state(tree) == before, "--remove gives it back to the byte", out.stdout + out.stderr)
    out = linekeeper("install", "--tree", tree, "--remove")
    check(out.returncode == 0 and "nothing is installed" in out.stdout and state(tree) == before, "--remove of nothing")
    test_stopped(tree, before, after)


def test_update(tree: Path) -> None:
    """Another version of linekeeper put in other files and other lines."""
    before = state(tree)
    linekeeper("install", "--tree", tree)
    after = state(tree)
    notes, header, gone = tree / install.NOTES, tree / install.HEADER, f"{install.RULES}/gone.cocci"
    was = json.loads(notes.read_text())
    for path, text in ((install.HEADER, "/* older */\n"), (gone, "// older\n")):
        (tree / path).write_text(text)
        was["files"][path] = [hashlib.sha256(text.encode()).hexdigest()]
    kconfig, block = tree / TOUCHED[-1], was["blocks"][TOUCHED[-1]][0]
    was["blocks"][TOUCHED[-1]] = ["config GCC_PLUGIN_CACHELINE_LAYOUT\n\tbool\n\n"]
    kconfig.write_text(kconfig.read_text().replace(block, was["blocks"][TOUCHED[-1]][0]))
    notes.write_text(json.dumps(was))
    older = state(tree)
    out = linekeeper("install", "--tree", tree)
    check(out.returncode == 0 and state(tree) == after, "what an older linekeeper installed is brought up to date", out.stderr)
    for path in (install.HEADER, gone, TOUCHED[-1], install.NOTES):
        (tree / path).write_bytes(older[path][1])
    out = linekeeper("install", "--tree", tree, "--remove")
    check(out.returncode == 0 and state(tree) == before and not header.exists(), "or taken out", out.stderr)


def test_still_annotated(tree: Path) -> None:
    header = tree / "include/linux/annotated.h"
    linekeeper("install", "--tree", tree)
    header.write_text(STRUCT)
    out = linekeeper("install", "--tree", tree, "--remove")
    check(out.returncode == 0 and out.stderr == "warning: what is still annotated does not compile without our header: include/linux/annotated.h\n",
          "--remove: annotations that are still there are told", out.stderr)
    header.unlink()


def test_scripts(tree: Path) -> None:
    """kernel-doc and checkpatch.pl are told of the annotations; a kernel whose scripts are others does without."""
    header, before = tree / "documented.h", state(tree)
    header.write_text(DOCUMENTED)
    calls = {"kernel-doc": ["scripts/kernel-doc", "-none", "documented.h"],
             "checkpatch.pl": ["scripts/checkpatch.pl", "--no-tree", "-q", "--terse", "-f", "documented.h"]}
    for name, argv in calls.items():
        out = run(*argv, cwd=tree)
        check("not described in" in out.stderr or "Missing a blank line" in out.stdout, f"{name} does not know the annotations", out.stdout)
    linekeeper("install", "--tree", tree)
    for name, argv in calls.items():
        out = run(*argv, cwd=tree)
        check(out.returncode == 0 and "documented.h:" not in out.stdout + out.stderr, f"{name} knows them after install", out.stdout + out.stderr)
    linekeeper("install", "--tree", tree, "--remove")
    header.unlink()
    check(state(tree) == before, "as before")
    for name in calls:
        script, kept = tree / "scripts" / name, tree / "scripts/kept"
        script.rename(kept)
        for what, make in (("no", lambda: None), ("a link for", lambda: script.symlink_to("Makefile")), ("another", lambda: script.write_text("#\n"))):
            make()
            was = state(tree)
            out, again = linekeeper("install", "--tree", tree), linekeeper("install", "--tree", tree, "--remove")
            check(out.returncode == 0 and again.returncode == 0 and state(tree) == was, f"{what} {name}: does without, and goes again",
                  out.stderr + again.stderr)
            script.unlink(missing_ok=True)
        kept.rename(script)


def refused(tree: Path, why: str, what: str, *words: str) -> None:
    before = state(tree)
    out = linekeeper("install", "--tree", tree, *words)
    check(out.returncode == 1 and re.fullmatch(rf"refused: .*{why}.*\n", out.stderr) and not out.stdout and
          state(tree) == before, f"refused: {what}", f"{out.returncode} {out.stdout}{out.stderr}")


def test_refusals(tree: Path) -> None:
    plain = (tree / TOUCHED[-1]).read_text()
    refused(tree / "scripts", "is not a kernel tree", "no kernel tree")
    for edit in (edit for edit in install.EDITS if not edit.optional):
        path = tree / edit.path
        text, line = path.read_text(), edit.anchor + "\n"
        for what, new in (("without the line", text.replace(line, "")), ("with the line twice", text + line)):
            path.write_text(new)
            refused(tree, f"{re.escape(edit.path)} has the line .* times, not once", f"{edit.path} {what} to install at")
        path.unlink()
        refused(tree, "is not there", f"no {edit.path}")
        path.symlink_to("/nowhere")
        refused(tree, "is no file that can be replaced", f"{edit.path} is a link")
        path.unlink()
        path.write_text(text)
    (tree / install.HEADER).write_text("/* mine */\n")
    refused(tree, "is there and not as linekeeper installed it", "a header of somebody else")
    (tree / install.HEADER).unlink()
    (tree / "scripts/coccinelle").rmdir()
    refused(tree, "knows how to install itself into", "another kind of tree")
    (tree / "scripts/coccinelle").symlink_to(tree / "include")
    refused(tree, "a link to elsewhere is not followed", "a folder that is a link")
    (tree / "scripts/coccinelle").unlink()
    (tree / "scripts/coccinelle").mkdir()
    linekeeper("install", "--tree", tree)
    for path, text in ((f"{install.FOLDER}/span.c", "/* mine */\n"), (TOUCHED[-1], None)):
        was = (tree / path).read_text()
        (tree / path).write_text(was + text if text else was.replace("Warn about structs", "Warn"))
        for words in ((), ("--remove",)):
            refused(tree, "undo", f"{path} was changed since, {words or 'install'}", *words)
        (tree / path).write_text(was)
    notes = (tree / install.NOTES).read_text()
    for text in ("{", '{"files": {"Makefile": ["1"]}, "blocks": {}}', '{"files": {"scripts/coccinelle/cacheline/../x": []}, "blocks": {}}'):
        (tree / install.NOTES).write_text(text)
        refused(tree, "installed.json", "notes that linekeeper did not write", "--remove")
    (tree / install.NOTES).write_text(notes)
    (tree / install.RULES / "mine.cocci").write_text("// mine\n")
    kconfig = tree / TOUCHED[-1]
    kconfig.write_text("# mine\n" + kconfig.read_text())
    out = linekeeper("install", "--tree", tree, "--remove")
    check(out.returncode == 0 and os.listdir(tree / install.RULES) == ["mine.cocci"] and "stays" in out.stdout and
          kconfig.read_text() == "# mine\n" + plain, "--remove leaves rules and lines of somebody else", out.stdout + out.stderr)
    shutil.rmtree(tree / install.RULES)


def test_unwritable(tree: Path) -> None:
    limits = [] if os.getuid() else ["setpriv", "--bounding-set=-dac_override"]
    if limits and (not shutil.which("setpriv") or run(*limits, "true").returncode):
        skip("a folder that cannot be written", "root here writes everywhere")
        return
    before = state(tree)
    (tree / "scripts").chmod(0o555)
    out = run(*limits, f"{engine.TOP}/scripts/linekeeper", "install", "--tree", tree)
    (tree / "scripts").chmod(before["scripts"][0] & 0o7777)
    check(out.returncode == 1 and "cannot be written" in out.stderr and state(tree) == before, "refused: a folder that cannot be written",
          out.stdout + out.stderr)


def make(tree: Path, *words: str) -> str:
    """What make said; with its status when it failed."""
    out = subprocess.run(["make", "-C", str(tree), f"-j{os.cpu_count()}", *words], env=clean_env(), stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    return out.stdout + (f"\nexit status {out.returncode}" if out.returncode else "")


def compiled(said: str) -> bool:
    return "CC      mm/page_counter.o" in said


def test_build(tree: Path, version: str) -> None:
    before = {path: (tree / path).read_bytes() for path in TOUCHED}
    linekeeper("install", "--tree", tree)
    config = tree / ".config"
    run("scripts/config", "-e", "GCC_PLUGINS", "-d", "WERROR", cwd=tree)
    make(tree, "olddefconfig")
    check("# CONFIG_GCC_PLUGIN_CACHELINE_LAYOUT is not set" in config.read_text(), f"{version}: off by default")
    run("scripts/config", "-e", "GCC_PLUGIN_CACHELINE_LAYOUT", cwd=tree)
    said = make(tree, "olddefconfig")
    check("CONFIG_GCC_PLUGIN_CACHELINE_LAYOUT=y\nCONFIG_GCC_PLUGIN_CACHELINE_LAYOUT_LINE_SIZE=64\n" in config.read_text(),
          f"{version}: make olddefconfig takes it", said)
    said = make(tree, "prepare")
    check("exit status" not in said and "cacheline_layout_plugin.so" in said and "warning:" not in said, f"{version}: make prepare", said)
    source, object_file = tree / "mm/page_counter.c", tree / "mm/page_counter.o"
    source.write_text(STRUCT)
    said = make(tree, "mm/page_counter.o")
    loaded = object_file.read_bytes() if object_file.exists() else b""
    check(FOUND in said and said.count("[-Wcacheline-") == 1 and loaded, f"{version}: one object warns, once", said)
    said = make(tree, "mm/page_counter.o")
    check(not compiled(said), f"{version}: nothing touched, nothing built", said)
    said = make(tree, "mm/page_counter.o", "KCFLAGS=-fplugin-arg-cacheline_layout_plugin-error")
    check(compiled(said) and "error: 'hits' is written" in said, f"{version}: other arguments, built anew", said)
    plugin_file = tree / install.FOLDER / "span.c"
    was = plugin_file.read_bytes()
    plugin_file.write_bytes(was + b"/* changed */\n")
    said = make(tree, "mm/page_counter.o")
    check(compiled(said) and FOUND in said, f"{version}: another plugin, built anew", said)
    plugin_file.write_bytes(was)
    run("scripts/config", "-d", "GCC_PLUGIN_CACHELINE_LAYOUT", cwd=tree)
    make(tree, "olddefconfig")
    said = make(tree, "mm/page_counter.o")
    check(compiled(said) and "Wcacheline" not in said and object_file.read_bytes() == loaded,
          f"{version}: switched off: built anew, silent, the same object", said)
    test_rule(tree, version)
    out = linekeeper("install", "--tree", tree, "--remove")
    check(out.returncode == 0 and before == {path: (tree / path).read_bytes() for path in TOUCHED} and
          not [path for folder in ("scripts", "include/linux") for path in (tree / folder).rglob("*cacheline_layout*")],
          f"{version}: --remove takes what was built along", out.stdout + out.stderr)


def test_rule(tree: Path, version: str) -> None:
    if not os.environ.get("SPATCH"):
        skip(f"{version}: make coccicheck", "no spatch 1.2 or newer")
        return
    rule = f"{install.RULES}/address_space_i_mmap.cocci"
    said = subprocess.run(["make", "-C", tree, "coccicheck", f"COCCI={rule}", "MODE=report", "M=include/linux", "J=1"],
                          env=clean_env(SPATCH=os.environ["SPATCH"]), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False).stdout
    found = re.search(r"include/linux/fs\.h:\d+:.*address_space\.i_mmap_rwsem", said)
    check(f"--macro-file-builtins {install.MACROS}" in said and "exit status" not in said and bool(found) == (version == "6.1"),
          f"{version}: make coccicheck runs a rule with the macro file", said)


def main() -> int:
    """`kernel-install.t small`: without the builds."""
    trees = {version: kernel(version) for version in ("6.1", "6.12")}
    plugins = (Path(run("gcc", "-print-file-name=plugin").stdout.strip()) / "include/gcc-plugin.h").exists()
    with tempfile.TemporaryDirectory() as name:
        copy_of_linekeeper(Path(name, "linekeeper"))
        for version, source in trees.items():
            if not source:
                skip(f"install into linux {version}", "it is not prepared")
                continue
            stamp = Path(name, "stamp")
            stamp.touch()
            time.sleep(0.05)
            small = small_tree(source, Path(name, f"small-{version}"))
            test_in_and_out(small)
            if version == "6.12":
                test_update(small)
                test_still_annotated(small)
                test_scripts(small)
                test_refusals(small)
                test_unwritable(small)
            if sys.argv[1:] == ["small"]:
                continue
            if plugins:
                test_build(tree_to_build(source, Path(name, version), WRITTEN), version)
            else:
                skip(f"{version}: a build with the plugin", "no plugin headers for gcc")
            changed = run("find", source, "-newer", stamp, "-not", "-path", "*/scripts/coccinelle*").stdout
            check(not changed, f"{version}: the kernel itself is as it was", changed)
    return done()


if __name__ == "__main__":
    sys.exit(main())

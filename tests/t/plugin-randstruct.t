#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The GCC plugin beside the kernel's randstruct: the layout that it judges is the one after the shuffle, whichever of the two
is loaded first, and what randstruct itself once crashed on builds: structs of only function pointers, which it shuffles
unasked, their const variants and typedefs of typedefs."""

import json
import os
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, "tests")
from tap import check, done, kernel, run, skip  # noqa: E402

BUILD = Path(os.environ.get("BUILD") or "build").resolve()
OURS = BUILD / "plugin/gcc/cacheline_plugin.so"
SEED = "0123456789abcdeffedcba98765432100f1e2d3c4b5a69788796a5b4c3d2e1f0"
NAMES = [f"m{number}" for number in range(12)]
SOURCE = """#include <stddef.h>
#include "cacheline_layout.h"
struct ops {{ {pointers} }} __cacheline_budget(8);
typedef const struct ops const_ops;
typedef const_ops ops_again;
struct holder {{ const struct ops *a; const_ops b; ops_again c[2]; const_ops *(*d)(ops_again *); }} __cacheline_budget(8);
static ops_again empty, *const pointer = &empty;
struct shuffled {{ {members} }} __attribute__((randomize_layout));
const struct {{ ops_again *p; }} all[] = {{ {{ pointer }} }};
const unsigned long offsets[] = {{ {offsets} }};
struct holder *hold(const_ops *of);
struct holder *hold(const_ops *of) {{ return of == &empty ? (void *)0 : (struct holder *)of->m0; }}
"""


def source() -> str:
    members = " ".join(f"long {name} {('__cacheline_read_mostly', '__cacheline_written')[at % 2]};" for at, name in enumerate(NAMES))
    offsets = [f"offsetof(struct {struct}, {name})" for struct in ("ops", "shuffled") for name in NAMES]
    return SOURCE.format(pointers=" ".join(f"void (*{name})(void);" for name in NAMES), members=members, offsets=", ".join(offsets))


def randstruct(tree: Path, folder: Path) -> Path:
    """The tree's own plugin, built as kbuild does, with a seed of ours."""
    (folder / "randomize_layout_seed.h").write_text(f'const char *randstruct_seed = "{SEED}";\n')
    headers = run("gcc", "-print-file-name=plugin").stdout.strip() + "/include"
    out = run("g++", "-std=gnu++11", "-w", '-DPLUGIN_VERSION="1"', "-fno-rtti", "-fPIC", "-shared", "-isystem", headers, f"-I{tree}/scripts/gcc-plugins",
              f"-I{folder}", tree / "scripts/gcc-plugins/randomize_layout_plugin.c", "-o", folder / "randomize_layout_plugin.so")
    check(out.returncode == 0, f"{tree.name}: randstruct builds", out.stderr)
    return folder / "randomize_layout_plugin.so"


def offsets_in(assembly: str) -> list:
    body = re.search(r"^offsets:\n((?:\s+\.(?:quad|zero)\s+\d+\n)+)", assembly, re.M)
    return [0 if kind == "zero" else int(value) for kind, value in re.findall(r"\.(\w+)\s+(\d+)", body.group(1))] if body else []


def test(tree: Path, folder: Path) -> None:
    theirs, file, report = randstruct(tree, folder), folder / "input.c", folder / "report.json"
    file.write_text(source())
    words = ["gcc", "-O2", "-Iinclude", "-DCACHELINE_LAYOUT_PLUGIN", "-S", file, "-o", folder / "out.s"]
    texts = []
    for plugins in ([theirs], [theirs, OURS], [OURS, theirs]):
        ours = [f"-fplugin-arg-cacheline_plugin-report={report}"] if OURS in plugins else ["-Wno-attributes"]
        out = run(*words, *(f"-fplugin={plugin}" for plugin in plugins), *ours, LC_ALL="C")
        texts.append((folder / "out.s").read_text() if out.returncode == 0 else out.stderr)
        if OURS not in plugins:
            continue
        where = f"{tree.name}, {'first' if plugins[0] == OURS else 'second'}"
        records = {record["name"]: record["members"] for record in json.loads(report.read_text())}
        seen = {name: {m["name"]: m["offset"] for m in records.get(name, ())} for name in ("ops", "shuffled")}
        real = offsets_in(texts[-1])
        check(texts[-1] == texts[0], f"{where}: the same code as without it", out.stderr)
        check([seen[struct].get(name) for struct in seen for name in NAMES] == real, f"{where}: the offsets are the object's", f"{seen}\n{real}")
        check(all(real[at:at + 12] != sorted(real[at:at + 12]) for at in (0, 12)), f"{where}: both structs were shuffled", real)
        check("the struct has 96 bytes, 88 more" in out.stderr and "ICE" not in out.stderr
              and "[-Wcacheline-class-mix]" in out.stderr, f"{where}: both are judged", out.stderr)


trees = [tree for tree in map(kernel, ("6.1", "6.12")) if tree]
built = run("make", "plugin", f"BUILD={BUILD}")
if not OURS.exists() or not trees:
    skip("beside randstruct", "no plugin headers for gcc, or no kernel" + built.stdout[-200:])
else:
    for one in trees:
        with tempfile.TemporaryDirectory() as scratch:
            test(one, Path(scratch))
sys.exit(done())

# SPDX-License-Identifier: GPL-2.0-only
"""Builds what no package brings: sparse as a library, a newer Coccinelle, prepared kernels.

sparse and coccinelle are built in a scratch folder and appear in the cache by rename. A kernel's generated
files hold its absolute path, so it is prepared in place, and a stamp, made last, says that it is whole.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import List

from lk import apt, cache
from lk.arches import ARCHES
from lk.job import Refusal, clean_env, run

SYSTEM_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
SPARSE_SUITE = "sid"
COCCINELLE_SUITE = "trixie"
KERNEL_SUITES = {"6.1": "bookworm", "6.12": "trixie"}
# coccinelle's own list of build dependencies brings TeX for its manual; this is what the programs need.
COCCINELLE_DEPENDS = ("autoconf", "automake", "libmenhir-ocaml-dev", "libparmap-ocaml-dev", "libpyml-ocaml-dev",
                      "libstdcompat-ocaml-dev", "menhir", "ocaml-findlib", "ocaml-nox", "pkg-config", "python3-dev")
# A rule that needs python: a spatch that cannot run it is of no use here.
SMOKE_RULE = '@r@ identifier f; @@\nf() { ... }\n\n@script:python@ f << r.f; @@\nprint("python " + f)\n'
SMOKE_CODE = "int smoke()\n{\n\treturn 0;\n}\n"


class Shop:
    """Where one set-up works: a scratch folder, logs, and the number of jobs."""

    def __init__(self, scratch: Path) -> None:
        self.scratch = scratch
        self.jobs = f"-j{len(os.sched_getaffinity(0))}"

    def log(self, name: str) -> Path:
        return cache.folder() / "log" / f"{name}.log"

    def lists(self, suite: str, kind: str, log: Path) -> apt.Lists:
        return apt.Lists(self.scratch / f"apt-{suite}-{kind}", suite, kind, log)


def upstream(version: str) -> str:
    """The upstream part of a Debian version: 1:1.3.0.deb-1 is 1.3.0."""
    version = version.partition(":")[2] or version
    return version.rsplit("-", 1)[0].replace(".deb", "")


def sparse(shop: Shop) -> Path:
    log = shop.log("sparse")
    lists = shop.lists(SPARSE_SUITE, "deb-src", log)
    version = lists.source_version("sparse")
    if apt.older(version, cache.MIN_SPARSE):
        raise Refusal(f"sparse {version} in {SPARSE_SUITE}: {cache.MIN_SPARSE} or newer is needed")
    tree = lists.source("sparse", shop.scratch / "sparse")
    run("building sparse", ["make", shop.jobs, "CC=gcc", "HAVE_GTK=no", "HAVE_SQLITE=no", "HAVE_LLVM=no",
                            "HAVE_LIBXML=no", "libsparse.a", "sparse"], log, cwd=tree)
    return appear(tree, f"sparse-{upstream(version)}")


def appear(made: Path, name: str) -> Path:
    """Moves a finished folder into the cache, in the place of a broken one of the same name."""
    final = cache.folder() / name
    shutil.rmtree(final, ignore_errors=True)
    made.rename(final)
    return final


def smoke(program: Path, scratch: Path, home: str = "") -> bool:
    """Does this spatch match, and run a rule in python?"""
    rule, code = scratch / "smoke.cocci", scratch / "smoke.c"
    rule.write_text(SMOKE_RULE, encoding="utf-8")
    code.write_text(SMOKE_CODE, encoding="utf-8")
    env = clean_env(COCCINELLE_HOME=home) if home else clean_env()
    done = subprocess.run([str(program), "--very-quiet", "--sp-file", str(rule), str(code)], env=env,
                          capture_output=True, text=True, check=False)
    return "python smoke" in done.stdout


def spatch(shop: Shop) -> Path:
    """Coccinelle from source; the distribution's is used instead where it is new enough."""
    log = shop.log("coccinelle")
    lists = shop.lists(COCCINELLE_SUITE, "deb-src", log)
    version = upstream(lists.source_version("coccinelle"))
    tree = lists.source("coccinelle", shop.scratch / "coccinelle")
    final = cache.folder() / f"coccinelle-{version}"
    # The system's own OCaml and python, whatever comes first in the user's PATH.
    env = clean_env(PATH=SYSTEM_PATH)
    run("building coccinelle", ["autoreconf", "-fi"], log, cwd=tree, env=env)
    run("building coccinelle", ["./configure", f"--prefix={final}", "--enable-python",
                                "--with-python=/usr/bin/python3", "--enable-opt", "--enable-ocaml",
                                "--without-pdflatex"], log, cwd=tree, env=env)
    run("building coccinelle", ["make", shop.jobs], log, cwd=tree, env=env)
    staging = shop.scratch / "staging"
    run("building coccinelle", ["make", "install", f"DESTDIR={staging}"], log, cwd=tree, env=env)
    made = staging / final.relative_to("/")
    if not smoke(made / "bin" / "spatch", shop.scratch, str(made / "lib" / "coccinelle")):
        raise Refusal(f"the coccinelle that was built does not run python rules; see {log}")
    return appear(made, final.name) / "bin" / "spatch"


def unpack(shop: Shop, version: str) -> Path:
    """linux-source-`version`, unpacked to the cache as linux-<full version>-x86_64, without its stamp."""
    package = f"linux-source-{version}"
    log = shop.log(package)
    deb = shop.lists(KERNEL_SUITES[version], "deb", log).download(package, shop.scratch / package)
    full = upstream(deb.name.split("_")[1])
    run(f"unpacking {package}", ["dpkg-deb", "-x", str(deb), str(shop.scratch / package)], log)
    deb.unlink()
    archive = shop.scratch / package / "usr" / "src" / f"{package}.tar.xz"
    run(f"unpacking {package}", ["tar", "-xf", str(archive), "-C", str(shop.scratch / package)], log)
    archive.unlink()
    return appear(shop.scratch / package / package, f"linux-{full}-x86_64")


def configure(shop: Shop, tree: Path, arch: str, output: Path, name: str) -> None:
    """The default configuration of `arch` with MEMCG, and make prepare; `output` is `tree` or an O= folder."""
    log = shop.log(name)
    names = ARCHES[arch]
    make = ["make", shop.jobs, f"ARCH={names.make}"]
    make += [f"CROSS_COMPILE={names.cross}"] if names.cross else []
    make += [f"O={output}"] if output != tree else []
    what = f"preparing {output.name}"
    run(what, [*make, names.config], log, cwd=tree)
    run(what, ["scripts/config", "--file", str(output / ".config"), "--enable", "MEMCG"], log, cwd=tree)
    run(what, [*make, "olddefconfig"], log, cwd=tree)
    run(what, [*make, "prepare"], log, cwd=tree)
    (output / cache.STAMP).touch()


def kernel(shop: Shop, what: str) -> Path:
    """kernel-6.1 and so on, as cache.find() names them."""
    _, version, *rest = what.split("-")
    if not rest:
        tree = unpack(shop, version)
        configure(shop, tree, "x86_64", tree, what)
        return tree
    if rest == ["source"]:
        # No second download: a copy of the prepared tree, cleaned.
        prepared = cache.find(f"kernel-{version}")
        assert prepared
        copy = shop.scratch / what
        run(f"copying {prepared.name}", ["cp", "-a", str(prepared), str(copy)], shop.log(what))
        run(f"cleaning {copy.name}", ["make", "ARCH=x86_64", "mrproper"], shop.log(what), cwd=copy)
        return appear(copy, prepared.name.replace("-x86_64", "-source"))
    source = cache.find(f"kernel-{version}-source")
    assert source
    output = source.with_name(source.name.replace("-source", f"-{rest[0]}"))
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir()
    configure(shop, source, rest[0], output, what)
    return output


def recipes(items: List[str]) -> List[str]:
    """What will be done for `items`, a line each, for the announcement."""
    lines = []
    for item in items:
        if item == "sparse":
            lines.append(f"sparse {cache.MIN_SPARSE} or newer, built from Debian's source package ({SPARSE_SUITE})")
        elif item == "spatch":
            lines.append(f"coccinelle, built from Debian's source package ({COCCINELLE_SUITE}), one to two minutes")
        elif item.endswith("-source"):
            lines.append(f"{item}: an unprepared copy, 1.5 GB")
        elif item.count("-") > 1:
            lines.append(f"{item}: configuration with MEMCG, make prepare in a folder of its own (O=)")
        else:
            version = item.split("-")[1]
            lines.append(f"{item}: Debian's linux-source-{version} ({KERNEL_SUITES[version]}), x86-64 defconfig with "
                         "MEMCG, make prepare; 1.5 GB")
    return lines


def build(shop: Shop, item: str) -> Path:
    if item == "sparse":
        return sparse(shop)
    if item == "spatch":
        return spatch(shop)
    return kernel(shop, item)

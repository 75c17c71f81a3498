#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The set-up: what it finds, what it announces, what it refuses. Installs nothing and asks no network."""

import contextlib
import fcntl
import io
import os
import subprocess
import sys
import time
from pathlib import Path
from unittest import mock

sys.path.insert(0, "scripts")
sys.dont_write_bytecode = True
from lk import apt, build, cache, needs, setup  # noqa: E402

COUNT = 0


def check(passed: bool, what: str, detail: object = "") -> None:
    global COUNT
    COUNT += 1
    print(f"{'ok' if passed else 'not ok'} {COUNT} - {what}")
    if not passed:
        print("".join(f"#   {line}\n" for line in str(detail).splitlines()), end="")


def call(*argv: str) -> tuple:
    """Exit status and all output of the set-up, in this process."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        status = setup.main(list(argv))
    return status, out.getvalue()


@contextlib.contextmanager
def bare(uid: int = 0, sudo: bool = False, coccinelle: str = "1.1.1.deb-2", packages: bool = True,
         os_family: str = "debian", origin: str = "Debian", release: str = "debian 12"):
    """A Debian system with nothing on it, and an empty cache folder."""
    which = {"apt-get": "/usr/bin/apt-get", "sudo": "/usr/bin/sudo" if sudo else None}
    targets = f"Sources|{origin}|{origin}|main|x\nPackages|{origin}|{origin}|main|scheme://mirror.invalid/debian/\n"

    def output(argv):
        return targets if "indextargets" in argv else f"coccinelle:\n  Candidate: {coccinelle}\n"

    with contextlib.ExitStack() as stack:
        for target, name, value in (
                (needs, "where", lambda probe: None), (needs, "family", lambda: os_family), (needs, "release", lambda: release),
                (apt, "absent", lambda names: names if packages else []), (apt, "_output", output),
                (os, "geteuid", lambda: uid)):
            stack.enter_context(mock.patch.object(target, name, value))
        stack.enter_context(mock.patch("shutil.which", lambda name, path=None: which.get(name)))
        stack.enter_context(mock.patch("platform.machine", lambda: "x86_64"))
        empty = Path(os.environ["TMPDIR"]) / f"cache{time.monotonic_ns()}"
        gone = {name: "" for name in cache.OVERRIDES.values()}
        stack.enter_context(mock.patch.dict(os.environ, {**gone, "XDG_CACHE_HOME": str(empty)}))
        yield empty


def announcements() -> None:
    with bare() as empty:
        status, text = call("--dry-run", "--for", "tests")
        check(status == 0 and "gcc" in text and "dwarves" in text and "kernel-6.12" in text,
              "a bare system: packages and kernels are announced", text)
        check("gcc-11-plugin-dev" in text and "-plugin-dev-aarch64-linux-gnu" in text, "the plugin's other compilers too", text)
        check("menhir" in text and "coccinelle, built" in text, "an old spatch: coccinelle is built", text)
        check(str(empty / "linekeeper") in text, "and where", text)
        check(not [path for path in (empty / "linekeeper").iterdir() if path.name != "lock"], "a dry run makes nothing")
    with bare(release="debian 13"):
        status, text = call("--dry-run", "--for", "tests")
        check(status == 0 and "gcc-11" not in text and "-plugin-dev" in text, "a release without gcc 11 is not asked for it", text)
    with bare(coccinelle="1.3.0.deb-1"):
        status, text = call("--dry-run")
        check(status == 0 and " coccinelle " in text and "menhir" not in text,
              "a new spatch: the distribution's package", text)
        check("kernel" not in text and "clang" not in text, "tools need neither kernels nor clang", text)
    with bare(coccinelle="(none)"):
        check("menhir" in call("--dry-run")[1], "no spatch at all: coccinelle is built")


def refusals() -> None:
    with bare(uid=1000):
        status, text = call("--dry-run")
        check(status == 2 and "as root: apt-get install" in text and "libc6-dev" in text,
              "neither root nor sudo: exit 2, the packages are named", text)
    with bare(uid=1000, sudo=True):
        check(call("--dry-run")[0] == 0, "sudo will do")
    with bare(uid=1000, packages=False):
        check(call("--dry-run")[0] == 0, "nothing to install: neither is needed")
    with bare(origin="Ubuntu"):
        status, text = call("--dry-run")
        check(status == 2 and "SPARSE_SRC=" in text and "SPATCH=" in text, "no Debian mirror: what to set", text)
    for name, words in (("fedora", "dnf install"), ("arch", "pacman -S"), ("suse", "zypper install"),
                        ("alpine", "apk add"), ("gentoo", "emerge"), ("", "gcc (gcc)")):
        with bare(os_family=name):
            status, text = call("--for", "tests")
            check(status == 2 and words in text and "SPARSE_SRC=" in text and "KERNEL612=" in text,
                  f"{name or 'an unknown distribution'}: advice, exit 2", text)
    with bare():
        with mock.patch("platform.machine", lambda: "aarch64"):
            check(call("--for", "tests")[0] == 2, "tests need an x86-64 machine")
        for name in ("SPARSE_SRC", "SPATCH"):
            with mock.patch.dict(os.environ, {name: "/nowhere"}):
                status, text = call("--dry-run")
                check(status == 2 and f"{name}=/nowhere" in text, f"a wrong {name} is not passed over", text)


    old = Path(os.environ["TMPDIR"]) / "spatch"
    old.write_text("#!/bin/sh\necho spatch version 1.1.1\n")
    old.chmod(0o755)
    with bare(), mock.patch.dict(os.environ, {"SPATCH": str(old)}):
        status, text = call("--dry-run")
        check(status == 2 and "1.1.1" in text and "1.2 or newer" in text, "an old SPATCH is refused", text)


def finding() -> None:
    with bare() as empty:
        home = empty / "linekeeper"
        for name, file in (("sparse-0.6.5~rc1", "libsparse.a"), ("sparse-0.6.4", "libsparse.a"),
                           ("coccinelle-1.3.0", "bin/spatch"), ("linux-6.1.99-x86_64", cache.STAMP),
                           ("linux-6.1.176-x86_64", cache.STAMP), ("linux-6.1.200-x86_64", "Makefile"),
                           ("linux-6.1.176-arm64", cache.STAMP), ("linux-6.12.5-x86_64", cache.STAMP)):
            (home / name / file).parent.mkdir(parents=True, exist_ok=True)
            (home / name / file).touch()
        for what, path in (("sparse", "sparse-0.6.5~rc1"), ("spatch", "coccinelle-1.3.0/bin/spatch"),
                           ("kernel-6.1", "linux-6.1.176-x86_64"), ("kernel-6.1-arm64", "linux-6.1.176-arm64"),
                           ("kernel-6.12", "linux-6.12.5-x86_64")):
            status, text = call("--print", what)
            check(status == 0 and text == f"{home / path}\n", f"--print {what}: the newest that is whole", text)
        (home / "sparse-0.6.5").mkdir()
        (home / "sparse-0.6.5" / "libsparse.a").touch()
        check(cache.find("sparse") == home / "sparse-0.6.5", "0.6.5 is newer than 0.6.5~rc1", cache.find("sparse"))
        check(call("--print", "kernel-6.12-arm")[0] == 1, "--print of what is not there: exit 1")
        with mock.patch.dict(os.environ, {"SPARSE_SRC": str(empty)}):
            check(cache.find("sparse") is None, "a SPARSE_SRC without libsparse.a is not there")
            (empty / "libsparse.a").touch()
            check(cache.find("sparse") == empty, "SPARSE_SRC= goes before the cache")
        with mock.patch.object(needs, "where", lambda probe: Path("/usr/bin/true")):
            status, text = call("--for", "tests")
            check(status == 0 and "nothing to do" in text and text.count("\n") == 1, "a second run: one line", text)


def parts() -> None:
    for text, name in (("ID=debian", "debian"), ("ID=ubuntu\nID_LIKE=debian", "debian"), ("ID=fedora", "fedora"),
                       ('ID="rocky"\nID_LIKE="rhel centos fedora"', "fedora"), ("ID=arch", "arch"),
                       ('ID="opensuse-leap"\nID_LIKE="suse opensuse"', "suse"), ("ID=alpine", "alpine"),
                       ("ID=gentoo", "gentoo"), ("ID=plan9", "")):
        check(needs.family(text) == name, f"os-release: {text.splitlines()[0]}", needs.family(text))
    for version, name in (("1.3.0.deb-1", "1.3.0"), ("0.6.5~rc1-2", "0.6.5~rc1"), ("1:6.1.176-1+b1", "6.1.176")):
        check(build.upstream(version) == name, f"upstream of {version}", build.upstream(version))
    for name, wanted in (("debian 12", True), ("debian 13", False), ("fedora 40", False)):
        with mock.patch.object(needs, "release", lambda name=name: name):
            found = [need.name for need in needs.of("tests")]
        check(("gcc 11 plugin headers" in found) == wanted and "gcc plugin headers" in found, f"{name}: the compilers that it has", found)
    for compiler in ("gcc", "no-such-gcc"):
        there = Path(needs.gcc_says("-print-file-name=plugin", compiler) or "/nonexistent", "include/gcc-plugin.h")
        found = needs.where(f"{compiler}/gcc-plugin.h")
        check(found == (there if there.exists() else None), f"plugin headers of {compiler}", found)
    check(all(len(need.packages) == len(needs.FAMILIES) for need in needs.NEEDS), "a package column for each family")


def locking() -> None:
    env = {**os.environ, "PYTHONPATH": "scripts", "XDG_CACHE_HOME": os.environ["TMPDIR"] + "/locked",
           **{name: "" for name in cache.OVERRIDES.values()}}
    home = Path(env["XDG_CACHE_HOME"]) / "linekeeper"
    home.mkdir(parents=True)
    with open(home / "lock", "w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        second = subprocess.Popen([sys.executable, "-m", "lk.setup", "--dry-run"], env=env, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        first = second.stdout.readline()
        check("waiting" in first and second.poll() is None, "a second set-up waits for the first", first)
    rest = second.communicate()[0]
    check(second.returncode in (0, 2) and "linekeeper set" in rest, "and goes on when that is done", rest)


def main() -> int:
    announcements()
    refusals()
    finding()
    parts()
    if needs.family() == "debian":
        locking()
    print(f"1..{COUNT}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: GPL-2.0-only
"""linekeeper setup: brings what linekeeper needs, and says so before it does.

Packages come from the system's own lists (apt-get, with sudo where that is needed); what these do not have is
built in the cache folder ($XDG_CACHE_HOME/linekeeper or ~/.cache/linekeeper), from private package lists. Nothing
else is touched. SPARSE_SRC=, SPATCH=, KERNEL61= and KERNEL612= name what is elsewhere already.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Iterator, List

from lk import apt, build, cache, needs
from lk.cache import find
from lk.job import Refusal

__all__ = ["find", "main"]

# Sorted so that each comes after what it is made from.
ITEMS = {
    "tools": ["sparse", "spatch"],
    "tests": [f"kernel-{version}" for version in cache.KERNELS],
    "sweeps": [f"kernel-{version}-{kind}" for version in cache.KERNELS for kind in ("source", *cache.ARCHES)],
    "fresh": [],
}


def wanted(purpose: str) -> List[str]:
    if purpose == "fresh":
        return []
    level = needs.PURPOSES.index(purpose)
    return [item for name in needs.PURPOSES[:level + 1] for item in ITEMS[name]]


def version_of(program: str) -> str:
    """The first number in what `program --version` prints."""
    try:
        done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL)
    except OSError:
        return ""
    match = re.search(r"\d+(\.\d+)+", done.stdout)
    return match.group(0) if match else ""


def report_found(purpose: str) -> None:
    """What is there, with version and path."""
    for need in needs.of(purpose):
        path = needs.where(need.probe)
        if path:
            version = "" if "." in need.probe else version_of(str(path))
            print(f"  {need.name:<20} {version:<12} {path}")
    for item in wanted(purpose):
        path = find(item)
        if path:
            version = version_of(str(path)) if item == "spatch" else re.sub(r"^\D*-|-[a-z]\w*$", "", path.name)
            print(f"  {item:<20} {version:<12} {path}")


class Plan:
    """What is missing, and what has to be done for it."""

    def __init__(self, purpose: str) -> None:
        self.purpose = purpose
        self.needs = needs.missing(purpose)
        self.items = [item for item in wanted(purpose) if find(item) is None]
        self.packages: List[str] = []

    def __bool__(self) -> bool:
        return bool(self.needs or self.items)

    def choose(self) -> None:
        """Fills in the packages; the lists of the system must be up to date."""
        packages = needs.packages(self.needs, "debian")
        self.packaged_spatch = False
        if "spatch" in self.items:
            offered = apt.candidate("coccinelle")
            self.packaged_spatch = bool(offered) and not apt.older(offered, dotted(cache.MIN_SPATCH))
            packages += ["coccinelle"] if self.packaged_spatch else build.COCCINELLE_DEPENDS
        if self.to_build():
            packages += ["dpkg-dev", "xz-utils"]
            apt.mirror()
        self.packages = apt.absent(sorted(set(packages)))
        if self.packages and apt.root([]) is None:
            raise Refusal("packages are missing, and there is neither root nor sudo; as root: "
                          f"{needs.INSTALL['debian']} {' '.join(self.packages)}")

    def to_build(self) -> List[str]:
        return [item for item in self.items if not (item == "spatch" and self.packaged_spatch)]

    def announce(self) -> None:
        print(f"linekeeper set-up for {self.purpose}. Found:")
        report_found(self.purpose)
        if self.packages:
            print(f"To install, with {needs.INSTALL['debian']}:")
            print(f"  {' '.join(self.packages)}")
        if self.to_build():
            print(f"To make, in {cache.folder()}, from private package lists:")
            for line in build.recipes(self.to_build()):
                print(f"  {line}")

    def carry_out(self) -> None:
        with scratch() as folder:
            shop = build.Shop(folder)
            if self.packages:
                with step(f"installing {len(self.packages)} packages"):
                    apt.install(self.packages, shop.log("packages"))
            for item in self.to_build():
                with step(f"making {item}"):
                    build.build(shop, item)
            if self.packaged_spatch:
                program = find("spatch")
                if program is None or not build.smoke(program, folder):
                    raise Refusal(f"{program or 'spatch'} does not run python rules; set SPATCH= to one that does")


@contextlib.contextmanager
def step(what: str) -> Iterator[None]:
    start = time.monotonic()
    print(f"{what} ...", end="", flush=True)
    try:
        yield
    except BaseException:
        print(" stopped", flush=True)
        raise
    print(f" {time.monotonic() - start:.0f} s", flush=True)


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """A scratch folder in the cache; what an earlier set-up left behind goes first (the lock is held)."""
    for left in cache.folder().glob("tmp-*"):
        shutil.rmtree(left, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix="tmp-", dir=cache.folder()))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def lock() -> Iterator[None]:
    """One set-up at a time."""
    cache.folder().mkdir(parents=True, exist_ok=True)
    with open(cache.folder() / "lock", "w", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("linekeeper setup: another one is running: waiting for it", flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def dotted(version: tuple) -> str:
    return ".".join(map(str, version))


def check_overrides(purpose: str) -> None:
    for item in wanted(purpose):
        name = cache.OVERRIDES.get(item, "")
        if os.environ.get(name) and find(item) is None:
            raise Refusal(f"{name}={os.environ[name]} is no {item}")
        if item == "spatch" and os.environ.get(name):
            version = cache.spatch_version(os.environ[name])
            if version < cache.MIN_SPATCH:
                raise Refusal(f"{name}={os.environ[name]} has version {dotted(version) or 'none'}; linekeeper needs "
                              f"{dotted(cache.MIN_SPATCH)} or newer")


def set_up(purpose: str, dry_run: bool) -> int:
    check_overrides(purpose)
    if not Plan(purpose):
        there = ", ".join(f"{item} {find(item)}" for item in wanted(purpose)[:4])
        print(f"linekeeper setup: nothing to do for {purpose}" + (f"; {there}" if there else ""))
        return 0
    if needs.family() != "debian" or not shutil.which("apt-get"):
        plan = Plan(purpose)
        print(needs.advice(plan.needs, plan.items, needs.family()), file=sys.stderr)
        return 2
    if wanted(purpose)[2:] and platform.machine() != "x86_64":
        raise Refusal(f"the tests build x86-64 kernels; this is {platform.machine()}")
    with lock():
        plan = Plan(purpose)
        if not dry_run and (plan.needs or "spatch" in plan.items) and apt.root([]):
            with step("apt-get update, to see what this system offers"):
                apt.update(cache.folder() / "log" / "packages.log")
        plan.choose()
        plan.announce()
        if dry_run:
            return 0
        plan.carry_out()
        left = Plan(purpose)
        if left:
            names = [need.name for need in left.needs] + left.items
            raise Refusal(f"still missing after the set-up: {', '.join(names)}")
    print(f"linekeeper setup: all there for {purpose}")
    return 0


def main(argv: List[str]) -> int:
    parser = argparse.ArgumentParser(prog="linekeeper setup", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--for", dest="purpose", choices=needs.PURPOSES, default="tools",
                        help="tools: to run linekeeper; tests: also the compilers and kernels of make check; sweeps: "
                        "also arm64 and arm kernels; fresh: debootstrap")
    parser.add_argument("--print", dest="what", metavar="WHAT",
                        help="print where sparse, spatch, kernel-6.1, kernel-6.12, kernel-6.1-arm64 ... is; exit 1 "
                        "when it is not there")
    parser.add_argument("--dry-run", action="store_true", help="only say what would be done")
    args = parser.parse_args(argv)
    if args.what:
        path = find(args.what)
        if path is None:
            print(f"linekeeper setup: {args.what} is not there", file=sys.stderr)
            return 1
        print(path)
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        return set_up(args.purpose, args.dry_run)
    except Refusal as refusal:
        print(f"linekeeper setup: {refusal}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"linekeeper setup: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

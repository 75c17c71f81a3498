# SPDX-License-Identifier: GPL-2.0-only
"""Programs and headers that linekeeper, its tests and its sweeps need, and the packages that bring them.

A need is met when its program or header is there, whoever installed it; packages are named only for what is
not there.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional

PURPOSES = ("tools", "tests", "sweeps", "fresh")
FAMILIES = ("debian", "fedora", "arch", "suse", "alpine", "gentoo")
INSTALL = {
    "debian": "apt-get install",
    "fedora": "dnf install",
    "arch": "pacman -S",
    "suse": "zypper install",
    "alpine": "apk add",
    "gentoo": "emerge",
}
# /etc/os-release: ID and ID_LIKE words, to family.
DISTRIBUTIONS = {
    "alpine": "alpine",
    "arch": "arch",
    "archlinux": "arch",
    "centos": "fedora",
    "debian": "debian",
    "fedora": "fedora",
    "gentoo": "gentoo",
    "manjaro": "arch",
    "opensuse": "suse",
    "rhel": "fedora",
    "suse": "suse",
    "ubuntu": "debian",
}


class Need(NamedTuple):
    name: str
    purpose: str
    probe: str  # a program, a header (.h), one of a compiler's plugin headers (gcc-11/gcc-plugin.h), a pattern for libraries (.so*),
    # one of a compiler's libraries (clang/x.a)
    packages: tuple  # in the order of FAMILIES; "" where the name is not known
    releases: tuple = ()  # where it is needed, since only these have it; (): everywhere


# One row a line.
NEEDS = (
    Need("gcc", "tools", "gcc", ("gcc", "gcc", "gcc", "gcc", "gcc", "sys-devel/gcc")),
    Need("libc headers", "tools", "stdio.h",
         ("libc6-dev", "glibc-devel", "glibc", "glibc-devel", "musl-dev", "sys-libs/glibc")),
    Need("make", "tools", "make", ("make", "make", "make", "make", "make", "dev-build/make")),
    # spatch loads it to run the python in a rule, and its package does not depend on it
    Need("python library", "tools", "libpython3*.so*",
         ("libpython3-dev", "python3-libs", "python", "python3-base", "python3", "dev-lang/python")),
    Need("bc", "tests", "bc", ("bc", "bc", "bc", "bc", "bc", "app-alternatives/bc")),
    Need("bison", "tests", "bison", ("bison", "bison", "bison", "bison", "bison", "sys-devel/bison")),
    Need("clang", "tests", "clang", ("clang", "clang", "clang", "clang", "clang", "llvm-core/clang")),
    Need("libFuzzer", "tests", "clang/libclang_rt.fuzzer-x86_64.a", ("libclang-rt-dev", "compiler-rt", "compiler-rt", "", "compiler-rt", "")),
    Need("flex", "tests", "flex", ("flex", "flex", "flex", "flex", "flex", "sys-devel/flex")),
    Need("g++", "tests", "g++", ("g++", "gcc-c++", "gcc", "gcc-c++", "g++", "sys-devel/gcc")),
    Need("gcc plugin headers", "tests", "gcc/gcc-plugin.h",
         ("gcc-{gcc}-plugin-dev", "gcc-plugin-devel", "gcc", "gcc{gcc}-devel", "", "sys-devel/gcc")),
    # the plugin is tested with each compiler that is there
    Need("gcc 11", "tests", "gcc-11", ("gcc-11", "", "", "", "", ""), ("debian 12",)),
    Need("gcc 11 plugin headers", "tests", "gcc-11/gcc-plugin.h", ("gcc-11-plugin-dev", "", "", "", "", ""), ("debian 12",)),
    Need("gcc for arm64 plugin headers", "tests", "aarch64-linux-gnu-gcc/gcc-plugin.h",
         ("gcc-{gcc}-plugin-dev-aarch64-linux-gnu", "", "", "", "", ""), ("debian 12",)),
    Need("git", "tests", "git", ("git", "git", "git", "git", "git", "dev-vcs/git")),
    Need("libelf headers", "tests", "gelf.h",
         ("libelf-dev", "elfutils-libelf-devel", "libelf", "libelf-devel", "elfutils-dev", "dev-libs/elfutils")),
    Need("openssl headers", "tests", "openssl/ssl.h",
         ("libssl-dev", "openssl-devel", "openssl", "libopenssl-devel", "openssl-dev", "dev-libs/openssl")),
    Need("pahole", "tests", "pahole", ("dwarves", "dwarves", "pahole", "dwarves", "pahole", "dev-util/pahole")),
    Need("patch", "tests", "patch", ("patch", "patch", "patch", "patch", "patch", "sys-devel/patch")),
    Need("perl", "tests", "perl", ("perl", "perl", "perl", "perl", "perl", "dev-lang/perl")),
    Need("gcc for arm64", "tests", "aarch64-linux-gnu-gcc",
         ("gcc-aarch64-linux-gnu", "gcc-aarch64-linux-gnu", "aarch64-linux-gnu-gcc", "", "", "")),
    Need("gcc for arm", "tests", "arm-linux-gnueabihf-gcc", ("gcc-arm-linux-gnueabihf", "", "", "", "", "")),
    Need("gcc for i386", "tests", "i686-linux-gnu-gcc", ("gcc-i686-linux-gnu", "", "", "", "", "")),
    Need("gcc for ppc32", "tests", "powerpc-linux-gnu-gcc", ("gcc-powerpc-linux-gnu", "", "", "", "", "")),
    Need("gcc for ppc64", "tests", "powerpc64-linux-gnu-gcc",
         ("gcc-powerpc64-linux-gnu", "gcc-powerpc64-linux-gnu", "", "", "", "")),
    Need("gcc for riscv64", "tests", "riscv64-linux-gnu-gcc",
         ("gcc-riscv64-linux-gnu", "gcc-riscv64-linux-gnu", "riscv64-linux-gnu-gcc", "", "", "")),
    Need("gcc for s390", "tests", "s390x-linux-gnu-gcc",
         ("gcc-s390x-linux-gnu", "gcc-s390x-linux-gnu", "", "", "", "")),
    Need("gcc for ppc64le", "sweeps", "powerpc64le-linux-gnu-gcc",
         ("gcc-powerpc64le-linux-gnu", "gcc-powerpc64le-linux-gnu", "", "", "", "")),
    # for semind, beside which `make check-index` measures
    Need("sqlite headers", "sweeps", "sqlite3.h",
         ("libsqlite3-dev", "sqlite-devel", "sqlite", "sqlite3-devel", "sqlite-dev", "dev-db/sqlite")),
    # two hosts share a matrix
    Need("parallel", "sweeps", "parallel", ("parallel", "parallel", "parallel", "gnu_parallel", "parallel", "sys-process/parallel")),
    Need("sshd", "sweeps", "sshd", ("openssh-server", "openssh-server", "openssh", "openssh-server", "openssh-server", "net-misc/openssh")),
    Need("ip", "sweeps", "ip", ("iproute2", "iproute", "iproute2", "iproute2", "iproute2", "sys-apps/iproute2")),
    Need("debootstrap", "fresh", "debootstrap",
         ("debootstrap", "debootstrap", "debootstrap", "", "debootstrap", "dev-util/debootstrap")),
)


# the major version of a release's gcc, for the time before there is one
DEFAULT_GCC = {"debian 12": "12", "debian 13": "14"}


def release() -> str:
    """ID and VERSION_ID of this distribution, "" when it has none."""
    try:
        text = Path("/etc/os-release").read_text(encoding="utf-8")
    except OSError:
        return ""
    return " ".join(value for name in ("ID", "VERSION_ID") for value in re.findall(rf'^{name}="?([^"\n]*)', text, re.M))


def family(os_release: Optional[str] = None) -> str:
    """The family of this distribution, "" when it is none that is known."""
    if os_release is None:
        try:
            os_release = Path("/etc/os-release").read_text(encoding="utf-8")
        except OSError:
            return ""
    values: Dict[str, str] = {}
    for line in os_release.splitlines():
        name, equals, value = line.partition("=")
        if equals:
            values[name] = value.strip("\"'")
    for word in f"{values.get('ID', '')} {values.get('ID_LIKE', '')}".split():
        word = word.split("-")[0]
        if word in DISTRIBUTIONS:
            return DISTRIBUTIONS[word]
    return ""


def gcc_says(option: str, gcc: str = "gcc") -> str:
    """One line that gcc answers with, "" when it is not there."""
    try:
        return subprocess.run([gcc, option], capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return ""


def where(probe: str) -> Optional[Path]:
    """Path of a program, a header or a library."""
    if probe.endswith(".so*"):
        found = (path for folder in ("lib", "lib64") for deep in ("", "*/")
                 for path in sorted(Path("/usr", folder).glob(deep + probe)))
        return next(found, None)
    if probe.endswith("/gcc-plugin.h"):
        compiler, header = probe.split("/")
        path = Path(gcc_says("-print-file-name=plugin", compiler) or "/nonexistent", "include", header)
        return path if path.exists() else None
    if probe.endswith(".a"):
        compiler, library = probe.split("/")
        path = Path(gcc_says(f"-print-file-name={library}", compiler))
        return path if path.is_absolute() and path.exists() else None
    if probe.endswith(".h"):
        for folder in ("/usr/include", "/usr/local/include"):
            if Path(folder, probe).exists():
                return Path(folder, probe)
        return None
    program = shutil.which(probe, path=os.environ.get("PATH", os.defpath) + ":/usr/sbin:/sbin")
    return Path(program) if program else None


def of(purpose: str) -> List[Need]:
    """What `purpose` needs: tests need the tools' too, sweeps the tests'."""
    needs = [need for need in NEEDS if not need.releases or release() in need.releases]
    if purpose == "fresh":
        return [need for need in needs if need.purpose == "fresh"]
    level = PURPOSES.index(purpose)
    return [need for need in needs if PURPOSES.index(need.purpose) <= level]


def missing(purpose: str) -> List[Need]:
    return [need for need in of(purpose) if where(need.probe) is None]


def packages(needs: List[Need], name: str) -> List[str]:
    """The packages that bring `needs` on family `name`, without those whose name is not known there."""
    column = FAMILIES.index(name)
    names = {need.packages[column] for need in needs if need.packages[column]}
    if any("{gcc}" in package for package in names):
        major = gcc_says("-dumpversion").split(".")[0] or DEFAULT_GCC.get(release(), "14")
        names = {package.format(gcc=major) for package in names}
    return sorted(names)


def advice(needs: List[Need], items: List[str], name: str) -> str:
    """What a user of another distribution than Debian has to bring."""
    lines = [f"linekeeper setup: {'this distribution' if not name else name + ' systems'}: please install by hand"]
    if needs and name:
        lines.append(f"  {INSTALL[name]} {' '.join(packages(needs, name))}")
        needs = [need for need in needs if not need.packages[FAMILIES.index(name)]]
    for need in needs:
        lines.append(f"  {need.name} ({need.probe})")
    if "sparse" in items:
        lines.append("  the source of sparse 0.6.5-rc1 or newer; in it make libsparse.a sparse; then set SPARSE_SRC=")
    if "spatch" in items:
        lines.append("  coccinelle 1.2 or newer, with python; its spatch in PATH, or set SPATCH=")
    for item in items:
        if item.startswith("kernel-"):
            version = item.split("-")[1]
            lines.append(f"  a linux {version} tree, x86-64 defconfig and MEMCG, after make prepare; "
                         f"then set KERNEL{version.replace('.', '')}=")
    return "\n".join(lines)

# SPDX-License-Identifier: GPL-2.0-only
"""apt: packages of the system's own lists, and downloads by private lists that leave the system's alone."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Dict, List, Optional

from lk.job import Refusal, run

KEYRINGS = ("/usr/share/keyrings/debian-archive-keyring.pgp", "/usr/share/keyrings/debian-archive-keyring.gpg")


def _output(argv: List[str]) -> str:
    """What a query of apt or dpkg prints, "" when it fails."""
    env = {**os.environ, "LC_ALL": "C"}
    done = subprocess.run(argv, capture_output=True, text=True, check=False, env=env, stdin=subprocess.DEVNULL)
    return done.stdout if done.returncode == 0 else ""


def absent(packages: List[str]) -> List[str]:
    """Those of `packages` that are not installed."""
    if not packages:
        return []
    env = {**os.environ, "LC_ALL": "C"}
    shown = subprocess.run(["dpkg-query", "-W", "-f", "${Package} ${Status}\n", *packages], capture_output=True,
                           text=True, check=False, env=env).stdout
    there = {line.split()[0] for line in shown.splitlines() if line.endswith("install ok installed")}
    return [package for package in packages if package not in there]


def root(argv: List[str]) -> Optional[List[str]]:
    """`argv` as root, None when there is no way to be root."""
    command = ["env", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C", *argv]
    if os.geteuid() == 0:
        return command
    return ["sudo", *command] if shutil.which("sudo") else None


def update(log: Path) -> None:
    """Brings the system's lists up to date. Without root the lists stay as they are."""
    command = root(["apt-get", "-q", "update"])
    if command:
        run("apt-get update", command, log, terminal=True)


def install(packages: List[str], log: Path) -> None:
    command = root(["apt-get", "-q", "install", "-y", "--no-install-recommends", *packages])
    assert command
    run("apt-get install", command, log, terminal=True)


def candidate(package: str) -> str:
    """The version that the system's lists offer, "" for none."""
    for line in _output(["apt-cache", "policy", package]).splitlines():
        name, _, value = line.strip().partition(": ")
        if name == "Candidate":
            return "" if value == "(none)" else value
    return ""


def older(version: str, than: str) -> bool:
    """Debian's comparison of versions."""
    return subprocess.run(["dpkg", "--compare-versions", version, "lt", than], check=False).returncode == 0


def mirror() -> str:
    """The Debian mirror of the system's own lists."""
    form = "$(CREATED_BY)|$(ORIGIN)|$(LABEL)|$(COMPONENT)|$(REPO_URI)"
    for line in _output(["apt-get", "indextargets", "--format", form]).splitlines():
        kind, origin, label, component, uri = line.split("|", 4)
        if (kind, origin, label, component) == ("Packages", "Debian", "Debian", "main"):
            return uri
    raise Refusal("no Debian mirror in this system's package lists (apt-get update missing, or not Debian): "
                  "set SPARSE_SRC=, SPATCH=, and for the tests KERNEL61= and KERNEL612=")


class Lists:
    """Private package lists of one suite: `kind` is deb (packages) or deb-src (sources). Lives in `folder`."""

    def __init__(self, folder: Path, suite: str, kind: str, log: Path) -> None:
        self.log = log
        self.label = f"{suite} {kind}"
        keyring = next((path for path in KEYRINGS if Path(path).exists()), None)
        if keyring is None:
            raise Refusal("no keyring of Debian: install debian-archive-keyring")
        (folder / "lists" / "partial").mkdir(parents=True)
        (folder / "cache" / "archives" / "partial").mkdir(parents=True)
        target = "Sources" if kind == "deb-src" else "Packages"
        source = folder / "sources.list"
        source.write_text(f"{kind} [signed-by={keyring} target={target} lang=none] {mirror()} {suite} main\n",
                          encoding="utf-8")
        self.options = []
        settings: Dict[str, object] = {"Dir::Etc::SourceList": source, "Dir::Etc::SourceParts": "/dev/null",
                                       "Dir::State::Lists": folder / "lists", "Dir::Cache": folder / "cache"}
        if os.geteuid() == 0:  # else apt's own user, who cannot look into the cache folder, would fetch
            settings["APT::Sandbox::User"] = "root"
        for name, value in settings.items():
            self.options += ["-o", f"{name}={value}"]
        run(f"package lists of {suite}", ["apt-get", "-q", *self.options, "update"], log)

    def download(self, package: str, into: Path) -> Path:
        """The newest .deb of `package`."""
        into.mkdir(parents=True)
        run(f"download of {package}", ["apt-get", "-q", *self.options, "download", package], self.log, cwd=into)
        return next(into.glob("*.deb"))

    def source_version(self, package: str) -> str:
        """The version of the source package that source() would bring."""
        shown = _output(["apt-cache", *self.options, "showsrc", "--only-source", package])
        versions = [line.split()[1] for line in shown.splitlines() if line.startswith("Version: ")]
        if not versions:
            raise Refusal(f"no source package {package} in {self.label}")
        best = versions[0]
        for version in versions[1:]:
            best = version if older(best, version) else best
        return best

    def source(self, package: str, into: Path) -> Path:
        """The unpacked and patched source of `package`."""
        into.mkdir(parents=True)
        run(f"download of {package}", ["apt-get", "-q", *self.options, "source", "--download-only", package],
            self.log, cwd=into)
        tree = into / "tree"
        description = next(into.glob("*.dsc"))
        run(f"unpacking {package}", ["dpkg-source", "--no-check", "-x", str(description), str(tree)], self.log,
            cwd=into)
        return tree

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""make check-fresh: both README commands on bare Debian systems.

Makes each system with debootstrap (minbase) in a scratch folder, clones the last commit into it, installs make and
runs the commands in a chroot, as root, with nothing of this machine but its mirror. All of it happens in a mount
and process namespace of its own, so that nothing stays mounted or running, whatever happens. LK_FRESH="trixie"
chooses one system. Logs and the table go to build/fresh.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import List, NamedTuple

TOP = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TOP / "scripts"))
from lk import apt, cache, needs  # noqa: E402
from lk.job import Refusal  # noqa: E402

SYSTEMS = "bookworm trixie"
# The second demo shows that nothing is set up again.
COMMANDS = ("make demo", "make demo", "REQUIRE=all make check")
INSIDE = ("root=$1; mount -t proc proc $root/proc && mount -t sysfs sys $root/sys && mount --rbind /dev $root/dev && "
          'exec chroot $root env -i HOME=/srv PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 TERM=dumb '
          'sh -c "cd /srv/linekeeper 2>/dev/null; $2"')
NAMESPACE = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--propagation", "private"]


class Row(NamedTuple):
    system: str
    step: str
    passed: bool
    seconds: float
    last: str

    def __str__(self) -> str:
        return (f"{self.system:<10} {self.step:<24} {'ok' if self.passed else 'FAILED':<7} {self.seconds:6.0f} s  "
                f"{self.last}").rstrip()


class System:
    def __init__(self, name: str, scratch: Path, logs: Path) -> None:
        self.name, self.root = name, scratch / name
        self.log = logs / f"{name}.log"
        self.rows: List[Row] = []

    def step(self, what: str, argv: List[str]) -> bool:
        """Runs `argv` in a namespace, its output to the log; a row for the table."""
        print(f"{self.name}: {what} ...", file=sys.stderr, flush=True)
        start = time.monotonic()
        with open(self.log, "a+b") as log:
            log.write(f"\n==== {what}\n".encode())
            log.flush()
            begin = log.tell()
            done = subprocess.run([*NAMESPACE, *argv], stdout=log, stderr=subprocess.STDOUT,
                                  stdin=subprocess.DEVNULL, check=False)
            log.seek(begin)
            lines = log.read().decode("utf-8", "replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        self.rows.append(Row(self.name, what, done.returncode == 0, time.monotonic() - start, last[:60]))
        print(self.rows[-1], flush=True)
        return done.returncode == 0

    def inside(self, what: str, command: str) -> bool:
        return self.step(what, ["sh", "-c", INSIDE, "sh", str(self.root), command])

    def make(self) -> bool:
        """The bare system, with the mirror of this one and a clone of the last commit."""
        mirror = apt.mirror()
        argv = [str(needs.where("debootstrap")), "--variant=minbase"]
        argv += ["--include=ca-certificates"] if mirror.startswith("https") else []
        if not self.step("debootstrap", [*argv, self.name, str(self.root), mirror]):
            return False
        for file in ("/etc/resolv.conf", "/etc/hosts"):
            if Path(file).exists():
                shutil.copy(file, self.root / "etc")
        # How this machine reaches its mirror (proxy, clock) holds for the new system too.
        config = subprocess.run(["apt-config", "dump"], capture_output=True, text=True, check=True).stdout
        reach = [line for line in config.splitlines() if re.match(r"Acquire::(https?|Check|Retries)\b", line)]
        (self.root / "etc/apt/apt.conf.d/90reach").write_text("\n".join(reach) + "\n", encoding="utf-8")
        subprocess.run(["git", "clone", "-q", str(TOP), str(self.root / "srv/linekeeper")], check=True)
        return self.inside("apt-get install make", "apt-get -q update && apt-get -q install -y make")

    def run(self, commands: List[str]) -> bool:
        return self.make() and all([self.inside(command, command) for command in commands])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", action="append", help="instead of the README's; may be given several times")
    parser.add_argument("--keep", action="store_true", help="leave the systems in their folder")
    args = parser.parse_args()
    if os.geteuid() != 0:
        raise Refusal("needs root, for debootstrap and chroot")
    unclean = subprocess.run(["git", "-C", str(TOP), "status", "--porcelain"], capture_output=True, text=True,
                             check=True).stdout.splitlines()
    if unclean:
        print(f"note: {len(unclean)} files differ from the last commit; the clone is of the commit")

    logs = TOP / "build" / "fresh"
    shutil.rmtree(logs, ignore_errors=True)
    logs.mkdir(parents=True)
    base = Path(os.environ.get("TMPDIR") or cache.folder())
    base.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix="fresh-", dir=base))
    scratch.chmod(0o755)
    systems = [System(name, scratch, logs) for name in (os.environ.get("LK_FRESH") or SYSTEMS).split()]
    try:
        good = all([system.run(args.command or list(COMMANDS)) for system in systems])
    finally:
        table = "".join(f"{row}\n" for system in systems for row in system.rows)
        (logs / "table.txt").write_text(table, encoding="utf-8")
        if args.keep:
            print(f"kept: {scratch}")
        else:
            shutil.rmtree(scratch, ignore_errors=True)
    print(f"\n{table}\nlogs: {logs}")
    return 0 if good else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Refusal as refusal:
        print(f"check-fresh: {refusal}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)

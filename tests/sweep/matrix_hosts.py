#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
A matrix shared by two hosts through GNU parallel and ssh. The hosts are network namespaces, each with an sshd of its own; one is
stopped in the middle. The jobs come in any order. The result must be complete, and that of one process. Needs root. Exit status 1 when it is not.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import List

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "scripts"))
sys.dont_write_bytecode = True

from lk import setup  # noqa: E402

LINEKEEPER = str(TOP / "scripts/linekeeper")
STRUCTS = ["address_space", "page_counter"]
SSHD = """Port 22
HostKey {folder}/host
AuthorizedKeysFile {folder}/user.pub
PidFile none
StrictModes no
UsePAM no
PermitRootLogin yes
"""


def must(*argv: object) -> str:
    return subprocess.run([str(word) for word in argv], check=True, stdout=subprocess.PIPE, text=True).stdout


class Host:
    """A network namespace with an sshd; the file system is everybody's."""

    def __init__(self, folder: Path, number: int) -> None:
        self.name, self.address = f"lk-{os.getpid()}-{number}", f"10.213.{number}.2"
        link = f"lk{os.getpid() % 100000}v{number}"
        must("ip", "netns", "add", self.name)
        self.sshd = None
        try:
            must("ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", self.name)
            must("ip", "addr", "add", f"10.213.{number}.1/30", "dev", link)
            must("ip", "link", "set", link, "up")
            for words in (("addr", "add", f"{self.address}/30", "dev", "eth0"), ("link", "set", "eth0", "up"), ("link", "set", "lo", "up")):
                must("ip", "-n", self.name, *words)
            self.sshd = subprocess.Popen(["ip", "netns", "exec", self.name, "/usr/sbin/sshd", "-D", "-e", "-f", str(folder / "sshd_config")],
                                         stderr=open(folder / f"sshd-{number}.log", "wb"))
        except BaseException:
            self.remove()
            raise

    def stop(self) -> None:
        """As if its power went: nobody is told."""
        must("ip", "-n", self.name, "link", "set", "eth0", "down")
        for pid in must("ip", "netns", "pids", self.name).split():
            try:
                os.kill(int(pid), signal.SIGKILL)
            except ProcessLookupError:
                pass

    def remove(self) -> None:
        if self.sshd:
            self.stop()
            self.sshd.wait()
        must("ip", "netns", "del", self.name)


def matrix(*words: object) -> str:
    return must(LINEKEEPER, "matrix", *words)


def table(text: str) -> dict:
    found = json.loads(text)[0]
    del found["seconds"]
    return found


def share(hosts: List[Host], tree: Path, folder: Path, work: Path) -> str:
    """What parallel says of which host did which job."""
    (folder / "jobs").write_text(matrix(*STRUCTS, "--tree", tree, "--work", work, "--print-jobs"), encoding="utf-8")
    options = f"-i {folder}/user -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -o ServerAliveInterval=2 -o ConnectTimeout=5"
    (folder / "hosts").write_text("".join(f"1/ssh {options} root@{host.address}\n" for host in hosts), encoding="utf-8")
    command = ["env", f"BUILD={os.environ.get('BUILD') or TOP / 'build'}", f"HOME={os.environ['HOME']}", LINEKEEPER, "matrix",
               "--tree", str(tree), "--work", str(work), "-j1", "--run", "{}"]
    running = subprocess.Popen(["parallel", "--will-cite", "--sshloginfile", folder / "hosts", "--retries", "5", "--shuf",
                                "--joblog", folder / "log", "-a", folder / "jobs", *command], stdin=subprocess.DEVNULL)
    count = len((folder / "jobs").read_text(encoding="utf-8").split())
    deadline = time.monotonic() + 900
    while len(list(work.glob("[0-9]*.json"))) < count // 3 and running.poll() is None and time.monotonic() < deadline:
        time.sleep(0.1)
    print(f"stopping {hosts[1].name} behind {len(list(work.glob('[0-9]*.json')))} of {count} parses", flush=True)
    hosts[1].stop()
    running.wait()
    return (folder / "log").read_text(encoding="utf-8")


def run(folder: Path) -> int:
    tree = setup.find("kernel-6.12")
    for name in ("host", "user"):
        must("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name)
    (folder / "sshd_config").write_text(SSHD.format(folder=folder), encoding="utf-8")
    Path("/run/sshd").mkdir(exist_ok=True)
    hosts: List[Host] = []
    try:
        for number in (1, 2):
            hosts.append(Host(folder, number))
        log = share(hosts, tree, folder, folder / "work")
    finally:
        for host in hosts:
            host.remove()
    used = [host.address for host in hosts if host.address in log]
    left = matrix(*STRUCTS, "--tree", tree, "--work", folder / "work", "--print-jobs").split()
    shared = table(matrix(*STRUCTS, "--tree", tree, "--work", folder / "work", "--format", "json"))
    alone = table(matrix(*STRUCTS, "--tree", tree, "--format", "json"))
    print(f"hosts that worked: {len(used)} of 2; parses left: {len(left)}; result {'the same' if shared == alone else 'DIFFERS'}")
    return int(len(used) != 2 or bool(left) or shared != alone)


if __name__ == "__main__":
    if os.geteuid():
        print("SKIP: network namespaces need root")
        sys.exit(os.environ.get("REQUIRE") == "all")
    with tempfile.TemporaryDirectory() as scratch:
        sys.exit(run(Path(scratch)))

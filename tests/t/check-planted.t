#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""cacheline-check on 6.12 with faults planted into its own structs, lists and tables, each at its line; and on harmless
changes of the same kinds, on which nothing may be said that is not said of the untouched tree.
"""

import os
import re
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path[:0] = ["tests", "scripts"]
from lk.tree import Tree  # noqa: E402
from lk.unit import words  # noqa: E402
from tap import check, done, kernel, run, skip  # noqa: E402

PROGRAM = Path(os.environ.get("BUILD") or "build").resolve() / "cacheline-check"
TABLES = "Documentation/networking/net_cachelines"
DEV, TCP, SOCK, NETNS = "include/linux/netdevice.h", "include/linux/tcp.h", "include/net/sock.h", "include/net/netns/ipv4.h"
POOL, IDPF = "include/net/page_pool/types.h", "drivers/net/ethernet/intel/idpf/idpf_txrx.h"
DEV_C, TCP_C, SOCK_C, NETNS_C = "net/core/dev.c", "net/ipv4/tcp.c", "net/core/sock.c", "net/core/net_namespace.c"
POOL_C, IDPF_C = "net/core/page_pool.c", "drivers/net/ethernet/intel/idpf/idpf_txrx.c"
DEV_RST, TCP_RST, NETNS_RST = (f"{TABLES}/{name}.rst" for name in ("net_device", "tcp_sock", "netns_ipv4_sysctl"))

ASSERT = "CACHELINE_ASSERT_GROUP"


def begins(group: str) -> str:
    return rf"^(\t__cacheline_group_begin\w*\({group}\b)"


def ends(group: str) -> str:
    return rf"^(\t__cacheline_group_end\w*\({group}\b)"


def line(pattern: str) -> str:
    """the whole of the line on which it stands"""
    return rf"^(.*{pattern}.*\n)"


# what is done: the unit, (file, what is found, what comes there)...; and what is found: id, file, what stands on the line
PLANTED = (
    ("a counter in net_device_read_txrx", DEV_C, [(DEV, ends("net_device_read_txrx"), r"\tu32 planted;\n\1")],
     [("unlisted-member", DEV, "planted"), ("doc-table", DEV, "planted"), ("group-size", DEV, "begin.net_device_read_rx")]),
    ("an atomic counter between two groups", DEV_C, [(DEV, begins("net_device_read_txrx"), r"\tatomic_t planted;\n\1")],
     [("ungrouped-field", DEV, "planted"), ("doc-table", DEV, "planted")]),
    ("an atomic counter behind the last group", DEV_C, [(DEV, line(r"group_end.net_device_read_rx"), r"\1\tatomic_t planted;\n")],
     [("ungrouped-field", DEV, "planted"), ("doc-table", DEV, "planted")]),
    ("a field between two groups", TCP_C, [(TCP, begins("tcp_sock_read_txrx"), r"\tu32 planted;\n\1")],
     [("ungrouped-field", TCP, "planted"), ("doc-table", TCP, "planted"), ("group-size", TCP, "begin.tcp_sock_read_rx")]),
    ("a member moved behind its group", TCP_C, [(TCP, line(r"u32\trcv_wup;"), ""),
                                           (TCP, line(r"group_end.tcp_sock_write_rx"), r"\1\tu32 rcv_wup;\n")],
     [("unlisted-member", TCP, "rcv_wup")]),
    ("a member moved to another group", SOCK_C, [(SOCK, line("sk_pacing_status;"), ""),
                                               (SOCK, ends("sock_read_tx"), r"\tu32 sk_pacing_status;\n\1")],
     [("unlisted-member", SOCK, "sk_pacing_status"), ("unlisted-member", SOCK, "sk_pacing_status")]),
    ("a field in sock_read_rx", SOCK_C, [(SOCK, ends("sock_read_rx"), r"\tu32 planted;\n\1")], [("unlisted-member", SOCK, "planted")]),
    ("a field in sock_write_rx", SOCK_C, [(SOCK, ends("sock_write_rx"), r"\tatomic_t planted;\n\1")], [("unlisted-member", SOCK, "planted")]),
    ("an assert lost", TCP_C, [(TCP_C, line("tcp_sock_write_rx, bytes_received"), "")], [("unlisted-member", TCP, "bytes_received;")]),
    ("an assert of the wrong group", TCP_C, [(TCP_C, "tcp_sock_write_rx, segs_in", "tcp_sock_write_tx, segs_in")],
     [("unlisted-member", TCP, "segs_in;"), ("unlisted-member", TCP, "segs_in;")]),
    ("a group too large", TCP_C, [(TCP, ends("tcp_sock_write_txrx"), r"\tu64 bytes_received_too;\n\1")],
     [("group-size", TCP, "begin.tcp_sock_write_txrx"), ("unlisted-member", TCP, "received_too"), ("doc-table", TCP, "received_too")]),
    ("a group too large on 32 bits (B01)", TCP_C, [(TCP_C, "tcp_sock_write_txrx, 91 . 4", "tcp_sock_write_txrx, 91")],
     [("group-size", TCP, "begin.tcp_sock_write_txrx")]),
    ("a byte more, too large on 32 bits only", TCP_C, [(TCP, ends("tcp_sock_write_txrx"), r"\tu8 planted;\n\1")],
     [("group-size", TCP, "begin.tcp_sock_write_txrx"), ("unlisted-member", TCP, "planted"), ("doc-table", TCP, "planted")]),
    ("a byte more in netns_ipv4_read_tx", NETNS_C, [(NETNS, ends("netns_ipv4_read_tx"), r"\tu8 planted;\n\1")],
     [("group-size", NETNS, "begin.netns_ipv4_read_tx"), ("group-size", NETNS, "begin.netns_ipv4_read_rx"),
      ("unlisted-member", NETNS, "planted"), ("doc-table", NETNS, "planted")]),
    ("a group that a 128-byte line breaks (B07)", POOL_C, [(POOL, ends("frag"), r"\tlong planted ____cacheline_aligned;\n\1")],
     [("group-size", POOL, "begin_aligned.frag"), ("unlisted-member", POOL, "planted")]),
    ("a field in libeth's read_write group", IDPF_C, [(IDPF, line("struct u64_stats_sync stats_sync;"), r"\1\tu64 planted;\n")],
     [("group-size", IDPF, "begin_aligned.read_write")]),
    ("a field behind libeth's groups", IDPF_C, [(IDPF, r"^(\};\nlibeth_cacheline_set_assert.struct idpf_rx_queue)", r"\tu64 planted;\n\1")],
     [("group-size", IDPF, "struct idpf_rx_queue \\{")]),
    ("a row lost", TCP_C, [(TCP_RST, line(" copied_seq "), "")], [("doc-table", TCP, "copied_seq")]),
    ("a row's name misspelt", TCP_C, [(TCP_RST, " segs_in ", " segs_inn")], [("doc-table", TCP_RST, "segs_inn")]),
    ("a row says that it is written", TCP_C, [(TCP_RST, r"^(\S+ +copied_seq .*)read_mostly", r"\1read_write ")],
     [("doc-table", TCP_RST, "copied_seq")]),
    ("a row says the other path", DEV_C, [(DEV_RST, r"^(\S+ +tcx_ingress +)- ( +)read_mostly", r"\1read_mostly\g<2>- ")],
     [("doc-table", DEV_RST, "tcx_ingress")]),
    ("a row of nobody", NETNS_C, [(NETNS_RST, line(" tcp_death_row "), "struct_planted  planted\n\\1")],
     [("doc-table", NETNS_RST, "planted")]),
    ("a member renamed", SOCK_C, [(NETNS, r"sysctl_tcp_wmem\[", "sysctl_tcp_wmem_now[")], [("doc-table", NETNS_RST, "sysctl_tcp_wmem")]),
    ("a cold member without a row", DEV_C, [(DEV, line(r"upper_level;"), r"\1\tu8 planted;\n")], [("doc-table", DEV, "planted")]),
    ("code that counts in a member of net_device_read_tx", DEV_C,
     [(DEV_C, r"\Z", "void planted(struct net_device *dev)\n{\n\tdev->gso_partial_features |= 1;\n}\n")],
     [("class-contradicted", DEV, "gso_partial_features;")]),
    ("a header's code that counts in a member of tcp_sock_read_tx", TCP_C,
     [(TCP, r"^(static inline void tcp_saved_syn_free)",
       r"static inline void planted(struct tcp_sock *tp)\n{\n\tu32 *counted = &tp->reordering;\n\n\t(*counted)++;\n}\n\n\1")],
     [("class-contradicted", TCP, "reordering;")]),
)

HARMLESS = (
    ("a comment changed", TCP_C, [(TCP, r"What we want to receive next", "what comes next")]),
    ("a comment between groups", DEV_C, [(DEV, begins("net_device_read_txrx"), r"\t/* of all\n\t * paths\n\t */\n\1")]),
    ("a blank line in a group", DEV_C, [(DEV, ends("net_device_read_txrx"), r"\n\1")]),
    ("a member at the cold end of sock", SOCK_C, [(SOCK, line(r"struct rcu_head\s+sk_rcu;"), r"\1\tu32 planted;\n")]),
    ("a counter at the cold end of sock", SOCK_C, [(SOCK, line(r"struct rcu_head\s+sk_rcu;"), r"\1\tatomic_t planted;\n")]),
    ("a cold member with its row", DEV_C, [(DEV, line("upper_level;"), r"\1\tu8 planted;\n"),
                                           (DEV_RST, line(" upper_level "), "\\1u8" + " " * 34 + "planted\n")]),
    ("a row with access of a cold member", TCP_C, [(TCP_RST, r"^(u32 +dsack_dups) .*$", r"\1              -                   read_write")]),
    ("members of a group exchanged", TCP_C, [(TCP, r"(\tu32\tsegs_in;[^;]*?\*/\n)(\tu32\tdata_segs_in;[^;]*?\*/\n)", r"\2\1")]),
    ("asserts exchanged", TCP_C, [(TCP_C, line("tcp_sock_write_rx, segs_in") + line("data_segs_in")[1:], r"\2\1")]),
    ("a bound raised", TCP_C, [(TCP_C, "tcp_sock_write_txrx, 91 . 4", "tcp_sock_write_txrx, 99")]),
    ("a bound spelt otherwise", TCP_C, [(TCP_C, "tcp_sock_write_txrx, 91 . 4", "tcp_sock_write_txrx, 87 + sizeof(u64)")]),
    ("a member of a group with assert, row and room", TCP_C,
     [(TCP, ends("tcp_sock_write_rx"), r"\tu32 planted;\n\1"), (TCP_C, "tcp_sock_write_rx, 96", "tcp_sock_write_rx, 104"),
      (TCP_C, line("tcp_sock_write_rx, segs_in"), rf"\1\t{ASSERT}_MEMBER(struct tcp_sock, tcp_sock_write_rx, planted);\n"),
      (TCP_RST, line(" segs_in "), r"\1" + f"{'u32':30}{'planted':24}{'-':20}read_write\n")]),
    ("a member of another configuration", TCP_C, [(TCP, ends("tcp_sock_write_txrx"), r"#ifdef CONFIG_PLANTED\n\tu64 planted;\n#endif\n\1")]),
    ("an assert of another configuration", TCP_C,
     [(TCP_C, line("tcp_sock_write_rx, 96"), rf"\1#ifdef CONFIG_PLANTED\n\t{ASSERT}_SIZE(struct tcp_sock, tcp_sock_write_rx, 9);\n#endif\n")]),
    ("a bit-field in a group's padding", TCP_C, [(TCP, r"recvmsg_inq : 1;", "recvmsg_inq : 1, unused:1;")]),
    ("an empty member in a group", TCP_C, [(TCP, ends("tcp_sock_write_rx"), r"\tstruct { } planted;\n\1")]),
    ("a macro for a member", SOCK_C, [(SOCK, line(r"define sk_node\t"), r"\1#define sk_planted\t__sk_common.skc_node\n")]),
    ("words in a table", TCP_C, [(TCP_RST, r"^(\S+ +copied_seq .*)$", r"\1,more_words(rx)")]),
    ("blanks at the end of a row", TCP_C, [(TCP_RST, r"^(\S+ +copied_seq .*)$", r"\1      ")]),
    ("a member at the cold end of page_pool", POOL_C, [(POOL, line("u64 destroy_cnt;"), r"\1\tu64 planted;\n")]),
    ("a member renamed with its row", SOCK_C, [(NETNS, r"sysctl_tcp_wmem\[", "sysctl_tcp_wmem_now["),
                                               (NETNS_RST, r"sysctl_tcp_wmem\[3\]    ", "sysctl_tcp_wmem_now[3]")]),
    ("code that reads a member of net_device_read_tx", DEV_C,
     [(DEV_C, r"\Z", "bool planted(struct net_device *dev)\n{\n\treturn dev->gso_partial_features & 1;\n}\n")]),
    ("code that counts in one, at set-up", DEV_C,
     [(DEV_C, r"\Z", "void __init planted(struct net_device *dev)\n{\n\tdev->gso_partial_features |= 1;\n}\n")]),
    ("a struct between those of idpf", IDPF_C, [(IDPF, r"^struct idpf_rxq_set ", "struct planted { int x; };\n\nstruct idpf_rxq_set ")]),
)


class Scratch:
    """The kernel's files with one change at a time; the tree itself is only read."""

    def __init__(self, tree: Path, folder: Path):
        self.tree, self.folder, self.kernel = tree, folder, Tree(str(tree))
        self.before: dict = {}

    def edited(self, path: str) -> Path:
        copy = self.folder / path
        if not copy.exists():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.tree / path, copy)
        return copy

    def edit(self, edits: list) -> bool:
        shutil.rmtree(self.folder, ignore_errors=True)
        for path in (self.tree / TABLES).glob("*.rst"):
            self.edited(f"{TABLES}/{path.name}")
        for path, pattern, new in edits:
            text, times = re.subn(pattern, new, self.edited(path).read_text(), count=1, flags=re.M)
            self.edited(path).write_text(text)
            if not times:
                return False
        return True

    def findings(self, unit: str, edits: list) -> Counter:
        """of (id, file, text, what stands on the line)"""
        overlay = [word for path in {path for path, _, _ in edits if not path.startswith(TABLES)}
                   for word in ("--overlay", f"{path}={self.folder / path}")]
        flags = [word for word in words(self.kernel, unit, []) if word != "--"]
        out = run(PROGRAM, "--once=/nonexistent/record", *overlay, "--", *flags, cwd=self.tree, srctree=str(self.folder), XDG_RUNTIME_DIR="")
        found: Counter = Counter()
        if out.returncode or "not judged" in out.stderr:
            found["not judged", unit, out.stderr[-500:], str(out.returncode)] += 1
        for path, number, text, name in re.findall(r"^(\S+?):(\d+):\d+: (?:warning|error): (.*?)(?: \[-Wcacheline-(\S+)\])?$", out.stderr, re.M):
            path = os.path.relpath(self.tree / path, self.folder if path.startswith(str(self.folder)) else self.tree)
            shown = self.folder / path if (self.folder / path).exists() else self.tree / path
            found[name, path, text, shown.read_text().splitlines()[int(number) - 1]] += 1
        return found

    def new(self, unit: str, edits: list) -> list:
        """what is said of the changed tree and not of the untouched one"""
        if unit not in self.before:
            self.edit([])
            self.before[unit] = self.findings(unit, [])
        if not self.edit(edits):
            return [("nothing to edit", str(edits), "", "")]
        return sorted((self.findings(unit, edits) - self.before[unit]).elements())


def test_planted(scratch: Scratch) -> None:
    ids = ("class-contradicted", "doc-table", "group-size", "ungrouped-field", "unlisted-member")
    for what, unit, edits, expected in PLANTED:
        new, missing = scratch.new(unit, edits), []
        ours = [one for one in new if one[0] in ids]
        for name, path, pattern in expected:
            fits = [one for one in ours if one[:2] == (name, path) and re.search(pattern, one[3])]
            missing += [] if fits else [(name, path, pattern)]
            ours = [one for one in ours if one != fits[0]] if fits else ours
        check(not missing and not ours, f"planted: {what}", f"missing: {missing}\nnot expected: {ours}\nall: {new}")


def test_harmless(scratch: Scratch) -> None:
    for what, unit, edits in HARMLESS:
        new = scratch.new(unit, edits)
        check(not new, f"harmless: {what}", "\n".join(map(str, new)))


with tempfile.TemporaryDirectory() as folder:
    if kernel("6.12"):
        one_scratch = Scratch(kernel("6.12"), Path(folder, "edited"))
        test_planted(one_scratch)
        test_harmless(one_scratch)
    else:
        skip("planted faults", "no kernel 6.12")
sys.exit(done())

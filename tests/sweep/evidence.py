#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
What the evidence of a whole 6.12 says of members, beside what is known of them: the tables of
Documentation/networking/net_cachelines, and the structs of the seeds' threads and of the public cases.

A row of a table agrees when it states a write and the member comes out as written, or only reads and it comes out as
read-mostly, on the paths of the columns that say so; where nothing is known it does not. The class of all code is counted beside it.
Exit status 1: less than 90 % of the rows agree.
"""

import argparse
import os
import re
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Dict, Iterable, Iterator, List, Set, Tuple

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "scripts"), str(Path(__file__).resolve().parent)]
sys.dont_write_bytecode = True

import check  # noqa: E402

PROGRAM = Path(os.environ.get("BUILD") or TOP / "build").resolve() / "cacheline-index"
TABLES = ["inet_connection_sock", "inet_sock", "net_device", "netns_ipv4_sysctl", "tcp_sock"]
WANTED = 0.9

# what a table calls otherwise than the struct
NAMED = {f"{start}{name}": f"{path}{name}" for start, path, names in (
    ("inet_", "sk.__sk_common.skc_", "daddr dport num rcv_saddr"), ("", "icsk_ack.", "pending quick retry ato timeout lrcvtime rcv_mss"),
    ("", "icsk_mtup.", "search_high search_low probe_size enabled probe_timestamp")) for name in names.split()}

# "r", "w": seeds 000 to 003, DESIGN.md, cases A01, A02, A05, A07, A08
KNOWN = {
    "struct page_counter": {"usage": "w", "watermark": "w", "failcnt": "w", "min": "r", "low": "r", "high": "r", "max": "r",
                            "parent": "r"},
    "struct address_space": {"host": "r", "a_ops": "r", "i_pages": "w", "nrpages": "w", "i_mmap": "w", "i_mmap_rwsem": "w"},
    "struct cgroup": {"rstat_cpu": "r", "rstat_css_list": "r", "rstat_flush_next": "w", "last_bstat": "w", "bstat": "w"},
    "struct mem_cgroup_per_node": {"memcg": "r", "lruvec_stats_percpu": "r", "lruvec_stats": "r", "shrinker_info": "r",
                                   "lruvec": "w", "lru_zone_size": "w", "iter": "w"},
    "struct file": {"f_count": "w", "f_mode": "r", "f_op": "r", "f_mapping": "r", "f_inode": "r", "f_flags": "r"},
    "struct dentry": {"d_lockref": "w", "d_flags": "r", "d_seq": "r", "d_hash": "r", "d_parent": "r", "d_name": "r",
                      "d_inode": "r"},
}

Uses = Dict[str, List[Tuple[str, str, str]]]    # function -> (mode, phase, how often)
Rows = Dict[Tuple[str, str], Uses]              # of (struct, path)

# Where the two paths of the tables begin: what a layer's callers reach it by. The words of their columns.
PATHS = {
    "tx": "tcp_sendmsg ip_queue_xmit inet6_csk_xmit ip_output ip6_output __dev_queue_xmit".split(),
    "rx": "napi_gro_receive netif_receive_skb __napi_poll napi_complete_done ip_rcv ipv6_rcv tcp_v4_rcv tcp_v6_rcv tcp_rcv_established "
          "tcp_recvmsg".split(),
}


def evidence(units: list, source: Path) -> Tuple[Rows, List[str]]:
    """Every access that the units make, each function of a header once; and who calls whom, as cacheline-index --reached reads it."""
    def run(unit: dict) -> subprocess.CompletedProcess:
        return subprocess.run(["nice", PROGRAM, "--strip", source, "--", *unit["argv"]], cwd=unit["cwd"], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, errors="replace", check=False)

    found: Rows = defaultdict(lambda: defaultdict(list))
    graph: List[str] = []
    seen: Set[str] = set()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for done in pool.map(run, units):
            for part in done.stdout.split("\npart\t")[1:]:
                digest, file, _ = part.split("\t", 2)
                if digest not in seen:
                    seen.add(digest)
                    add_part(found, graph, part, file)
    return found, graph


def add_part(found: Rows, graph: List[str], part: str, file: str) -> None:
    function, phase = "", ""
    for line in part.splitlines():
        fields = line.split("\t")
        if fields[0] == "function":
            function, phase = f"{fields[1]}@{file}:{fields[2]}", fields[3]
            graph.append(f"function\t{function}\t{fields[1]}\t{file if fields[4] else ''}\t{phase}\n")
        elif fields[0] in ("call", "handler"):
            graph.append(f"{line}\n")
        elif fields[0] == "access":
            steps = fields[4].split(".")
            for count in range(1, len(steps) + 1):
                found[fields[5], ".".join(steps[:count])][function].append((fields[1], phase, fields[8]))


def engine(words: list, rows: Iterable[str]) -> List[List[str]]:
    """What cacheline-index says of these rows"""
    out = subprocess.run([PROGRAM, *words], input="".join(rows), text=True, stdout=subprocess.PIPE, check=True)
    return [line.split("\t") for line in out.stdout.splitlines()]


def reached(graph: List[str], entries: List[str]) -> Dict[str, str]:
    """How often a path comes by each function"""
    return dict(engine(["--reached", ",".join(entries)], graph))


def classes(found: Rows, keys: Iterable[Tuple[str, str]], path: Dict[str, str]) -> Dict[Tuple[str, str], Tuple[str, str]]:
    """(class, the words of it) of each member, on that path"""
    rows = (f"{struct}|{member}\t{function}\t{mode}\t{phase}\t{often}\t{path.get(function, 0)}\n" for struct, member in keys
            for function, uses in sorted(found.get((struct, member), {}).items()) for mode, phase, often in uses)
    return {tuple(fields[0].split("|")): (fields[1], fields[2]) for fields in engine(["--classes"], rows)}


def table_rows(tree: Path) -> Iterator[Tuple[str, str, Dict[str, str], str]]:
    """(struct, member, "r" or "w" by column, what is behind the columns) of each row that states an access"""
    for name in TABLES:
        lines = (tree / f"Documentation/networking/net_cachelines/{name}.rst").read_text().splitlines()
        head = next(line for line in lines if line.startswith("Type "))
        start = [head.index(word) for word in ("Name", "fastpath_tx", "fastpath_rx")] + [head.lower().index("comment")]
        for line in lines[lines.index(head) + 1:]:
            cells = [line[a:b].strip() for a, b in zip(start, start[1:])]
            said = {column: "w" if "write" in cell else "r" for column, cell in zip(PATHS, cells[1:]) if re.search("read|write", cell)}
            if said:
                yield f"struct {name.replace('_sysctl', '')}", re.sub(r"\[.*", "", cells[0]), said, line[start[3]:]


def named_writers(uses: Uses, comment: str) -> Tuple[list, list]:
    """Of the functions that the row names: those that use the member, and those that write it"""
    names = set(re.findall(r"\w+", comment))
    users = {function.split("@")[0]: modes for function, modes in uses.items() if function.split("@")[0] in names}
    return sorted(users), sorted(name for name, modes in users.items() if any("w" in mode for mode, *_ in modes))


def compare_tables(found: Rows, graph: List[str], tree: Path) -> float:
    rows = [(struct, NAMED.get(member, member), said, comment) for struct, member, said, comment in table_rows(tree)]
    keys = [row[:2] for row in rows]
    columns = {column: reached(graph, entries) for column, entries in PATHS.items()}
    for column, path in columns.items():
        print(f"{column}: {len(path)} functions are reached")
    columns["tx, rx"] = {function: str(max(float(path.get(function, 0)) for path in columns.values()))
                         for function in set(columns["tx"]) | set(columns["rx"])}
    answers = {column: classes(found, keys, path) for column, path in columns.items()}
    anywhere = classes(found, keys, {})
    agree = by_class = 0
    for struct, member, said, comment in rows:
        wanted = "written" if "w" in said.values() else "read-mostly"
        class_, words = answers[", ".join(said)].get((struct, member), ("", "no function uses it"))
        by_class += anywhere.get((struct, member), ("",))[0] == wanted
        if class_ == wanted:
            agree += 1
            continue
        _, writers = named_writers(found.get((struct, member), {}), comment)
        by = f"; {', '.join(writers)}, which it names, write it" if writers else ""
        print(f"  {struct[7:]}.{member} ({', '.join(said)}): the table says {wanted}, here {class_ or 'unknown'} ({words}){by}")
    print(f"tables: {agree} of {len(rows)} rows agree, {agree / len(rows):.3f} (wanted: {WANTED}); by the class of all code {by_class}, "
          f"{by_class / len(rows):.3f}")
    return agree / len(rows)


def compare_known(found: Rows) -> None:
    keys = [(struct, member) for struct, members in KNOWN.items() for member in members]
    answers = classes(found, keys, {})
    right = 0
    for struct, member in keys:
        class_, words = answers.get((struct, member), ("", "no function uses it"))
        same = class_ == {"w": "written", "r": "read-mostly"}[KNOWN[struct][member]]
        right += same
        print(f"  {struct[7:]}.{member}: {class_ or 'unknown'} ({words}){'' if same else ': NOT AS KNOWN'}")
    print(f"threads and cases: {right} of {len(keys)} members agree")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", default=["net/", "mm/", "fs/", "kernel/"], help="whose units are read")
    args = parser.parse_args()
    source, _, units = check.recorded("6.12", check.KERNELS["6.12"])
    inside = [unit for unit in units if os.path.relpath(unit["argv"][-1], source).startswith(tuple(args.folders))]
    print(f"{len(inside)} units of {' '.join(args.folders)}")
    found, graph = evidence(inside, source)
    compare_known(found)
    return 0 if compare_tables(found, graph, source) >= WANTED else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""linekeeper map: on the small tree, and the figures of real kernels."""

import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, "tests")
from tap import LINEKEEPER, check, done, kernel, linekeeper, run, skip, small_tree  # noqa: E402

KEYS = ["name", "kind", "size", "align", "line_size", "file", "line", "members"]
MEMBER_KEYS = ["name", "type", "offset", "size", "bit_offset", "bit_size", "line", "class", "class_from", "groups"]
PAGE_COUNTER = """\
struct page_counter   112 bytes, aligned to 8: may start at any of 8 places in a 64-byte line   include/linux/page_counter.h:7
   line      at  size  member
      0       0     8  atomic_long_t usage
              8     8  unsigned long min
             16     8  unsigned long low
             24     8  unsigned long high
             32     8  unsigned long max
             40     8  struct page_counter *parent
             48     8  unsigned long emin
             56     8  atomic_long_t min_usage
      1      64     8  atomic_long_t children_min_usage
             72     8  unsigned long elow
             80     8  atomic_long_t low_usage
             88     8  atomic_long_t children_low_usage
             96     8  unsigned long watermark
            104     8  unsigned long failcnt
"""
ODD = """
#include <linux/types.h>
struct odd {
	char c;
	unsigned int a:3, b:7;
	void (*fn)(int);
	union { long l; struct { char x[3]; short y; }; };
	char *names[4];
	unsigned char tail;
};
struct twice { int x; };
typedef struct { int in_typedef; } odd_t;
struct empty { };
#define context_lock_struct(name, ...) struct name
context_lock_struct(held, reentrant) {
	long in_lock;
};
"""


def show(done_run) -> str:
    return f"status {done_run.returncode}\n{done_run.stdout}{done_run.stderr}"


def test_text(tree: Path) -> None:
    out = linekeeper("map", "page_counter", "--tree", tree)
    check(out.stdout == PAGE_COUNTER and not out.stderr and out.returncode == 0, "page_counter, line by line", show(out))
    out = linekeeper("map", "struct page_counter", cwd=tree)
    check(out.stdout == PAGE_COUNTER, "in the current folder, with 'struct ' in front", show(out))
    out = linekeeper("map", "mem_cgroup", "--tree", tree)
    check("CACHELINE_PADDING(_pad1_)" in out.stdout and "  hole\n" in out.stdout, "padding and holes are named", show(out))
    check("  union {\n" in out.stdout and "    struct page_counter swap" in out.stdout,
          "members of an anonymous union are indented", show(out))
    out = linekeeper("map", "net_device", "--tree", tree)
    check("--- group net_device_read_tx begins" in out.stdout and "read-mostly   group" in out.stdout,
          "groups are shown, and the class that their names give", show(out))
    out = linekeeper("map", "page_counter", "--tree", tree, "--line-size", "128")
    check("in a 128-byte line" in out.stdout and "\n      1 " not in out.stdout, "--line-size 128: one line less", show(out))


def test_odd(tree: Path) -> None:
    (tree / "kernel/odd.c").write_text(ODD)
    (tree / "mm/twice.c").write_text("struct twice { long x; };\n")
    out = linekeeper("map", "odd", "--tree", tree)
    rows = [line.split(None, 3) for line in out.stdout.splitlines()]
    check(out.returncode == 0 and ["1.0", ":3", "unsigned", "int a"] not in rows and "void (*fn)(int)" in out.stdout
          and "char *names[4]" in out.stdout, "function pointers and arrays as C has them", show(out))
    check("              1    :3  unsigned int a" in out.stdout and "            1.3    :7  unsigned int b" in out.stdout,
          "bit-fields with their bits", show(out))
    check("             57     7  padding" in out.stdout, "trailing padding", show(out))
    out = linekeeper("map", "twice", "--tree", tree)
    check(out.returncode == 1 and "is defined 2 times (kernel/odd.c:11, mm/twice.c:1)" in out.stderr,
          "defined twice: refused, with the places", show(out))
    out = linekeeper("map", "twice", "--tree", tree, "--file", "mm/twice.c")
    check(" 8 bytes" in out.stdout, "--file says which", show(out))
    out = linekeeper("map", "--all", "kernel/odd.c", "--tree", tree, "--format", "json")
    names = [record["name"] for record in json.loads(out.stdout)]
    check({"odd", "twice", "odd_t", "empty", "list_head"} <= set(names), "--all: every struct of the unit", names)


def test_json(tree: Path) -> None:
    out = linekeeper("map", "net_device", "--tree", tree, "--format", "json")
    record = json.loads(out.stdout)[0]
    check(list(record) == KEYS, "the keys of a record, in order", list(record))
    check(all(list(member) == MEMBER_KEYS for member in record["members"]), "the keys of a member, in order")
    flags = next(member for member in record["members"] if member["name"] == "netns_local")
    check((flags["offset"], flags["bit_offset"], flags["bit_size"]) == (4, 33, 1), "a bit-field in bits", flags)
    mtu = next(member for member in record["members"] if member["name"] == "mtu")
    check(mtu["class"] == "read-mostly" and mtu["class_from"] == "group" and mtu["groups"] == ["net_device_read_tx"],
          "a member's class, where it is from, its group", mtu)
    check(any(member["name"] == "speed" for member in record["members"]), "anonymous members are flattened")


def test_configurations(tree: Path) -> None:
    sizes = {}
    for setting in ("CONFIG_SMP=y", "CONFIG_SMP=n", "CONFIG_READ_ONLY_THP_FOR_FS=y"):
        out = linekeeper("map", "address_space", "mem_cgroup", "--tree", tree, "--set", setting, "--format", "json")
        sizes[setting] = [record["size"] for record in json.loads(out.stdout or "[]")]
    check(sizes["CONFIG_SMP=n"][1] < sizes["CONFIG_SMP=y"][1] and
          sizes["CONFIG_READ_ONLY_THP_FOR_FS=y"][0] == sizes["CONFIG_SMP=y"][0] + 8, "--set changes the layout", sizes)
    config = tree.parent / "up.config"
    config.write_text("CONFIG_64BIT=y\nCONFIG_MEMCG=y\nCONFIG_X86_L1_CACHE_SHIFT=7\n# CONFIG_SMP is not set\n")
    out = linekeeper("map", "page_counter", "--tree", tree, "--config", config)
    check(out.returncode == 0 and "in a 128-byte line" in out.stdout, "--config reads another .config", show(out))
    for words, why in ((["--set", "CONFIG_NOSUCH=y"], "knows CONFIG_NOSUCH"), (["--set", "SMP=y"], "give it as CONFIG_X=y"),
                       (["--config", "/nonexistent"], "/nonexistent"), (["--line-size", "48"], "power of two")):
        out = linekeeper("map", "page_counter", "--tree", tree, *words)
        check(out.returncode == 2 and why in out.stderr and not out.stdout, f"{' '.join(words)}: wrong use", show(out))


def test_private_files(tree: Path) -> None:
    """Headers that need others before them, include paths that only a makefile knows: nothing was built here."""
    folder = tree / "fs/private"
    (folder / "deep").mkdir(parents=True)
    (folder / "Makefile").write_text("ccflags-y += -I $(srctree)/$(src)/deep\nobj-y += a.o\n")
    (folder / "deep/deep.h").write_text("struct deep { int x; };\n")
    (folder / "needy.h").write_text("struct needy { struct inode inode; deep_t deep; };\n")
    (folder / "a.c").write_text("#include <linux/fs.h>\n#include \"deep.h\"\ntypedef struct deep deep_t;\n#include \"needy.h\"\n")
    out = linekeeper("map", "needy", "--tree", tree)
    check(out.returncode == 0 and "512 bytes" in out.stdout and "fs/private/needy.h:1" in out.stdout and not out.stderr,
          "a header that needs others is read as part of its user", show(out))
    (folder / "b.c").write_text("#include \"nowhere.h\"\nstruct lost { int x; };\n")
    out = linekeeper("map", "lost", "--tree", tree)
    check(out.returncode == 1 and "unable to open 'nowhere.h'" in out.stderr and "make fs/private/b.o" in out.stderr
          and not out.stdout, "what cannot be read is said, with the way out", show(out))


def test_names(tree: Path) -> None:
    """Typedefs of tagged structs, 'struct' as a word of its own, folders below the tree, odd file names."""
    out = linekeeper("map", "spinlock_t", "--tree", tree)
    check(out.returncode == 0 and "4 bytes" in out.stdout, "a typedef", show(out))
    out = linekeeper("map", "struct held", "--tree", tree)
    check(out.returncode == 0 and "long in_lock" in out.stdout, "a lock of 7.0 and newer", show(out))
    out = linekeeper("map", "struct", "page_counter", cwd=tree / "mm")
    check(out.stdout == PAGE_COUNTER, "struct without quotes, from a folder below", show(out))
    (tree / "kernel/odd\nname.h").write_text("struct newline { int x; };\n")
    (tree / "kernel/a=b.c").write_text("struct equals { int x; };\n")
    out = linekeeper("map", "newline", "--tree", tree)
    check(out.returncode == 1 and "no struct or union 'newline'" in out.stderr, "a newline in a file's name: left out", show(out))
    out = linekeeper("map", "equals", "--tree", tree)
    check(out.returncode == 0 and "kernel/a=b.c:1" in out.stdout, "an equals sign in a file's name", show(out))
    out = run("sh", "-c", f"{LINEKEEPER} map page_counter >/dev/full", cwd=tree)
    check(out.returncode == 2 and "cannot write" in out.stderr, "a full disk is said", show(out))
    deep = "struct abyss {" + " struct {" * 60000 + " int x; " + "};" * 60000 + "};\n"
    (tree / "kernel/deep.c").write_text(deep)
    out = linekeeper("map", "abyss", "--tree", tree)
    check(out.returncode == 2 and "was ended by SIG" in out.stderr and not out.stdout, "what brings the parser down is said",
          show(out)[:300])


def test_refusals(tree: Path, folder: Path) -> None:
    for words, status, why in (
            (["nobody", "--tree", tree], 1, "no struct or union 'nobody' is defined in"),
            (["page_counter", "--tree", folder], 2, "is not a kernel tree"),
            (["page;rm -rf", "--tree", tree], 2, "is no name of a struct"),
            (["--all", "../../etc/passwd", "--tree", tree], 2, "no file"),
            ([], 2, "give STRUCT")):
        out = linekeeper("map", *words)
        check(out.returncode == status and why in out.stderr and not out.stdout, why, show(out))
    unprepared = folder / "unprepared"
    run("cp", "-r", "tests/tree", unprepared)
    out = linekeeper("map", "page_counter", "--tree", unprepared)
    check(out.returncode == 2 and "make prepare" in out.stderr, "a tree that is not prepared", show(out))
    (tree / "kernel/broken.c").write_text("struct broken { int a; long b[; };\n")
    out = linekeeper("map", "broken", "--tree", tree)
    check(out.returncode == 1 and "kernel/broken.c:1:31: error:" in out.stderr, "a parse that failed is an error", show(out))
    out = run("sh", "-c", f"{Path('scripts/linekeeper').resolve()} map mem_cgroup | head -1", cwd=tree)
    check(out.stdout.startswith("struct mem_cgroup") and not out.stderr, "a closed pipe is no trouble", show(out))


def test_kernels() -> None:
    for version, struct, size, offsets in (
            ("6.1", "address_space", 192, {"i_mmap": 72, "i_mmap_rwsem": 88}),
            ("6.1", "page_counter", 192, {"usage": 0, "emin": 64, "min": 128}),
            ("6.1", "cgroup", 1008, {"rstat_cpu": 776, "rstat_css_list": 784, "last_bstat": 800}),
            ("6.12", "page_counter", 256, {"local_watermark": 120, "failcnt": 128, "min": 200})):
        tree = kernel(version)
        if tree is None:
            skip(f"{struct} of {version}", f"no kernel {version}")
            continue
        out = linekeeper("map", struct, "--tree", tree, "--format", "json")
        record = json.loads(out.stdout or "[{}]")[0]
        got = {member["name"]: member["offset"] for member in record.get("members", []) if member["name"] in offsets}
        check(record.get("size") == size and got == offsets, f"{struct} of {version}: {size} bytes", show(out))


def test_documentation() -> None:
    """Classes from the tables of net_cachelines, where no group says one; of an O= build, as the sweeps' arm64 is, they lie in the source."""
    own = kernel("6.12")
    if own is None:
        skip("classes from the documentation", "no kernel 6.12")
        return
    aside = own.with_name(own.name.replace("x86_64", "arm64"))
    for arch, tree in (("x86_64", own), *([("arm64", aside)] if aside.is_dir() else [])):
        out = linekeeper("map", "inet_connection_sock", "tcp_sock", "--tree", tree, "--format", "json")
        got = {f"{record['name']}.{member['name']}": (member["class"], member["class_from"])
               for record in json.loads(out.stdout or "[]") for member in record["members"]}
        for name, expected in (("inet_connection_sock.icsk_retransmits", ("written", "documentation")),
                               ("inet_connection_sock.icsk_bind_hash", ("read-mostly", "documentation")),
                               ("inet_connection_sock.icsk_accept_queue", (None, None)), ("tcp_sock.snd_wnd", ("read-mostly", "group"))):
            check(got.get(name) == expected, f"{arch}: the class of {name} is {expected}", f"{got.get(name)}\n{out.stderr}")


with tempfile.TemporaryDirectory() as name:
    top = Path(name)
    small = small_tree(top)
    test_text(small)
    test_odd(small)
    test_json(small)
    test_configurations(small)
    test_private_files(small)
    test_names(small)
    test_refusals(small, top)
    test_kernels()
    test_documentation()
sys.exit(done())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""check --matrix and vet --matrix: what is wrong only in a configuration that Kconfig allows is told with it, and it can be had."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, "tests")
from tap import TOP, check, done, kernel, linekeeper, planted, skip  # noqa: E402
from vet_series import changed, diff, mail  # noqa: E402

sys.path.insert(0, str(TOP / "scripts"))
from lk.kconfig import environment  # noqa: E402
from lk.matrix_read import Reader, settings_of  # noqa: E402
from lk.reachable import Reachable, fragment_of  # noqa: E402
from lk.tree import Tree  # noqa: E402

HEADER = """/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _LINUX_PLANTED_H
#define _LINUX_PLANTED_H
#include <linux/cache.h>
#include <linux/cpumask.h>
#include <linux/types.h>

struct planted_far {
	__cacheline_group_begin(far);
	char state[3200];
	cpumask_t affinity_mask;
	__cacheline_group_end(far);
	struct rcu_head rcu;
};

struct planted_two {
	__cacheline_group_begin(two);
	long a[2];
#ifdef CONFIG_PSI
	long psi[2];
#endif
#ifdef CONFIG_CGROUP_BPF
	long bpf;
#endif
#if defined(CONFIG_SMP) && !defined(CONFIG_X86_64)
	long never[64];
#endif
	__cacheline_group_end(two);
};

struct planted_new {
	__cacheline_group_begin(fresh);
	long a;
	__cacheline_group_end(fresh);
};

struct planted_module {
	__cacheline_group_begin(module);
	long a;
#if IS_MODULE(CONFIG_XFS_FS)
	long b;
#endif
	__cacheline_group_end(module);
};
#endif
"""
CODE = """/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/planted.h>

static void __attribute__((used)) planted_check(void)
{
	CACHELINE_ASSERT_GROUP_SIZE(struct planted_two, two, 32);
	CACHELINE_ASSERT_GROUP_SIZE(struct planted_module, module, 8);
	CACHELINE_ASSERT_GROUP_SIZE(struct planted_new, fresh, 8);
}
"""

def settings(said: str, what: str) -> list:
    """Those with which it is said."""
    found = re.search(rf"{re.escape(what)}.*?, with (.*) \[-Wcacheline", said)
    return found[1].split(", ") if found else []


def checks(tree: Path, folder: Path) -> None:
    out = linekeeper("check", "--matrix", "include/linux/planted.h", "--tree", tree, "--fragments", folder / "fragments", "-j2", "--error")
    check(out.returncode == 1, "check --matrix: a finding elsewhere is an error too", out.stderr)
    far, two = settings(out.stderr, "'rcu' lies at 4224"), settings(out.stderr, "group 'two' has 40 bytes")
    check("CONFIG_MAXSMP=y" in far, "check --matrix: with most CPUs", out.stderr)
    check({"CONFIG_PSI=y", "CONFIG_CGROUP_BPF=y"} <= set(two) and len(two) < 5, "check --matrix: two options together, and few others", out.stderr)
    check("bytes" in out.stderr and "512" not in out.stderr, "check --matrix: nothing that cannot be had", out.stderr)
    texts = [path.read_text(encoding="utf-8") for path in (folder / "fragments").iterdir()]
    check(settings(out.stderr, "group 'module' has 16 bytes") == ["CONFIG_XFS_FS=m"] and any("\nCONFIG_XFS_FS=m\n" in text for text in texts),
          "check --matrix: what only allmodconfig has is told by its option", out.stderr)
    check(any("\nCONFIG_PSI=y\n" in text and "\nCONFIG_CGROUP_BPF=y\n" in text for text in texts), "check --matrix: a fragment for it", texts)
    out = linekeeper("check", "--matrix", "include/linux/planted.h", "--tree", tree, "--seconds", "1", "-j1")
    check(re.search(r"^note: \d+ of \d+ configurations were not looked at: 1 seconds are over", out.stderr, re.M), "check --matrix: for so long", out.stderr)
    (tree / "kernel/planted_none.c").write_text("int planted_none;\n", encoding="utf-8")
    out = linekeeper("check", "--matrix", "kernel/planted.c", "kernel/planted_none.c", "--tree", tree, "-j2")
    check("group 'two' has 40 bytes" in out.stderr, "check --matrix: what a .c file asserts of a header's structs", out.stderr)
    check("note: --matrix looks for nothing in kernel/planted_none.c" in out.stderr and "nothing in kernel/planted.c" not in out.stderr,
          "check --matrix: a file without structs is said", out.stderr)
    for words in (("--against", "HEAD"), ("--set", "CONFIG_SMP=n")):
        out = linekeeper("check", "--matrix", "include/linux/planted.h", "--tree", tree, *words)
        check(out.returncode == 2 and "--matrix goes with neither" in out.stderr, f"wrong use: --matrix {words[0]}", out.stderr)


def merged(tree: Tree, fragment: str, folder: Path) -> dict:
    """What the kernel's own programs make of a fragment, behind what it names."""
    conf = [os.path.join(tree.root, "scripts/kconfig/conf"), "-s"]
    env = {**environment(tree, str(folder)), "KCONFIG_CONFIG": str(folder / ".config")}
    env.update((name, str(folder / name)) for name in ("KCONFIG_AUTOCONFIG", "KCONFIG_AUTOHEADER", "KCONFIG_RUSTCCFG"))
    base = re.search(r": make (\w+), then this", fragment)
    shutil.copy(os.path.join(tree.root, ".config"), folder / ".config")
    if base:
        subprocess.run([*conf, f"--{base[1]}", "Kconfig"], cwd=folder, env=env, check=True, capture_output=True)
    (folder / "fragment").write_text(fragment, encoding="utf-8")
    subprocess.run([os.path.join(tree.src, "scripts/kconfig/merge_config.sh"), "-m", "-O", folder, folder / ".config", folder / "fragment"],
                   cwd=folder, check=True, capture_output=True)
    subprocess.run([*conf, "--olddefconfig", "Kconfig"], cwd=folder, env=env, check=True, capture_output=True)
    return settings_of(str(folder / ".config"))


def fragments(path: Path, folder: Path) -> None:
    """Of each base a configuration, through merge_config.sh and conf."""
    tree, unit = Tree(str(path)), "include/linux/planted.h"
    with Reachable(Reader(tree, None), str(path / ".config"), str(folder / "reach")) as reach:
        pairs = reach.nearest({unit: ["planted_module", "planted_two", "planted_far"]}, lambda call, items: [call(item) for item in items])
        configs = [config for config, _ in pairs]
        check("allmodconfig" in {config.base for config in configs}, "check --matrix: allmodconfig is a configuration of its own", configs)
        for number, config in enumerate([configs[0], *(config for config in configs if config.base)]):
            (folder / f"merged-{number}").mkdir()
            have, wanted = merged(tree, fragment_of(config), folder / f"merged-{number}"), settings_of(config.file)
            lost = [name for name in reach.symbols[unit] if have.get(f"CONFIG_{name}") != wanted.get(f"CONFIG_{name}")]
            check(not lost, f"a fragment leads to what it is of: {config.base or 'the tree itself'}", (lost, fragment_of(config)))


def series(folder: Path) -> Path:
    """A mail that makes all larger, the last one with an option of its own, in a Kconfig file that would leave a mark if it were run."""
    new = changed(HEADER, ("char state", "long more;\n\tchar state"), (r"long psi\[2", "long psi[2 + IS_ENABLED(CONFIG_CGROUP_BPF)"),
                  (r"long a;\n", "long a;\n#ifdef CONFIG_PLANTED_NEW\n\tlong b;\n#endif\n"))
    kconfig = f'config PLANTED_NEW\n\tbool "new"\n\tdefault $(shell,touch {folder}/ran)\n'
    (folder / "mail").write_bytes(mail("planted: one more", diff("include/linux/planted.h", HEADER, new) + diff("init/Kconfig.planted", "", kconfig)))
    return folder / "mail"


def vets(tree: Path, folder: Path) -> None:
    patch = series(folder)
    out = linekeeper("vet", patch, "--tree", tree, "--matrix", "--format", "json", "--fragments", folder / "more", "-j2")
    if not check(out.returncode == 1, "vet --matrix: an assert that stops the build there", out.stdout + out.stderr):
        return
    found = json.loads(out.stdout)["elsewhere"]
    two = [one for one in found for finding in one["findings"] if finding["id"] == "group-size"]
    check(two and {"CONFIG_PSI=y", "CONFIG_CGROUP_BPF=y"} <= set(two[0]["config"].split(", ")), "vet --matrix: two options together", found)
    check("\nCONFIG_PSI=y\n" in two[0]["fragment"] if two else False, "vet --matrix: with a fragment", two)
    check(not any("never" in json.dumps(one) for one in found if "32" not in one["config"]), "vet --matrix: nothing that cannot be had", found)
    fresh = [one["config"] for one in found for finding in one["findings"] if "'fresh' has 16 bytes" in finding["text"]]
    check(fresh == ["CONFIG_PLANTED_NEW=y"] and not (folder / "ran").exists(), "vet --matrix: what the series adds to Kconfig, which is not run", fresh)
    check(list((folder / "more").glob("*.config")), "vet --matrix: fragments as files")
    out = linekeeper("vet", patch, "--tree", tree, "--matrix", "--set", "CONFIG_SMP=n")
    check(out.returncode == 2 and "do not go together" in out.stderr, "wrong use: vet --matrix --set", out.stderr)


path = kernel("6.12")
if path and (path / "scripts/kconfig/conf").exists():
    with tempfile.TemporaryDirectory() as name:
        here = planted(path, Path(name, "linux"), HEADER, CODE)
        checks(here, Path(name))
        fragments(here, Path(name))
        vets(here, Path(name))
else:
    skip("check and vet --matrix", "KERNEL612 is not set, or has no scripts/kconfig/conf")
sys.exit(done())

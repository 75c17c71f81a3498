# SPDX-License-Identifier: GPL-2.0-only
"""Configurations in which a series may do what its author could not see."""

from __future__ import annotations

import argparse
import re
from typing import Dict, List, NamedTuple, Sequence, Set

from lk.check import ONE_CPU
from lk.tree import LOCKDEP, LOCKDEP_BOUNDS, Tree, configured_lines

# what stands in a finding; the settings, the first of which makes it another configuration; what they make of numbers that the
# kernel's build computes (include/generated/bounds.h); what the lines of a struct have in them whose layout is another there; the
# symbol that a tree must have for it; flags for the compiler and words for the engine; the .config that Kconfig has made of it, whose
# headers are among these words; what the settings are on top of: a make target, "" for the tree's own .config
Config = NamedTuple("Config", [("name", str), ("settings", tuple), ("bounds", dict), ("where", str), ("needs", str), ("flags", tuple),
                               ("options", tuple), ("file", str), ("base", str)])
Config.__new__.__defaults__ = ({}, "", "", (), (), "", "")
MANY = 6        # symbols in a name

# a 32-bit kernel on x86, as far as headers ask
I386 = tuple(f"CONFIG_{setting}" for setting in (
    "64BIT=n", "X86_64=n", "X86_32=y", "PGTABLE_LEVELS=2", "PHYS_ADDR_T_64BIT=n", "ARCH_DMA_ADDR_T_64BIT=n", "NUMA=n", "SPARSEMEM=n",
    "SPARSEMEM_EXTREME=n", "SPARSEMEM_VMEMMAP=n", "FLATMEM=y", "HIGHMEM=y", "COMPAT=n", "IA32_EMULATION=n"))
I386_FLAGS = ("-m32", "-U__x86_64__", "-D__i386__")
WIDE = r"64|long long|\b(?:loff|ktime|sector|blkcnt)_t\b"       # what has 8 bytes on a 32-bit machine too
LARGE = (       # what allmodconfig has, and few others
    Config("CONFIG_LOCKDEP=y", LOCKDEP, LOCKDEP_BOUNDS, "|".join(setting.split("=")[0] for setting in LOCKDEP)),
    Config("CONFIG_NR_CPUS=8192", ("CONFIG_NR_CPUS=8192",), {"NR_CPUS_BITS": 13}, "NR_CPUS|cpumask", "CONFIG_NR_CPUS"),
    Config("CONFIG_X86_VSMP=y", ("CONFIG_X86_INTERNODE_CACHE_SHIFT=12",), {}, "PADDING|internode", "CONFIG_X86_INTERNODE_CACHE_SHIFT"),
)
CONFIGS = (
    *LARGE,
    Config("CONFIG_SMP=n", ("CONFIG_SMP=n", "CONFIG_NR_CPUS=1"), {"NR_CPUS_BITS": 0},
           "CONFIG_SMP|_in_smp|PADDING|spinlock|rwlock|NR_CPUS|cpumask", "CONFIG_SMP", options=ONE_CPU),
    Config("128-byte lines", ("CONFIG_X86_L1_CACHE_SHIFT=7", "CONFIG_X86_INTERNODE_CACHE_SHIFT=7"), {}, "", "CONFIG_X86_L1_CACHE_SHIFT"),
    Config("32-bit x86", I386, {}, "", "CONFIG_64BIT", I386_FLAGS),
    Config("a 32-bit machine that aligns a u64 to 8", I386, {}, WIDE, "CONFIG_64BIT", I386_FLAGS, ("--abi", "arm")),
)


def symbols_of(config: Config) -> Set[str]:
    """What it sets."""
    return {setting.split("=")[0] for setting in config.settings}


def values_of(tree: Tree, args: argparse.Namespace) -> Dict[str, str]:
    """The symbols of the configuration that the tree is read under."""
    return dict(re.findall(r"^#define (CONFIG_\w+) (.*)$", "\n".join(configured_lines(tree, args.config, args.set)), re.M))


def is_other(tree: Tree, values: Dict[str, str], config: Config) -> bool:
    """Can the tree be read so, and is it not already?"""
    symbol, _, value = config.settings[0].partition("=")
    there = values.get(symbol, "n")
    return (not config.needs or config.needs in values) and (not config.flags or tree.arch == "x86") and value != {"1": "y"}.get(there, there)


def others(tree: Tree, args: argparse.Namespace, values: Dict[str, str], text: str) -> List[Config]:
    """Those in which structs of such lines have another layout, but for what the user sets himself."""
    own = {setting.split("=")[0] for setting in args.set}
    return [config for config in CONFIGS if is_other(tree, values, config) and re.search(config.where, text) and not own & symbols_of(config)]


def brought(diffs: str) -> List[str]:
    """Symbols that a series adds to Kconfig."""
    return [f"CONFIG_{name}" for name in re.findall(r"^\+(?:menu)?config (\w+)\n\+\s*(?:def_)?(?:bool|tristate)\b", diffs, re.M)]


def together(args: argparse.Namespace, values: Dict[str, str], symbols: List[str], configs: List[Config]) -> List[List[Config]]:
    """What is to be joined: all of the symbols that are off, with what makes a struct large; all that are on, switched off."""
    named = {symbol for config in CONFIGS if not config.flags for symbol in symbols_of(config)} | {setting.split("=")[0] for setting in args.set}
    left = [symbol for symbol in symbols if symbol not in named]
    is_on = {symbol for symbol in left if values.get(symbol) == "1" or f"{symbol}_MODULE" in values}
    large = [config for config in configs if config in LARGE]
    on = [Config(f"{symbol}=y", (f"{symbol}=y",)) for symbol in left if symbol not in is_on and symbol not in values]
    off = [Config(f"{symbol}=n", (f"{symbol}=n",)) for symbol in left if symbol in is_on]
    return [parts for parts in (on + large if on or len(large) > 1 else [], off) if parts]


def parts_alike(config: Config) -> bool:
    """Are members to be apart there as they are here: on lines of this size, for more CPUs than one?"""
    return not {"CONFIG_SMP", "CONFIG_X86_L1_CACHE_SHIFT"} & symbols_of(config)


def name_of(names: Sequence[str]) -> str:
    """What is said of several."""
    return ", ".join(names[:MANY]) + (f" and {len(names) - MANY} more" if len(names) > MANY else "")


def joined(configs: List[Config]) -> Config:
    """All of them at once."""
    if len(configs) == 1:
        return configs[0]
    name = name_of([config.name for config in configs])
    bounds = {key: value for config in configs for key, value in config.bounds.items()}
    return Config(name, tuple(setting for config in configs for setting in config.settings), bounds)


def smallest(configs: List[Config], holds) -> List[Config]:
    """As few of them as it takes for what holds with all, and not with none (QuickXplain: Junker 2004); the first are preferred."""
    def explain(base: List[Config], is_new: bool, rest: List[Config]) -> List[Config]:
        if is_new and holds(base):
            return []
        if len(rest) == 1:
            return rest
        half = len(rest) // 2
        behind = explain(base + rest[:half], True, rest[half:])
        return explain(base + behind, bool(behind), rest[:half]) + behind
    return explain([], False, configs)


def arguments(args: argparse.Namespace, config: Config) -> argparse.Namespace:
    """What the user asked for, under that configuration."""
    other = {"config": None, "set": [], "assumed": ()} if config.file else {"assumed": config.settings}
    return argparse.Namespace(**{**vars(args), **other})


def marked(said: List[str], where: str) -> List[str]:
    """Findings, each with what it is one under, "with CONFIG_X=y"."""
    return [re.sub(r" (\[-Wcacheline-[a-z-]+\])$", rf", {where} \1", text, count=1, flags=re.M) for text in said]

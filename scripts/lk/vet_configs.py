# SPDX-License-Identifier: GPL-2.0-only
"""Configurations in which a series may do what its author could not see: the same units, read again under each."""

from __future__ import annotations

import argparse
import re
from typing import List, NamedTuple

from lk.tree import LOCKDEP, LOCKDEP_BOUNDS, Tree

# what stands in a finding; the settings; what they make of numbers that the kernel's build computes (include/generated/bounds.h);
# symbols that the series brings, as compiler flags
Config = NamedTuple("Config", [("name", str), ("settings", tuple), ("bounds", dict), ("flags", tuple)])
Config.__new__.__defaults__ = ((),)
MANY = 6        # symbols of a series

CONFIGS = (
    Config("CONFIG_LOCKDEP=y", LOCKDEP, LOCKDEP_BOUNDS),
    Config("CONFIG_NR_CPUS=8192", ("CONFIG_NR_CPUS=8192",), {"NR_CPUS_BITS": 13}),
    Config("CONFIG_SMP=n", ("CONFIG_SMP=n", "CONFIG_NR_CPUS=1"), {"NR_CPUS_BITS": 0}),
    Config("CONFIG_X86_VSMP=y", ("CONFIG_X86_INTERNODE_CACHE_SHIFT=12",), {}),      # allmodconfig has it
    Config("128-byte lines", ("CONFIG_X86_L1_CACHE_SHIFT=7", "CONFIG_X86_INTERNODE_CACHE_SHIFT=7"), {}),
)


def of_series(diffs: str, values: dict) -> List[Config]:
    """One in which is set what the series adds to Kconfig, or has in an #if, and this configuration has not."""
    found = [f"CONFIG_{name}" for name in re.findall(r"^\+(?:menu)?config (\w+)\n\+\s*(?:def_)?(?:bool|tristate)\b", diffs, re.M)]
    for line in re.findall(r"^[ +]#\s*(?:if|ifdef|elif)\b.*", diffs, re.M):
        found += re.findall(r"\bCONFIG_\w+", line)
    symbols = [name for name in dict.fromkeys(found) if name not in values and f"{name}_MODULE" not in values][:MANY]
    name = ", ".join(f"{symbol}=y" for symbol in symbols)
    return [Config(name, (), {}, tuple(f"-D{symbol}=1" for symbol in symbols))] if symbols else []


def others(tree: Tree, args: argparse.Namespace, diffs: str) -> List[Config]:
    """Those that differ from the one that the tree is read under, as far as it or the series knows their symbols."""
    with open(tree.autoconf, encoding="utf-8") as file:
        values = dict(re.findall(r"^#define (CONFIG_\w+) (.*)$", file.read(), re.M))
    own = {setting.split("=")[0] for setting in args.set}
    found = of_series(diffs, values)
    for config in CONFIGS:
        pairs = dict(setting.split("=") for setting in config.settings)
        is_lockdep = config.settings == LOCKDEP
        if not own & set(pairs) and (not tree.has("CONFIG_LOCKDEP") if is_lockdep else set(pairs) <= set(values) and
                                     any(values[symbol] != value for symbol, value in pairs.items())):
            found.append(config)
    return found


def arguments(args: argparse.Namespace, config: Config) -> argparse.Namespace:
    """What the user asked for, under that configuration; that of LOCKDEP is no second reading of its own then."""
    return argparse.Namespace(**{**vars(args), "set": [*args.set, *config.settings], "without": [*args.without, "--no-group-size"]
                                 if config.settings == LOCKDEP else args.without})


def marked(said: List[str], config: Config) -> List[str]:
    """Findings, each with the configuration in which it is one."""
    return [re.sub(r" (\[-Wcacheline-[a-z-]+\])$", rf", with {config.name} \1", text, count=1, flags=re.M) for text in said]

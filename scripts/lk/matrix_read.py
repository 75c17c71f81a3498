# SPDX-License-Identifier: GPL-2.0-only
"""Structs of a tree under one configuration: a parse with its autoconf.h, and with the bounds.h that the build would make."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
import subprocess
from typing import Dict, Iterator, List, NamedTuple, Optional, Tuple

from lk import check, engine, where
from lk.errors import Refused
from lk.tree import Tree, configured, overlay_of, strip_options
from lk.unit import words

BOUNDS = "kernel/bounds.c"
BOUNDS_HEADER = "include/generated/bounds.h"
TIMES, TIMES_HEADER = "kernel/time/timeconst.bc", "include/generated/timeconst.h"
LINE = "L1_CACHE_BYTES"
# what the kernel's makefiles add to the compiler's flags when these are y, and headers ask for
FLAGS = ((("FUNCTION_TRACER", "HAVE_FENTRY"), "-DCC_USING_FENTRY"),)
KFREE_RCU_LIMIT = 4096      # bytes
ABSENT = re.compile(r"error: this translation unit defines no struct or union '([^']+)'")
# headers of the build that are made here, or that no configuration changes; arch/*/include/generated holds only #include lines
KNOWN = re.compile(r".*/generated/(uapi/)?asm/.*|include/generated/(autoconf|bounds|timeconst|utsrelease)\.h|.*/generated/uapi/linux/version\.h")

# how a configuration is read: words for an engine, and compiler flags behind the file's own
State = NamedTuple("State", [("options", List[str]), ("flags", Tuple[str, ...])])
# a struct; the file that defines it; the file that is parsed for it, which may be a .c file that includes the other
Target = NamedTuple("Target", [("struct", str), ("file", str), ("unit", str)])


def memory_file(text: str) -> int:
    """An open file without a name that an engine inherits."""
    fd = os.memfd_create("text", 0)
    os.write(fd, text.encode())
    return fd


def setting_lines(path: str) -> List[str]:
    """CONFIG_X=... of a .config, sorted."""
    with open(path, encoding="utf-8") as file:
        return sorted(re.findall(r"^CONFIG_.*$", file.read(), re.M))


def key_of(record: dict) -> str:
    """Equal for equal layouts."""
    return json.dumps([record["size"], record["align"], record["line_size"],
                       [[m["name"], m["offset"], m["size"], m["bit_offset"], m["bit_size"]] for m in record["members"]]])


def bounds_unit(text: str) -> str:
    """kernel/bounds.c as a struct whose arrays are one longer than its values."""
    head, body = re.split(r"^\w+ \w+\(void\)", text, maxsplit=1, flags=re.M)
    members = [line or f"char linekeeper_{name}[({value}) + 1];" for line, name, value in
               re.findall(r"^([ \t]*#(?:.*\\\n)*.*)$|\bDEFINE\((\w+),\s*([^;]*)\);", body, re.M)]
    return "\n".join([*re.findall(r"^[ \t]*#.*$", head, re.M), "struct linekeeper_bounds {", *members, "};"]) + "\n"


class Reader:
    """Reads targets under configurations; may be used by several threads."""

    def __init__(self, tree: Tree, line_size: Optional[str]) -> None:
        self.tree = tree
        self.options = [*(["--line-size", line_size] if line_size else []), *strip_options(tree)]
        self.bounds_symbols: Optional[List[str]] = None
        self._bounds: Dict[Tuple[str, ...], Dict[str, int]] = {}
        self._times: Dict[str, str] = {}

    def _run(self, program: str, *arguments: str) -> subprocess.CompletedProcess:
        done = subprocess.run([engine.program(program), *arguments], cwd=self.tree.root, capture_output=True, text=True,
                              errors="replace", close_fds=False, check=False)
        engine.ended(program, done.returncode)
        return done

    def _words(self, state: State, unit: str) -> List[str]:
        *flags, file = words(self.tree, unit, [])
        return [*state.options, *flags, *state.flags, file]

    def _map(self, unit: str, state: State, *structs: str) -> Tuple[Dict[str, dict], str]:
        """Records by name; what was said."""
        done = self._run("cacheline-map", "--json", *structs, *self._words(state, unit))
        if done.returncode:
            return {}, done.stderr
        records = json.loads(done.stdout)
        return dict(zip(structs, records)), done.stderr

    def bounds(self, config: str, state: State) -> Dict[str, int]:
        """The numbers of the header that the build makes of kernel/bounds.c; {} when the tree has no such file."""
        path = os.path.join(self.tree.src, BOUNDS)
        if not os.path.exists(path):
            return {}
        lines = setting_lines(config)
        wanted = None if self.bounds_symbols is None else tuple(f"CONFIG_{name}=" for name in self.bounds_symbols)
        key = tuple(line for line in lines if wanted is None or line.startswith(wanted))
        if key not in self._bounds:
            with open(path, encoding="utf-8") as file:
                fd = memory_file(bounds_unit(file.read()))
            try:
                overlay = ["--overlay", f"{self.tree.inside(BOUNDS)}=/proc/self/fd/{fd}"]
                found, said = self._map(BOUNDS, state._replace(options=[*state.options, *overlay]), "linekeeper_bounds")
            finally:
                os.close(fd)
            if not found:
                raise Refused(f"{BOUNDS} cannot be parsed under {config}: {said.strip()[:300]}")
            self._bounds[key] = {member["name"][len("linekeeper_"):]: member["size"] - 1
                                 for member in found["linekeeper_bounds"]["members"]}
        return self._bounds[key]

    def times(self, config: str) -> str:
        """The header of CONFIG_HZ, by the program that the build makes it with; "" when there is none."""
        rate = next((line[len("CONFIG_HZ="):] for line in setting_lines(config) if line.startswith("CONFIG_HZ=")), "")
        path = os.path.join(self.tree.src, TIMES)
        if not rate or not os.path.exists(path):
            return ""
        if rate not in self._times:
            self._times[rate] = subprocess.run(["bc", "-q", path], input=f"{rate}\n", capture_output=True, text=True, check=True).stdout
        return self._times[rate]

    @contextlib.contextmanager
    def under(self, config: Optional[str]) -> Iterator[State]:
        """How a .config is read; None: the tree as it is."""
        if config is None:
            yield State(self.options, ())
            return
        on = {line.split("=")[0][len("CONFIG_"):] for line in setting_lines(config) if line.endswith("=y")}
        flags = tuple(flag for symbols, flag in FLAGS if on.issuperset(symbols))
        autoconf = configured(self.tree, config, [])
        fds = [autoconf]
        try:
            options = [*self.options, *overlay_of(autoconf)]
            bounds = "".join(f"#define {name} {value}\n" for name, value in self.bounds(config, State(options, flags)).items())
            for header, text in ((BOUNDS_HEADER, bounds), (TIMES_HEADER, self.times(config))):
                if text and os.path.exists(os.path.join(self.tree.root, header)):
                    fds.append(memory_file(text))
                    options += ["--overlay", f"{header}=/proc/self/fd/{fds[-1]}"]
            yield State(options, flags)
        finally:
            for fd in fds:
                os.close(fd)

    def target(self, struct: str, file: str) -> Target:
        """How the struct is to be read: in a file that asserts its groups, in its own, or in one that includes it."""
        lacking = ""
        for unit in itertools.chain(check.units_of(self.tree, file)[:1], check.readings(self.tree, file)):
            found, said = self._map(unit, State(self.options, ()), struct)
            if found:
                return Target(struct, file, unit)
            lacking = lacking or (unit if ABSENT.search(said) else "")
        if lacking:         # another configuration may have it
            return Target(struct, file, lacking)
        raise Refused(f"{file} cannot be parsed for {struct}: `linekeeper map {struct}` tells more")

    def symbols(self, targets: List[Target], config: Optional[str]) -> Tuple[Dict[str, List[str]], List[str]]:
        """What each struct's layout and lines may hang on, and what bounds.h ("bounds"); headers of the build that are the tree's own."""
        found: Dict[str, List[str]] = {"bounds": []}
        foreign: List[str] = []
        with self.under(config) as state:
            path = os.path.join(self.tree.src, BOUNDS)
            names = []
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    names = re.findall(r"\bDEFINE\((\w+),", file.read())
            for unit, structs in by_unit(targets):
                also = ["--also", self.tree.inside(BOUNDS)] if names else []
                done = self._run("cacheline-symbols", *also, *structs, *names, LINE, *self._words(state, unit))
                for line in done.stdout.splitlines():
                    name, *rest = line.split("\t")
                    if name == "generated":
                        foreign += [rest[0]] * (not KNOWN.fullmatch(rest[0]))
                    elif name == LINE:
                        for struct in structs:
                            found.setdefault(struct, []).extend(rest)
                    else:
                        found.setdefault(name if name in structs else "bounds", []).extend(rest)
        return {name: sorted(set(rest)) for name, rest in found.items()}, sorted(set(foreign))

    def layouts(self, targets: List[Target], config: Optional[str]) -> Dict[str, object]:
        """Struct -> its record; None: this configuration has no such struct; a string: why it cannot be read."""
        answer: Dict[str, object] = {}
        with self.under(config) as state:
            for unit, structs in by_unit(targets):
                left = list(structs)
                while left:
                    found, said = self._map(unit, state, *left)
                    answer.update(found)
                    absent = [] if found else [name for name in ABSENT.findall(said) if name in left]
                    if not found and not absent:
                        error = next((line for line in said.splitlines() if " error: " in line), said.strip()[:300])
                        answer.update(dict.fromkeys(left, error or "not parsed"))
                    answer.update(dict.fromkeys(absent))
                    left = [name for name in left if name not in answer]
        return answer

    def findings(self, target: Target, record: dict, config: Optional[str]) -> List[str]:
        """What the rules say of the struct; of an rcu_head too that is far into it, which they do by themselves for few structs."""
        with self.under(config) as state:
            answer = check.judge(self.tree, target.unit, state.options, state.flags)
            if any(member["offset"] >= KFREE_RCU_LIMIT and re.search(r"\b(rcu|callback)_head$", member["type"]) for member in record["members"]):
                more = check.judge(self.tree, target.unit, [*state.options, "--only=kfree-rcu-offset"], state.flags)
                answer = check.Answer(list(dict.fromkeys([*answer.said, *more.said])), "")
        last = end_of(self.tree, record)
        name = where.split_name(target.struct)[1]
        return [said for said in answer.said if check.is_unread(check.Answer([said], "")) or _is_of(said, name, record, last)]


def by_unit(targets: List[Target]) -> List[Tuple[str, List[str]]]:
    """Structs by the file that is parsed for them."""
    units: Dict[str, List[str]] = {}
    for target in targets:
        units.setdefault(target.unit, []).append(target.struct)
    return list(units.items())


def end_of(tree: Tree, record: dict) -> int:
    """The line of the struct's closing brace."""
    with open(os.path.join(tree.src, record["file"]), encoding="utf-8", errors="replace") as file:
        lines = file.read().splitlines()
    return next((number for number in range(record["line"], len(lines) + 1) if lines[number - 1].startswith("}")), record["line"])


def _is_of(said: str, name: str, record: dict, last: int) -> bool:
    """Is the finding about the struct: in its body, or does it name it?"""
    found = check.finding_of(said)
    place = re.match(r"(.*?):(\d+):", said)
    if not found or not place:
        return False
    inside = os.path.normpath(place[1]) == record["file"] and record["line"] <= int(place[2]) <= last
    return inside or re.search(rf"\b{name}\b", found[1]) is not None

# SPDX-License-Identifier: GPL-2.0-only
"""Structs of a tree under one configuration: a parse with its autoconf.h, and with the bounds.h that the build would make."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import re
import subprocess
import threading
from typing import Dict, List, NamedTuple, Optional, Tuple

from lk import check, engine, where
from lk.errors import Refused
from lk.tree import AUTOCONF, Tree, defines, strip_options
from lk.unit import words

BOUNDS = "kernel/bounds.c"
BOUNDS_HEADER = "include/generated/bounds.h"
TIMES, TIMES_HEADER = "kernel/time/timeconst.bc", "include/generated/timeconst.h"
LINE = "L1_CACHE_BYTES"
# what the kernel's makefiles add to the compiler's flags when these are y, and headers ask for
FLAGS = ((("FUNCTION_TRACER", "HAVE_FENTRY"), "-DCC_USING_FENTRY"),)
# headers of the build that are made here, or that no configuration changes: those that only include another one besides
KNOWN = re.compile(r"include/generated/(autoconf|bounds|timeconst|utsrelease)\.h|.*/generated/uapi/linux/version\.h")

# how a configuration is read: words for an engine; compiler flags behind the file's own; words for cacheline-check alone, which rules are of no use
State = NamedTuple("State", [("options", List[str]), ("flags", Tuple[str, ...]), ("rules", Tuple[str, ...])])
State.__new__.__defaults__ = ((),)
# a struct; the file that defines it; what is parsed for it: the file, or a .c file that includes it
Target = NamedTuple("Target", [("struct", str), ("file", str), ("unit", str)])
# a unit: records of the structs, None for one that it has not; the files that it has read; what the rules say; why it cannot be read
Reading = NamedTuple("Reading", [("records", Dict[str, Optional[dict]]), ("files", List[str]), ("said", List[str]), ("error", str)])
# of each struct what its layout may hang on; the same of bounds.h; the files that say it; headers of the build that are the tree's own
Symbols = NamedTuple("Symbols", [("structs", Dict[str, List[str]]), ("bounds", List[str]), ("files", List[str]), ("foreign", List[str])])


def replace(path: str, text: str) -> None:
    """Writes a file that others may be reading."""
    own = f"{path}.{os.getpid()}-{threading.get_ident()}"
    with open(own, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(own, path)


def settings_of(path: str) -> Dict[str, str]:
    """CONFIG_X -> its value in a .config; what is n is not there."""
    with open(path, encoding="utf-8") as file:
        return dict(re.findall(r"^(CONFIG_\w+)=(.*)$", file.read(), re.M))


def only_includes(text: str) -> bool:
    """Has a header nothing of its own?"""
    plain = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
    return all(re.match(r"\s*(#\s*include\b|$)", line) for line in plain.splitlines())


def key_of(record: Optional[dict]) -> Optional[str]:
    """Equal for equal layouts; None where there is none."""
    if not record:
        return None
    layout = [record["size"], record["align"], record["line_size"],
              [[m["name"], m["offset"], m["size"], m["bit_offset"], m["bit_size"]] for m in record["members"]]]
    return hashlib.sha1(json.dumps(layout).encode()).hexdigest()


def bounds_unit(text: str) -> str:
    """kernel/bounds.c as a struct whose arrays are one longer than its values."""
    head, body = re.split(r"^\w+ \w+\(void\)", text, maxsplit=1, flags=re.M)
    members = [line or f"char linekeeper_{name}[({value}) + 1];" for line, name, value in
               re.findall(r"^([ \t]*#(?:.*\\\n)*.*)$|\bDEFINE\((\w+),\s*([^;]*)\);", body, re.M)]
    return "\n".join([*re.findall(r"^[ \t]*#.*$", head, re.M), "struct linekeeper_bounds {", *members, "};"]) + "\n"


class Reader:
    """Reads units under configurations; may be used by several threads."""

    def __init__(self, tree: Tree, line_size: Optional[str]) -> None:
        self.tree = tree
        self.plain = State([*(["--line-size", line_size] if line_size else []), *strip_options(tree)], ())
        self.bounds_symbols: Optional[List[str]] = None
        self.asserting: Dict[str, List[str]] = {}       # of a struct the .c files that assert its groups, but for its own unit
        self._bounds: Dict[tuple, str] = {}
        self._times: Dict[str, str] = {}
        self._texts: Dict[str, List[str]] = {}
        path = os.path.join(tree.src, BOUNDS)
        self.bounds_text = ""
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.bounds_text = file.read()

    def read(self, unit: str, state: State, structs: List[str]) -> Reading:
        """A unit with the layouts of the structs, and what the rules say of it."""
        answer = check.judge(self.tree, unit, [*state.rules, *state.options, *(f"--show={name}" for name in structs)], state.flags)
        if not answer.out:
            lines = "\n".join(answer.said).splitlines()
            return Reading({}, [], answer.said, next((line for line in lines if " error: " in line), "") or "not parsed")
        shown = json.loads(answer.out)
        return Reading(dict(zip(structs, shown["structs"])), shown["files"], answer.said, "")

    def _bounds_of(self, config: str, settings: Dict[str, str], state: State) -> str:
        """The header that the build makes of kernel/bounds.c; "" when the tree has no such file."""
        if not self.bounds_text:
            return ""
        wanted = settings if self.bounds_symbols is None else [f"CONFIG_{name}" for name in self.bounds_symbols]
        key = tuple((name, settings.get(name)) for name in wanted)
        if key not in self._bounds:
            source = f"{config}.bounds.c"
            replace(source, bounds_unit(self.bounds_text))
            options = [*state.options, "--overlay", f"{self.tree.inside(BOUNDS)}={source}"]
            found = self.read(BOUNDS, State(options, state.flags), ["linekeeper_bounds"])
            if found.error:
                raise Refused(f"{BOUNDS} cannot be parsed under {config}: {found.error}")
            self._bounds[key] = "".join(f"#define {member['name'][len('linekeeper_'):]} {member['size'] - 1}\n"
                                        for member in found.records["linekeeper_bounds"]["members"])
        return self._bounds[key]

    def _times_of(self, settings: Dict[str, str]) -> str:
        """The header of CONFIG_HZ, by the program that the build makes it with; "" when there is none."""
        rate = settings.get("CONFIG_HZ", "")
        path = os.path.join(self.tree.src, TIMES)
        if not rate or not os.path.exists(path):
            return ""
        if rate not in self._times:
            self._times[rate] = subprocess.run(["bc", "-q", path], input=f"{rate}\n", capture_output=True, text=True, check=True).stdout
        return self._times[rate]

    def headers(self, config: str) -> State:
        """What makes an engine read a .config: its headers of the build, which are written beside it."""
        settings, options = settings_of(config), []
        flags = tuple(flag for symbols, flag in FLAGS if all(settings.get(f"CONFIG_{name}") == "y" for name in symbols))

        def put(header: str, text: str) -> None:
            if text and os.path.exists(os.path.join(self.tree.root, header)):
                path = f"{config}.{os.path.basename(header)}"
                replace(path, text)
                options.extend(["--overlay", f"{header}={path}"])

        put(AUTOCONF, "".join(f"{line}\n" for pair in settings.items() for line in defines(*pair)))
        bounds = self._bounds_of(config, settings, State([*self.plain.options, *options], flags))
        put(BOUNDS_HEADER, bounds)
        put(TIMES_HEADER, self._times_of(settings))
        return State(options, flags, () if settings.get("CONFIG_SMP") == "y" else check.ONE_CPU)

    def state(self, config: str) -> State:
        """How a .config is read."""
        found = self.headers(config)
        return found._replace(options=[*self.plain.options, *found.options])

    def target(self, struct: str, file: str) -> Target:
        """How the struct is to be read: in a file that asserts its groups, in its own, or in one that includes it."""
        lacking = ""
        asserting = check.asserting(self.tree, file, [where.split_name(struct)[1]])
        for unit in itertools.chain(asserting[:1], check.readings(self.tree, file)):
            found = self.read(unit, self.plain, [struct])
            if found.records.get(struct):
                self.asserting[struct] = [other for other in asserting if other != unit]
                return Target(struct, file, unit)
            lacking = lacking or ("" if found.error else unit)
        if lacking:         # another configuration may have it
            self.asserting[struct] = [other for other in asserting if other != lacking]
            return Target(struct, file, lacking)
        raise Refused(f"{file} cannot be parsed for {struct}: `linekeeper map {struct}` tells more")

    def symbols(self, unit: str, structs: List[str], state: State) -> Symbols:
        """What the structs' layouts and lines may hang on, as far as the files go that the unit reads."""
        bounds = re.findall(r"\bDEFINE\((\w+),", self.bounds_text)
        others = {file for name in structs for file in self.asserting.get(name, []) if file != unit}
        also = [word for name in ([BOUNDS] if bounds else []) + sorted(others) for word in ("--also", self.tree.inside(name))]
        *flags, file = words(self.tree, unit, [])
        done = subprocess.run([engine.program("cacheline-symbols"), *also, *structs, *bounds, LINE, *state.options, *flags, *state.flags, file],
                              cwd=self.tree.root, capture_output=True, text=True, errors="replace", close_fds=False, check=False)
        engine.ended("cacheline-symbols", done.returncode)
        rows = [line.split("\t") for line in done.stdout.splitlines()]
        found = {row[1]: row[2:] for row in rows if row[0] == "symbols"}
        lines = found.get(LINE, [])
        return Symbols({name: sorted({*found.get(name, []), *lines}) for name in structs},
                       sorted({symbol for name in bounds for symbol in found.get(name, [])}),
                       [row[1] for row in rows if row[0] in ("read", "generated")],
                       sorted({row[1] for row in rows if row[0] == "generated" and not self._is_known(row[1])}))

    def _is_known(self, header: str) -> bool:
        if KNOWN.fullmatch(header):
            return True
        with open(os.path.join(self.tree.root, header), encoding="utf-8", errors="replace") as file:
            return only_includes(file.read())

    def layouts(self, unit: str, targets: List[Target], state: State) -> Tuple[Dict[str, object], List[str]]:
        """Struct -> its record, with key_of() it, the findings about it, and why a file that asserts its groups cannot be read ("": all can); None:
        this configuration has no such struct; a string: why it cannot be read. A struct that the unit does not show is looked for in its own. And
        all files that were read, but for those that only assert."""
        answer: Dict[str, object] = {}
        files: List[str] = []
        for file in dict.fromkeys([unit, *(target.unit for target in targets)]):
            left = [target.struct for target in targets if file in (unit, target.unit) and not isinstance(answer.get(target.struct), dict)]
            if not left:
                continue
            found = self.read(file, state, left)
            files += found.files
            for name in left:
                record = found.records.get(name)
                answer[name] = {**record, "key": key_of(record), "findings": self._about(name, record, found.said), "unjudged": ""} if record else \
                    found.error or None
        self._judge_asserts(answer, state)
        return answer, files

    def _judge_asserts(self, answer: Dict[str, object], state: State) -> None:
        """Adds what the files say that assert the structs' groups besides the units."""
        shown = {name: record for name, record in answer.items() if isinstance(record, dict)}
        for file in sorted({file for name in shown for file in self.asserting.get(name, [])}):
            names = [name for name in shown if file in self.asserting.get(name, [])]
            found = self.read(file, state, names)
            for record, name in ((shown[name], name) for name in names):
                known = set(map(check.subject_of, record["findings"]))
                record["findings"] += [said for said in self._about(name, record, found.said) if check.subject_of(said) not in known]
                record["unjudged"] = record["unjudged"] or found.error

    def _about(self, struct: str, record: dict, said: List[str]) -> List[str]:
        """The findings that are about the struct: in its body, or with its name, which may be that of a member too."""
        about, name, last = [], where.split_name(struct)[1], 0
        for text in said:
            found, place = check.finding_of(text), re.match(r"(.*?):(\d+):", text)
            if not found or not place:
                continue
            last = last or self._end_of(record)
            inside = os.path.normpath(place[1]) == record["file"] and record["line"] <= int(place[2]) <= last
            if inside or re.search(rf"\b(struct|union) {name}\b", re.sub(r"'[^']*'", "", found[1])):
                about.append(text)
        return about

    def _end_of(self, record: dict) -> int:
        """The line of the struct's closing brace."""
        name = record["file"]
        if name not in self._texts:
            with open(os.path.join(self.tree.src, name), encoding="utf-8", errors="replace") as file:
                self._texts[name] = file.read().splitlines()
        lines = self._texts[name]
        return next((number for number in range(record["line"], len(lines) + 1) if lines[number - 1].startswith("}")), record["line"])

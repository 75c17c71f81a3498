# SPDX-License-Identifier: GPL-2.0-only
"""vet: code that a changed layout breaks without a word of the compiler, found by the rules of cocci/hazard/.

A rule is run on files that use one of the structs that changed; of what it finds that is told which this change can break.
"""

from __future__ import annotations

import functools
import json
import os
import re
from typing import Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Set

from lk import index_uses, series, unit, vet_comments, vet_configs, vet_ranges, where
from lk.check import in_parallel
from lk.vet_spatch import BYTES, HANDED, RULES, Hit, Rule, Spatch, structs_in
from lk.vet_step import Step, pointers

FILES = 48                              # for a rule
SHARE = 0.4                             # of the time that a run may take
STATEMENT = 400                         # characters of one at most
MALLOC_ALIGN = 8                        # what every allocator gives

# what is to be said; files in which a struct is one for each CPU, by its name
Found = NamedTuple("Found", [("said", List[str]), ("per_cpu", Dict[str, List[str]])])
NOTHING = Found([], {})


class Hazards:
    """The hazards of a series on a tree; units: as vet read them before and after it, structs: those of them that changed."""

    def __init__(self, vetting, first: Step, last: Step, units: list, structs: List[dict], spatch: Spatch) -> None:
        self.tree, self.args, self.built, self.first, self.last, self.units = vetting.tree, vetting.args, vetting.built, first, last, units
        self.structs = {one["name"]: one for one in structs if one["before"] and one["kind"] == "struct"}
        self.touched = [name for name in series.touched(vetting.patches) if name.endswith((".c", ".h")) and not vetting.is_foreign(name)]
        self.spatch = spatch
        self.layouts: Dict[tuple, dict] = {}    # by name and number of the unit
        self.given: Dict[tuple, bool] = {}      # by struct and member: is it given to kfree_rcu()?
        self.unbuilt: Set[str] = set()  # files with something for a rule, which this configuration does not build
        self.left: List[str] = []       # rules that were not run on all files

    def having(self, question: Callable) -> List[str]:
        """Names of the structs of which something is so."""
        return [name for name, one in self.structs.items() if question(one)]

    @functools.cached_property
    def users(self) -> List[str]:
        """Files that name one of the structs, or one that a range may be of; those of the series come first."""
        return self.using(sorted({*self.structs, *self.ranged}))

    def using(self, names: List[str]) -> List[str]:
        """Those that name one of some structs."""
        spelled = sorted({*(f"struct {name}" for name in names), *self.spelled([name for name in names if name in self.structs])})
        known = index_uses.using(self.tree, names, where.all_folders(self.tree))
        found = where.grep(rf"\b({'|'.join(spelled)})\b", known.rest, self.tree.src) if known.rest else []
        return list(dict.fromkeys([*self.touched, *known.files, *found]))

    def per_cpu(self) -> Dict[str, List[str]]:
        """Where the structs that grew or shrank are one for each CPU."""
        names = "|".join(self.having(lambda one: one["before"]["size"] != one["after"]["size"]))
        pattern = rf"\b(?:(?:DEFINE|DECLARE)_PER_CPU\w*\(|alloc_percpu\w*\()struct ({names}) *[],)[]|\bstruct ({names}) __percpu \*"
        found: Dict[str, List[str]] = {}
        for name in where.grep(pattern.replace("?:", ""), self.users, self.tree.src) if names and self.users else []:
            for match in re.finditer(pattern, self.last.read(name)):
                found.setdefault(match[1] or match[2], []).append(name)
        return found

    def candidates(self, rule: Rule, names: List[str], files: List[str], with_one_of: Iterable[str] = ()) -> List[str]:
        """Those of the files in which a rule may find something on the structs: text decides. With one of some words in the statement."""
        about = re.compile(rf"\b(?:struct )?(?:{'|'.join(names)})\b")
        outside = [name for name in files if name not in self.touched]
        others = [name for name in outside if not self.built.lacks(name)]
        self.unbuilt |= {name for name in where.grep(rule.pattern, sorted({*outside} - {*others}), self.tree.src)
                         if is_near(self.last.read(name), rule.pattern, names, with_one_of) and (not rule.text or rule.has_work(self.last.read(name), False))}
        handed = index_uses.handing(self.tree, names, BYTES) if rule.handed else set()
        either = f"{rule.pattern}|{HANDED}" if rule.handed else rule.pattern
        known = others if handed is None else [name for name in others if name in handed]
        likely = {*where.grep(rule.pattern, others, self.tree.src), *where.grep(HANDED, known, self.tree.src)}
        found = [name for name in files if (name in likely and is_near(self.text(name), either, names, with_one_of)) or
                 (name in self.touched and about.search(self.text(name)) and re.search(either, self.text(name), re.M))]
        found = [name for name in found if rule.has_work(self.text(name), handed is None or name in handed or name in self.touched)]
        if len(found) > FILES and not self.args.all_users:
            self.left.append(f"{rule.name} ({len(found) - FILES})")
        return found if self.args.all_users else found[:FILES]

    def text(self, name: str) -> str:
        """A file before and after the series."""
        return self.last.read(name) + (self.first.read(name) if name in self.touched else "")

    def run(self, step: Step, rule: Rule, files: List[str]) -> List[Hit]:
        """What a rule says of some files in a state."""
        return self.run_states(rule, (step, files))[0]

    def run_states(self, rule: Rule, *wanted: tuple) -> List[List[Hit]]:
        """The same of several states at once, (state, files) each."""
        found = self.spatch.run(rule, [(step, name) for step, files in wanted for name in files if step.path(name)])
        return [sorted({hit for of, hit in found if of is step}) for step, _ in wanted]

    def on_users(self, name: str, names: List[str]) -> List[Hit]:
        """What a rule says of the files that use the structs."""
        rule = RULES[name].about(names)
        return self.run(self.last, rule, self.candidates(rule, names, self.users)) if names else []

    def hits_of(self, name: str, about: Callable) -> Iterator[tuple]:
        """What a rule says, on the files that use them, of structs of which something is so: a hit, a struct that it names."""
        names = self.having(about)
        for hit in self.on_users(name, names):
            for one in structs_in(hit.text) & set(names):
                yield hit, self.structs[one]

    def spelled(self, names: List[str]) -> Dict[str, str]:
        """The structs, by each spelling that the file with the definition allows: "struct S" or its typedef's name, and typedefs' of it."""
        found = {}
        for name in names:
            text = self.last.read(self.structs[name]["file"])
            aliases = re.findall(rf"\btypedef\s+struct\s+{name}\s+(?:\{{.*?^\}}\s*)?(\w+)|^\}}\s*({name})\s*;", text, re.M | re.S)
            found.update((spelling, name) for spelling in (f"struct {name}", *(one for pair in aliases for one in pair if one)))
        return found

    def layout(self, name: str, number: int) -> dict:
        """cacheline-diff's account of a struct in a unit; {}: it is not there."""
        if (name, number) not in self.layouts:
            self.load(number, [name])
        return self.layouts.get((name, number), {})

    def load(self, number: int, names: List[str]) -> None:
        """Asks for structs of a unit at once."""
        done = unit.compare([self.units[number].dumps], names, ["--json"], capture_output=True, text=True) if names else None
        for name, found in zip(names, json.loads(done.stdout) if done and done.returncode == 0 else [{}] * len(names)):
            self.layouts[name, number] = found

    def leads(self, name: str, number: int) -> tuple:
        """The member that a struct began with in a unit, and its type, "struct dst_entry"; two '' where it is not there."""
        layout = self.layout(name, number)
        members = layout["before"][0]["members"] if layout else []
        return (members[0]["name"], members[0]["type"]) if members else ("", "")

    @functools.cached_property
    def ranged(self) -> Dict[str, dict]:
        """The structs of whose members a range may have others: those with another order, and those that hold one."""
        changed = self.having(lambda one: one["order"] != "same")
        found = dict(self.structs) if changed else {}
        for number, done in enumerate(self.units if changed else []):
            inside = [one["name"] for one in done.structs if one["name"] in changed]
            self.load(number, inside if done.dumps else [])
            for around in [around for name in inside for around in self.layout(name, number).get("enclosing", [])]:
                found.setdefault(around["name"], {"name": around["name"], "unit": number})
        for number in {one["unit"] for one in found.values()}:
            self.load(number, [name for name, one in found.items() if one["unit"] == number])
        return {name: {**one, "leads": self.leads(name, one["unit"])} for name, one in found.items()}

    def members(self, structs: Dict[str, dict]) -> Set[str]:
        """What the statement of a range may name of structs: a member, or that it begins behind one of them."""
        layouts = [self.layout(name, one["unit"]) for name, one in structs.items()]
        names = {member["name"] for layout in layouts for side in ("before", "after") for member in layout.get(side, [{"members": []}])[0]["members"]}
        return {re.escape(name) for name in names if name} | {r"\w+ *\+ *1"}

    def casts(self) -> Iterator[str]:
        """What is first in a struct is another member now: casts to it, and what says that it must be."""
        for hit, one in self.hits_of("first-member-cast", has_other_first):
            then, now = one["first"]
            must = re.search(r"struct (\w+)\.(\w+) must", hit.text)
            other = structs_in(hit.text) - {one["name"]}
            is_inside = len(other) == 1 and self.leads(next(iter(other)), one["unit"])[1] == f"struct {one['name']}"
            if must.groups() == (one["name"], then) if must else not is_inside:
                yield warning(hit, f"{hit.text}; '{now}' is first in struct {one['name']} now, in front of '{then}'")
        for one in map(self.structs.get, self.having(has_other_first)):
            then, now, about = self.first.read(one["file"]), self.last.read(one["file"]), (one["name"], one["first"][0])
            if vet_comments.says_first(then, *about) and (vet_comments.says_first(now, *about) or vet_comments.heads_with(now, one["name"])):
                yield warning(Hit(one["file"], one["line"], 8, "", "first-member-cast"),
                              f"'{one['first'][0]}' is no longer the first member of struct {one['name']}, and a comment says that it must be")

    def initialisers(self) -> Iterator[str]:
        """Values that are given by position, and go to other members now. One that the series brings was written for the new order."""
        owners = self.spelled(self.having(lambda one: one["order"] == "changed"))
        kept = ",".join(f"{name.split()[-1]}:{self.structs[owner]['kept']}" for name, owner in owners.items())
        rule = RULES["positional-initialiser"].about(owners)._replace(flags=(f"kept={kept}",))
        for hit in self.run(self.last, rule, self.candidates(rule, list(owners), self.users)) if owners else []:
            owner = owners.get(re.match(r"(?:members of )?((?:struct )?\w+)", hit.text)[1])
            is_old = hit.file not in self.touched or self.last.read(hit.file).split("\n")[hit.line - 1] in self.first.read(hit.file).split("\n")
            if owner and is_old:
                yield warning(hit, f"{hit.text}, their order in struct {owner} changes")

    def allocations(self) -> Iterator[str]:
        """A struct that is aligned to more than it was, and more than an allocator gives unasked."""
        for hit, one in self.hits_of("alloc-alignment", lambda one: one["after"]["align"] > max(one["before"]["align"], MALLOC_ALIGN)):
            yield warning(hit, f"{hit.text}; it is aligned to {one['before']['align']} -> {one['after']['align']}")

    def constants(self) -> Iterator[str]:
        """Constants for assembly. The next build computes them anew, so they are no hazard by themselves: a note for each struct."""
        rule = RULES["layout-assert"].about(self.structs)
        files = where.grep(rule.pattern, [f"arch/{self.tree.arch}"], self.tree.src, ("asm-offsets*.c",)) if self.structs else []
        found: Dict[tuple, List[str]] = {}
        for hit in self.run(self.last, rule, files):
            match = re.match(r"assembly relies on the (?:place|size) of struct (\w+)(?:\.(\w+))?", hit.text)
            one = self.structs.get(match[1]) if match else None
            then, now = sizes_of(one, match[2]) if one else (0, 0)
            if then != now:
                found.setdefault((hit.file, one["name"]), []).append(f"{match[2] or 'its size'} {then} -> {now}")
        for (file, name), changes in found.items():
            yield f"note: constants for assembly change with struct {name} ({vet_ranges.some(changes)}): the build computes them anew; " \
                  f"look at assembly that counts on more, as on two members side by side ({file})"

    def interfaces(self) -> Iterator[str]:
        """Structs that are not the kernel's alone."""
        names = self.having(lambda one: one["lost"])
        files = sorted({self.structs[name]["file"] for name in names})
        rule = RULES["uapi-struct"].about(names)
        for hit in self.run(self.last, rule, self.candidates(rule, names, files) if names else []):
            for name in structs_in(hit.text) & set(names):
                yield warning(hit, f"{hit.text}; {self.structs[name]['lost']}: add a new revision beside it")

    def numbers(self) -> Iterator[str]:
        """A size that a comment gives, and that was right."""
        for one in self.structs.values():
            then, now = one["before"]["size"], one["after"]["size"]
            if then != now and one["file"] in self.touched and \
                    all(vet_comments.says_size(step.read(one["file"]), one["name"], then) for step in (self.first, self.last)):
                yield warning(Hit(one["file"], one["line"], 8, "", "layout-assert"), f"a comment gives struct {one['name']} {then} bytes, it has {now}")

    def writes(self) -> Iterator[str]:
        """Writes of the series' own that a test could save."""
        rule = RULES["unneeded-write"]
        files = [name for name in self.touched if name.endswith(".c") and re.search(rule.pattern, self.text(name))]
        now, then = self.run_states(rule, (self.last, files), (self.first, files))
        known = {(hit.file, hit.text) for hit in then}
        for hit in now:
            if (hit.file, hit.text) not in known:
                yield warning(hit, hit.text)

    def ranges(self) -> Iterator[str]:
        """Ranges that hold other members than they did; where their code changed too, the range that stood in the file for that of now."""
        structs = self.ranged
        rule = RULES["field-range"].about(structs)
        files = self.candidates(rule, list(structs), self.users, self.members(structs)) if structs else []
        now, then = self.run_states(rule, (self.last, files), (self.first, [name for name in files if name in self.touched]))
        texts, known = ({(hit.file, hit.text) for hit in hits} for hits in (now, then))
        lost = [hit.text for hit in then if (hit.file, hit.text) not in texts]
        for hit in now:
            olds = lost if hit.file in self.touched and (hit.file, hit.text) not in known else [hit.text]
            about = [one for name, one in structs.items() if re.search(rf"\bstruct {name}\b", self.last.read(hit.file))]
            answers = (vet_ranges.compared(self.units[structs[each.struct]["unit"]].dumps, each)
                       for old in olds for each in vet_ranges.ranges(old, hit.text, about))
            for covered in next(filter(None, answers), []):
                text = vet_ranges.sentence(hit.text, covered)
                note = f"it covered {vet_ranges.some(covered['before'])}; it covers {vet_ranges.some(covered['after'])}"
                yield from [f"{warning(hit, text)}\n{hit.file}:{hit.line}:{hit.column}: note: {note}"] if text else []


def is_near(text: str, pattern: str, names: List[str], with_one_of: Iterable[str]) -> bool:
    """Does a statement in which the pattern is found speak of one of the structs, and of one of the words if there are any?"""
    def one_of(words: Iterable[str]) -> re.Pattern:
        return re.compile(rf"\b(?:{'|'.join(sorted(words))})\b")
    word, about = one_of(with_one_of) if with_one_of else None, None
    for match in re.finditer(pattern, text, re.M):
        start, end = text.rfind("\n", 0, match.start()) + 1, text.find(";", match.end())
        statement = text[start:min(end if end >= 0 else len(text), start + STATEMENT)]
        if not word or word.search(statement):
            about = about or one_of({*names, *pointers(text, names)})
            if about.search(statement):
                return True
    return False


def sizes_of(one: dict, member: Optional[str]) -> tuple:
    """Where a member was and is, or the size of all; twice the same if that says nothing."""
    changed = [each for each in one["changed"] if each["name"] == member and each["before"]]
    if member:
        return (changed[0]["before"]["offset"], changed[0]["after"]["offset"]) if changed else (0, 0)
    return one["before"]["size"], one["after"]["size"]


def has_other_first(one: dict) -> bool:
    return one["first"][0] != one["first"][1]


def warning(hit: Hit, text: str) -> str:
    return f"{hit.file}:{hit.line}:{hit.column}: warning: {text} [-Wcacheline-{hit.id}]"


def spatch_of(vetting) -> Spatch:
    """What runs the rules; its time begins now."""
    folder = os.path.join(vetting.folder, "hazards")
    os.makedirs(folder)
    return Spatch(folder, vetting.args.seconds * SHARE, vetting.args.jobs)


def find(hazards: Hazards) -> Found:
    """What is to be said, the rule that finds the least by mistake first."""
    if not hazards.structs and not hazards.touched:
        return NOTHING
    per_cpu = hazards.per_cpu() if hazards.structs else {}
    if not hazards.spatch.program:
        return Found(["note: hazards are not looked for: there is no spatch 1.2 or newer (`linekeeper setup`)"], per_cpu)
    return Found(told(hazards, [*judges_of_structs(hazards), hazards.constants, hazards.writes]), per_cpu)


def judges_of_structs(hazards: Hazards) -> List[Callable]:
    return [hazards.ranges, hazards.initialisers, hazards.casts, hazards.interfaces, hazards.allocations, hazards.numbers]


def told(hazards: Hazards, judges: List[Callable]) -> List[str]:
    """What the judges say, and what they did not look at."""
    said = [text for found in in_parallel(hazards.args.jobs * 2, lambda judge: list(judge()), judges) for text in dict.fromkeys(found)]
    if hazards.args.error:
        said = [text.replace(": warning: ", ": error: ", 1) for text in said]
    return said + notes(hazards)


def elsewhere(own: Hazards, vetting, config: vet_configs.Config, units: list, structs: List[dict]) -> List[str]:
    """What is to be said of structs whose order or alignment changes in another configuration only."""
    structs = [one for one in structs if one["before"] and (one["order"] != "same" or one["lost"] or one["after"]["align"] > one["before"]["align"])]
    if not structs or not own.spatch.program:
        return []
    there = Hazards(vetting, own.first, own.last, units, structs, own.spatch)
    return vet_configs.marked(told(there, judges_of_structs(there)), f"with {config.name}")


def notes(hazards: Hazards) -> List[str]:
    """What was not looked at."""
    missed: Dict[str, List[str]] = {}
    for name, text in sorted(hazards.spatch.unread.items()):
        if text.startswith("spatch "):
            missed.setdefault(text, []).append(name)
    said = [f"note: not looked at for hazards: {vet_ranges.some(names)}: {text}" for text, names in missed.items()]
    half_read = [name for name, text in sorted(hazards.spatch.unread.items()) if structs_in(text) & set(hazards.structs)]
    if half_read:
        said.append(f"note: spatch cannot parse some lines on these structs, so a hazard in them may be overlooked: {vet_ranges.some(half_read)}")
    if hazards.unbuilt:
        first, number = min(hazards.unbuilt), len(hazards.unbuilt)
        said.append(f"note: {number} file{'s'[:number != 1]} that may count on the layout of the structs {'are' if number != 1 else 'is'} not built by this configuration and "
                    f"{'were' if number != 1 else 'was'} not looked at for hazards: {vet_ranges.some(sorted(hazards.unbuilt))} "
                    f"(--set {hazards.built.lacks(first)[0]}=y for the first)")
    if hazards.left:
        said.append(f"note: more files use the structs than were looked at for hazards: {', '.join(sorted(hazards.left))} (--all-users)")
    return said

# SPDX-License-Identifier: GPL-2.0-only
"""The units of a series under other configurations: what is found, or changes, only there."""

from __future__ import annotations

import os
import re
from typing import Dict, List, Set

from lk import series, vet_conditions, vet_configs
from lk.against import TAG
from lk.check import finding_of, in_parallel, subject_of
from lk.kconfig import Ended
from lk.notes import note
from lk.vet_configs import smallest
from lk.vet_step import Step, shape

TRIES = 4       # to read a unit without what it cannot be read with
FEW_KEYS = 4    # things for which the options are told apart
FEW_FILES = 3   # of a note


def keys_of(done) -> list:
    """What a unit tells: findings, and structs that change."""
    return [*filter(None, map(subject_of, done.said)), *(one["name"] for one in done.structs)]


def may_differ(before: Step, after: Step, file: str) -> bool:
    """Does a unit look at more than functions that changed?"""
    return not file.endswith(".c") or not before.text(file) or shape(before.text(file)) != shape(after.text(file))


class Elsewhere:
    """What other configurations add to what is known of a series."""

    def __init__(self, vetting, before: Step, after: Step, own: list) -> None:
        self.vetting, self.before, self.after = vetting, before, after
        self.known = {key for done in own for key in keys_of(done)}
        self.states: Dict[tuple, tuple] = {}
        self.units: Dict[tuple, object] = {}    # that were read, by configuration and file
        self.found: Dict[str, tuple] = {}       # by the configuration's name: the configuration, its units
        self.unread: Dict[str, List[str]] = {}  # by the configuration's name: files that cannot be read in it
        self.join = vet_configs.joined

    def read(self, pairs: List[tuple]) -> list:
        """Units under configurations, from (configurations to be joined, file)."""
        keys = []
        for config, file in [(self.join(parts), file) for parts, file in pairs]:
            key = config.settings, config.options
            if key not in self.states:
                self.states[key] = tuple(step.under(self.vetting.args, config) for step in (self.before, self.after))
            keys.append((key, file))
        left = [key for key in dict.fromkeys(keys) if key not in self.units]
        self.units.update(zip(left, self.vetting.run_each([(*self.states[key], file) for key, file in left], self.vetting.own)))
        return [self.units[key] for key in keys]

    def keep(self, config: vet_configs.Config, done) -> None:
        """Of a unit, what is not known yet."""
        said = [text for text in done.said if finding_of(text) and subject_of(text) not in self.known]
        if not done.dumps:
            self.unread.setdefault(config.name, []).append(done.file)
        done = done._replace(structs=[one for one in done.structs if one["name"] not in self.known], said=vet_configs.marked(said, f"with {config.name}"))
        self.known |= set(keys_of(done))
        self.found.setdefault(config.name, (config, []))[1].append(done)

    def news(self, done) -> list:
        """The keys of what a unit tells that is not known."""
        return [key for key in keys_of(done) if key not in self.known]

    def blamed(self, parts: list, file: str) -> list:
        """Of configurations with which together a unit cannot be read, those in whose #ifs the first error lies."""
        config = self.join(parts)
        said = self.states[config.settings, config.options][1].judge(file, ()).said
        place = next(filter(None, (re.match(r"(?:\./)?(.*?):(\d+):\d+: error: ", text) for text in said)), None)
        symbols = vet_conditions.of_place(self.after, place.group(1), int(place.group(2))) if place else set()
        return [part for part in parts if symbols & vet_configs.symbols_of(part)]

    def readable(self, parts: list, done) -> tuple:
        """The configurations with which a unit can be read all at once, and the unit; what is left out is said."""
        for number in range(TRIES):
            if done.dumps or not parts:
                break
            out = self.blamed(parts, done.file) if number + 1 < TRIES else []
            self.keep(self.join(out or parts), done)
            parts = [part for part in parts if out and part not in out]
            done = self.read([(parts, done.file)])[0] if parts else done
        return parts, done

    def tell(self, parts: list, done) -> None:
        """What is known of a unit by configurations that were joined is told of as few of them as it takes."""
        if len(parts) > 1:
            parts, done = self.readable(parts, done)
        if len(parts) == 1:
            self.keep(self.join(parts), done)
            return
        left = self.news(done)
        for number in range(FEW_KEYS):
            if not left:
                return

            def holds(some: list, key=left[0]) -> bool:
                return key in self.news(self.read([(some, done.file)])[0])

            few = smallest(parts, holds) if number + 1 < FEW_KEYS else parts
            self.keep(self.join(few), self.read([(few, done.file)])[0])
            left = [key for key in left[1:] if key not in self.known]


    def say_unread(self) -> None:
        """What no configuration can tell; many fail for the same reason."""
        for name, files in self.unread.items():
            more = f" and {len(files) - FEW_FILES} more" if len(files) > FEW_FILES else ""
            note(f"not judged with {name}: {', '.join(files[:FEW_FILES])}{more}, which sparse cannot parse there")


def text_of(after: Step, done, tags: Set[str], names: List[str]) -> str:
    """The lines on which the layout of a unit's structs hangs that the series is about."""
    tags = (tags | {one["name"] for one in done.structs}) or {tag for name in names for tag in TAG.findall(after.text(name))}
    return vet_conditions.bodies(after, done.dumps[1], tags)


def elsewhere(vetting, before: Step, after: Step, own: list) -> List[tuple]:
    """(configuration, units) of those in which more is found or other structs change: only that is left of the units."""
    names = series.touched(vetting.patches)
    others = vetting.by_number.difference(names)
    if not (brought(vetting) or vet_conditions.of_changes(before, after, names)):       # what a number sizes, it sizes everywhere
        own = [done for done in own if done.file not in others]
    units = [done for done in own if done.dumps and may_differ(before, after, done.file) and not (done.file in others and done.structs)]
    left_out = [(parts, done.file) for done in own if may_differ(before, after, done.file) for parts in [bringing(vetting, done)] if parts]
    if not units and not left_out or all(shape(before.text(name)) == shape(after.text(name)) for name in names):
        return []
    look = Elsewhere(vetting, before, after, own)
    try:
        (reached if vetting.args.matrix else guessed)(look, names, units)
    except Ended as err:
        note(f"without --matrix from here: {err}")
        look = Elsewhere(vetting, before, after, own)
        guessed(look, names, units)
    for (parts, _), done in zip(left_out, look.read(left_out)):
        look.tell(parts, done)
    look.say_unread()
    return list(look.found.values())


def bringing(vetting, done) -> list:
    """What builds a unit that the tree's own configuration leaves out, and that cannot be read in it."""
    lacks = vetting.built.lacks(done.file) if not done.dumps and done.file.endswith(".c") else []
    return [vet_configs.Config(f"{symbol}=y", (f"{symbol}=y",)) for symbol in lacks[:1]]


def brought(vetting) -> List[str]:
    """Symbols that the series adds to Kconfig."""
    return vet_configs.brought("\n".join(patch.diff.decode(errors="replace") for patch in vetting.patches))


def guessed(look: Elsewhere, names: List[str], units: list) -> None:
    """Configurations in which the lines of the structs say that these differ; Kconfig is not asked."""
    before, after, tree, args = look.before, look.after, look.vetting.tree, look.vetting.args
    values = vet_configs.values_of(tree, args)
    symbols = [*brought(look.vetting), *vet_conditions.of_changes(before, after, names)]
    tags = vet_conditions.changed_tags(before, after, names)
    texts = [(done.file, text_of(after, done, tags, names)) for done in units]
    around = {file: vet_conditions.symbols_of(vet_conditions.stacked(text)) for file, text in texts}
    chosen = vet_conditions.choices(tree, sorted({symbol for found in around.values() for symbol in found}))
    alone, together = [], []
    for file, text in texts:
        others = vet_configs.others(tree, args, values, "\n".join([text, *symbols]))
        mine = [*symbols, *(symbol for symbol in around[file] if symbol in chosen)]
        alone += [([config], file) for config in others]
        together += [(parts, file) for parts in vet_configs.together(args, values, list(dict.fromkeys(mine)), others)]
    pairs = sorted(alone, key=lambda pair: vet_configs.CONFIGS.index(pair[0][0])) + together
    for (parts, _), done in zip(pairs, look.read(pairs)):
        look.tell(parts, done)


def reached(look: Elsewhere, names: List[str], units: list) -> None:
    """Configurations that Kconfig allows, and 32-bit machines; what the series adds to Kconfig, which is not run, is set besides."""
    from lk.matrix_read import Reader, State
    from lk.reachable import Reachable
    vetting, after, args, tree = look.vetting, look.after, look.vetting.args, look.vetting.tree
    tags = vet_conditions.changed_tags(look.before, after, names)
    structs = {done.file: sorted(tags | {one["name"] for one in done.structs}) for done in units}
    reader = Reader(tree, args.line_size)
    reader.plain = State([*reader.plain.options, *(word for word in after.overlays if word != "--asserts")], after.flags)
    with Reachable(reader, args.config or os.path.join(tree.root, ".config"), os.path.join(vetting.folder, "matrix")) as reach:
        look.join = reach.joined
        pairs = reach.nearest({file: some for file, some in structs.items() if some}, lambda call, items: in_parallel(args.jobs, call, items))
        values = vet_configs.values_of(tree, args)
        pairs += [(config, done.file) for done in units for config in vet_configs.CONFIGS if config.flags and vet_configs.is_other(tree, values, config)]
        new = brought(vetting)
        for (config, file), done in zip(pairs, look.read([([config], file) for config, file in pairs])):
            parts = reach.parts(config, file) if look.news(done) else [config]
            apart = look.read([(parts, file)])[0] if len(parts) > 1 else done
            look.tell(*((parts, apart) if look.news(apart) else ([config], done)))
        parts = [vet_configs.Config(f"{symbol}=y", (f"{symbol}=y",)) for symbol in new]
        for done in look.read([(parts, done.file) for done in units if new]):
            look.tell(parts, done)

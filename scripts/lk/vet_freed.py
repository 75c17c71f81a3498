# SPDX-License-Identifier: GPL-2.0-only
"""vet: is a struct freed by kfree_rcu()? call_rcu() takes an rcu_head at any place, so a far one is no fault there."""

from __future__ import annotations

import re
from typing import List

from lk import where
from lk.vet_spatch import RULES

FAR = re.compile(r"^(\S+?):(\d+):\d+: (?:warning|error): '(\w+)' lies at \d+, .* \[-Wcacheline-kfree-rcu-offset\]$", re.M)


def owners(hazards, units: list, file: str, line: int) -> List[str]:
    """The structs that changed, there or as the tree is configured, in whose text a line of a file is."""
    rest = hazards.last.read(file).split("\n")
    around = {one["name"]: one["line"] for done in [*units, *hazards.units] for one in done.structs if one["file"] == file and one["line"] <= line}
    return [name for name, start in around.items() if not any(each.startswith("}") for each in rest[start - 1:line - 1])]


def is_given(hazards, name: str, member: str) -> bool:
    """Is a struct's member given to kfree_rcu(), as far as spatch can tell whose it is? Where it cannot, it may be."""
    call = rf"\bkv?free_rcu\([^;]*,\s*(?:\w+\.)*{member}\s*\)"
    rule = RULES["kfree-rcu-offset"]
    using = hazards.using([name])
    files = dict.fromkeys([*hazards.touched, *(where.grep(rule.pattern, using, hazards.tree.src) if using else [])])
    texts = {file: text for file, text in ((file, hazards.last.read(file)) for file in files) if re.search(call, text)}
    hits = hazards.run(hazards.last, rule, list(texts)) if hazards.spatch.program and texts else []
    others = {(hit.file, hit.line) for hit in hits for of in [re.search(r"\bstruct (\w+)\.", hit.text)] if of and of[1] != name}
    return any((file, text.count("\n", 0, match.start()) + 1) not in others
               for file, text in texts.items() for match in re.finditer(call, text))


def without_unfreed(hazards, units: list) -> list:
    """The units, without what is said of an rcu_head that no kfree_rcu() is given."""
    def is_told(text: str) -> bool:
        match = FAR.search(text)
        names = owners(hazards, units, match[1], int(match[2])) if match else []
        for name in names:
            if (name, match[3]) not in hazards.given:
                hazards.given[name, match[3]] = is_given(hazards, name, match[3])
        return not names or any(hazards.given[name, match[3]] for name in names)
    return [done._replace(said=[text for text in done.said if is_told(text)]) for done in units]

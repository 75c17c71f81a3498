# SPDX-License-Identifier: GPL-2.0-only
"""vet's report: a verdict for each struct, what moved in it, what the structs around it cost; then what is newly wrong."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections import Counter
from itertools import combinations
from typing import List, NamedTuple

from lk import unit, vet_configs
from lk.against import TAG
from lk.check import UNREAD, finding_of, is_wrong, say
from lk.vet import is_grown
from lk.vet_hazards import NOTHING, Found
from lk.vet_step import has_other_text

NAMED, MANY_AROUND, FEW = 6, 16, 4      # members that a mail names, told pair by pair; structs around one that grew; structs in a line
ALIKE = 8                               # findings of one kind that are told one by one
MET = 6                                 # members that came to share a line, with whom
ANSWER = re.compile(r"apart\(\w+\.(\S+), \w+\.(\S+)\): (?:yes|not surely|no|cannot tell): (.*)")
PAIR = re.compile(r"  [^:]+: (?:may|always) -> \w+ on a line with ")      # what had company of its own before
FRESH = re.compile(r"  [^:]+: never -> \w+ on a line with ")

# patches; a report on each patch alone, or []; the units of the whole series, and what is other in other configurations; the states
# before and after it; what is said of code that it breaks
Report = NamedTuple("Report", [("args", argparse.Namespace), ("patches", list), ("each", list), ("units", list), ("elsewhere", list),
                               ("first", object), ("last", object), ("hazards", Found)])
Report.__new__.__defaults__ = (NOTHING,)


def structs_of(units: list) -> list:
    """Each struct that changed once, with the number of the first unit that shows it."""
    found: dict = {}
    for number, done in enumerate(units):
        for one in done.structs:
            found.setdefault((one["kind"], one["name"], one["file"]), {**one, "unit": number})
    return sorted(found.values(), key=lambda one: (one["unit"], one["file"], one["line"]))


def compared(report: Report, one: dict, options: list) -> subprocess.CompletedProcess:
    """cacheline-diff on a struct in its unit; where its size changed, the others that changed tell what embeds it."""
    own = report.units[one["unit"]]
    dumps = [done.dumps for done in report.units if done.structs and done is not own] if is_grown(one) else []
    return unit.compare([own.dumps, *dumps], [f"{one['kind']} {one['name']}"], options, capture_output=True, text=True)


def sort_out(report: Report, structs: list) -> None:
    """Adds `cause`: is it the series that changed it, or only what it embeds? And `layout`, cacheline-diff's account of a cause."""
    inside: set = set()
    for one in structs:
        one["cause"] = bool(one["before"]) and has_other_text(report.first, report.last, one)
    for turn in (True, False):          # first those with other lines; then what none of them explains: a number has changed
        for one in structs:
            if one["before"] and "layout" not in one and (one["cause"] if turn else one["name"] not in inside):
                one["cause"] = True
                one["layout"] = json.loads(compared(report, one, ["--json"]).stdout)[0]
                inside |= {around["name"] for around in one["layout"]["enclosing"]}


def overlap(a: range, b: range) -> bool:
    return max(a.start, b.start) < min(a.stop, b.stop)


def named(one: dict, report: Report) -> list:
    """Pairs of members that moved or stayed, both named by the mails, as questions to cacheline-diff."""
    mails = " ".join(patch.subject + " " + patch.text for patch in report.patches)
    words, quoted = set(re.findall(r"\w+", mails)), set(re.findall(r"(?:['\"`]|->|\.)(\w+)", mails))
    moved = {move["name"] for move in one["layout"]["moved"] if move["before"] is not None and move["after"] is not None}
    spans = {member["name"]: range(member["offset"], member["offset"] + member["size"]) for member in one["layout"]["after"][0]["members"]
             if member["name"] in words and ("_" in member["name"] or member["name"] in moved | quoted)}       # others may be plain English
    pairs = combinations(list(spans)[:NAMED], 2)
    return [f"apart({one['name']}.{a}, {one['name']}.{b})" for a, b in pairs if {a, b} & moved and not overlap(spans[a], spans[b])]


def answers_of(lines: List[str]) -> List[tuple]:
    """(a, b, whether they share a line) for each question that cacheline-diff was asked."""
    return [match.groups() for match in map(ANSWER.match, lines) if match]


def not_apart(one: dict, report: Report, pairs: List[tuple]) -> List[str]:
    """Of pairs that are apart as the tree is configured, those that are not elsewhere."""
    questions = unit.each("--promise", [f"apart({one['name']}.{a}, {one['name']}.{b})" for a, b in pairs])
    found = []
    for config, done in [(config, done) for config, units in report.elsewhere if vet_configs.parts_alike(config) for done in units]:
        if done.dumps and done.file == report.units[one["unit"]].file:
            lines = unit.compare([done.dumps], [f"{one['kind']} {one['name']}"], questions, capture_output=True, text=True).stdout.splitlines()
            found += [f"  {a}, {b}, with {config.name}: {words.split(';')[0]}" for a, b, words in answers_of(lines) if not words.startswith("never ")]
    return found


def block(one: dict, report: Report) -> List[str]:
    """A struct's lines, those on members that the mails name first."""
    if not one["before"]:
        return [f"{one['kind']} {one['name']}   is new, {one['after']['size']} bytes   {one['file']}:{one['line']}"]
    few = ["--verbose"] if report.args.verbose else ["--few", str(MANY_AROUND)]
    lines = compared(report, one, [*few, *unit.each("--promise", named(one, report))]).stdout.splitlines()
    answers = answers_of(lines)
    apart = [(a, b) for a, b, words in answers if words.startswith("never ")]
    told = [f"  {a}, {b}: {words}" for a, b, words in answers] + (not_apart(one, report, apart) if apart else [])
    rest = [line for line in lines[1:] if not ANSWER.match(line)]
    hidden = [] if report.args.verbose else [*filter(PAIR.match, rest), *list(filter(FRESH.match, rest))[MET:]]
    more = [f"  {len(hidden)} lines on other pairs with --verbose" if len(hidden) > 1 else hidden[0]] if hidden else []
    return [lines[0], *traits(one, report), *told, *(line for line in rest if line not in hidden), *more]


def traits(one: dict, report: Report) -> List[str]:
    """What is to be known of a struct besides its layout."""
    lines = []
    if one["first"][0] != one["first"][1]:
        lines.append(f"  first member: {one['first'][0]} -> {one['first'][1]}")
    if one["randomized"]:
        lines.append("  __randomize_layout, or function pointers alone: with CONFIG_RANDSTRUCT its order is another one in each build")
    grown = one["after"]["size"] - one["before"]["size"]
    places = report.hazards.per_cpu.get(one["name"], []) if grown else []
    return lines + [f"  one for each possible CPU ({place}): {grown:+} bytes on each" for place in places[:1]]


def gone_from(report: Report) -> List[str]:
    """Structs of the series' files that are in no unit and no text of it any more, a line each."""
    found, left = {}, {tag for name in report.last.names for tag in TAG.findall(report.last.text(name))}
    for done in report.units:
        for number, dump in enumerate(done.dumps):
            with open(dump, encoding="utf-8", errors="replace") as lines:
                records = [line.split("\t") for line in re.findall(r"^R\t.*", lines.read(), re.M)]
            left |= {record[2] for record in records} if number else set()
            found.update({record[2]: record for record in records if not number and record[7] in report.first.names})
    return [f"{'union' if 'u' in record[3] else 'struct'} {name}   is gone, it had {record[4]} bytes   {record[7]}:{record[8]}"
            for name, record in found.items() if name not in {*left, "-"}]


def size(one: dict) -> str:
    """"struct inode 616 -> 704 bytes": in a line about a patch."""
    before, after = one["before"], one["after"]
    if not before:
        return f"{one['kind']} {one['name']} is new"
    cost = f"{before['size']} -> {after['size']} bytes" if before["size"] != after["size"] else "other places" if one["changed"] or one["gone"] else \
        "other alignment"
    return f"{one['kind']} {one['name']} {cost}"


def few(structs: list) -> str:
    """Some structs in a line."""
    return ", ".join(map(size, structs[:FEW])) + (f" and {len(structs) - FEW} more" if len(structs) > FEW else "")


def heading(report: Report, structs: list) -> str:
    """What is looked at, and how much changed."""
    patch = report.patches[0]
    subject = patch.subject if len(report.patches) == 1 else f"{len(report.patches)} patches, from '{patch.subject}'"
    changed, around = (sum(one["cause"] == cause for one in structs if one["before"]) for cause in (True, False))
    if not structs:
        unread = report.units and (not any(done.dumps for done in report.units) or any(UNREAD in text for text in said_of(report.units)))
        there = " in the tree's own configuration" if any(structs_of(units) for _, units in report.elsewhere) else ""
        return f"{subject}: {'not judged' if unread and not there else f'no struct that was looked at has changed{there}'}"
    new = sum(not one["before"] for one in structs)
    parts = [f"{changed} struct{'s'[:changed != 1]} changed", f"{around} around {'them' if changed != 1 else 'it'}" if around else "",
             f"{new} new" if new else ""]
    return f"{subject}: {', '.join(filter(None, parts))}"


def said_of(units: list) -> List[str]:
    return list(dict.fromkeys(text for done in units for text in done.said))


def few_alike(said: List[str]) -> List[str]:
    """The first few of each kind, and how many more there are."""
    told: Counter = Counter()
    shown = []
    for text in said:
        kind = (finding_of(text) or [""])[-1]
        told[kind] += 1
        shown += [text] if not kind or told[kind] <= ALIKE else []
    return shown + [f"note: {number - ALIKE} more of [-Wcacheline-{kind}] with --verbose" for kind, number in told.items() if kind and number > ALIKE]


def all_said(of: Report) -> List[str]:
    """What is found in other configurations alone comes first: it is what the author could not see. Hazards are last."""
    parts = [*(said_of(units) for _, units in of.elsewhere), said_of(of.units), of.hazards.said]
    is_all = of.args.verbose or of.args.format in ("json", "sarif")
    return list(dict.fromkeys(text for said in parts for text in (said if is_all else few_alike(said))))


def text(report: Report, structs: list) -> str:
    """For a person, shortest first."""
    lines = [heading(report, structs)]
    for one in report.each:
        lines.append(f"  {one.patches[0].subject}: {few(structs_of(one.units)) or 'no struct changes'}")
    for one in structs:
        if one["cause"] or not one["before"]:
            lines += ["", *block(one, report)]
    gone = gone_from(report)
    lines += ["", *gone] if gone else []
    for config, units in report.elsewhere:
        changed = structs_of(units)
        lines += [f"with {config.name} also: {few(changed)}"] if changed else []
        there = report._replace(units=units)
        sort_out(there, changed)
        lines += [line for one in changed if one["cause"] for line in block(one, there)]
    return "\n".join(lines)


def as_json(report: Report, structs: list) -> str:
    from lk.reachable import fragment_of
    def findings(units: list) -> list:
        return [finding for finding in map(finding_json, said_of(units)) if finding]

    def brief(units: list) -> list:
        return [{key: one[key] for key in ("kind", "name", "file", "line", "before", "after")} for one in structs_of(units)]
    patches = [{"subject": patch.subject, "author": patch.author, "message_id": patch.message_id, "number": patch.number, "of": patch.of}
               for patch in report.patches]
    for patch, one in zip(patches, report.each):
        patch.update(structs=brief(one.units), findings=findings(one.units))
    for one in structs:
        del one["unit"]
    elsewhere = [{"config": config.name, **({"fragment": fragment_of(config)} if config.file else {}), "structs": brief(units),
                  "findings": findings(units)} for config, units in report.elsewhere]
    hazards = [finding for finding in map(finding_json, report.hazards.said) if finding]
    return json.dumps({"patches": patches, "structs": structs, "findings": findings(report.units), "elsewhere": elsewhere,
                       "hazards": hazards}, indent=1)


def finding_json(said: str):
    """A finding in its parts; None: it is none."""
    match = re.match(r"(.*?):(\d+):(\d+): (warning|error): (.*) \[-Wcacheline-([a-z-]+)\]$", said.split("\n")[0])
    if not match:
        return None
    file, line, column, severity, words, name = match.groups()
    return {"file": file, "line": int(line), "column": int(column), "severity": severity, "text": words, "id": name,
            "notes": said.split("\n")[1:]}


def show(of: Report, structs: list) -> str:
    """In the form that was asked for."""
    if of.args.format == "json":
        return as_json(of, structs)
    if of.args.format == "text":
        return text(of, structs)
    from lk import vet_forms
    return {"html": vet_forms.html_pages, "sarif": vet_forms.sarif, "reply": vet_forms.reply}[of.args.format](of, structs)


def is_beside(args: argparse.Namespace, said: str) -> bool:
    """Is something said on stderr? Of an answer to a mail only notes, which are not for the patch's author."""
    if said.startswith("note: "):
        return not args.quiet or re.match(r"note: (not judged|\d+ more of )", said) is not None
    return args.format != "reply"


def report(of: Report) -> int:
    """Prints it; the exit status."""
    structs = structs_of(of.units)
    said = all_said(of)
    if not of.args.quiet or of.args.format != "text":
        sort_out(of, structs)
        print(show(of, structs), flush=True)
    say([one for one in said if is_beside(of.args, one)])
    unread = any(UNREAD in one and not finding_of(one) for one in said)
    return int(unread or is_wrong(said))

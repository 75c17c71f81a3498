# SPDX-License-Identifier: GPL-2.0-only
"""vet's other forms: an answer to the mail, SARIF, a page."""

from __future__ import annotations

import json
import re
from typing import Dict, Iterator, List, NamedTuple

from lk.diff import notes
from lk.vet_report import Report, all_said, block, finding_json, heading, sort_out, structs_of

# a hunk: its file, the number of its first line after the patch, its lines with the header
Hunk = NamedTuple("Hunk", [("file", str), ("start", int), ("lines", List[str])])


def hunks(diff: str) -> Iterator[Hunk]:
    """Those of a diff, in order."""
    file, current, left = "", None, 0
    for line in diff.splitlines():
        head = re.match(r"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", line)
        if current and left > 0:
            current.lines.append(line)
            left -= {"+": 1, "-": 1, "\\": 0}.get(line[:1], 2)
            continue
        if current:
            yield current
            current = None
        if head:
            current = Hunk(file, int(head.group(2)), [line])
            left = int(head.group(1) or 1) + int(head.group(3) or 1)
        elif line.startswith("+++ "):
            file = re.sub(r"^[^/]*/", "", line[4:].split("\t")[0], count=1)
    if current:
        yield current


def end_of(text: str, line: int) -> int:
    """The line of the brace that closes the struct that begins at a line."""
    rest = text.split("\n")[line - 1:]
    return line + next((number for number, one in enumerate(rest) if one.startswith("}")), 0)


def quoted(hunk: Hunk, remarks: Dict[int, List[str]]) -> List[str]:
    """The hunk, each remark under its line; remarks on the line in front of the first stand at the end."""
    out, number = [f"> +++ b/{hunk.file}"], hunk.start - 1
    for line in hunk.lines:
        number += line[:1] in ("+", " ", "")
        out.append(f"> {line}")
        if line[:1] != "-" and number in remarks and not line.startswith("@@"):
            out += ["", *remarks.pop(number), ""]
    return out + [line for left in remarks.values() for line in ("", *left)]


def answer(report: Report) -> List[str]:
    """What is to be said of one patch, under its lines; [] if nothing is."""
    patch, structs = report.patches[0], structs_of(report.units)
    sort_out(report, structs)
    told = [(one["file"], one["line"], end_of(report.last.text(one["file"]), one["line"]), block(one, report), "")
            for one in structs if one["cause"] or not one["before"]]
    for text in [text for text in all_said(report) if not text.startswith("note: ")]:
        finding = finding_json(text)
        told.append((finding["file"], finding["line"], finding["line"], [f"{finding['text']} [-Wcacheline-{finding['id']}]", *finding["notes"]],
                     f"{finding['file']}:{finding['line']}: ") if finding else ("", 0, 0, [text], ""))
    lines: List[str] = []       # of told: the file, its first and last line, what is said, and where, for one that no hunk has
    for hunk in hunks(patch.diff.decode(errors="replace")):
        end = hunk.start + sum(line[:1] != "-" for line in hunk.lines[1:]) - 1
        here = [one for one in told if one[0] == hunk.file and one[1] <= end and one[2] >= hunk.start]
        told = [one for one in told if one not in here]
        remarks: Dict[int, List[str]] = {}
        for _, first, last, words, _ in here:
            remarks.setdefault(first if first == last else 0, []).extend(words)
        lines += [*quoted(hunk, remarks), ""] if here else []
    lines += [line for *_, words, place in told for line in (place + words[0], *words[1:], "")]
    return [f"{patch.author or patch.subject} wrote:" if patch.author else patch.subject, "", *lines] if lines else []


def reply(report: Report, structs: list) -> str:
    """An answer to each patch about which there is something to say."""
    *others, last = report.each or [report]
    last = last._replace(elsewhere=report.elsewhere, hazards=report.hazards)     # what is said of the series as a whole
    answers = [answer(one) for one in [*others, last]]
    if report.each:         # of several, which one
        answers = [[one.patches[0].subject, *lines] if lines and one.patches[0].author else lines for one, lines in zip(report.each, answers)]
    return "\n".join(line for lines in answers for line in lines) or heading(report, structs)


def html_pages(report: Report, structs: list) -> str:
    """One page, which needs nothing else: the lines of each struct, before and after."""
    from lk import html
    layouts = [one["layout"] for one in structs if "layout" in one]
    sentences = all_said(report) + [note for layout in layouts for note in notes({**layout, "pairs": []})]
    return html.render([layout["before"][0] for layout in layouts], [layout["after"][0] for layout in layouts], sentences,
                       report.patches[0].subject)


def sarif(report: Report, _: list) -> str:
    """Findings, SARIF 2.1.0; paths are relative to the tree."""
    found = [finding for finding in map(finding_json, all_said(report)) if finding]
    results = [{"ruleId": one["id"], "level": one["severity"], "message": {"text": one["text"]},
                "locations": [{"physicalLocation": {"artifactLocation": {"uri": one["file"], "uriBaseId": "SRCROOT"},
                                                    "region": {"startLine": one["line"], "startColumn": one["column"]}}}]} for one in found]
    driver = {"name": "linekeeper vet", "rules": [{"id": name} for name in sorted({one["id"] for one in found})]}
    return json.dumps({"version": "2.1.0", "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
                       "runs": [{"tool": {"driver": driver}, "results": results}]}, indent=1)

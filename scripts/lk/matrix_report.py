# SPDX-License-Identifier: GPL-2.0-only
"""What a matrix shows: text, JSON, HTML, fragments of a .config."""

from __future__ import annotations

import json
import re
from typing import Dict, List

from lk.arches import name_of
from lk.check import UNREAD, subject_of
from lk.matrix_plan import OWN, Config, fragment
from lk.vet_configs import marked, name_of as few

MANY = 8        # reasons why something is not reached, in text


def setting_of(config: Config) -> str:
    """How a reader gets there, in a few words."""
    named = ", ".join(f"{name}={value}" for name, value in config.settings)
    return ", ".join(filter(None, [config.base, named])) or config.name


def lines_of(record: dict) -> int:
    return -(-record["size"] // record["line_size"])


def facts(matrix, planned: float, read: float) -> dict:
    """A tree's part of the report, as JSON shows it."""
    plan, tree = matrix.work.plan, matrix.work.reader.tree
    structs = []
    for target in matrix.work.targets:
        unread: Dict[str, List[str]] = {}
        for config, found in matrix.found[target.struct]:
            why = found if isinstance(found, str) else found and found["unjudged"]
            if why:
                unread.setdefault(why, []).append(config.name)
        layouts = [{"size": row["record"]["size"], "align": row["record"]["align"], "line_size": row["record"]["line_size"],
                    "lines": lines_of(row["record"]), "setting": setting_of(row["config"]),
                    "fragment": fragment(row["config"]), "configurations": row["count"], "again": row["again"], "findings": row["record"]["findings"],
                    "members": row["record"]["members"]} for row in matrix.rows(target.struct)]
        structs.append({"struct": target.struct, "file": target.file, "symbols": plan.symbols.get(target.struct, []),
                        "changes": matrix.changes(target.struct),
                        "absent": sum(found is None for _, found in matrix.found[target.struct]),
                        "unread": [{"why": why, "configurations": names} for why, names in unread.items()], "layouts": layouts})
    return {"tree": tree.root, "source": tree.src, "machine": name_of(tree), "arch": tree.arch, "bits": 64 if tree.bits64 else 32, "configurations": len(plan.configs), "parses": sum(len(job.reads) for job in matrix.work.jobs),
            "seconds": {"kconfig": round(planned, 1), "parses": round(read, 1)}, "structs": structs,
            "not_reached": [{"setting": " ".join(words), "because": why} for words, why in plan.missed if "=" in words[0]],
            "not_varied": [{"symbol": words[0], "because": why} for words, why in plan.missed if "=" not in words[0]],
            "unknown": plan.unknown, "pairs_left": plan.left, "generated": plan.foreign, "randstruct": plan.random}


def _struct_text(table: dict, one: dict) -> List[str]:
    out = [f"{one['struct']}   {sum(not layout['again'] for layout in one['layouts'])} layouts in {table['configurations']} configurations of {table['arch']}, "
           f"{table['bits']} bits   {one['file']}",
           f"   changed by {', '.join(one['changes']) or 'no symbol alone'} ({len(one['symbols'])} were looked at)",
           "   size  align  lines  findings  setting"]
    for layout in one["layouts"]:
        line = f"{layout['lines']:>5}" + (f" x {layout['line_size']}" if layout["line_size"] != one["layouts"][0]["line_size"] else "")
        out.append(f"{layout['size']:>7} {layout['align']:>6} {line:>6} {len(layout['findings']) or '-':>9}  {layout['setting']}")
    return out + [f"   {line}" for line in _lacks(one)] + [""]


def _lacks(one: dict) -> List[str]:
    """What the rows of a struct do not say."""
    out = [f"{one['absent']} configurations have no {one['struct']}"] * bool(one["absent"])
    return out + [f"not read in {len(unread['configurations'])} configurations ({few(unread['configurations'])}): {unread['why']}" for unread in one["unread"]]


def _by_reason(entries: List[dict], key: str) -> Dict[str, List[str]]:
    reasons: Dict[str, List[str]] = {}
    for entry in entries:
        reasons.setdefault(entry["because"], []).append(entry[key])
    return reasons


def _tail(table: dict) -> List[str]:
    """What was not looked at, and how it was."""
    alone = [entry for entry in table["not_reached"] if " " not in entry["setting"]]
    reasons = _by_reason(alone, "setting")
    out = [f"not reached: {few(settings)}: {why}" for why, settings in list(reasons.items())[:MANY]]
    left = [setting for settings in list(reasons.values())[MANY:] for setting in settings]
    out += [f"not reached: {few(left)} (--format json tells why)"] * bool(left)
    apart = len(table["not_reached"]) - len(alone)
    out += [f"not reached: {apart} pairs of settings, which Kconfig does not allow together (--format json names them)"] * bool(apart)
    out += [f"not varied: {few(names)}: {why}" for why, names in _by_reason(table["not_varied"], "symbol").items()]
    out += [f"not looked at: {table['pairs_left']} pairs of settings"] * bool(table["pairs_left"])
    out += [f"Kconfig has no symbol {few(table['unknown'])}"] * bool(table["unknown"])
    out += [f"the build makes {', '.join(table['generated'])}: read as they are, whatever the configuration"] * bool(table["generated"])
    out += [table["randstruct"]] * bool(table["randstruct"])
    return out + [f"{table['configurations']} configurations, {table['parses']} parses of what differs; "
                  f"Kconfig {table['seconds']['kconfig']} s, parses {table['seconds']['parses']} s"]


def text(tables: List[dict]) -> str:
    out: List[str] = []
    for table in tables:
        for one in table["structs"]:
            out += _struct_text(table, one)
        out += _tail(table)
    return "\n".join(out) + "\n"


def as_json(tables: List[dict]) -> str:
    return json.dumps(tables) + "\n"


def html(tables: List[dict]) -> str:
    """A page of tables that needs nothing else."""
    from lk.html import STYLE
    from lk.svg import STYLE as COLOURS, escape

    def row(words: list, kind: str = "td") -> str:
        return "<tr>" + "".join(f"<{kind}>{escape(str(word))}</{kind}>" for word in words) + "</tr>\n"

    def paragraphs(lines: List[str]) -> str:
        return "".join(f'<p class="facts">{escape(line)}</p>\n' for line in lines)

    out = ['<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><meta charset="utf-8"/>'
           f"<title>matrix</title><style>{COLOURS}{STYLE}</style></head><body>\n"]
    for table in tables:
        for one in table["structs"]:
            out.append(f'<h1><code>{escape(one["struct"])}</code></h1><p class="facts">{escape(one["file"])}, {table["arch"]}, '
                       f'{table["bits"]} bits; changed by {escape(", ".join(one["changes"]) or "no symbol alone")}</p>\n<table>')
            out.append(row(["size", "align", "lines", "line size", "setting", "findings", "fragment"], "th"))
            out += [row([layout["size"], layout["align"], layout["lines"], layout["line_size"], layout["setting"],
                         "; ".join(said.split("\n")[0] for said in layout["findings"]), layout["fragment"]]) for layout in one["layouts"]]
            out.append("</table>\n" + paragraphs(_lacks(one)))
        out.append("<h2>Not reached</h2>\n<table>" + "".join(row([entry["setting"], entry["because"]]) for entry in table["not_reached"])
                   + "</table>\n" + paragraphs(_tail(table)))
    return "".join(out) + "</body></html>\n"


FORMATS = {"text": text, "json": as_json, "html": html}


def findings(tables: List[dict]) -> List[str]:
    """Of each struct each once, whatever the numbers in it, with the first setting in which it is one, and of several trees the machine too."""
    said: List[str] = []
    known = set()
    for table in tables:
        for one in table["structs"]:
            for layout in one["layouts"]:
                new = [finding for finding in layout["findings"] if (table["source"], one["struct"], subject_of(finding)) not in known]
                known |= {(table["source"], one["struct"], subject_of(finding)) for finding in new}
                words = [f"on {table['machine']}"] * (len(tables) > 1) + [f"with {layout['setting']}"] * (layout["setting"] != OWN)
                said += marked(new, " ".join(words)) if words else new
    return said


def fragments(tables: List[dict]) -> Dict[str, str]:
    """By STRUCT-N, N counted as in the report; of several trees STRUCT-MACHINE-N."""
    return {re.sub(r"\W", "_", one["struct"]) + (f"-{table['machine']}" if len(tables) > 1 else "") + f"-{number}": layout["fragment"]
            for table in tables for one in table["structs"] for number, layout in enumerate(one["layouts"])}


def unread(tables: List[dict]) -> List[str]:
    """Of each struct each why it was not read in some configurations."""
    return [f"{one['file']}: {UNREAD}: {one['struct']} in {len(entry['configurations'])} configurations of {table['machine']}, as {entry['configurations'][0]}: {entry['why']}"
            for table in tables for one in table["structs"] for entry in one["unread"]]

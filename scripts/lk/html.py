# SPDX-License-Identifier: GPL-2.0-only
"""A layout, or one before and after a change, as an HTML page that needs nothing else: no network, no other file.

The page is well-formed XML too. Members that moved are outlined; pointing at a member marks it on both sides and in
the table below (the only thing that the script is for); clicking it leads to its row of the table.
"""

from __future__ import annotations

from typing import Dict, List, Optional, Sequence, Tuple, Union

from lk import svg
from lk.boxes import heading, is_bitfield, keyed, plural, where
from lk.svg import escape

WIDE, HALF = 1240, 616		# pixels: a picture alone, one of two side by side
NOTES = 5			# so many are shown before the rest is folded away

STYLE = """
body { margin: 0 auto; padding: 14px 16px 32px; max-width: 1248px; background: var(--bg); color: var(--ink);
 font: 14px/1.45 system-ui, "DejaVu Sans", "Liberation Sans", Arial, sans-serif; }
h1 { font-size: 20px; margin: 0 0 2px; }
h1 code, td, th code { font-family: ui-monospace, "DejaVu Sans Mono", "Liberation Mono", Menlo, Consolas, monospace; }
h2 { font-size: 14px; margin: 0; }
p { margin: 0; }
.facts { color: var(--dim); }
.notes { margin: 10px 0; padding: 8px 12px; border-left: 4px solid var(--moved); background: var(--plain); }
.notes ul { margin: 0; padding-left: 18px; }
.notes summary { cursor: pointer; color: var(--dim); }
.pair { display: flex; flex-wrap: wrap; gap: 12px 16px; margin: 12px 0; align-items: flex-start; }
.pair > section { flex: 1 1 600px; min-width: 0; }
section { margin-top: 8px; }
section .facts { font-size: 12.5px; }
.layout { display: block; max-width: 100%; height: auto; }
table { border-collapse: collapse; margin-top: 14px; font-size: 12.5px; width: 100%; }
th { text-align: left; font-weight: 600; color: var(--dim); border-bottom: 2px solid var(--edge); padding: 3px 10px 3px 4px; }
td { border-bottom: 1px solid var(--rule); padding: 2px 10px 2px 4px; vertical-align: top; overflow-wrap: anywhere; }
.number { text-align: right; white-space: nowrap; }
tr.edge td { border-top: 2px solid var(--edge); }
tr.moved td.name { color: var(--moved); font-weight: bold; }
tr.hot td { background: var(--plain); box-shadow: inset 0 -2px var(--ink); }
.swatch { display: inline-block; width: 10px; height: 10px; margin-right: 5px; border: 1px solid; }
.swatch.read-mostly { background: var(--read); border-color: var(--read-edge); }
.swatch.written { background: var(--written); border-color: var(--written-edge); }
.swatch.cold { background: var(--cold); border-color: var(--cold-edge); }
.key { margin: 8px 0; }
.key b { color: var(--moved); }
.key span.class { margin-right: 18px; }
@media print { body { max-width: none; } }
"""

SCRIPT = """
for (const [name, on] of [["mouseover", true], ["mouseout", false]])
	document.addEventListener(name, event => {
		const over = event.target.closest("[data-m]");
		if (over)
			document.querySelectorAll("[data-m]").forEach(other => {
				if (other.dataset.m === over.dataset.m)
					other.classList.toggle("hot", on);
			});
	});
document.addEventListener("click", event => {
	const over = event.target.closest("svg [data-m]");
	if (over)
		document.querySelectorAll("tr[data-m]").forEach(row => {
			if (row.dataset.m === over.dataset.m)
				row.scrollIntoView({ block: "center", behavior: "smooth" });
		});
});
"""


def common_order(before: List[str], after: List[str]) -> set:
    """Keys of a longest common subsequence: the members that kept their order."""
    theirs = {key: i for i, key in enumerate(after)}
    shared = [key for key in before if key in theirs]
    tails: List[int] = []			# places in shared: ends of increasing runs, by length
    back: Dict[int, int] = {}
    for i, key in enumerate(shared):
        low, high = 0, len(tails)
        while low < high:
            middle = (low + high) // 2
            if theirs[shared[tails[middle]]] < theirs[key]:
                low = middle + 1
            else:
                high = middle
        if low:
            back[i] = tails[low - 1]
        tails[low:low + 1] = [i]
    kept, at = set(), tails[-1] if tails else -1
    while at >= 0:
        kept.add(shared[at])
        at = back.get(at, -1)
    return kept


def changes(before: dict, after: dict) -> Dict[str, Tuple[str, str]]:
    """Key of each member with another offset -> class in the picture, and what happened in words."""
    old, new = dict(keyed(before)), dict(keyed(after))
    kept = common_order(list(old), list(new))
    found = {}
    for key in {**old, **new}:
        if key not in new:
            found[key] = ("moved", "removed")
        elif key not in old:
            found[key] = ("moved", "new")
        elif key not in kept:
            found[key] = ("moved", "moved")
        elif where(old[key]) != where(new[key]):
            found[key] = ("", "shifted")
        if key in found and key in old and key in new:
            kind, words = found[key]
            was, now = (lines_of(side[key], one["line_size"]) for side, one in ((old, before), (new, after)))
            found[key] = (kind, words if was == now else f"{words}, line {was} to {now}")
    return found


def lines_of(member: dict, line_size: int) -> str:
    """"1", or "1-2" when it lies on several."""
    first, last = member["line"], (member["offset"] + max(member["size"], 1) - 1) // line_size
    return str(first) if first == last else f"{first}-{last}"


def size_of(member: dict) -> str:
    return plural(member["bit_size"], "bit") if is_bitfield(member) else str(member["size"])


def cell(text: object, kind: str = "") -> str:
    return f'<td class="{kind}">{escape(text)}</td>' if kind else f"<td>{escape(text)}</td>"


def class_cell(member: dict) -> str:
    name = member.get("class")
    if not name:
        return "<td></td>"
    source = f" ({member['class_from']})" if member.get("class_from") else ""
    return f'<td><span class="swatch {escape(name)}"></span>{escape(name + source)}</td>'


def merged(before: dict, after: Optional[dict]) -> List[Tuple[str, dict]]:
    """Members in the order of `after`, those that it lost behind their old predecessor."""
    pairs = keyed(before) if after is None else keyed(after)
    there, last = {key for key, _ in pairs}, -1
    for key, member in keyed(before):
        if key in there:
            last = next(i for i, (other, _) in enumerate(pairs) if other == key)
        else:
            last += 1
            pairs.insert(last, (key, member))
    return pairs


def table(before: dict, after: Optional[dict], changed: Dict[str, Tuple[str, str]]) -> str:
    """A row for each member; a thick rule above the first of each line."""
    old, new = dict(keyed(before)), dict(keyed(after or before))
    rows = merged(before, after)
    classed, grouped = (any(member.get(what) for _, member in rows) for what in ("class", "groups"))
    numbers = ["before", "after", "size"] if after else ["offset", "size"]
    words = ["member", "type"] + ["class"] * classed + ["group"] * grouped + ["change"] * bool(after)
    out = ["<table><thead><tr>" + "".join(f'<th class="number">{head}</th>' for head in numbers)
           + "".join(f"<th>{head}</th>" for head in words) + "</tr></thead><tbody>"]
    line = None
    for key, member in rows:
        kind, change = changed.get(key, ("", ""))
        sizes = dict.fromkeys(size_of(side[key]) for side in (old, new) if key in side)
        edge = "edge" if key in new and member["line"] != line else ""
        line = member["line"] if key in new else line
        sides = [old, new] if after else [old]
        out.append(f'<tr class="{" ".join(filter(None, [edge, kind]))}" data-m="{escape(key)}">'
                   + "".join(cell(where(side[key]) if key in side else "", "number") for side in sides)
                   + cell(" \u2192 ".join(sizes), "number") + cell(member["name"] or "", "name") + cell(member["type"])
                   + class_cell(member) * classed + cell(", ".join(member.get("groups") or [])) * grouped
                   + cell(change) * bool(after) + "</tr>")
    return "\n".join(out) + "\n</tbody></table>\n"


def section(record: dict, head: str, width: int, marks: Dict[str, str], name: str) -> str:
    """One picture with its heading."""
    return (f'<section><h2>{escape(head)}</h2><p class="facts">{escape(heading(record)[1])}</p>\n'
            + svg.draw(record, width, marks, name, bare=True) + "</section>\n")


def legend(before: dict, after: Optional[dict]) -> str:
    """What the colours and the outline mean; nothing when there are none."""
    keys = [f'<span class="class"><span class="swatch {name}"></span>{svg.LETTERS[name]} {name}</span>'
            for name in svg.classes(before, after or before)]
    if after:
        keys.append("<b>outlined: moved, new or gone</b>; the rest keeps its order")
    return f'<p class="key">{"".join(keys)}</p>\n' if keys else ""


def article(before: dict, after: Optional[dict], name: str) -> str:
    """Everything about one struct but its title."""
    size = plural(before["size"], "byte")
    if after is None:
        return legend(before, None) + section(before, size, WIDE, {}, name) + table(before, None, {})
    changed = changes(before, after)
    marks = {key: kind for key, (kind, _) in changed.items()}
    growth = after["size"] - before["size"]
    cost = "as before" if not growth else f"{plural(abs(growth), 'byte')} {'more' if growth > 0 else 'less'}"
    return (legend(before, after) + '<div class="pair">\n'
            + section(before, f"before: {size}", HALF, marks, f"{name}-before")
            + section(after, f"after: {plural(after['size'], 'byte')}, {cost}", HALF, marks, f"{name}-after")
            + "</div>\n" + table(before, after, changed))


def notes_box(items: List[str]) -> str:
    """The first notes; the rest folded away when they would push the picture down."""
    if not items:
        return ""
    shown = len(items) if len(items) <= NOTES + 1 else NOTES
    more = items[shown:]
    folded = f'<details><summary>{len(more)} more</summary><ul>{"".join(more)}</ul></details>' if more else ""
    return f'<div class="notes"><ul>{"".join(items[:shown])}</ul>{folded}</div>\n'


def render(before: Union[dict, Sequence[dict]], after: Union[dict, Sequence[dict], None] = None,
           notes: Sequence[str] = (), title: str = "") -> str:
    """The page. Records of `map --format json`: one, or lists of the same length; `notes` stand at the top."""
    olds = [before] if isinstance(before, dict) else list(before)
    news = [after] if isinstance(after, dict) else list(after) if after else [None] * len(olds)
    names, _, places = zip(*(heading(record) for record in olds)) if olds else ((), (), ())
    out = ['<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><meta charset="utf-8"/>'
           '<meta name="viewport" content="width=device-width"/><meta name="color-scheme" content="light dark"/>'
           f"<title>{escape(title or ', '.join(names))}</title><style>{svg.STYLE}{STYLE}</style></head><body>\n"]
    if title:
        out.append(f"<h1>{escape(title)}</h1>\n")
    for number, (old, new) in enumerate(zip(olds, news)):
        out.append(f'<h1><code>{escape(names[number])}</code></h1><p class="facts">{escape(places[number])}</p>\n')
        if number == 0:
            out.append(notes_box([f"<li>{escape(note)}</li>" for note in notes]))
        out.append(article(old, new, f"layout{number}"))
    return "".join(out) + f"<script>{SCRIPT}</script></body></html>\n"

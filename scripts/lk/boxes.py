# SPDX-License-Identifier: GPL-2.0-only
"""What lies where in a record of `map --format json`, as a picture needs it: boxes, gaps, lines, groups."""

from __future__ import annotations

import re
from typing import Dict, Iterable, List, NamedTuple, Optional, Tuple

MARKER = re.compile(r"__cacheline_group_(begin|end|pad)__(.+)")


class Shape(NamedTuple):
    """A member as it is drawn; `start` and `end` in bits, `lane` of `lanes` where members overlap."""

    key: str
    member: dict
    start: int
    end: int
    lane: int
    lanes: int


class Piece(NamedTuple):
    """What of a shape or a gap lies on one line; `start` and `end` in bits from the start of the line."""

    start: int
    end: int
    lane: int
    lanes: int
    shape: Optional[Shape]
    what: str


def plural(number: int, unit: str) -> str:
    return f"{number} {unit}" if number == 1 else f"{number} {unit}s"


def amount(bits: int) -> str:
    return plural(bits, "bit") if bits % 8 else plural(bits // 8, "byte")


def is_bitfield(member: dict) -> bool:
    return member.get("bit_size") is not None


def is_marker(member: dict) -> bool:
    """Does the member only open or close a group?"""
    return not member["size"] and MARKER.fullmatch(member["name"] or "") is not None


def keyed(record: dict) -> List[Tuple[str, dict]]:
    """Members with a key that is unique in the record: the name, and a number for a later one of that name."""
    seen: Dict[str, int] = {}
    pairs = []
    for member in record["members"]:
        name = member["name"] or ""
        seen[name] = seen.get(name, 0) + 1
        pairs.append((name if seen[name] == 1 else f"{name}#{seen[name]}", member))
    return pairs


def shapes(record: dict) -> List[Shape]:
    """Members that take room, by offset, those that overlap in lanes."""
    spans = []
    for key, member in keyed(record):
        if is_bitfield(member):
            start, length = member["bit_offset"], member["bit_size"]
        else:
            start, length = member["offset"] * 8, member["size"] * 8
        if length:
            spans.append((start, start + length, key, member))
    spans.sort(key=lambda span: span[:2])

    done: List[Shape] = []
    cluster: List[Tuple[int, tuple]] = []
    ends: List[int] = []
    for span in spans:
        if ends and span[0] >= max(ends):
            done += [Shape(s[2], s[3], s[0], s[1], lane, len(ends)) for lane, s in cluster]
            cluster, ends = [], []
        lane = next((i for i, end in enumerate(ends) if end <= span[0]), len(ends))
        ends[lane:lane + 1] = [span[1]]
        cluster.append((lane, span))
    return done + [Shape(s[2], s[3], s[0], s[1], lane, len(ends)) for lane, s in cluster]


def gaps(record: dict, drawn: Iterable[Shape]) -> List[Tuple[int, int, str]]:
    """Holes and the padding at the end: start and end in bits, and what to call it."""
    makers = {member["offset"] * 8: f", CACHELINE_PADDING({member['name']})" for member in record["members"]
              if not member["size"] and member["type"] == "struct cacheline_padding"}
    found, at, size = [], 0, record["size"] * 8
    for shape in drawn:
        if shape.start > at:
            found.append((at, shape.start, f"hole: {amount(shape.start - at)}{makers.get(shape.start, '')}"))
        at = max(at, shape.end)
    return found + ([(at, size, f"padding: {amount(size - at)}")] if at < size else [])


def rows(record: dict) -> Dict[int, List[Piece]]:
    """Line number -> its pieces, for lines that the record has."""
    bits = record["line_size"] * 8
    drawn = shapes(record)
    whole = [(s.start, s.end, s.lane, s.lanes, s, "") for s in drawn]
    whole += [(start, end, 0, 1, None, what) for start, end, what in gaps(record, drawn)]
    lines: Dict[int, List[Piece]] = {line: [] for line in range(max(1, -(-record["size"] * 8 // bits)))}
    for start, end, lane, lanes, shape, what in whole:
        for line in range(start // bits, (end - 1) // bits + 1):
            first = line * bits
            lines.setdefault(line, []).append(
                Piece(max(start - first, 0), min(end - first, bits), lane, lanes, shape, what))
    return lines


def groups(record: dict) -> List[Tuple[str, int, int]]:
    """Name, start and end (bytes) of each stretch that belongs to a group."""
    opened = {m.group(2): member["offset"] for member in record["members"] if member["name"]
              for m in [MARKER.fullmatch(member["name"])] if m and m.group(1) == "begin"}
    found = [(m.group(2), opened[m.group(2)], member["offset"]) for member in record["members"] if member["name"]
             for m in [MARKER.fullmatch(member["name"])] if m and m.group(1) == "end" and m.group(2) in opened]
    marked = {name for name, _, _ in found}
    loose: Dict[str, List[List[int]]] = {}
    for member in record["members"]:
        for name in member.get("groups") or []:
            start, end = member["offset"], member["offset"] + member["size"]
            runs = loose.setdefault(name, [])
            if runs and runs[-1][1] == start:
                runs[-1][1] = end
            else:
                runs.append([start, end])
    return found + [(name, *run) for name, runs in loose.items() if name not in marked for run in runs]


def where(member: dict) -> str:
    """The place of a member as text: "8", or "4.1" for a bit-field that starts in the second bit of byte 4."""
    if is_bitfield(member):
        byte, bit = divmod(member["bit_offset"], 8)
        return f"{byte}.{bit}" if bit else str(byte)
    return str(member["offset"])


def tooltip(member: dict) -> str:
    size = plural(member["bit_size"], "bit") if is_bitfield(member) else plural(member["size"], "byte")
    text = f"{member['name'] or 'unnamed'}: {member['type']}, at {where(member)}, {size}"
    if member.get("class"):
        text += f", {member['class']}" + (f" ({member['class_from']})" if member.get("class_from") else "")
    if member.get("groups"):
        text += f", in {', '.join(member['groups'])}"
    return text


def heading(record: dict) -> Tuple[str, str, str]:
    """Title; alignment in words; file and line."""
    line, align = record["line_size"], record["align"]
    start = f"starts a {line}-byte line" if align % line == 0 else \
        f"may start at any of {line // align} places in a {line}-byte line, drawn at the first"
    place = f"{record['file']}:{record['line']}" if record.get("file") else ""
    return (f"{record['kind']} {record['name'] or ''}".strip(),
            f"aligned to {align}: {start}", place)


def repeated(lines: Dict[int, List[Piece]]) -> Iterable[Tuple[int, int]]:
    """(first, count) of lines that are drawn as one: three or more of which one member or gap fills each."""
    line, last = 0, max(lines)
    while line <= last:
        end = line
        while end < last and len(lines[line]) == 1 and lines[line] == lines[end + 1]:
            end += 1
        if end - line < 2:
            end = line
        yield line, end - line + 1
        line = end + 1

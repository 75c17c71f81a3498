# SPDX-License-Identifier: GPL-2.0-only
"""A layout as a picture: a row for each cache line, a column for each byte.

Takes a record of `map --format json`. Members are boxes at their offsets, coloured and lettered by access class;
holes and padding are hatched; members that overlap (of a union) lie one above the other; groups have a bracket
below. An object is drawn as if it started a line: where it may start elsewhere, the heading says so.
"""

from __future__ import annotations

import re
from typing import Dict, List, Optional

from lk.boxes import Piece, amount, groups, heading, is_bitfield, is_marker, keyed, plural, repeated, rows, tooltip

GUTTER = 76		# pixels at the left, for line and offset
FONT = 10.5		# pixels; CHAR is the width of a letter, LEADING from one line of text to the next
CHAR = 0.605 * FONT
LEADING = 12.0
ROW = 42.0		# height of a row whose members do not overlap
LANE = 19.0		# height of one of several members one above the other
BRACKET = 15.0		# height of a group's bracket and name
GAP = 5.0
LETTERS = {"read-mostly": "R", "written": "W", "cold": "C"}

STYLE = """
:root { --bg: #ffffff; --ink: #1b1f24; --dim: #626a73; --rule: #dfe3e8; --hole: #b6bcc4; --plain: #f6f7f9;
 --edge: #87909b; --read: #cde4f8; --read-edge: #1565a8; --written: #ffd5a6; --written-edge: #a85400;
 --cold: #dcdcdc; --cold-edge: #6b6b6b; --moved: #9c1f7a; --group: #37777a; }
@media (prefers-color-scheme: dark) { :root { --bg: #14171c; --ink: #e7eaee; --dim: #9aa3ad; --rule: #2a3038;
 --hole: #565e68; --plain: #20252c; --edge: #67717d; --read: #133c60; --read-edge: #63b0f2; --written: #5e3509;
 --written-edge: #f5a64f; --cold: #3a3d42; --cold-edge: #a5a5a5; --moved: #ff8fdc; --group: #6fc3c6; } }
.layout text { font: 10.5px ui-monospace, "DejaVu Sans Mono", "Liberation Mono", Menlo, Consolas, monospace; fill: var(--ink); }
.layout .dim, .layout .offset { fill: var(--dim); }
.layout .head { font-size: 13px; font-weight: bold; }
.layout .back { fill: var(--bg); }
.layout .rule { stroke: var(--rule); stroke-width: 1; }
.layout .box rect { fill: var(--plain); stroke: var(--edge); }
.layout .read-mostly rect { fill: var(--read); stroke: var(--read-edge); }
.layout .written rect { fill: var(--written); stroke: var(--written-edge); }
.layout .cold rect { fill: var(--cold); stroke: var(--cold-edge); stroke-dasharray: 3 2; }
.layout .mid { text-anchor: middle; }
.layout .end { text-anchor: end; }
.layout .letter { font-size: 8.5px; font-weight: bold; text-anchor: end; opacity: 0.75; }
.layout .hatch { stroke: var(--hole); stroke-width: 1.4; }
.layout .gap .hole { stroke: var(--hole); stroke-dasharray: 2 2; }
.layout .gap text { fill: var(--dim); }
.layout .mark path { fill: var(--dim); }
.layout .group path { fill: none; stroke: var(--group); stroke-width: 1.5; }
.layout .group text { fill: var(--group); font-size: 9.5px; }
.layout .moved rect { stroke: var(--moved); stroke-width: 2.6; stroke-dasharray: none; }
.layout .moved text { font-weight: bold; }
.layout .box:hover rect, .layout .hot rect { stroke: var(--ink); stroke-width: 2.6; }
"""


def escape(text: object) -> str:
    """Text for an element or a quoted attribute; what XML cannot say becomes U+FFFD."""
    clean = re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", str(text))
    for char, entity in ("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#39;"):
        clean = clean.replace(char, entity)
    return clean


def fit(text: str, room: float, lines: int) -> List[str]:
    """The name in so many lines of so many pixels, broken behind underscores, shortened where it must be."""
    width = int(room / CHAR)
    if width < 3 or not text:
        return []
    out = [""]
    for word in re.findall(r"[^_]*_+|[^_]+", text):
        if out[-1] and len(out[-1]) + len(word) > width:
            out.append("")
        out[-1] += word
    if len(out) > lines:
        out[lines - 1:] = ["".join(out[lines - 1:])]
    return [line if len(line) <= width else line[:width - 1] + "\u2026" for line in out]


def classes(*records: dict) -> List[str]:
    """The access classes that some member has."""
    return [name for name in LETTERS if any(member.get("class") == name for record in records
                                            for member in record["members"])]


class Canvas:
    """The picture while it grows downwards."""

    def __init__(self, record: dict, width: int, marks: Dict[str, str], name: str) -> None:
        self.record, self.width, self.marks, self.name = record, width, marks, name
        self.byte = (width - GUTTER - 8) / record["line_size"]
        self.y = 0.0
        self.out: List[str] = []

    def x(self, bits: float) -> float:
        return GUTTER + bits * self.byte / 8

    def put(self, text: str) -> None:
        self.out.append(text)

    def text(self, x: float, y: float, text: str, kind: str = "") -> None:
        self.put(f'<text x="{x:.1f}" y="{y:.1f}"{f" class={chr(34)}{kind}{chr(34)}" if kind else ""}>{escape(text)}</text>')

    def title(self) -> None:
        name, facts, place = heading(self.record)
        self.text(8, 18, name, "head")
        self.text(self.width - 8, 18, place, "dim end")
        self.text(8, 35, f"{plural(self.record['size'], 'byte')}, {facts}", "dim")
        self.y = 44

    def legend(self) -> None:
        """Only when some member has a class."""
        used = classes(self.record)
        x = float(GUTTER)
        for name in used:
            self.put(f'<g class="box {name}"><rect x="{x}" y="{self.y + 2:.1f}" width="14" height="12"/></g>')
            self.text(x + 20, self.y + 12, f"{LETTERS[name]} {name}")
            x += 46 + CHAR * (len(name) + 2)
        self.y += 22 if used else 0

    def scale(self) -> None:
        for at in range(0, self.record["line_size"] + 1, 8):
            self.text(self.x(at * 8), self.y + 11, str(at), "dim mid")
        self.y += 16

    def box(self, piece: Piece, height: float) -> None:
        """A member, or the part of it that lies on this line."""
        shape = piece.shape
        assert shape
        x, width = self.x(piece.start), self.x(piece.end) - self.x(piece.start)
        top, lane = self.y + piece.lane * height / piece.lanes, height / piece.lanes
        kinds = ["box", shape.member.get("class") or "", self.marks.get(shape.key, "")]
        self.put(f'<g class="{" ".join(filter(None, kinds))}" data-m="{escape(shape.key)}">'
                 f"<title>{escape(tooltip(shape.member))}</title>"
                 f'<rect x="{x + 0.7:.1f}" y="{top + 0.7:.1f}" width="{max(width - 1.4, 0.9):.1f}" height="{lane - 1.4:.1f}" rx="2"/>')
        lines = self.label(piece, x, width, top, lane)
        letter = LETTERS.get(shape.member.get("class") or "")
        if letter and width > 30 and (lane >= (len(lines) + 1) * LEADING or len(lines[0]) * CHAR < width - 28):
            self.text(x + width - 4, top + 10, letter, "letter")
        self.put("</g>")

    def label(self, piece: Piece, x: float, width: float, top: float, lane: float) -> List[str]:
        """The name; the type below it, where it fits as a whole. Returns the name's lines."""
        shape = piece.shape
        assert shape
        ahead = shape.start < self.line * self.record["line_size"] * 8
        name = ("\u2026 " if ahead else "") + (shape.member["name"] or "")
        lines = fit(name, width - 6, max(1, int((lane - 4) / LEADING)))
        kind = shape.member["type"]
        with_kind = len(lines) == 1 and lane > 2 * LEADING + 4 and len(kind) * CHAR < width - 8 and not ahead
        y = top + lane / 2 - (len(lines) + with_kind - 1) * LEADING / 2 + FONT * 0.35
        for line in lines:
            self.text(x + width / 2, y, line, "mid")
            y += LEADING
        if with_kind:
            self.text(x + width / 2, y, kind, "mid dim")
        return lines

    def gap(self, piece: Piece, height: float) -> None:
        x, width = self.x(piece.start), self.x(piece.end) - self.x(piece.start)
        self.put(f'<g class="gap"><title>{escape(piece.what)}</title>'
                 f'<rect class="hole" x="{x + 0.7:.1f}" y="{self.y + 0.7:.1f}" width="{max(width - 1.4, 0.5):.1f}" '
                 f'height="{height - 1.4:.1f}" fill="url(#{self.name}-hatch)"/>')
        for text in (piece.what, piece.what.split(",")[0], piece.what.split(":")[0], amount(piece.end - piece.start)):
            room = len(text) * CHAR + 4
            if room < width - 2:
                self.put(f'<rect class="back" x="{x + (width - room) / 2:.1f}" y="{self.y + height / 2 - 7:.1f}" '
                         f'width="{room:.1f}" height="15"/>')
                self.text(x + width / 2, self.y + height / 2 + 4, text, "mid")
                break
        self.put("</g>")

    def ticks(self) -> None:
        """Members without a size: padding markers, empty arrays. One at the very end stands behind the last byte."""
        bits = self.record["line_size"] * 8
        last = max(0, (self.record["size"] * 8 - 1) // bits)
        for key, member in keyed(self.record):
            if member["size"] or is_bitfield(member) or is_marker(member):
                continue
            line = min(member["offset"] * 8 // bits, last)
            if line == self.line:
                x = self.x(member["offset"] * 8 - line * bits)
                self.put(f'<g class="mark" data-m="{escape(key)}"><title>{escape(tooltip(member))}</title>'
                         f'<path d="M{x - 5:.1f} {self.y - 4:.1f}h10l-5 8z"/></g>')

    def brackets(self) -> None:
        """Groups on this line, one below the other where they overlap."""
        bits = self.record["line_size"] * 8
        first, ends = self.line * bits, []	# type: int, List[float]
        for name, start, end in groups(self.record):
            a, b = max(start * 8 - first, 0), min(end * 8 - first, bits)
            if a >= b:
                continue
            level = next((i for i, right in enumerate(ends) if right <= a), len(ends))
            ends[level:level + 1] = [b]
            x, right, y = self.x(a) + 2, self.x(b) - 2, self.y + level * BRACKET + 2
            left = f"M{x:.1f} {y - 3:.1f}V{y + 2:.1f}" if start * 8 >= first else f"M{x:.1f} {y + 2:.1f}"
            close = f"H{right:.1f}V{y - 3:.1f}" if end * 8 <= first + bits else f"H{right:.1f}"
            self.put(f'<g class="group"><title>{escape(f"group {name}: {start} to {end}")}</title><path d="{left}{close}"/>')
            for text in fit(name, right - x - 4, 1):
                self.text((x + right) / 2, y + 11, text, "mid")
            self.put("</g>")
        self.y += len(ends) * BRACKET

    def row(self, line: int, pieces: List[Piece], lines: int) -> None:
        """One line, or so many that hold nothing but the same member."""
        self.line = line
        lanes = max([piece.lanes for piece in pieces], default=1)
        height = ROW if lanes == 1 else max(ROW, lanes * LANE)
        self.text(8, self.y + 17, str(line) if lines == 1 else f"{line}-{line + lines - 1}", "head")
        self.text(8, self.y + 32, f"at {line * self.record['line_size']}", "offset")
        for at in range(0, self.record["line_size"] + 1, 8):
            self.put(f'<path class="rule" d="M{self.x(at * 8):.1f} {self.y:.1f}v{height:.1f}"/>')
        for piece in pieces:
            if piece.shape:
                self.box(piece, height)
            else:
                self.gap(piece, height)
        self.ticks()
        self.y += height
        self.brackets()
        self.y += GAP


def draw(record: dict, width: int = 1240, marks: Optional[Dict[str, str]] = None, name: str = "layout",
         bare: bool = False) -> str:
    """The <svg> element without its style. `marks`: key of a member -> class names; `name` is unique in the page;
    `bare`: no heading, no legend."""
    canvas = Canvas(record, width, marks or {}, name)
    if not bare:
        canvas.title()
        canvas.legend()
    canvas.scale()
    lines = rows(record)
    for line, count in repeated(lines):
        canvas.row(line, lines[line], count)
    height = canvas.y + 4
    return (f'<svg class="layout" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height:.0f}" width="{width}" '
            f'height="{height:.0f}" role="img" aria-label="{escape(heading(record)[0])}"><defs>'
            f'<pattern id="{name}-hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
            '<path class="hatch" d="M0 0V7"/></pattern></defs>\n'
            f'<rect class="back" width="{width}" height="{height:.0f}"/>\n' + "\n".join(canvas.out) + "\n</svg>\n")


def render(record: dict) -> str:
    """A file of its own."""
    body = draw(record)
    cut = body.index("<defs>")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body[:cut]}<style>{STYLE}</style>{body[cut:]}'

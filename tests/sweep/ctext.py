# SPDX-License-Identifier: GPL-2.0-only
"""A second reader of structs, for checking what replay wrote: it shares no code and no idea with lib/struct_text.c."""

from __future__ import annotations

import re
from collections import Counter
from typing import Dict, Iterator, List, NamedTuple, Optional, Tuple

TOKEN = re.compile(
    r"(?P<comment>/\*.*?(?:\*/|\Z)|//(?:\\\n|[^\n])*)"
    r"|(?P<line>^[ \t]*\#(?:\\\n|/\*.*?\*/|[^\n])*)"
    r"|(?P<string>\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')"
    r"|(?P<word>\w+)|(?P<punct>[^\s\w])", re.S | re.M)
CONDITIONAL = re.compile(r"\s*#\s*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b(.*)", re.S)
ATTRIBUTE = re.compile(r"____\w+|__aligned\b|__attribute__|__packed|__counted_by\w*|__nonstring|\w+_ALIGN\w*")
NOT_NAMES = {"const", "volatile", "__rcu", "__user", "__percpu", "__iomem", "__private", "__force", "__bitwise"}


class Token(NamedTuple):
    kind: str
    text: str
    start: int
    line: int  # of its first character
    last: int  # of its last character
    column: int


class Member(NamedTuple):
    names: Tuple[str, ...]  # more than one for "int a, b;"
    words: Tuple[str, ...]  # of the declaration
    conditions: Tuple[str, ...]
    line: int
    last: int
    bits: bool
    plain: bool  # one declaration that any rule can move: no braces, no macro
    above: Tuple[str, ...]  # comments directly above it, the nearest one first
    behind: Tuple[str, ...]  # comments behind it on its line
    starts_paragraph: bool  # nothing directly above its comments
    alone: bool  # a blank line or a comment below it


class Struct(NamedTuple):
    name: str
    head: int  # where "struct" stands
    start: int  # behind the opening brace
    end: int  # the closing brace
    members: List[Member]


def tokens(text: str) -> List[Token]:
    found, line, at = [], 1, 0
    for match in TOKEN.finditer(text):
        line += text.count("\n", at, match.start())
        last = line + match.group().count("\n")
        column = len(text[text.rfind("\n", 0, match.start()) + 1:match.start()].expandtabs())
        found.append(Token(match.lastgroup, match.group().strip(), match.start(), line, last, column))
        line, at = last, match.end()
    return found


def code(toks: List[Token]) -> Counter:
    return Counter(t.text for t in toks if t.kind not in ("comment", "line"))


def plain_lines(toks: List[Token]) -> Counter:
    return Counter(t.text for t in toks if t.kind == "line" and not CONDITIONAL.match(t.text))


def balanced(toks: List[Token]) -> bool:
    depth = 0
    for t in toks:
        match = CONDITIONAL.match(t.text) if t.kind == "line" else None
        if match:
            depth += 1 if match[1].startswith("if") else -1 if match[1] == "endif" else 0
        if depth < 0:
            return False
    return depth == 0


def comment_lines(toks: List[Token]) -> Counter:
    return Counter(line.strip() for t in toks if t.kind == "comment" for line in t.text.split("\n"))


def squeeze(comment: str) -> str:
    return " ".join(comment.split())


def closing(toks: List[Token], i: int) -> Optional[int]:
    """The token that closes the brace at i."""
    depth = 0
    for k in range(i, len(toks)):
        if toks[k].kind == "punct":
            depth += {"{": 1, "}": -1}.get(toks[k].text, 0)
        if depth == 0:
            return k
    return None


def condition_of(match: "re.Match[str]") -> str:
    rest = " ".join(re.sub(r"/\*.*?\*/|//.*|\\\n", " ", match[2], flags=re.S).split())
    rest = re.sub(r"\bdefined ?\( ?(\w+) ?\)", r"defined \1", rest)
    rest = re.sub(r"^! ?(defined \w+)$", r"not \1", rest)
    if match[1] == "ifdef":
        return f"defined {rest}"
    return f"not defined {rest}" if match[1] == "ifndef" else rest


def negated(condition: str) -> str:
    if condition.startswith("not defined "):
        return condition[4:]
    if re.fullmatch(r"defined \w+", condition):
        return f"not {condition}"
    return f"!({condition})"


class Conditions:
    """The conditions in force, line by line."""

    def __init__(self) -> None:
        self.stack: List[str] = []

    def see(self, line: str) -> bool:
        match = CONDITIONAL.match(line)
        if not match:
            return False
        if match[1] in ("if", "ifdef", "ifndef"):
            self.stack.append(condition_of(match))
        elif match[1] == "endif" and self.stack:
            self.stack.pop()
        elif match[1] == "else" and self.stack:
            top = self.stack[-1]
            self.stack[-1] = f"else of {top}" if top.startswith("elif") else negated(top)
        elif self.stack:
            self.stack[-1] = f"elif {condition_of(match)} after {self.stack[-1]}"
        return True

    def now(self) -> Tuple[str, ...]:
        # "!(X)" asked for by an #if, and by the #else of "#if X", are the same
        return tuple(c.replace(" ", "") for c in self.stack)


def at_depth(words: List[str]) -> Iterator[Tuple[int, str]]:
    """Words outside of parentheses and brackets, with their place."""
    depth = 0
    for i, word in enumerate(words):
        if word in "([{":
            depth += 1
        elif word in ")]}":
            depth -= 1
        elif depth == 0:
            yield i, word


def name_of(words: List[str]) -> str:
    text = " ".join(words)
    pointer = re.search(r"\( (?:\w+ )*\* ?(?:const |__\w+ )*(\w+) (?:\[[^]]*\] )?\)", text)
    if pointer:
        return pointer[1]
    name = ""
    for i, word in at_depth(words):
        if word == ":":
            break
        if re.match(r"[A-Za-z_]", word) and not ATTRIBUTE.match(word) and word not in NOT_NAMES:
            if i + 1 < len(words) and words[i + 1] == "(":
                continue
            name = word
    return name


def split_declarators(words: List[str]) -> List[List[str]]:
    parts, start = [], 0
    for i, word in at_depth(words):
        if word == ",":
            parts.append(words[start:i])
            start = i + 1
    return parts + [words[start:]]


def make_member(toks: List[Token], first: int, end: int, conditions: Tuple[str, ...]) -> Member:
    words = [t.text for t in toks[first:end] if t.kind not in ("comment", "line")]
    body = words[:-1] if words[-1] == ";" else words
    parts = split_declarators(body)
    names = tuple(name_of(part) for part in parts)
    macro = len(body) > 1 and body[1] == "("
    bits = any(word == ":" for _, word in at_depth(body))
    behind = []
    k = end
    while k < len(toks) and toks[k].kind == "comment" and toks[k].line == toks[end - 1].last:
        behind.append(squeeze(toks[k].text))
        k += 1
    # and what goes on below it, under the comment rather than under the declaration
    right = toks[end].column if behind else toks[first].column + 31
    while k < len(toks) and toks[k].kind == "comment" and toks[k].line == toks[k - 1].last + 1 and \
            2 * toks[k].column > toks[first].column + right:
        behind.append(squeeze(toks[k].text))
        k += 1
    alone = k >= len(toks) or toks[k].line > toks[k - 1].last + 1 or toks[k].kind == "comment" or toks[k].text == "}"
    above, k = [], first
    while k and toks[k - 1].kind == "comment" and toks[k - 1].last + 1 == toks[k].line and \
            toks[k - 2].last < toks[k - 1].line and 2 * toks[k - 1].column <= toks[first].column + 32:
        above.append(squeeze(toks[k - 1].text))
        k -= 1
    starts = toks[k - 1].last + 1 < toks[k].line or toks[k - 1].text == "{" or toks[k - 1].kind == "line"
    return Member(names, tuple(words), conditions, toks[first].line, toks[end - 1].last, bits,
                  not macro and "{" not in words and all(names), tuple(above), tuple(behind), starts, alone)


def read_members(toks: List[Token], i: int, end: int) -> List[Member]:
    members, conditions = [], Conditions()
    first = None
    depth = 0
    for k in range(i, end):
        t = toks[k]
        if t.kind == "line" and depth == 0:
            conditions.see(t.text)
        if t.kind in ("line", "comment"):
            continue
        if first is None:
            first = k
        depth += (t.text in "([{") - (t.text in ")]}") if t.kind == "punct" else 0
        if t.text == ";" and depth == 0:
            members.append(make_member(toks, first, k + 1, conditions.now()))
            first = None
    return members


def structs(text: str, toks: Optional[List[Token]] = None) -> Dict[str, List[Struct]]:
    """Structs with a tag that stand in no braces, by tag."""
    toks = toks or tokens(text)
    found: Dict[str, List[Struct]] = {}
    silent = [t for t in toks if t.kind not in ("comment", "line")]
    place = {t.start: i for i, t in enumerate(toks)}
    depth = 0
    for i, t in enumerate(silent):
        if depth == 0 and t.text == "struct" and i + 2 < len(silent) and silent[i + 2].text == "{":
            first = place[silent[i + 2].start]
            last = closing(toks, first)
            if last is None:
                continue
            found.setdefault(silent[i + 1].text, []).append(
                Struct(silent[i + 1].text, t.start, toks[first].start + 1, toks[last].start,
                       read_members(toks, first + 1, last)))
        depth += {"{": 1, "}": -1}.get(t.text, 0)
    return found

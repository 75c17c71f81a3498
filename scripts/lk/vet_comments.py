# SPDX-License-Identifier: GPL-2.0-only
"""vet: what the comments of a struct say of its layout."""

from __future__ import annotations

import re
from typing import Iterator

PLACE = r"(?:(?:the |very )*first|(?:at|as) (?:the )?(?:very )?(?:beginning|start|top|head|front|first)|at offset (?:0|zero))\b"
# "must always be the first member", "keep these two at the top", "do not move this"
FIRST = re.compile(r"\b(?:must|ha(?:s|ve) to|needs? to|should|shall)(?: \w+)? (?:be|stay|remain|come|go|stand)(?: (?:placed|put|located|kept|declared|defined))? "
                   rf"{PLACE}|\b(?:keep|leave) (?:\w+ ){{0,4}}{PLACE}|\b(?:do not|don't|never|must not|may not|should not)(?: be)? (?:move|re-?order|rearrange)d?\b", re.I)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)


def body_of(text: str, name: str) -> str:
    """A struct's text, with a comment in front of it."""
    match = re.search(rf"(?:/\*(?:(?!\*/).)*\*/\s*)?\bstruct {name}\b[^;{{}}()]*\{{.*?^\}}[^\n]*", text, re.M | re.S)
    return match.group() if match else ""


def code_of(body: str) -> str:
    """The text with blanks in the place of comments."""
    return COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment.group()), body)


def says(text: str) -> bool:
    """Is a member to be the first, or to stay where it is?"""
    return bool(FIRST.search(re.sub(r"\s*\n[\s*]*", " ", text)))


def comments_at(body: str, member: str) -> Iterator[str]:
    """What stands between the end of the member in front and that of the line, or the comment, behind a member; its lines of a kernel-doc."""
    code = code_of(body)
    for match in re.finditer(rf"\b{member}\b[^;{{}}]*;", code):
        start = max(code.rfind(end, 0, match.start()) for end in ";{}") + 1
        behind = re.compile(r"[ \t]*(?:/\*.*?\*/|[^\n]*)", re.S).match(body, match.end())
        yield body[start:behind.end()]
    for match in re.finditer(rf"@{member}:(?:(?!\n[\s*]*@|\*/).)*", body, re.S):
        yield match.group()


def says_first(text: str, name: str, member: str) -> bool:
    """Does a comment at a member of a struct say that it must be the first?"""
    return any(map(says, comments_at(body_of(text, name), member)))


def heads_with(text: str, name: str) -> bool:
    """Does one say so in front of all members? Behind it another one may have come."""
    body = body_of(text, name)
    return says(body[code_of(body).find("{") + 1:][:code_of(body).partition("{")[2].find(";")])


def says_size(text: str, name: str, size: int) -> bool:
    """Does a comment of a struct give it so many bytes?"""
    comments = " ".join(comment for comment in COMMENT.findall(body_of(text, name)))
    return re.search(rf"(?<![\w.-]){size} bytes\b", comments) is not None

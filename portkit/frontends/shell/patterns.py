"""Bash's glob patterns on known text: prefix and suffix removal, replacement, matching."""

from __future__ import annotations

import re
from functools import lru_cache

_LIMIT = 4000


@lru_cache(maxsize=256)
def regex_of(pattern: str) -> str:
    """A glob pattern as a regular expression; repeated stars are one."""
    out, at = [], 0
    while at < len(pattern):
        char = pattern[at]
        if char == "*":
            while pattern[at + 1 : at + 2] == "*":
                at += 1
            out.append(".*")
        elif char == "?":
            out.append(".")
        elif char == "\\" and at + 1 < len(pattern):
            at += 1
            out.append(re.escape(pattern[at]))
        elif char == "[" and "]" in pattern[at + 2 :]:
            end = pattern.index("]", at + 2)
            inside = pattern[at + 1 : end].replace("\\", "\\\\").replace("[", "\\[")
            out.append("[" + ("^" + inside[1:] if inside[:1] in "!^" else inside) + "]")
            at = end
        else:
            out.append(re.escape(char))
        at += 1
    return "".join(out)


def matches(text: str, pattern: str) -> bool:
    """Whether a whole text matches a glob pattern."""
    if len(text) > _LIMIT or pattern.count("*") > 8:
        return False
    try:
        return re.fullmatch(regex_of(pattern), text, re.DOTALL) is not None
    except re.error:
        return text == pattern


def without_prefix(text: str, pattern: str, *, longest: bool) -> str:
    """`${X#pattern}` and `${X##pattern}`."""
    ends = range(len(text), -1, -1) if longest else range(len(text) + 1)
    return next((text[end:] for end in ends if matches(text[:end], pattern)), text)


def without_suffix(text: str, pattern: str, *, longest: bool) -> str:
    """`${X%pattern}` and `${X%%pattern}`."""
    starts = range(len(text) + 1) if longest else range(len(text), -1, -1)
    return next((text[:start] for start in starts if matches(text[start:], pattern)), text)


def replaced(text: str, pattern: str, by: str, *, everywhere: bool, anchor: str = "") -> str:
    """`${X/pattern/by}`, `//`, `/#` and `/%`."""
    if (not pattern and not anchor) or len(text) > _LIMIT:
        return text
    expression = regex_of(pattern)
    if anchor == "#":
        expression = rf"\A(?:{expression})"
    elif anchor == "%":
        expression = rf"(?:{expression})\Z"
    try:
        return re.sub(expression, lambda _: by, text, count=0 if everywhere else 1, flags=re.DOTALL)
    except re.error:
        return text

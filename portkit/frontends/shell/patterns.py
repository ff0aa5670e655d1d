"""Bash's glob patterns on known text: prefix and suffix removal, replacement, matching."""

from __future__ import annotations

import re

_STAR = ".*"
_MOST_WORK = 30_000_000


def _tokens(pattern: str) -> list[str]:
    """A glob pattern as a list of regular expressions of one character, or a star; repeated stars are one."""
    out: list[str] = []
    at = 0
    while at < len(pattern):
        char = pattern[at]
        if char == "*":
            while pattern[at + 1 : at + 2] == "*":
                at += 1
            out.append(_STAR)
        elif char == "?":
            out.append(".")
        elif char == "\\" and at + 1 < len(pattern):
            at += 1
            out.append(re.escape(pattern[at]))
        elif char == "[" and "]" in pattern[at + 2 :]:
            end = pattern.index("]", at + 2)
            inside = pattern[at + 1 : end].replace("\\", "\\\\").replace("[", "\\[")
            out.append(_class("[" + ("^" + inside[1:] if inside[:1] in "!^" else inside) + "]"))
            at = end
        else:
            out.append(re.escape(char))
        at += 1
    return out


def _class(expression: str) -> str:
    """A bracket expression; one that makes no sense (`[z-a]`) matches nothing."""
    try:
        re.compile(expression)
    except re.error:
        return r"(?!)"
    return expression


def matches(text: str, pattern: str) -> bool:
    """Whether a whole text matches a glob pattern."""
    return len(text) in _ends(text, _tokens(pattern))


def without_prefix(text: str, pattern: str, *, longest: bool) -> str:
    """`${X#pattern}` and `${X##pattern}`."""
    ends = _ends(text, _tokens(pattern))
    return text[(max if longest else min)(ends) :] if ends else text


def without_suffix(text: str, pattern: str, *, longest: bool) -> str:
    """`${X%pattern}` and `${X%%pattern}`."""
    ends = _ends(text[::-1], _tokens(pattern)[::-1])
    return text[: len(text) - (max if longest else min)(ends)] if ends else text


def replaced(text: str, pattern: str, by: str, *, everywhere: bool, anchor: str = "") -> str | None:
    """`${X/pattern/by}`, `//`, `/#` and `/%`; None where the pattern would take too long."""
    if not pattern and not anchor:
        return text
    tokens = _tokens(pattern)
    if len(text) ** (1 + tokens.count(_STAR)) > _MOST_WORK:
        return None
    expression = "".join(tokens)
    if anchor == "#":
        expression = rf"\A(?:{expression})"
    elif anchor == "%":
        expression = rf"(?:{expression})\Z"
    if not text and expression != "":
        return by if re.fullmatch(expression, text) else text
    return re.sub(
        expression, lambda found: by if found[0] or anchor else "", text, count=0 if everywhere else 1, flags=re.DOTALL
    )


def _ends(text: str, tokens: list[str]) -> list[int]:
    """Where the prefixes of a text end that match: one pass, every place in the pattern followed at once."""
    whole = len(tokens)
    compiled = [None if token == _STAR else re.compile(token, re.DOTALL) for token in tokens]
    active = _past_stars({0}, tokens)
    ends = [0] if whole in active else []
    for number, char in enumerate(text, start=1):
        following: set[int] = set()
        for place in active:
            if place == whole:
                continue
            token = compiled[place]
            if token is None:
                following.add(place)
            elif token.match(char):
                following.add(place + 1)
        active = _past_stars(following, tokens)
        if not active:
            break
        if whole in active:
            ends.append(number)
    return ends


def _past_stars(places: set[int], tokens: list[str]) -> set[int]:
    reached = set(places)
    for place in places:
        while place < len(tokens) and tokens[place] == _STAR:
            place += 1
            reached.add(place)
    return reached

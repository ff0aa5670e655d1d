"""Bash's glob patterns on known text: prefix and suffix removal, replacement, matching.

A pattern is followed as a set of offsets, so that no pattern takes more than polynomial time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

_LIMIT = 1000
_DEPTH = 8
_CLASSES: dict[str, Callable[[str], bool]] = {
    "alpha": str.isalpha, "digit": str.isdigit, "alnum": str.isalnum, "upper": str.isupper, "lower": str.islower,
    "space": str.isspace, "punct": lambda c: c.isprintable() and not c.isalnum() and c != " ",
    "blank": lambda c: c in " \t", "xdigit": lambda c: c in "0123456789abcdefABCDEF",
}  # fmt: skip


@dataclass(frozen=True)
class Characters:
    """One character: any, or one for which a test of a bracket holds."""

    tests: tuple[Callable[[str], bool], ...] = ()
    negated: bool = False

    def holds(self, char: str) -> bool:
        """Whether a character fits."""
        return not self.tests or any(test(char) for test in self.tests) != self.negated


@dataclass(frozen=True)
class Group:
    """`@(a|b)`, `?(...)`, `*(...)`, `+(...)`, `!(...)`."""

    kind: str
    alternatives: tuple[Pattern, ...]


class Star:
    """Any characters, or none."""


Pattern = tuple[str | Characters | Group | Star, ...]


def ends(pattern: Pattern, text: str, starts: set[int]) -> set[int]:
    """Where a pattern may end in a text when it begins at one of some offsets."""
    for token in pattern:
        if not starts:
            break
        if isinstance(token, Star):
            starts = set(range(min(starts), len(text) + 1))
        elif isinstance(token, Group):
            starts = _ends_of_group(token, text, starts)
        elif isinstance(token, Characters):
            starts = {at + 1 for at in starts if at < len(text) and token.holds(text[at])}
        else:
            starts = {at + 1 for at in starts if text.startswith(token, at)}
    return starts


def _ends_of_group(group: Group, text: str, starts: set[int]) -> set[int]:
    def once(from_these: set[int]) -> set[int]:
        return set().union(*(ends(pattern, text, from_these) for pattern in group.alternatives))

    if group.kind == "!":
        return {end for at in starts for end in set(range(at, len(text) + 1)) - once({at})}
    reached = once(starts)
    if group.kind in "*+":
        new = reached
        while new:
            new = once(new) - reached
            reached |= new
    return reached | starts if group.kind in "*?" else reached


@lru_cache(maxsize=256)
def compiled(text: str, depth: int = 0) -> Pattern:
    """A written pattern; what a backslash precedes stands for itself."""
    tokens: list[str | Characters | Group | Star] = []
    at = 0
    while at < len(text):
        char = text[at]
        group = _group_end(text, at) if char in "@?*+!" and depth < _DEPTH else None
        bracket = _bracket(text, at) if char == "[" else None
        if group is not None:
            alternatives = tuple(compiled(part, depth + 1) for part in _alternatives(text[at + 2 : group - 1]))
            tokens.append(Group(char, alternatives))
            at = group
        elif bracket is not None:
            tokens.append(bracket[0])
            at = bracket[1]
        else:
            escaped = char == "\\" and at + 1 < len(text)
            at += 2 if escaped else 1
            if char != "*":
                tokens.append(Characters() if char == "?" else text[at - 1])
            elif not tokens or not isinstance(tokens[-1], Star):
                tokens.append(Star())
    return tuple(tokens)


def _group_end(text: str, at: int) -> int | None:
    if not text.startswith("(", at + 1):
        return None
    depth, at = 0, at + 1
    while at < len(text):
        if text[at] == "\\":
            at += 1
        elif text[at] in "()":
            depth += 1 if text[at] == "(" else -1
            if depth == 0:
                return at + 1
        at += 1
    return None


def _alternatives(text: str) -> list[str]:
    parts, depth, begin, at = [], 0, 0, 0
    while at < len(text):
        if text[at] == "\\":
            at += 1
        elif text[at] in "()":
            depth += 1 if text[at] == "(" else -1
        elif text[at] == "|" and depth == 0:
            parts.append(text[begin:at])
            begin = at + 1
        at += 1
    return [*parts, text[begin:]]


def _bracket(text: str, at: int) -> tuple[Characters, int] | None:
    """`[a-z]`, `[!x]`, `[[:digit:]]` and the offset after it; None where no bracket closes."""
    at += 1
    negated = text[at : at + 1] in ("!", "^")
    at += negated
    tests: list[Callable[[str], bool]] = []
    first = True
    while at < len(text) and (first or text[at] != "]"):
        first = False
        end = text.find(":]", at + 2) if text.startswith("[:", at) else -1
        if end > 0 and text[at + 2 : end] in _CLASSES:
            tests.append(_CLASSES[text[at + 2 : end]])
            at = end + 2
            continue
        at += text[at] == "\\" and at + 1 < len(text)
        low = high = text[at]
        if text[at + 1 : at + 2] == "-" and text[at + 2 : at + 3] not in ("", "]"):
            at += 2
            at += text[at] == "\\" and at + 1 < len(text)
            high = text[at]
        tests.append(_range(low, high))
        at += 1
    return (Characters(tuple(tests), negated), at + 1) if at < len(text) else None


def _range(low: str, high: str) -> Callable[[str], bool]:
    return lambda char: low <= char <= high


def matches(text: str, pattern: str) -> bool | None:
    """Whether a whole text matches a glob pattern; None where it is too long to tell."""
    if len(text) > _LIMIT or len(pattern) > _LIMIT:
        return None if text != pattern else True
    return len(text) in ends(compiled(pattern), text, {0})


def without_prefix(text: str, pattern: str, *, longest: bool) -> str | None:
    """`${X#pattern}` and `${X##pattern}`; None for a text too long."""
    if len(text) > _LIMIT or len(pattern) > _LIMIT:
        return None
    found = ends(compiled(pattern), text, {0})
    return text[(max if longest else min)(found, default=0) :]


def without_suffix(text: str, pattern: str, *, longest: bool) -> str | None:
    """`${X%pattern}` and `${X%%pattern}`; None for a text too long."""
    if len(text) > _LIMIT or len(pattern) > _LIMIT:
        return None
    starts = range(len(text) + 1) if longest else range(len(text), -1, -1)
    ready = compiled(pattern)
    return next((text[:start] for start in starts if len(text) in ends(ready, text, {start})), text)


def replaced(text: str, pattern: str, by: str, *, everywhere: bool, anchor: str = "") -> str | None:
    """`${X/pattern/by}`, `//`, `/#` and `/%`; None for a text too long."""
    if len(text) > _LIMIT or len(pattern) > _LIMIT:
        return None
    ready = compiled(pattern)
    if anchor == "%":
        starts = (start for start in range(len(text) + 1) if len(text) in ends(ready, text, {start}))
        return next((text[:start] + by for start in starts), text)
    if not pattern:
        return by + text if anchor else text
    if not text:
        return by if ends(ready, text, {0}) else text
    out, at = [], 0
    while at < len(text):
        end = max(ends(ready, text, {at}), default=at)
        if end > at or (anchor and end == at and end in ends(ready, text, {at})):
            out.append(by)
            at = end
            if not everywhere:
                break
            continue
        if anchor:
            break
        out.append(text[at])
        at += 1
    return "".join(out) + text[at:]


def recased(text: str, pattern: str, *, upper: bool, everywhere: bool) -> str:
    """`${X^pattern}`, `^^`, `,` and `,,`; no pattern stands for any character."""
    change = str.upper if upper else str.lower
    ready = compiled(pattern or "?")
    head = text if everywhere else text[:1]
    return "".join(change(c) if 1 in ends(ready, c, {0}) else c for c in head) + text[len(head) :]

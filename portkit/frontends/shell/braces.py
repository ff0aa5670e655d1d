"""Brace expansion: `{a,b}`, `{1..4}`, nested and side by side, before anything else is expanded."""

from __future__ import annotations

import re
from dataclasses import dataclass

from portkit.frontends.shell import scan

Part = tuple[int, int] | str
"""A region of the text, or characters that a range makes."""

_NUMBERS = re.compile(r"(-?\d{1,9})\.\.(-?\d{1,9})(?:\.\.(-?\d{1,9}))?\Z")
_LETTERS = re.compile(r"([A-Za-z])\.\.([A-Za-z])(?:\.\.(-?\d{1,3}))?\Z")
_MOST = 1000
_DEPTH = 20


@dataclass
class Braces:
    """A pair of braces and the commas between them."""

    start: int
    end: int
    commas: list[int]


def alternatives(text: str, start: int, end: int, depth: int = 0) -> list[list[Part]]:
    """A raw word as the words its braces make, each in parts; the word itself where it has none."""
    found = _first(text, start, end) if depth < _DEPTH and text.find("{", start, end) >= 0 else None
    if found is None:
        return [[(start, end)]]
    middle: list[list[Part]]
    if found.commas:
        starts = [found.start, *found.commas]
        regions = zip(starts, [*found.commas, found.end - 1], strict=True)
        middle = [parts for left, right in regions for parts in alternatives(text, left + 1, right, depth + 1)]
    else:
        middle = [[item] for item in _range(text[found.start + 1 : found.end - 1])]
    rest = alternatives(text, found.end, end, depth + 1)
    if len(middle) * len(rest) > _MOST:
        return [[(start, end)]]
    return [[(start, found.start), *parts, *after] for parts in middle for after in rest]


def _first(text: str, start: int, end: int) -> Braces | None:
    """The first braces that expand."""
    open_braces: list[Braces] = []
    closed: list[Braces] = []
    at = start
    while at < end:
        char = text[at]
        if char == "{":
            open_braces.append(Braces(at, 0, []))
            at += 1
        elif char == "," and open_braces:
            open_braces[-1].commas.append(at)
            at += 1
        elif char == "}" and open_braces:
            at += 1
            pair = open_braces.pop()
            pair.end = at
            if pair.commas or _range(text[pair.start + 1 : at - 1]):
                closed.append(pair)
        else:
            at = scan.skip(text, at, end)
    return min(closed, key=lambda pair: pair.start, default=None)


def _range(text: str) -> list[str]:
    """The items of `1..4`, `04..10..2` or `a..e`; empty for anything else."""
    numbers = _NUMBERS.match(text)
    letters = _LETTERS.match(text)
    if numbers is not None:
        first, last, step = int(numbers[1]), int(numbers[2]), abs(int(numbers[3] or 1)) or 1
        padded = any(re.match(r"-?0\d", bound) for bound in (numbers[1], numbers[2]))
        width = max(len(numbers[1]), len(numbers[2])) if padded else 0
    elif letters is not None:
        first, last, step, width = ord(letters[1]), ord(letters[2]), abs(int(letters[3] or 1)) or 1, 0
    else:
        return []
    items = range(first, last + 1, step) if first <= last else range(first, last - 1, -step)
    if len(items) > _MOST:
        return []
    return [chr(item) if numbers is None else f"{item:0{width}d}" if width else str(item) for item in items]

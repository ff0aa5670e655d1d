"""The string operators of `${X...}` on known text: cutting, replacing, slicing, changing case."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portkit.frontends.shell import scan
from portkit.frontends.shell.patterns import recased, replaced, without_prefix, without_suffix
from portkit.frontends.shell.values import text_of

if TYPE_CHECKING:
    from portkit.frontends.shell.expand import Expander

_OPERATORS = ("##", "#", "%%", "%", "//", "/#", "/%", "/", "^^", "^", ",,", ",", ":", "@Q", "@U", "@L", "@u")


def operated(expander: Expander, text: str, start: int, end: int) -> str | None:
    """A text after the operator written between two offsets; None where the operand isn't known."""
    written = expander.text
    operator = next((o for o in _OPERATORS if written.startswith(o, start)), None)
    if operator is None:
        return None
    at = start + len(operator)
    if operator == ":":
        return _substring(expander, text, at, end)
    if operator[0] == "/":
        return _replacement(expander, text, operator, at, end)
    if operator[0] == "@":
        return _transformed(text, operator) if at == end else None
    pattern = expander.pattern(at, end)
    if pattern is None:
        return None
    if operator[0] in "^,":
        return recased(text, pattern, upper=operator[0] == "^", everywhere=len(operator) == 2)
    cut = without_prefix if operator[0] == "#" else without_suffix
    return cut(text, pattern, longest=len(operator) == 2)


def _transformed(text: str, operator: str) -> str:
    if operator == "@Q":
        return "'" + text.replace("'", "'\\''") + "'"
    if operator == "@u":
        return text[:1].upper() + text[1:]
    return text.upper() if operator == "@U" else text.lower()


def _substring(expander: Expander, text: str, at: int, end: int) -> str | None:
    colon = expander.text.find(":", at, end)
    start = expander.parameters.index(at, end if colon < 0 else colon)
    if start is None:
        return None
    if start < 0:
        start += len(text)
        if start < 0:
            return ""
    if colon < 0:
        return text[start:]
    length = expander.parameters.index(colon + 1, end)
    if length is None:
        return None
    return text[start : start + length] if length >= 0 else text[start:length]


def _replacement(expander: Expander, text: str, operator: str, at: int, end: int) -> str | None:
    middle = at + (operator == "//" and expander.text.startswith("/", at))  # that slash is the pattern's
    while middle < end and expander.text[middle] != "/":
        middle = scan.skip(expander.text, middle, end)
    pattern = expander.pattern(at, min(middle, end))
    by = text_of(expander.scalar(middle + 1, end)) if middle < end else ""
    if pattern is None or by is None:
        return None
    anchor = operator[1] if operator in ("/#", "/%") else ""
    return replaced(text, pattern, by, everywhere=operator == "//", anchor=anchor)

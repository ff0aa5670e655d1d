"""One thing found in a launch, and where."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from portkit.catalogue.resolution import Argument, Problem
from portkit.checking.codes import CHECKS, Level
from portkit.source import SourceText, Span


@dataclass(frozen=True, slots=True)
class Finding:
    """A check's code, what it says here, the place, and what to do about it."""

    code: str
    message: str
    source: SourceText
    span: Span
    hint: str = ""

    @property
    def name(self) -> str:
        """The check in words, as in `unknown-flag`."""
        return CHECKS[self.code].name

    @property
    def level(self) -> Level:
        """error, warning or note."""
        return CHECKS[self.code].level

    @property
    def position(self) -> tuple[int, int, int, int]:
        """First line and column, last line and the column after it, from 1."""
        end = max(self.span.end, self.span.start)
        return (*self.source.position(self.span.start), *self.source.position(end))


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Findings by place, each once."""
    distinct = {(f.code, f.message, f.source.name, f.span): f for f in findings}
    return sorted(distinct.values(), key=lambda f: (f.source.name, f.span.start, f.span.end, f.code))


def option_span(problem: Problem) -> Span | None:
    """Where the option of a problem stands, without its values."""
    return _option(problem.place, problem.source) if problem.place is not None else None


def value_span(problem: Problem) -> Span | None:
    """Where the values stand, else the whole place."""
    return problem.place if problem.place is None else _value(problem.place, problem.source)


def argument_span(argument: Argument) -> Span:
    """Where an argument's option stands."""
    return _option(argument.place, argument.source)


def argument_value_span(argument: Argument) -> Span:
    """Where an argument's values stand, else its option."""
    return _value(argument.place, argument.source)


def key_span(place: Span, source: SourceText, path: str) -> Span:
    """Where a key of a config object stands: in JSON or as a dotted option, else the whole place."""
    text = source.slice(place)
    start, end = 0, 0
    for key in path.split("."):
        found = re.compile(rf"(?<=[\"'.]){re.escape(key)}(?=[\"'.=+ \\]|\Z)").search(text, end)
        if found is None:
            return place
        start, end = found.span()
    return Span(place.start + start, place.start + end)


def _option(place: Span, source: SourceText) -> Span:
    found = re.compile(r"[^\s=]+").match(source.slice(place))
    return Span(place.start, place.start + found.end()) if found else place


def _value(place: Span, source: SourceText) -> Span:
    found = re.compile(r"-[^\s=]*(?:=|[\s\\]+)(?=\S)").match(source.slice(place))
    return Span(place.start + found.end(), place.end) if found else place

"""How argparse divides a command line among options and positionals, for one catalogue.

Follows Python's own rules (abbreviations, `--x=v`, counts of values, `--`), but goes on after an
error, and keeps apart the words that only the shell can divide.
"""

from __future__ import annotations

import difflib
import re
import weakref
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from itertools import takewhile
from math import inf
from typing import Protocol

from portkit.catalogue.model import Catalogue, Flag
from portkit.catalogue.resolution import ProblemKind
from portkit.catalogue.tokens import STAND_IN, Token

HELP = Flag(("-h", "--help"), "help", type="bool", action="store_true", refused=True)
_SWITCHES = ("store_true", "store_false", "boolean_optional")
_NEGATIVE_NUMBER = re.compile(r"-\d+$|-\d*\.\d+$")


class Report(Protocol):
    """Takes a problem with the tokens it is about."""

    def __call__(
        self,
        kind: ProblemKind,
        message: str,
        tokens: Sequence[Token],
        suggestions: Sequence[str] = (),
        subject: str = "",
    ) -> None: ...


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One use of a flag. `name` is the full option string, empty for a positional."""

    flag: Flag
    name: str
    option: Token | None
    values: tuple[Token, ...]
    abbreviated: bool = False


class _Other(Enum):
    """What a token can be, other than an option."""

    VALUE = auto()
    SEPARATOR = auto()
    OPAQUE = auto()  # an unquoted unknown: any number of words


@dataclass(frozen=True, slots=True)
class _Option:
    """A token that begins like an option. `flag` is None where no single one is meant."""

    flag: Flag | None
    name: str
    explicit: Token | None = None
    candidates: tuple[str, ...] = ()


class OptionTable:
    """What the parser of a release looks up, prepared once."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.exact: dict[str, Flag] = dict.fromkeys(HELP.names, HELP) | dict(catalogue.by_name)
        self.positionals = tuple(flag for flag in catalogue.flags if not flag.names)
        self.required = tuple(flag for flag in catalogue.flags if flag.required)
        self._sorted = sorted(self.exact)
        self._suggested: dict[str, tuple[str, ...]] = {}

    def starting_with(self, prefix: str) -> tuple[str, ...]:
        """Every option string with that beginning."""
        first = bisect_left(self._sorted, prefix)
        rest = (self._sorted[index] for index in range(first, len(self._sorted)))
        return tuple(takewhile(lambda name: name.startswith(prefix), rest))

    def suggestions(self, name: str) -> tuple[str, ...]:
        """Option strings that someone who wrote `name` may have meant, best first."""
        if name not in self._suggested:
            self._suggested[name] = tuple(self._suggest(name))
        return self._suggested[name]

    def _suggest(self, name: str) -> list[str]:
        bare = name.lstrip("-").replace("_", "-")
        found: list[str] = []
        for spelling in (f"--{bare}", f"-{bare}"):
            if spelling in self.exact:
                found += [spelling, self.exact[spelling].name]
        found += difflib.get_close_matches(f"--{bare}", self._sorted, n=3, cutoff=0.8)
        return list(dict.fromkeys(spelling for spelling in found if spelling != name))[:3]


_tables: dict[int, OptionTable] = {}


def option_table(catalogue: Catalogue) -> OptionTable:
    """The table of a catalogue, made at its first use."""
    key = id(catalogue)
    if key not in _tables:
        _tables[key] = OptionTable(catalogue)
        weakref.finalize(catalogue, _tables.pop, key, None)
    return _tables[key]


def arity(flag: Flag) -> tuple[int, float]:
    """The fewest and the most values an option takes."""
    if flag.action in _SWITCHES or (flag.action == "store_const" and flag.nargs is None):
        return 0, 0
    if isinstance(flag.nargs, int):
        return flag.nargs, flag.nargs
    return {None: (1, 1), "?": (0, 1), "*": (0, inf), "+": (1, inf)}[flag.nargs]


def divide(tokens: Sequence[Token], table: OptionTable, report: Report) -> tuple[list[Occurrence], bool]:
    """The uses of flags on a command line, in order, and whether it has words only the shell can divide."""
    parser = _Parser(tokens, table, report)
    parser.run()
    return parser.found, parser.opaque


@dataclass
class _Parser:
    tokens: Sequence[Token]
    table: OptionTable
    report: Report
    found: list[Occurrence] = field(default_factory=list)
    opaque: bool = False

    def run(self) -> None:
        self.pending = list(self.table.positionals)
        self.kinds = self._classify()
        index = 0
        while index < len(self.tokens):
            kind = self.kinds[index]
            if isinstance(kind, _Option):
                index = self._option(index, kind)
            elif kind is _Other.OPAQUE:
                index = self._opaque(index)
            else:
                index = self._positionals(index)

    def _classify(self) -> list[_Option | _Other]:
        kinds: list[_Option | _Other] = []
        for index, token in enumerate(self.tokens):
            if token.text == "--":
                kinds.append(_Other.SEPARATOR)
                kinds += [_Other.VALUE] * (len(self.tokens) - index - 1)
                break
            kinds.append(self._kind(index, token))
        return kinds

    def _kind(self, index: int, token: Token) -> _Option | _Other:
        if token.text.startswith("-") and len(token.text) > 1:
            return self._dashed(token)
        # The model comes first by habit, so an unknown in that place is taken for it.
        first = index == 0 and self.pending
        return _Other.OPAQUE if token.splits and not first else _Other.VALUE

    def _dashed(self, token: Token) -> _Option | _Other:
        text, exact = token.text, self.table.exact
        if text in exact:
            return _Option(exact[text], text)
        name, equals, _ = text.partition("=")
        explicit = token.cut(len(name) + 1) if equals else None
        if equals and name in exact:
            return _Option(exact[name], name, explicit)
        if text.startswith("--"):
            candidates = self.table.starting_with(name)
        else:
            candidates = self.table.starting_with(text)
            if text[:2] in exact:
                candidates = (text[:2], *candidates)
                explicit = token.cut(2)
        if len(candidates) == 1:
            return _Option(exact[candidates[0]], candidates[0], explicit)
        if not candidates and (_NEGATIVE_NUMBER.match(text) or " " in text):
            return _Other.VALUE
        return _Option(None, name, explicit, candidates)

    def _run(self, index: int) -> list[Token]:
        """The value tokens from an index on; an opaque one counts as a value in the first place alone."""
        end = index
        if end < len(self.tokens) and self.kinds[end] is _Other.OPAQUE:
            end += 1
        while end < len(self.tokens) and self.kinds[end] is _Other.VALUE:
            end += 1
        return list(self.tokens[index:end])

    def _option(self, index: int, option: _Option) -> int:
        token = self.tokens[index]
        if option.flag is None:
            return self._no_option(index, option)
        fewest, most = arity(option.flag)
        if option.explicit is not None:
            if most == 0:
                text = f"{option.name} takes no value"
                self.report("unexpected_value", text, [token], _switch_hint(option), option.name)
                return index + 1
            values = [option.explicit]
        else:
            values = self._run(index + 1) if most else []
            values = values[: int(min(most, len(values)))]
        end = index + 1 + (len(values) if option.explicit is None else 0)
        if len(values) < fewest and not any(value.splits for value in values):
            text = f"{option.name} needs {_counted(option.flag)}"
            self.report("missing_value", text, self.tokens[index:end], (), option.name)
            return end
        abbreviated = not token.text.startswith(option.name)
        self.found.append(Occurrence(option.flag, option.name, token, tuple(values), abbreviated))
        if most == 0:
            end = self._after_switch(index, end, option)
        return end

    def _after_switch(self, index: int, end: int, option: _Option) -> int:
        """Values behind a switch belong to nobody, unless a positional is still to come."""
        stray = self._run(end)
        if not stray or self.pending or self.kinds[end] is _Other.OPAQUE:
            return end
        text = f"{option.name} takes no value, {self._quote(stray)} is left over"
        self.report("unexpected_value", text, stray, _switch_hint(option), option.name)
        return end + len(stray)

    def _no_option(self, index: int, option: _Option) -> int:
        token = self.tokens[index]
        values = [] if option.explicit is not None else self._run(index + 1)
        if self.pending and len(values) > 1:
            values.pop()  # the model, as far as anyone can tell
        covered = [token, *values]
        spelled = token.spelled.partition("=")[0]
        if option.candidates:
            names = ", ".join(option.candidates)
            self.report("ambiguous", f"{spelled} could be {names}", covered, option.candidates, option.name)
        elif STAND_IN.search(option.name):
            self.opaque = True
            self.report("opaque", f"only the shell knows which option {spelled} is", covered)
        else:
            near = self.table.suggestions(option.name)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            self.report("unrecognized", f"no option {spelled}{hint}", covered, near, option.name)
        return index + len(covered)

    def _opaque(self, index: int) -> int:
        end = index + 1
        while end < len(self.tokens) and not isinstance(self.kinds[end], _Option):
            end += 1
        self.opaque = True
        text = f"only the shell knows the words of {self._quote(self.tokens[index:end])}"
        self.report("opaque", text, self.tokens[index:end])
        return end

    def _positionals(self, index: int) -> int:
        end = index
        while end < len(self.tokens) and self.kinds[end] in (_Other.VALUE, _Other.SEPARATOR):
            end += 1
        run = list(self.tokens[index:end])
        separators = [t for t, kind in zip(run, self.kinds[index:end], strict=True) if kind is _Other.SEPARATOR]
        if self.pending and separators:
            run.remove(separators[0])
            self.report("ignored", "'--' only ends the options here", separators)
        while self.pending and run:
            token = run.pop(0)
            self.found.append(Occurrence(self.pending.pop(0), "", token.option, (token,)))
        if run:
            self.report("unrecognized", f"{self._quote(run)} belongs to no option", run)
        return end

    def _quote(self, tokens: Sequence[Token]) -> str:
        return " ".join(token.spelled for token in tokens)


def _counted(flag: Flag) -> str:
    fewest, most = arity(flag)
    if most == inf:
        return "at least one value"
    return "a value" if fewest == 1 else f"{fewest} values"


def _switch_hint(option: _Option) -> tuple[str, ...]:
    flag = option.flag
    return flag.negatives[:1] if flag is not None and option.name not in flag.negatives else ()

"""The outcome of reading a command line by one release's rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from portkit.catalogue.model import Catalogue, Flag, Variable
from portkit.launch import Launch, Word
from portkit.source import SourceText, Span

ProblemKind = Literal[
    "unrecognized",
    "ambiguous",
    "invalid_value",
    "missing_value",
    "missing_required",
    "unexpected_value",
    "refused",
    "ignored",
    "opaque",
]


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value only the shell can know, shown as its expression."""

    expression: str

    def __str__(self) -> str:
        return self.expression


@dataclass(frozen=True, slots=True)
class Argument:
    """A flag as it takes effect.

    `value` is typed by the flag (bool, int, float, str, dict for JSON and dotted keys, a list of
    those for nargs), with `Unknown` where a word isn't known. `words` are the words that give the
    value, without the option itself (empty for a switch, and for values out of a config file).
    `option` is the option as spelled; `place` covers option and values in `source`, which is the
    script or the `--config` file. Dotted keys (`-cc.mode=3 -cc.backend x`) and appended values make one
    argument of several uses: its words are all of theirs, options included, and its place is that of
    one use where they don't stand together.
    """

    flag: Flag
    value: Any
    option: str
    words: tuple[Word, ...]
    place: Span
    source: SourceText
    origin: Literal["command line", "config file"] = "command line"
    abbreviated: bool = False

    @property
    def symbolic(self) -> bool:
        """Whether the value follows something outside the script."""
        return any(word.symbolic for word in self.words)


@dataclass(frozen=True, slots=True)
class Problem:
    """What the engine's parser would say, or portkit about a word nobody knows.

    `kind`: unrecognized, ambiguous, invalid_value, missing_value, missing_required,
    unexpected_value, refused (all of which stop the engine), ignored (the engine takes it and does
    nothing with it), or opaque (what only the shell knows, or a file portkit hasn't got).
    `suggestions` are near spellings, best first. `subject` is the option it is about, in full and as
    the parser sees it, where there is one; `key` the dotted path of a key inside its config object.
    """

    kind: ProblemKind
    message: str
    place: Span | None
    source: SourceText
    words: tuple[Word, ...] = ()
    suggestions: tuple[str, ...] = ()
    subject: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True)
class EnvironmentValue:
    """A variable the launch sets. `variable` is None for one the release doesn't list."""

    name: str
    word: Word
    variable: Variable | None = None


@dataclass(slots=True)
class Resolution:
    """A launch as its release understands it.

    `arguments` by dest, last one winning; `overridden` are earlier occurrences of the same flag.
    """

    launch: Launch
    catalogue: Catalogue
    arguments: dict[str, Argument] = field(default_factory=dict)
    overridden: list[Argument] = field(default_factory=list)
    environment: dict[str, EnvironmentValue] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

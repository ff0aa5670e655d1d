"""What was written: one launch of an engine, word by word, each word with its place in the source.

A word keeps the shell expressions it was made of, so that a port can repeat `${TP:-2}` and a
message can underline it. Nothing here knows what a flag means.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from portkit.source import SourceText, Span

EngineName = Literal["sglang", "vllm"]

_PLAIN = re.compile(r"[A-Za-z0-9_@%+=:,./-]+\Z")


@dataclass(frozen=True, slots=True)
class Ref:
    """A part of a word that the shell fills in.

    `expression` is shell text that means the same thing wherever the script runs, in terms of what
    comes from outside it (environment, positional parameters, commands): `${TP:-2}`, `$1`,
    `$(hostname)`. It is written without quotes. `value` is what it stands for when nothing from
    outside overrides it (`2` for `${TP:-2}`), or None where only the shell can know.
    """

    expression: str
    value: str | None = None


Part = str | Ref


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a command line, after the shell's own expansions as far as they are known."""

    parts: tuple[Part, ...]
    span: Span
    splits: bool = False  # an unquoted unknown: the shell may make any number of words of it

    @property
    def text(self) -> str:
        """The word as the engine gets it; an unknown part shows as its expression."""
        return "".join(
            part if isinstance(part, str) else part.expression if part.value is None else part.value
            for part in self.parts
        )

    @property
    def known(self) -> bool:
        """Whether every part has a value."""
        return all(isinstance(part, str) or part.value is not None for part in self.parts)

    @property
    def symbolic(self) -> bool:
        """Whether any part comes from outside the script, known default or not."""
        return any(isinstance(part, Ref) for part in self.parts)

    def shell(self) -> str:
        """The word as bash text that yields it again, as one word."""
        return "".join(_quoted_parts(self.parts)) or "''"


def literal(text: str, span: Span) -> Word:
    """A word of known characters."""
    return Word((text,) if text else (), span)


def shell_quote(text: str) -> str:
    """A literal as one bash word: bare where that is safe, single-quoted otherwise."""
    if _PLAIN.match(text):
        return text
    return "'" + text.replace("'", "'\\''") + "'"


def _quoted_parts(parts: tuple[Part, ...]) -> list[str]:
    return [shell_quote(part) if isinstance(part, str) else f'"{part.expression}"' for part in parts if part]


@dataclass(frozen=True, slots=True)
class Note:
    """Something a frontend assumed or couldn't know about a launch."""

    message: str
    span: Span | None = None


@dataclass(slots=True)
class Launch:
    """One start of an engine's server.

    `argv` is what follows the entry point (`vllm serve`, `python -m sglang.launch_server`).
    `environment` holds the variables the script itself sets for the process (exports and prefix
    assignments, `env X=Y`), last assignment winning. `wrappers` are the commands in front of the
    entry point that are carried as they stand (`numactl --cpunodebind=0`). `condition` names the
    branch the launch stands in when the condition can't be decided from the text. `files` are texts
    the script itself writes before the launch (here-documents), by path.
    """

    source: SourceText
    engine: EngineName
    entrypoint: str
    argv: list[Word]
    span: Span
    environment: dict[str, Word] = field(default_factory=dict)
    wrappers: list[Word] = field(default_factory=list)
    condition: str | None = None
    name: str = ""
    files: dict[str, str] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)

"""The shell's variables at one point of one path through a script."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from portkit.frontends.shell.values import (
    Array,
    Pieces,
    Table,
    Value,
    arguments_beyond,
    bounded,
    many,
    pieces_of,
    ref_piece,
    shown,
    text_of,
)
from portkit.launch import Ref, Word
from portkit.source import Span

Conditions = tuple[tuple[str, bool], ...]
"""Undecided tests, as people read them, with the outcome assumed."""

Saved = dict[str, tuple[Value | None, bool]]
"""Variables to put back: what they held, and whether they were exported."""

_NUMBER = re.compile(r"\s*([+-]?)(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9]\d*)\s*\Z")
_ELEMENT = re.compile(r"([A-Za-z_]\w*)\[(.*)\]\Z", re.DOTALL)


@dataclass
class State:
    """Variables, positional parameters and what was decided on the way here.

    `positional` is None at the top of a script, where nobody knows the arguments; `shifted` is then
    how many of them `shift` has taken away. `conditions` are the undecided tests this path assumes,
    with the outcome assumed. `attributes` are the letters of `declare -i`, `-l` and `-u`, `references`
    the names that `declare -n` made. `input` is what the next command reads, where that is known;
    `document` the same with its parts from outside, for a shell that reads it.
    """

    outside: Mapping[str, str]
    variables: dict[str, Value] = field(default_factory=dict)
    exported: dict[str, None] = field(default_factory=dict)
    unset: set[str] = field(default_factory=set)
    functions: dict[str, Any] = field(default_factory=dict)
    positional: tuple[Pieces, ...] | None = None
    shifted: int = 0
    conditions: Conditions = ()
    files: dict[str, str] = field(default_factory=dict)
    attributes: dict[str, str] = field(default_factory=dict)
    references: dict[str, str] = field(default_factory=dict)
    export_all: bool = False
    input: str | None = None
    input_derived: bool = False
    document: Pieces = ()

    def copy(self) -> State:
        """An independent state, for another path or a subshell."""
        return State(
            self.outside,
            dict(self.variables),
            dict(self.exported),
            set(self.unset),
            dict(self.functions),
            self.positional,
            self.shifted,
            self.conditions,
            dict(self.files),
            dict(self.attributes),
            dict(self.references),
            self.export_all,
            self.input,
            self.input_derived,
            self.document,
        )

    def same_world(self, other: State) -> bool:
        """Whether nothing but the conditions differs."""
        return (
            self.variables == other.variables
            and self.exported == other.exported
            and (self.positional, self.shifted) == (other.positional, other.shifted)
            and self.functions.keys() == other.functions.keys()
            and self.files == other.files
        )

    def set(self, name: str, value: Value) -> None:
        """Assign a variable."""
        name = self.references.get(name, name)
        self.variables[name] = bounded(value, name) if isinstance(value, tuple) else value
        if self.export_all:
            self.exported[name] = None

    def put_back(self, name: str, value: Value | None, *, exported: bool) -> None:
        """Undo what a function or a command's own assignment did to a variable."""
        self.references.pop(name, None)
        if exported:
            self.exported.setdefault(name, None)
        else:
            self.exported.pop(name, None)
        if value is None:
            self.variables.pop(name, None)
        else:
            self.variables[name] = value

    def give_arguments(self, words: list[Word]) -> None:
        """Set the positional parameters; the script's own unknown ones may be among them."""
        passed_on = arguments_beyond(words[0].text) if len(words) == 1 and words[0].splits else None
        if passed_on is not None or any(word.splits and not word.parts for word in words):
            self.positional, self.shifted = None, (passed_on or 1) - 1
        else:
            self.positional, self.shifted = tuple(pieces_of(word) for word in words), 0

    def shift(self, count: int) -> bool:
        """Take arguments away; False where there are not as many."""
        if self.positional is None:
            self.shifted += count
            return True
        kept = list(self.positional)
        while count > 0 and kept and not many(kept[0]):
            del kept[0]
            count -= 1
        if count and kept:
            first = arguments_beyond(shown(kept[0][0]))
            beyond = f"${{@:{first + count}}}" if first is not None else "$@"
            kept[0] = (replace(kept[0][0], ref=Ref(beyond)),)
        elif count:
            return False
        self.positional = tuple(kept)
        return True

    def separators(self) -> str | None:
        """The characters that split words; None where they aren't known."""
        value = self.variables.get("IFS")
        if value is None:
            return " \t\n"
        return text_of(value) if isinstance(value, tuple) else None

    def remove(self, name: str) -> None:
        """Unset a variable, one from outside too, or one element (`A[1]`)."""
        element = _ELEMENT.match(name)
        if element is not None:
            self._remove_element(element[1], element[2])
            return
        self.variables.pop(name, None)
        self.exported.pop(name, None)
        self.unset.add(name)

    def _remove_element(self, name: str, key: str) -> None:
        value = self.variables.get(name)
        if isinstance(value, Array) and key.isdigit():
            self.variables[name] = Array({n: v for n, v in value.elements.items() if n != int(key)})
        elif isinstance(value, Table):
            self.variables[name] = Table({k: v for k, v in value.entries.items() if k != key})

    def value(self, name: str) -> Value | None:
        """What the script itself assigned, or None."""
        return self.variables.get(self.references.get(name, name))

    def refer(self, name: str) -> None:
        """Make a variable a reference to the one it names."""
        value = self.variables.get(name)
        target = text_of(value) if isinstance(value, tuple) else None
        if target is not None and target.isidentifier() and target != name:
            self.references[name] = self.references.get(target, target)

    def scalar(self, name: str, span: Span) -> Pieces | None:
        """A variable as `$NAME` gives it: assigned, given with --set, or None for one from outside."""
        name = self.references.get(name, name)
        value = self.variables.get(name)
        if isinstance(value, Array):
            return value.get(0) or ()
        if isinstance(value, Table):
            return value.get("0") or ()
        if value is not None:
            return value
        if name in self.unset:
            return ()
        if name in self.outside:
            default = "".join("\\" + c if c in '\\"$`}' else c for c in self.outside[name])
            return (ref_piece(f"${{{name}:-{default}}}", self.outside[name], span),)
        return None

    def number(self, name: str) -> int | None:
        """A variable as arithmetic reads it: unset and empty are 0, unknown is None."""
        value = self.scalar(name, Span(0, 0))
        if value is None:
            return None
        text = text_of(value)
        if text is None:
            return None
        if not text.strip():
            return 0
        match = _NUMBER.match(text)
        if match is None:
            return None
        digits = match[2]
        base = 16 if digits[:2].lower() == "0x" else 8 if digits[0] == "0" else 10
        number = int(digits, base) if len(digits) < 20 else None
        return -number if number is not None and match[1] == "-" else number

    def make_unknown(self, name: str, span: Span) -> None:
        """Forget a variable's value: only the running script knows it."""
        self.variables[name] = (ref_piece(f"${{{name}}}", None, span),)

"""The shell's variables at one point of one path through a script."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from portkit.frontends.shell.values import Array, Pieces, Table, Value, ref_piece, shown, text_of
from portkit.source import Span


@dataclass
class State:
    """Variables, positional parameters and what was decided on the way here.

    `positional` is None at the top of a script, where nobody knows the arguments. `conditions` are
    the undecided tests this path assumes, with the outcome assumed.
    """

    outside: Mapping[str, str]
    variables: dict[str, Value] = field(default_factory=dict)
    exported: dict[str, None] = field(default_factory=dict)
    unset: set[str] = field(default_factory=set)
    functions: dict[str, Any] = field(default_factory=dict)
    positional: tuple[Pieces, ...] | None = None
    conditions: tuple[tuple[str, bool], ...] = ()
    files: dict[str, str] = field(default_factory=dict)
    export_all: bool = False

    def copy(self) -> State:
        """An independent state, for another path or a subshell."""
        return State(
            self.outside,
            dict(self.variables),
            dict(self.exported),
            set(self.unset),
            dict(self.functions),
            self.positional,
            self.conditions,
            dict(self.files),
            self.export_all,
        )

    def same_world(self, other: State) -> bool:
        """Whether nothing but the conditions differs."""
        return (
            self.variables == other.variables
            and self.exported == other.exported
            and self.positional == other.positional
            and self.functions.keys() == other.functions.keys()
            and self.files == other.files
        )

    def set(self, name: str, value: Value) -> None:
        """Assign a variable."""
        self.variables[name] = value
        self.unset.discard(name)
        if self.export_all:
            self.exported[name] = None

    def remove(self, name: str) -> None:
        """Unset a variable, one from outside too."""
        self.variables.pop(name, None)
        self.exported.pop(name, None)
        self.unset.add(name)

    def value(self, name: str) -> Value | None:
        """What the script itself assigned, or None."""
        return self.variables.get(name)

    def scalar(self, name: str, span: Span) -> Pieces | None:
        """A variable as `$NAME` gives it: assigned, given with --set, or None for one from outside."""
        value = self.variables.get(name)
        if isinstance(value, Array):
            return value.elements[0] if value.elements else ()
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
        text = text.strip()
        if not text:
            return 0
        return int(text) if text.lstrip("-").isdigit() else None

    def make_unknown(self, name: str, span: Span) -> None:
        """Forget a variable's value: only the running script knows it."""
        self.variables[name] = (ref_piece(f"${{{name}}}", None, span),)


def expression_of(pieces: Pieces) -> str:
    """A value as people read it in a condition."""
    return "".join(shown(piece) for piece in pieces)

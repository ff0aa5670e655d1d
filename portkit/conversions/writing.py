"""What a writer sees of the source and the target, and what it gives back."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from packaging.version import Version

from portkit.catalogue.model import Catalogue
from portkit.deployment.schema import Deployment, Facts, Setting
from portkit.mapping.rows import Place, Row
from portkit.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class Emit:
    """One thing to put into the rendered launch.

    `flag` is the target's option string ("" for the positional model), `key` a dotted path inside a
    JSON flag, `env` a variable instead of a flag. `values` are the words after the flag: plain text,
    or bash text where `shell` is set. A switch has no values. `comment` explains a converted value.
    """

    flag: str | None = None
    key: str | None = None
    env: str | None = None
    values: tuple[str, ...] = ()
    shell: tuple[str, ...] | None = None
    json_value: Any = None
    comment: str = ""
    commented: bool = False


@dataclass(frozen=True, slots=True)
class Carry:
    """What became of one setting: the verdict, what to emit, by which rule, and why.

    `instead` is what to do about it. `follows` says that the verdict is another setting's, with which
    this one goes.
    """

    verdict: Verdict
    emits: tuple[Emit, ...] = ()
    rule: str = ""
    reason: str = ""
    instead: str = ""
    follows: bool = False


@dataclass(frozen=True)
class PortOptions:
    """Choices the user makes on the command line."""

    graphs_exact: bool = False
    force: frozenset[str] = frozenset()


@dataclass
class WriteContext:
    """Source document, target release, facts, and the user's choices.

    `carried` gives the outcome of another setting of the same port, for writers that must agree
    with one another (graph sizes with the sequence limit).
    """

    source: Deployment
    catalogue: Catalogue
    facts: Facts
    options: PortOptions
    carried: Callable[[str], Carry | None]
    notes: list[str] = field(default_factory=list)

    @property
    def engine(self) -> str:
        """The target engine."""
        return self.catalogue.engine

    @property
    def release(self) -> Version:
        """The target release."""
        return self.catalogue.release

    @property
    def same_engine(self) -> bool:
        """Whether the port stays on one engine, where numbers keep their meaning."""
        return self.catalogue.engine == self.source.engine

    @property
    def origin(self) -> str:
        """What a converted value is from: the other engine, or the other release of this one."""
        return f"{self.source.engine} {self.source.release}" if self.same_engine else self.source.engine

    def place(self, row: Row) -> Place | None:
        """Where the target takes this row, in its release, or None."""
        return row.side(self.engine).place(self.release)

    def value(self, setting: str, default: Any = None) -> Any:
        """A source setting's value."""
        return self.source.value(setting, default)

    def target_int(self, setting: str) -> int | None:
        """An integer that the port itself emits for a setting, or None."""
        carry = self.carried(setting)
        for emit in carry.emits if carry else ():
            if emit.values and emit.values[0].isdigit():
                return int(emit.values[0])
            if isinstance(emit.json_value, int):
                return emit.json_value
        return None


def symbolic_shell(setting: Setting) -> str | None:
    """The bash text of a value that is written once and follows something outside the script."""
    written = setting.provenance.written
    if len(written) == 1 and written[0].symbolic:
        return written[0].shell
    return None


def as_given(place: Place, setting: Setting, *, comment: str = "") -> Emit:
    """A setting's value at a place, left to the shell where the source leaves it."""
    value = setting.value if setting.known else setting.expression
    return emit_at(place, value, shell=symbolic_shell(setting), comment=comment)


def variable_as_given(name: str, setting: Setting) -> Emit:
    """A setting's value as a variable, left to the shell where the source leaves it."""
    shell = symbolic_shell(setting)
    return Emit(env=name, values=(setting.text(),), shell=None if shell is None else (shell,))


def emit_at(place: Place, value: Any, *, shell: str | None = None, comment: str = "") -> Emit:
    """A value at a place, in the spelling that place wants: switch, words, JSON key or variable."""
    words = tuple(str(item) for item in value) if isinstance(value, list | tuple) else (word_of(value),)
    quoted = (shell,) if shell is not None else None
    if place.env is not None:
        return Emit(env=place.env, values=words, shell=quoted, comment=comment)
    if place.key is not None:
        return Emit(flag=place.flag, key=place.key, json_value=value, shell=quoted, values=words, comment=comment)
    return Emit(flag=place.flag, values=words, shell=quoted, comment=comment)


def word_of(value: Any) -> str:
    """A canonical scalar as a command-line word."""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, dict):
        return json.dumps(value)
    if isinstance(value, float) and value == int(value) and abs(value) < 1e15:
        return f"{value:g}"
    return str(value)

"""The names that rows may use."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from portkit.conversions.reading import ReadContext, Reading
    from portkit.conversions.writing import Carry, WriteContext
    from portkit.deployment.schema import Setting
    from portkit.mapping.rows import Row

    Reader = Callable[[Row, ReadContext], Reading | None]
    Writer = Callable[[Row, Setting, WriteContext], Carry]

READERS: dict[str, Reader] = {}
WRITERS: dict[str, Writer] = {}

_R = TypeVar("_R", bound="Reader")
_W = TypeVar("_W", bound="Writer")


def reader(name: str) -> Callable[[_R], _R]:
    """Register a reader under the name rows use."""

    def register(function: _R) -> _R:
        READERS[name] = function
        return function

    return register


def writer(name: str, *, across: bool = False) -> Callable[[_W], _W]:
    """Register a writer under the name rows use.

    One that is only right `across` engines leaves ports within one engine to the plain `same`.
    """

    def register(function: _W) -> _W:
        WRITERS[name] = _only_across(function) if across else function
        return function

    return register


def _only_across(function: Writer) -> Writer:
    def write(row: Row, setting: Setting, context: WriteContext) -> Carry:
        chosen = WRITERS["same"] if context.same_engine else function
        return chosen(row, setting, context)

    return write

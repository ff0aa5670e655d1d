"""In which catalogued releases of an engine a flag, a variable or a key of a config object exists."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from packaging.version import Version

from portkit.catalogue.load import known_releases, load
from portkit.catalogue.model import Catalogue, Flag
from portkit.launch import EngineName


@dataclass(frozen=True, slots=True)
class History:
    """The catalogued releases that have something, seen from one that hasn't, oldest first."""

    before: tuple[Version, ...]
    after: tuple[Version, ...]

    def __bool__(self) -> bool:
        return bool(self.before or self.after)

    @property
    def text(self) -> str:
        """The nearest release on each side, in words."""
        parts = [f"last in {self.before[-1]}"] if self.before else []
        parts += [f"{'again' if self.before else 'first'} in {self.after[0]}"] if self.after else []
        return ", ".join(parts)


def flag_history(catalogue: Catalogue, name: str) -> History:
    """The releases whose parser has an option string, spelled in full."""
    return _history(catalogue, lambda other: name in other.by_name)


def variable_history(catalogue: Catalogue, name: str) -> History:
    """The releases that read an environment variable."""
    return _history(catalogue, lambda other: name in other.variables)


def key_history(catalogue: Catalogue, class_name: str, key: str) -> History:
    """The releases whose config object has a key."""
    return _history(catalogue, lambda other: key in other.config_classes.get(class_name, ()))


def last_form(engine: EngineName, history: History, name: str) -> Flag | None:
    """A flag as the last release before had it."""
    return load(engine, history.before[-1]).by_name[name] if history.before else None


def _history(catalogue: Catalogue, has: Callable[[Catalogue], bool]) -> History:
    engine, release = catalogue.engine, catalogue.release
    having = [other for other in known_releases(engine) if other != release and has(load(engine, other))]
    return History(tuple(r for r in having if r < release), tuple(r for r in having if r > release))

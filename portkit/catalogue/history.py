"""In which catalogued releases of an engine a flag, a variable or a key of a config object exists."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TypeVar

from packaging.version import Version

from portkit.catalogue.load import known_releases, load
from portkit.catalogue.model import Catalogue, Flag
from portkit.launch import EngineName

T = TypeVar("T")


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


@dataclass(frozen=True, slots=True)
class Run:
    """Catalogued releases that follow one another, from the first to the last of them."""

    first: Version
    last: Version

    def __str__(self) -> str:
        return str(self.first) if self.first == self.last else f"{self.first} to {self.last}"


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


def catalogues(engine: EngineName) -> list[Catalogue]:
    """Every catalogue of an engine, oldest first."""
    return [load(engine, release) for release in known_releases(engine)]


def runs(engine: EngineName, releases: Collection[Version]) -> tuple[Run, ...]:
    """Catalogued releases as runs in which none is missing."""
    return tuple(run for run, _ in periods(engine, dict.fromkeys(releases)))


def periods(engine: EngineName, values: Mapping[Version, T]) -> tuple[tuple[Run, T], ...]:
    """Runs of catalogued releases with one value, oldest first; a release without a value ends a run."""
    found: list[tuple[Run, T]] = []
    before: Version | None = None
    for release in known_releases(engine):
        if release in values:
            value = values[release]
            if found and before == found[-1][0].last and found[-1][1] == value:
                found[-1] = Run(found[-1][0].first, release), value
            else:
                found.append((Run(release, release), value))
        before = release
    return tuple(found)


def _history(catalogue: Catalogue, has: Callable[[Catalogue], bool]) -> History:
    engine, release = catalogue.engine, catalogue.release
    having = [other.release for other in catalogues(engine) if other.release != release and has(other)]
    return History(tuple(r for r in having if r < release), tuple(r for r in having if r > release))

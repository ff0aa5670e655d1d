"""The mapping rows behind a name: where each engine takes the setting, and what carrying it over is called."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from portkit.catalogue.config_objects import type_of_key
from portkit.catalogue.history import Run, catalogues, runs
from portkit.catalogue.load import known_releases
from portkit.catalogue.model import Catalogue
from portkit.conversions.generic import Name, names_of
from portkit.explaining.lifetime import Lifetime
from portkit.explaining.subject import ENGINES
from portkit.launch import EngineName
from portkit.mapping.load import rows
from portkit.mapping.rows import Place, Row, Side
from portkit.verdicts import Verdict

_UNCONVERTED = ("same", "same_variable")


@dataclass(frozen=True, slots=True)
class Use:
    """A place of a row and the catalogued releases that have it, as the row and the catalogues say."""

    place: Place
    releases: tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Counterpart:
    """One engine's half of a row, its places by release.

    `without` is the reason where there is no place: `absent`, `builtin` or `ignored` and the row's
    words. `names` are the value names that don't carry over without remark.
    """

    engine: EngineName
    uses: tuple[Use, ...]
    default: Any
    without: tuple[tuple[str, str], ...]
    names: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class Setting:
    """A row seen from a name. `carried` is the usual verdict towards an engine; a value may get another."""

    row: Row
    sides: tuple[Counterpart, ...]
    carried: tuple[tuple[EngineName, Verdict], ...]


def rows_of(lives: Iterable[Lifetime]) -> list[Row]:
    """The rows with a place on any of the subjects; of a JSON flag those about the flag as a whole."""
    found: dict[str, Row] = {}
    for life in lives:
        engine = life.subject.engine
        places = [(place, row) for row in rows().values() for place in row.side(engine).places]
        own = {row.setting: row for place, row in places if _is_of(place, life)}
        families = {row.setting: row for place, row in places if _is_family_of(place, life)}
        found |= own or families
    return list(found.values())


def keys_of(life: Lifetime) -> Iterator[tuple[str, str]]:
    """The keys of a flag that rows know, with the settings they are."""
    if life.subject.kind == "flag":
        for setting, row in rows().items():
            for place in row.side(life.subject.engine).places:
                if place.key and place.flag in life.names:
                    yield place.key, setting


def setting(row: Row) -> Setting:
    """A row with its places by release."""
    verdicts = ((engine, verdict) for engine in ENGINES if (verdict := _verdict(row, engine)) is not None)
    return Setting(row, tuple(_counterpart(row.side(engine), engine) for engine in ENGINES), tuple(verdicts))


def instead(life: Lifetime, settings: Iterable[Setting]) -> list[Use]:
    """Where the newest release takes what a subject that is gone stood for, by its rows: first places only."""
    newest = known_releases(life.subject.engine)[-1]
    found = []
    for known in () if life.current else settings:
        uses = next(side.uses for side in known.sides if side.engine == life.subject.engine)
        found += [use for use in uses if use.releases[-1].last == newest and not use.place.read_only][:1]
    return found


def _is_of(place: Place, life: Lifetime) -> bool:
    if life.subject.kind == "variable":
        return place.env == life.subject.name
    return place.flag in life.names and (place.key or "") == life.subject.key


def _is_family_of(place: Place, life: Lifetime) -> bool:
    """Whether a place stands for all variables of a beginning, this one among them."""
    name = life.subject.name
    return life.subject.kind == "variable" and place.env not in (None, "*") and fnmatchcase(name, place.env or "")


def _counterpart(side: Side, engine: EngineName) -> Counterpart:
    uses = (
        Use(place, runs(engine, [c.release for c in catalogues(engine) if _has(c, place)])) for place in side.places
    )
    reasons = (("absent", side.absent), ("builtin", side.builtin), ("ignored", side.ignored))
    return Counterpart(
        engine,
        tuple(use for use in uses if use.releases),
        side.default,
        tuple((word, reason) for word, reason in reasons if reason),
        tuple(name for name in names_of(side) if name.reason),
    )


def _has(catalogue: Catalogue, place: Place) -> bool:
    """Whether a release has a place; keys and variables that catalogues don't have are taken at the row's word."""
    if not place.holds_in(catalogue.release):
        return False
    if place.flag is None:
        return True
    flag = catalogue.by_name.get(place.flag)
    if flag is None or place.key is None or flag.config_class is None:
        return flag is not None or place.flag == ""
    if type_of_key(catalogue, place.flag, place.key) is not None:
        return True
    outer = type_of_key(catalogue, place.flag, place.key.rpartition(".")[0])
    return outer is not None and not any(word in catalogue.config_classes for word in re.findall(r"\w+", outer))


def _verdict(row: Row, target: EngineName) -> Verdict | None:
    """The usual verdict of carrying a row to an engine; None where it goes with another setting."""
    source = next(engine for engine in ENGINES if engine != target)
    here, there = row.side(source), row.side(target)
    if not here.places:
        return None
    if here.ignored:
        return "inert"
    if there.builtin:
        return "built-in"
    if there.absent or row.fidelity == "none":
        return "lost"
    if not there.places:
        return None
    if row.fidelity == "approximate":
        return "approximate"
    plain = here.read == "same" and there.write in _UNCONVERTED and not (here.names or there.names)
    return "carried" if plain else "converted"

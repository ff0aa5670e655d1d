"""Which flags and variables of a release have a row, a reason for having none, or nothing yet."""

from __future__ import annotations

import fnmatch
from collections.abc import Collection
from dataclasses import dataclass

from packaging.version import Version

from portkit.catalogue.load import load
from portkit.launch import EngineName
from portkit.mapping.alone import disposition
from portkit.mapping.load import rows
from portkit.mapping.rows import Place

_ARGPARSE_OWN = frozenset({"--help", "-h"})


@dataclass(frozen=True, slots=True)
class Coverage:
    """Names of one release by what is known of them: flags by canonical spelling, or variables."""

    rows: tuple[str, ...]
    alone: tuple[str, ...]
    inert: tuple[str, ...]
    missing: tuple[str, ...]


def flag_coverage(engine: EngineName, release: Version) -> Coverage:
    """Every flag of a release's parser."""
    claimed = {p.flag for row in rows().values() for p in row.side(engine).places if p.flag and p.holds_in(release)}
    mapped: list[str] = []
    others: list[str] = []
    for flag in load(engine, release).flags:
        if flag.name in _ARGPARSE_OWN:
            continue
        (mapped if claimed & {*flag.names, flag.dest} else others).append(flag.name)
    refused = {flag.name for flag in load(engine, release).flags if flag.refused}
    return _sorted(engine, release, mapped, others, refused)


def variable_coverage(engine: EngineName, release: Version) -> Coverage:
    """Every environment variable that a release reads."""
    claimed = [env for env, places in _variables(engine) if any(place.holds_in(release) for place in places)]
    mapped: list[str] = []
    others: list[str] = []
    for name in load(engine, release).variables:
        known = any(fnmatch.fnmatchcase(name, pattern) for pattern in claimed)
        (mapped if known else others).append(name)
    return _sorted(engine, release, mapped, others)


def _variables(engine: EngineName) -> list[tuple[str, list[Place]]]:
    """Variables and families that rows speak of; a family of one engine alone says nothing of its members."""
    found: dict[str, list[Place]] = {}
    for row in rows().values():
        shared = {place.env for place in row.sglang.places} & {place.env for place in row.vllm.places}
        for place in row.side(engine).places:
            if place.env and place.env != "*" and (place.env in shared or not place.env.endswith("*")):
                found.setdefault(place.env, []).append(place)
    return list(found.items())


def _sorted(
    engine: EngineName, release: Version, mapped: list[str], others: list[str], refused: Collection[str] = ()
) -> Coverage:
    alone: list[str] = []
    inert: list[str] = []
    missing: list[str] = []
    for name in others:
        entry = disposition(engine, name, release)
        if entry is None and name not in refused:
            missing.append(name)
        else:
            (alone if entry is not None and entry.verdict != "inert" else inert).append(name)
    return Coverage(tuple(mapped), tuple(alone), tuple(inert), tuple(missing))

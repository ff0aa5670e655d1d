"""Which release a launch is read by: told, named in the text, or the newest that accepts it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import cast

from packaging.version import InvalidVersion, Version

from portkit.catalogue.load import find, known_releases, load
from portkit.catalogue.model import Catalogue
from portkit.catalogue.resolve import accepts, resolve
from portkit.errors import PortkitError
from portkit.launch import EngineName, Launch

_PATTERNS = {
    "sglang": r"(?:lmsysorg/sglang:v|sglang(?:\[[^\]]*\])?\s*==\s*|sglang[ @-]v?)(\d+\.\d+\.\d+(?:\.?(?:post|rc)\d+)?)",
    "vllm": r"(?:vllm/vllm-openai:v|vllm(?:\[[^\]]*\])?\s*==\s*|vllm[ @-]v?)(\d+\.\d+\.\d+(?:\.?(?:post|rc)\d+)?)",
}


@dataclass(frozen=True, slots=True)
class Chosen:
    """A release's catalogue and why it was taken."""

    catalogue: Catalogue
    reason: str


def split_engine(text: str) -> tuple[str, str | None]:
    """`vllm@0.20.1` as engine and release; the release may be left out."""
    engine, separator, release = text.partition("@")
    return engine.strip().lower(), release.strip() if separator else None


def choose_target(text: str) -> Chosen:
    """The release to write for. Raises PortkitError for an engine or release without a catalogue."""
    engine, release = split_engine(text)
    version, note = find(engine, release or "latest")
    reason = note or ("as asked" if release else "the newest catalogued")
    return Chosen(load(cast(EngineName, engine), version), reason)


def choose_release(launch: Launch, asked: str | None) -> Chosen:
    """The release to read a launch by. Raises PortkitError where `asked` names another engine."""
    if asked is not None:
        engine, release = split_engine(asked)
        if engine != launch.engine:
            find(engine, "latest")
            raise PortkitError(
                f"the launch is of {launch.engine}, not of {engine}",
                source=launch.source,
                span=launch.span,
                hint=f"say --from {launch.engine}@RELEASE, or pick another launch with --launch",
            )
        if release is not None:
            version, note = find(engine, release)
            return Chosen(load(launch.engine, version), note or "as asked")
    named = _named(launch)
    return named or _newest_accepting(launch)


def accepting(launch: Launch) -> list[tuple[Version, str]]:
    """Every catalogued release of the launch's engine with what it would refuse first; empty where nothing."""
    verdicts = []
    for version in known_releases(launch.engine):
        resolution = resolve(launch, load(launch.engine, version))
        problem = next((p for p in resolution.problems if p.kind not in ("opaque", "ignored")), None)
        verdicts.append((version, problem.message if problem is not None else ""))
    return verdicts


def _named(launch: Launch) -> Chosen | None:
    """The release that the script's own text names, if a catalogue serves it."""
    found = re.findall(_PATTERNS[launch.engine], launch.source.text, re.IGNORECASE)
    for text in dict.fromkeys(found):
        try:
            version, note = find(launch.engine, text)
        except PortkitError:
            return _nearest(launch, text)
        return Chosen(load(launch.engine, version), f"the script names {text}" + (f"; {note}" if note else ""))
    return None


def _nearest(launch: Launch, text: str) -> Chosen | None:
    try:
        wanted = Version(text)
    except InvalidVersion:
        return None
    releases = known_releases(launch.engine)
    nearest = min((r for r in releases if r >= wanted), default=releases[-1])
    return Chosen(load(launch.engine, nearest), f"the script names {text}, which has no catalogue: read as {nearest}")


def _newest_accepting(launch: Launch) -> Chosen:
    fewest: tuple[int, Catalogue] | None = None
    for version in reversed(known_releases(launch.engine)):
        catalogue = load(launch.engine, version)
        resolution = resolve(launch, catalogue)
        if accepts(resolution):
            return Chosen(catalogue, "the newest catalogued release that accepts the launch")
        if fewest is None or len(resolution.problems) < fewest[0]:
            fewest = len(resolution.problems), catalogue
    assert fewest is not None
    return Chosen(fewest[1], "no catalogued release accepts the whole launch; this one refuses least of it")

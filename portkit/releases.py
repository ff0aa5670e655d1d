"""Which release a launch is read by: told, named in the text, or the newest that accepts it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from packaging.version import Version

from portkit.catalogue.load import find, known_releases, load
from portkit.catalogue.model import Catalogue
from portkit.catalogue.resolve import accepts, resolve
from portkit.errors import PortkitError
from portkit.evidence import Evidence, ReadFile, evidence
from portkit.launch import EngineName, Launch


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


def choose_release(launch: Launch, asked: str | None, read_file: ReadFile | None = None) -> Chosen:
    """The release to read a launch by, and why.

    `read_file` gives the text of a requirements file that the script installs, None where there is
    none. Raises PortkitError where `asked` names another engine.
    """
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
    found = evidence(launch.source.text, launch.engine, read_file)
    return _named(launch, found) or _within(launch, found) or _newest_accepting(launch, found)


def accepting(launch: Launch) -> list[tuple[Version, Version, str]]:
    """Runs of catalogued releases, first and last, with what each would refuse first; empty where nothing."""
    runs: list[tuple[Version, Version, str]] = []
    for version in known_releases(launch.engine):
        resolution = resolve(launch, load(launch.engine, version))
        problem = next((p for p in resolution.problems if p.kind not in ("opaque", "ignored")), None)
        refusal = problem.message if problem is not None else ""
        if runs and runs[-1][2] == refusal:
            runs[-1] = runs[-1][0], version, refusal
        else:
            runs.append((version, version, refusal))
    return runs


def _named(launch: Launch, found: list[Evidence]) -> Chosen | None:
    """The release that the text names: by image, package or checkout, else by words that fit the launch."""
    line = launch.source.position(launch.span.start)[0]
    exact = [item for item in found if item.exact is not None]
    firm = [item for item in exact if item.kind != "text"]
    firm = [item for item in firm if not item.commented] or firm
    if firm:
        taken = max(firm, key=lambda item: (_line(item) <= line, _line(item) if _line(item) <= line else -_line(item)))
        return _chosen(launch, taken, firm)
    for item in exact:
        chosen = _chosen(launch, item, exact)
        if accepts(resolve(launch, chosen.catalogue)):
            return chosen
    return None


def _line(item: Evidence) -> int:
    number = item.place.removeprefix("line ")
    return int(number) if number.isdigit() else 0


def _chosen(launch: Launch, item: Evidence, others: list[Evidence]) -> Chosen:
    assert item.exact is not None
    version, note = _served_by(launch.engine, item.exact)
    reasons = [item.text] + ([note] if note else [])
    elsewhere = next((other for other in others if other.exact != item.exact), None)
    reasons += [f"but {elsewhere.text}"] if elsewhere is not None else []
    return Chosen(load(launch.engine, version), "; ".join(reasons))


def _served_by(engine: EngineName, text: str) -> tuple[Version, str | None]:
    """The catalogued release for one that a script names, the next newer where its own is missing."""
    try:
        return find(engine, text)
    except PortkitError:
        wanted, releases = Version(text), known_releases(engine)
        nearest = min((r for r in releases if r >= wanted), default=releases[-1])
        return nearest, f"no catalogue of {engine} {text}: read as {nearest}"


def _within(launch: Launch, found: list[Evidence]) -> Chosen | None:
    """The newest accepting release of a range that the script asks for, as in `vllm>=0.10,<0.12`."""
    for item in sorted(found, key=lambda item: item.commented):
        if item.releases is None or item.exact is not None:
            continue
        inside = [r for r in known_releases(launch.engine) if r in item.releases]
        for version in reversed(inside):
            if accepts(resolve(launch, load(launch.engine, version))):
                return Chosen(load(launch.engine, version), f"{item.text}: the newest that accepts the launch")
    return None


def _newest_accepting(launch: Launch, found: list[Evidence]) -> Chosen:
    unsaid = _unsaid(found)
    fewest: tuple[int, Catalogue] | None = None
    for version in reversed(known_releases(launch.engine)):
        catalogue = load(launch.engine, version)
        resolution = resolve(launch, catalogue)
        if accepts(resolution):
            return Chosen(catalogue, f"the newest catalogued release that accepts the launch{unsaid}")
        if fewest is None or len(resolution.problems) < fewest[0]:
            fewest = len(resolution.problems), catalogue
    assert fewest is not None
    return Chosen(fewest[1], f"no catalogued release accepts the whole launch; this one refuses least of it{unsaid}")


def _unsaid(found: list[Evidence]) -> str:
    """What the text names without saying a release that could be taken."""
    for item in found:
        if item.releases is None:
            return f"; {item.text} names none"
        return f"; {item.text} doesn't fit the launch"
    return ""

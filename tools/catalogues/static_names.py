"""The static reading's option strings of every release in one file, which tests hold against the catalogues.

The file spares a test the wheels: it has, for each engine, the releases it was read from and for each
name the first and last of each run of releases that have it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from packaging.version import Version

NAMES = Path(__file__).resolve().parents[2] / "tests" / "catalogue" / "reference" / "static_names.json"

Names = dict[str, dict[str, set[str]]]
"""Engine -> release -> option strings."""


def recorded(path: Path = NAMES) -> Names:
    """What the file says; nothing where there is none yet."""
    if not path.exists():
        return {}
    document = json.loads(path.read_text(encoding="utf-8"))
    return {engine: _by_release(**section) for engine, section in document.items()}


def record(names: Mapping[str, Mapping[str, set[str]]], path: Path = NAMES) -> None:
    """Write the file: one name a line, so that a release shows as the lines it changes."""
    path.write_text("{\n" + ",\n".join(_section(e, names[e]) for e in sorted(names)) + "\n}\n", encoding="utf-8")


def _by_release(releases: list[str], names: dict[str, list[list[str]]]) -> dict[str, set[str]]:
    order = {release: index for index, release in enumerate(releases)}
    found: dict[str, set[str]] = {release: set() for release in releases}
    for name, runs in names.items():
        for first, last in runs:
            for release in releases[order[first] : order[last] + 1]:
                found[release].add(name)
    return found


def _section(engine: str, by_release: Mapping[str, set[str]]) -> str:
    releases = sorted(by_release, key=Version)
    every = sorted(set().union(*by_release.values()))
    lines = [f"{json.dumps(name)}: {json.dumps(_runs(name, releases, by_release))}" for name in every]
    listed = f'"releases": {json.dumps(releases)}'
    return f'"{engine}": {{\n{listed},\n"names": {{\n' + ",\n".join(lines) + "\n}}"


def _runs(name: str, releases: Iterable[str], by_release: Mapping[str, set[str]]) -> list[list[str]]:
    runs: list[list[str]] = []
    open_run = False
    for release in releases:
        if name not in by_release[release]:
            open_run = False
        elif open_run:
            runs[-1][1] = release
        else:
            runs.append([release, release])
            open_run = True
    return runs

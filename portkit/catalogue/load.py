"""Reading the catalogues that travel with portkit, and finding the one for a release."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast, get_args

from packaging.version import InvalidVersion, Version

from portkit.catalogue.model import Catalogue, Flag, Variable
from portkit.data import data_root
from portkit.errors import PortkitError
from portkit.launch import EngineName

_SWITCHES = ("store_true", "store_false", "boolean_optional")
_SEQUENCES = ("names", "choices", "negatives", "hidden")


@cache
def load(engine: EngineName, release: Version) -> Catalogue:
    """The catalogue of exactly that release. Raises PortkitError for an engine or release it hasn't."""
    if release not in known_releases(engine):
        raise _no_catalogue(engine, release)
    document = json.loads(_path(engine, release).read_text(encoding="utf-8"))
    return Catalogue(
        engine=engine,
        release=release,
        flags=tuple(_flag(row) for row in document["flags"]),
        variables={row["name"]: Variable(**row) for row in document["variables"]},
        config_classes=document.get("config_classes", {}),
        registries=document.get("registries", {}),
    )


@cache
def known_releases(engine: str) -> list[Version]:
    """The catalogued releases, oldest first. Raises PortkitError for an engine portkit doesn't know."""
    return sorted(Version(path.stem) for path in _folder(_engine(engine)).glob("*.json"))


def find(engine: str, text: str) -> tuple[Version, str | None]:
    """The catalogued release that `text` names, and a note where it isn't exactly that one.

    `latest` is the newest catalogued one. A release whose own catalogue is missing is read by one
    of the same base version (0.5.12 by 0.5.12.post1): those fix bugs and keep the flags. Raises
    PortkitError for an unknown engine, for text that is no release, and for a release of a base
    version without a catalogue.
    """
    name = _engine(engine)
    releases = known_releases(name)
    if text.strip().lower() == "latest":
        return releases[-1], None
    try:
        wanted = Version(text)
    except InvalidVersion:
        raise PortkitError(f"{text!r} is no release of {name}", hint=_known_hint(name)) from None
    if wanted in releases:
        return wanted, None
    public = Version(wanted.public)
    same_base = [release for release in releases if release.base_version == wanted.base_version]
    if not same_base:
        raise _no_catalogue(name, wanted)
    chosen = public if public in same_base else same_base[-1]
    return chosen, f"no catalogue of {name} {wanted}: read as {chosen}"


def implied(row: Mapping[str, Any]) -> dict[str, Any]:
    """What a flag's record needn't say, because its names and action already do."""
    names = row["names"]
    long = [name for name in names if name.startswith("--")]
    action = row.get("action", "store")
    return {
        "dest": (long or names or [""])[0].lstrip("-").replace("-", "_"),
        "type": "bool" if action in _SWITCHES else "str",
        "default": {"store_true": False, "store_false": True}.get(action),
        "choices": None,
        "nargs": None,
        "action": "store",
        "const": None,
        "negatives": [f"--no-{name[2:]}" for name in long] if action == "boolean_optional" else [],
        "hidden": [],
        "required": False,
        "nullable": False,
        "config_class": None,
        "deprecated": False,
        "replacement": None,
        "ignored": False,
        "refused": False,
    }


def _flag(row: dict[str, Any]) -> Flag:
    values = {**implied(row), **row}
    for key in _SEQUENCES:
        if values[key] is not None:
            values[key] = tuple(values[key])
    return Flag(**values)


def _engine(name: str) -> EngineName:
    known = get_args(EngineName)
    if name in known:
        return cast(EngineName, name)
    near = difflib.get_close_matches(name.lower(), known, n=1)
    hint = f"did you mean {near[0]}? " if near else ""
    raise PortkitError(f"unknown engine {name!r}", hint=f"{hint}portkit knows {', '.join(known)}")


def _folder(engine: EngineName) -> Path:
    return data_root() / "mappings" / "releases" / engine


def _path(engine: EngineName, release: Version) -> Path:
    return _folder(engine) / f"{release}.json"


def _no_catalogue(engine: EngineName, wanted: Version) -> PortkitError:
    releases = known_releases(engine)
    older = [release for release in releases if release < wanted][-1:]
    newer = [release for release in releases if release > wanted][:1]
    nearest = " and ".join(str(release) for release in [*older, *newer])
    return PortkitError(f"no catalogue of {engine} {wanted}", hint=f"the nearest releases with one: {nearest}")


def _known_hint(engine: EngineName) -> str:
    return f"catalogued releases: {', '.join(map(str, known_releases(engine)))}"

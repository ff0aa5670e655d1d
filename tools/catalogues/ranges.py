"""Whether the releases that mapping rows state are those whose catalogues have the flag, key, variable or choice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from packaging.specifiers import SpecifierSet
from packaging.version import Version
from ruamel.yaml import YAML

from portkit.catalogue.load import known_releases, load
from portkit.catalogue.model import Catalogue
from portkit.launch import EngineName

MAPPINGS = Path(__file__).resolve().parents[2] / "mappings"
_FLOW_MAPPING = re.compile(r'\{((?:"(?:[^"\\]|\\.)*"|[^{}"])*)\}')
_OWN = {"sglang": ("SGLANG_", "SGL_"), "vllm": ("VLLM_",)}


@dataclass(frozen=True)
class Mismatch:
    """A place or name of a row whose stated releases aren't those that have it.

    `at` is the line and column, from 0, of the flow mapping or plain value; `derived` the specifier
    that the catalogues give, None where no catalogued release has it or where one specifier can't
    say it.
    """

    file: Path
    setting: str
    engine: str
    what: str
    stated: str
    derived: str | None
    wrong: tuple[Version, ...]
    at: tuple[int, int]

    def __str__(self) -> str:
        wrong = ", ".join(map(str, self.wrong))
        return (
            f"{self.file.name}: {self.setting}: {self.engine} {self.what}: "
            f"{self.stated or 'every release'} should be {self.derived!r} (wrong for {wrong})"
        )


def specifier(having: list[Version], known: list[Version]) -> str | None:
    """The PEP 440 range that holds exactly the catalogued releases `having`; None where there's a gap or none."""
    if not having:
        return None
    first, last = known.index(having[0]), known.index(having[-1])
    if having != known[first : last + 1]:
        return None
    parts = [f">={having[0]}"] if first else []
    parts += [f"<{known[last + 1]}"] if last + 1 < len(known) else []
    return ",".join(parts)


def mismatches(files: list[Path] | None = None) -> Iterator[Mismatch]:
    """Every place and name of the rows whose stated releases differ from the catalogues'."""
    yaml = YAML()
    for file in files or sorted(MAPPINGS.glob("*.yaml")):
        for row in yaml.load(file.read_text(encoding="utf-8")):
            for engine in _OWN:
                yield from _of_side(file, row, engine)  # type: ignore[arg-type]


def _of_side(file: Path, row: Any, engine: EngineName) -> Iterator[Mismatch]:
    side = row.get(engine) or {}
    for place in side.get("places", ()):
        if place.get("env") and not place["env"].startswith(_OWN[engine]):
            continue
        what = " ".join(str(place[key]) for key in ("flag", "key", "env") if place.get(key))
        at = (place.lc.line, place.lc.col)
        yield from _mismatch(file, row["setting"], engine, what, place, at, partial(_has, place=place))
    names = side.get("names") or {}
    places = [place for place in side.get("places", ()) if place.get("flag") and not place.get("read_only")]
    if not places:
        return
    if isinstance(names, list):
        entries = [(entry["name"], entry, (entry.lc.line, entry.lc.col)) for entry in names]
    else:
        entries = [(native, entry, names.lc.value(native)) for native, entry in names.items()]
    for native, entry, at in entries:
        node = entry if isinstance(entry, dict) else {}
        if not node.get("read_only"):
            test = partial(_takes, places=places, native=native)
            # A name may be stated more narrowly than it exists: a later one is preferred.
            for found in _mismatch(file, row["setting"], engine, f"name {native}", node, at, test):
                stated = SpecifierSet(found.stated, prereleases=True)
                if any(release in stated for release in found.wrong):
                    yield found


def _mismatch(
    file: Path, setting: str, engine: EngineName, what: str, node: Any, at: tuple[int, int], has: Any
) -> Iterator[Mismatch]:
    known = known_releases(engine)
    found = {release: has(load(engine, release)) for release in known}
    asked = [release for release in known if found[release] is not None]
    having = [release for release in asked if found[release]]
    stated = node.get("releases", "")
    holds = SpecifierSet(stated, prereleases=True)
    wrong = tuple(release for release in asked if (release in holds) != found[release])
    if wrong:
        yield Mismatch(file, setting, engine, what, stated, specifier(having, asked), wrong, at)


def _has(catalogue: Catalogue, place: Any) -> bool | None:
    """Whether a release has a place; None where it has the flag and its keys aren't known."""
    if place.get("env"):
        name = place["env"]
        return (
            any(v.startswith(name[:-1]) for v in catalogue.variables)
            if name[-1] == "*"
            else name in catalogue.variables
        )
    flag = catalogue.by_name.get(place["flag"]) or catalogue.by_dest.get(place["flag"])
    if flag is None:
        return False
    fields = catalogue.config_classes.get(flag.config_class or "")
    if "key" not in place:
        return True
    return place["key"].split(".")[0] in fields if fields is not None else None


def _takes(catalogue: Catalogue, places: list[Any], native: str) -> bool | None:
    """Whether the flag or key that is written in a release takes a name; None where no list says."""
    for place in places:
        flag = catalogue.by_name.get(place["flag"])
        if flag is not None and catalogue.release in SpecifierSet(place.get("releases", ""), prereleases=True):
            if place.get("key"):
                known = catalogue.registries.get(f"{flag.dest}.{place['key']}")
            else:
                known = flag.choices or catalogue.registries.get(flag.dest)
            return native in known if known else None
    return None


def check(*, write: bool) -> int:
    """Print where rows and catalogues disagree, or mend it; 1 where something is left to do."""
    found = list(mismatches())
    if write:
        for file in {mismatch.file for mismatch in found}:
            of_file = [mismatch for mismatch in found if mismatch.file == file]
            file.write_text(patch(file.read_text(encoding="utf-8"), of_file), encoding="utf-8")
        found = [mismatch for mismatch in found if mismatch.derived is None]
    for mismatch in found:
        print(mismatch)
    return int(bool(found))


def patch(text: str, found: list[Mismatch]) -> str:
    """The rows' text with the derived releases; what can't be derived, and names with other keys, stay."""
    lines = text.splitlines(keepends=True)
    for mismatch in sorted(found, key=lambda m: m.at, reverse=True):
        if mismatch.derived is None:
            continue
        line, column = mismatch.at
        lines[line] = lines[line][:column] + _patched(lines[line][column:], mismatch.derived)
    return "".join(lines)


def _patched(rest: str, derived: str) -> str:
    """The flow mapping or plain value that `rest` begins with, with a `releases` of its own."""
    if not rest.startswith("{"):
        value = re.match(r"[^,}\n]+", rest)
        assert value is not None
        return f'{{is: {value[0].strip()}, releases: "{derived}"}}' + rest[value.end() :]
    mapping = _FLOW_MAPPING.match(rest)
    assert mapping is not None
    inside = re.sub(r', releases: "[^"]*"', "", mapping[1])
    new = f', releases: "{derived}"' if derived else ""
    return "{" + inside + new + "}" + rest[mapping.end() :]

"""What a name on the command line of `portkit explain` may mean."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal, get_args

from portkit.catalogue.argparse_rules import option_table
from portkit.catalogue.config_objects import type_of_key
from portkit.catalogue.history import catalogues
from portkit.errors import PortkitError
from portkit.launch import EngineName
from portkit.mapping.load import rows
from portkit.mapping.rows import Place

Kind = Literal["flag", "key", "variable"]
_SHORTEST = len("--tp")
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]+")
ENGINES: tuple[EngineName, ...] = get_args(EngineName)


@dataclass(frozen=True, slots=True)
class Subject:
    """One thing of one engine. `name` is an option string or a variable, `key` the dotted path inside a flag."""

    engine: EngineName
    kind: Kind
    name: str
    key: str = ""

    def __str__(self) -> str:
        return f"{self.name}.{self.key}" if self.key else self.name


def find_subjects(text: str, engines: Sequence[EngineName] = ENGINES) -> list[Subject]:
    """Everything a name means in some catalogued release; empty for a setting's name.

    Dashes in front may be left out, underscores may stand for dashes, and a value after `=` is
    ignored. Raises PortkitError with the nearest names where nothing is called so.
    """
    name = text.partition("=")[0].strip()
    if name in rows():
        return []
    for find in (_variables, _flags, _keys):
        found = find(name)
        subjects = [subject for subject in found if subject.engine in engines]
        if subjects:
            return subjects
        if found:
            raise PortkitError(f"{engines[0]} has no {name} in any catalogued release; {found[0].engine} has it")
    raise _unknown(name)


def _variables(name: str) -> list[Subject]:
    """Variables of the catalogues, else members of the families that rows know (`NCCL_*`)."""
    if not _VARIABLE.fullmatch(name):
        return []
    read = [engine for engine in ENGINES if any(name in c.variables for c in catalogues(engine))]
    return [Subject(e, "variable", name) for e in read or [e for e in ENGINES if _in_family(e, name)]]


def _in_family(engine: EngineName, name: str) -> bool:
    return any(fnmatchcase(name, place.env) for place in _places(engine) if place.env and place.env != "*")


def _flags(name: str) -> list[Subject]:
    """Flags spelled so, and beginnings of flags where an engine has none spelled so."""
    return [Subject(e, "flag", option) for e in ENGINES if (option := _option(e, name) or _abbreviation(e, name))]


def _option(engine: EngineName, name: str) -> str | None:
    """The spelling that some release's parser has, the more literal one first."""
    return next((s for s in _spellings(name) if any(s in c.by_name for c in catalogues(engine))), None)


def _spellings(name: str) -> list[str]:
    dashed = name.replace("_", "-")
    if name.startswith("-"):
        return [name, dashed]
    return [f"--{name}", f"--{dashed}", f"-{name}"]


def _keys(name: str) -> list[Subject]:
    head, dot, key = name.partition(".")
    if not dot or not head.strip("-") or not key:
        return []
    found = [Subject(e, "key", option, key) for e in ENGINES if (option := _option(e, head))]
    return [subject for subject in found if _has_key(subject)] or _refuse_key(found)


def _has_key(subject: Subject) -> bool:
    """Whether any release's config object has the key, or a row knows it."""
    stated = any(place.flag == subject.name and place.key == subject.key for place in _places(subject.engine))
    return stated or any(type_of_key(c, subject.name, subject.key) for c in catalogues(subject.engine))


def _refuse_key(found: list[Subject]) -> list[Subject]:
    for subject in found:
        classes = {
            name: fields
            for catalogue in catalogues(subject.engine)
            if subject.name in catalogue.by_name and (name := catalogue.by_name[subject.name].config_class)
            for fields in [catalogue.config_classes.get(name, {})]
        }
        known = sorted({key for fields in classes.values() for key in fields})
        if not known:
            raise PortkitError(f"the keys of {subject.name} of {subject.engine} are not catalogued, only the flag is")
        near = difflib.get_close_matches(subject.key, known, n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else f"its keys are those of {', '.join(classes)}"
        raise PortkitError(f"{subject.name} of {subject.engine} has no key {subject.key} in any release", hint=hint)
    return []


def _abbreviation(engine: EngineName, name: str) -> str | None:
    """An option string that some release's parser would take as the beginning of others."""
    option = name if name.startswith("--") else f"--{name.lstrip('-')}"
    if len(option) < _SHORTEST:
        return None
    return option if any(option_table(c).starting_with(option) for c in catalogues(engine)) else None


def _unknown(name: str) -> PortkitError:
    options = {option for engine in ENGINES for c in catalogues(engine) for option in c.by_name}
    variables = {variable for engine in ENGINES for c in catalogues(engine) for variable in c.variables}
    known = sorted({*options, *variables, *rows()})
    wanted = [name, f"--{name.lstrip('-').replace('_', '-')}", name.upper()]
    near = dict.fromkeys(n for text in wanted for n in difflib.get_close_matches(text, known, n=3, cutoff=0.75))
    listed = list(near)[:3]
    hint = (
        f"did you mean {' or '.join(listed)}?"
        if listed
        else "give a flag, a key such as speculative-config.method, a variable, or a setting such as cuda_graphs.mode"
    )
    return PortkitError(f"no flag, key, variable or setting is called {name or 'that'}", hint=hint)


def _places(engine: EngineName) -> Iterator[Place]:
    for row in rows().values():
        yield from row.side(engine).places

"""The life of one flag, key or variable over the catalogued releases of its engine."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from packaging.version import Version

from portkit.catalogue.argparse_rules import option_table
from portkit.catalogue.changes import Change, flag_changes, variable_changes
from portkit.catalogue.config_objects import type_of_key
from portkit.catalogue.history import Run, catalogues, periods, runs
from portkit.catalogue.load import known_releases
from portkit.catalogue.model import Catalogue, Flag, Variable
from portkit.catalogue.resolve import resolve
from portkit.explaining.subject import Subject
from portkit.launch import EngineName, Launch, literal
from portkit.source import SourceText, Span

# vLLM's check of VLLM_ names it doesn't know, envs.py.
_VLLM_WARNS = Version("0.17.0")

OutcomeKind = Literal["unrecognized", "ambiguous", "abbreviation", "rewritten", "refused", "unread", "warned", "copied"]


@dataclass(frozen=True, slots=True)
class Deprecation:
    """What a release says of something it is about to drop; `ignored` does nothing, `refused` stops it."""

    replacement: str | None
    ignored: bool = False
    refused: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a release that doesn't have a name does with it, and the names that it takes it for."""

    kind: OutcomeKind
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Lifetime:
    """Where a subject exists and what became of it.

    `known` are the releases that have it. `catalogued` is False for what only rows know: a variable of
    the system, and a key whose config object isn't catalogued, for which `known` has the flag's releases.
    `spellings` and `opposites` are other names of the same flag, `same_place` names of flags that store
    into the same place where this one is another flag or absent. `form` is what the newest release that
    has it says; for a key the type text. `otherwise` is what releases without it do, those before the
    first one with it left out.
    """

    subject: Subject
    known: tuple[Run, ...]
    gone_in: tuple[Version, ...]
    form: Flag | Variable | str | None
    catalogued: bool = True
    deprecated: tuple[tuple[Run, Deprecation], ...] = ()
    changes: tuple[tuple[Version, Change], ...] = ()
    spellings: Mapping[str, tuple[Run, ...]] = field(default_factory=dict)
    opposites: Mapping[str, tuple[Run, ...]] = field(default_factory=dict)
    same_place: Mapping[str, tuple[Run, ...]] = field(default_factory=dict)
    otherwise: tuple[tuple[Run, Outcome], ...] = ()

    @property
    def current(self) -> bool:
        """Whether the newest catalogued release has it."""
        return bool(self.known) and self.known[-1].last == known_releases(self.subject.engine)[-1]

    @property
    def names(self) -> set[str]:
        """Every spelling that rows may know it by."""
        return {self.subject.name, *self.spellings, *self.opposites, *self.same_place}


def lifetime(subject: Subject) -> Lifetime:
    """Read all catalogues of the subject's engine."""
    return {"flag": _flag, "variable": _variable, "key": _key}[subject.kind](subject)


def _flag(subject: Subject) -> Lifetime:
    engine, name = subject.engine, subject.name
    forms = {c.release: c.by_name[name] for c in catalogues(engine) if name in c.by_name}
    dests = {form.dest for form in forms.values()}
    spellings, opposites, same_place = (defaultdict[str, list[Version]](list) for _ in range(3))
    for catalogue in catalogues(engine):
        own = forms.get(catalogue.release)
        for flag in catalogue.flags:
            if flag is own:
                for other in (*flag.names, *flag.negatives):
                    opposite = (other in flag.negatives) != (name in flag.negatives)
                    (opposites if opposite else spellings)[other].append(catalogue.release)
            elif flag.dest in dests:
                for other in flag.names:
                    same_place[other].append(catalogue.release)
    spellings.pop(name, None)
    deprecated = {r: Deprecation(f.replacement, f.ignored, f.refused) for r, f in forms.items() if f.deprecated}
    return Lifetime(
        subject,
        known=runs(engine, forms),
        gone_in=_gone_in(engine, forms),
        form=next(reversed(forms.values()), None),
        deprecated=periods(engine, deprecated),
        changes=tuple((now, change) for was, now in _steps(forms) for change in flag_changes(forms[was], forms[now])),
        spellings=_by_runs(engine, spellings),
        opposites=_by_runs(engine, opposites),
        same_place=_by_runs(engine, same_place),
        otherwise=_otherwise(subject, forms),
    )


def _variable(subject: Subject) -> Lifetime:
    engine, name = subject.engine, subject.name
    forms = {c.release: c.variables[name] for c in catalogues(engine) if name in c.variables}
    deprecated = {r: Deprecation(v.replacement) for r, v in forms.items() if v.replacement}
    steps = ((now, variable_changes(forms[was], forms[now])) for was, now in _steps(forms))
    return Lifetime(
        subject,
        known=runs(engine, forms),
        gone_in=_gone_in(engine, forms),
        form=next(reversed(forms.values()), None),
        catalogued=bool(forms),
        deprecated=periods(engine, deprecated),
        changes=tuple((release, change) for release, changes in steps for change in changes),
        otherwise=_otherwise(subject, forms),
    )


def _key(subject: Subject) -> Lifetime:
    engine, name, key = subject.engine, subject.name, subject.key
    kinds = {c.release: kind for c in catalogues(engine) if (kind := type_of_key(c, name, key))}
    known = kinds or {c.release: "" for c in catalogues(engine) if name in c.by_name}
    steps = ((now, Change("type", known[was], known[now])) for was, now in _steps(known) if known[was] != known[now])
    return Lifetime(
        subject,
        known=runs(engine, known),
        gone_in=_gone_in(engine, known),
        form=next(reversed(kinds.values()), None),
        catalogued=bool(kinds),
        changes=tuple(steps),
        spellings=lifetime(Subject(engine, "flag", name)).spellings,
        otherwise=_otherwise(subject, known),
    )


def _steps(forms: Mapping[Version, object]) -> Iterator[tuple[Version, Version]]:
    return pairwise(forms)


def _gone_in(engine: EngineName, forms: Mapping[Version, object]) -> tuple[Version, ...]:
    """The first release without it after each run of releases with it."""
    order = [catalogue.release for catalogue in catalogues(engine)]
    return tuple(after for before, after in pairwise(order) if before in forms and after not in forms)


def _by_runs(engine: EngineName, having: Mapping[str, list[Version]]) -> dict[str, tuple[Run, ...]]:
    return {name: runs(engine, releases) for name, releases in having.items()}


def _otherwise(subject: Subject, forms: Mapping[Version, object]) -> tuple[tuple[Run, Outcome], ...]:
    first = next(iter(forms), None)
    missing = [c for c in catalogues(subject.engine) if c.release not in forms and (first is None or c.release > first)]
    return periods(subject.engine, {c.release: _outcome(subject, c) for c in missing})


def _outcome(subject: Subject, catalogue: Catalogue) -> Outcome:
    if subject.kind == "variable":
        return _variable_outcome(subject.name, catalogue)
    if subject.kind == "key" and subject.name in catalogue.by_name:
        return Outcome("refused")
    return _flag_outcome(subject.name, catalogue)


def _flag_outcome(name: str, catalogue: Catalogue) -> Outcome:
    """What the release's own parser makes of an option string that it hasn't."""
    resolution = resolve(_launch(catalogue, "m", name, "1"), catalogue)
    for argument in resolution.arguments.values():
        if argument.option == name:
            if argument.abbreviated:
                return Outcome("abbreviation", option_table(catalogue).starting_with(name))
            return Outcome("rewritten", (argument.flag.name,))
    for problem in resolution.problems:
        if problem.kind == "ambiguous" and problem.subject == name:
            return Outcome("ambiguous", problem.suggestions)
        if problem.kind not in ("unrecognized", "missing_required") and problem.subject.startswith(name):
            return Outcome("abbreviation", (problem.subject,))
    return Outcome("unrecognized")


def _variable_outcome(name: str, catalogue: Catalogue) -> Outcome:
    if catalogue.engine == "vllm" and name.startswith("VLLM_") and catalogue.release >= _VLLM_WARNS:
        return Outcome("warned")
    taken = resolve(_launch(catalogue, variable=name), catalogue).environment[name].variable
    return Outcome("unread") if taken is None else Outcome("copied", (taken.name,))


def _launch(catalogue: Catalogue, *words: str, variable: str | None = None) -> Launch:
    place = Span(0, 0)
    return Launch(
        SourceText("explain", " ".join(words)),
        catalogue.engine,
        "vllm serve" if catalogue.engine == "vllm" else "python -m sglang.launch_server",
        [literal(word, place) for word in words],
        place,
        environment={variable: literal("1", place)} if variable else {},
    )

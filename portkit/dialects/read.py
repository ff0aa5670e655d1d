"""A resolved launch as a canonical document, through the mapping rows."""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Iterable, Iterator
from typing import Any

from portkit.catalogue.resolution import Argument, EnvironmentValue, Problem, Resolution, Unknown
from portkit.conversions import READERS, load_all
from portkit.conversions.reading import Found, ReadContext, Reading, key_of
from portkit.deployment.schema import (
    Deployment,
    Facts,
    Provenance,
    Setting,
    Unmapped,
    Written,
    text_of,
)
from portkit.launch import Ref, Word, shell_quote
from portkit.mapping.load import rows
from portkit.mapping.rows import Place, Row
from portkit.secrets import is_secret
from portkit.source import SourceText, Span


def read_deployment(resolution: Resolution, facts: Facts, release_reason: str) -> Deployment:
    """Every flag and variable of the launch as a setting, or by name in `unmapped`."""
    load_all()
    return _Reader(resolution, facts).document(release_reason)


class _Reader:
    """Reads rows on demand, each once, so that conversions may ask for one another's results."""

    def __init__(self, resolution: Resolution, facts: Facts) -> None:
        self.resolution = resolution
        self.facts = facts
        self.settings: dict[str, Setting | None] = {}
        self.claimed: set[tuple[str, str]] = set()
        self.context = ReadContext(resolution, facts, lambda name: self._setting(rows()[name]))

    def document(self, release_reason: str) -> Deployment:
        for row in rows().values():
            if not row.setting.endswith(".*"):
                self._setting(row)
        for row in rows().values():
            if row.setting.endswith(".*"):
                self._family(row)
        notes = [note.message for note in self.resolution.launch.notes]
        return Deployment(
            engine=self.resolution.catalogue.engine,
            release=str(self.resolution.catalogue.release),
            release_reason=release_reason,
            launch=self.resolution.launch.name,
            settings=self._in_order(),
            unmapped=tuple(self._unmapped()),
            facts=self.facts,
            notes=tuple(dict.fromkeys([*notes, *self.context.notes])),
        )

    def _in_order(self) -> dict[str, Setting]:
        """The settings in the rows' order, however they were asked for; families after their row."""
        order = {name: index for index, name in enumerate(rows())}
        found = {name: setting for name, setting in self.settings.items() if setting is not None}
        return dict(sorted(found.items(), key=lambda item: order.get(item[0], order.get(_family_of(item[0]), 0))))

    def _setting(self, row: Row) -> Setting | None:
        if row.setting not in self.settings:
            self.settings[row.setting] = None  # a cycle reads as not set
            reading = READERS[row.side(self.context.engine).read](row, self.context)
            if reading is not None:
                self.settings[row.setting] = self._make(row, row.setting, reading)
        return self.settings[row.setting]

    def _make(self, row: Row, name: str, reading: Reading) -> Setting:
        for found in reading.found:
            self.claimed.update(_claims(found))
        unknown = isinstance(reading.value, Unknown)
        return Setting(
            setting=name,
            unit=row.unit,
            value=None if unknown else _plain(reading.value),
            expression=str(reading.value) if unknown else None,
            provenance=_provenance(reading, self.resolution.launch.source),
        )

    def _family(self, row: Row) -> None:
        """One setting for each variable of a family that no other row claimed."""
        for place in row.side(self.context.engine).places:
            for name, variable in self.resolution.environment.items():
                if ("env", name) in self.claimed or not fnmatch.fnmatchcase(name, place.env or ""):
                    continue
                key = f"{row.setting[:-2]}.{name}"
                value: Any = variable.word.text if variable.word.known else Unknown(variable.word.text)
                reading = Reading(value, (Found(place, value, variable=variable),), self._unread(variable))
                self.settings[key] = self._make(row, key, reading)

    def _unread(self, variable: EnvironmentValue) -> str:
        """That this release doesn't read a variable of its own engine, and where the setting went."""
        catalogue = self.resolution.catalogue
        own = ("VLLM_",) if catalogue.engine == "vllm" else ("SGLANG_", "SGL_")
        if variable.variable is not None or not variable.name.startswith(own):
            return ""
        text = f"{catalogue.engine} {catalogue.release} doesn't read {variable.name}"
        for row in rows().values():
            side = row.side(catalogue.engine)
            if any(place.env == variable.name for place in side.places):
                now = side.place(catalogue.release)
                return f"{text}: it is {now} now" if now is not None else text
        return text

    def _unmapped(self) -> Iterator[Unmapped]:
        for argument in self.resolution.arguments.values():
            if ("flag", argument.flag.dest) in self.claimed:
                continue
            leaves = list(_leaves(argument))
            free = [leaf for leaf in leaves if ("flag", f"{argument.flag.dest} {leaf[0]}") not in self.claimed]
            whole = len(free) == len(leaves) and not any(is_secret(key) for key, _ in leaves)
            for key, value in [("", argument.value)] if whole else free:
                yield Unmapped(
                    name=f"{argument.flag.name} {key}".strip(),
                    text=text_of(value),
                    reason="portkit has no row for it yet",
                    written=_written_argument(argument, Place(flag=argument.flag.name, key=key or None), value),
                    command=() if key else _command(argument),
                    value=_plain(value),
                )
        for variable in self.resolution.environment.values():
            if ("env", variable.name) not in self.claimed:
                yield Unmapped(
                    name=variable.name,
                    text=variable.word.text,
                    reason="portkit has no row for it yet",
                    written=_written_variable(variable, self.resolution.launch.source),
                )
        yield from (_problem_entry(p) for p in self.resolution.problems if p.place is not None)


def _command(argument: Argument) -> tuple[str, ...]:
    """The option and its values as bash words; an option that is given several times stands among them."""
    words = argument.words
    if argument.flag.action == "append":
        head = words[0].text
        if "=" in head:
            value = shell_quote(head.partition("=")[2]) if words[0].known else words[0].shell().partition("=")[2]
            return (argument.option, value, *(word.shell() for word in words[1:]))
        words = words[1:]
    return (argument.option, *(word.shell() for word in words))


def _family_of(name: str) -> str:
    return f"{name.rpartition('.')[0]}.*"


def _claims(found: Found) -> Iterator[tuple[str, str]]:
    if found.argument is not None:
        dest = found.argument.flag.dest
        yield ("flag", f"{dest} {found.place.key}" if found.place.key else dest)
        key = found.place.key or ""
        while "." in key:  # a claimed nested key claims its way down
            key = key.rpartition(".")[0]
            if not isinstance(key_of(found.argument.value, key), dict):
                yield ("flag", f"{dest} {key}")
    if found.variable is not None:
        yield ("env", found.variable.name)


def _leaves(argument: Argument) -> Iterator[tuple[str, Any]]:
    """The argument whole, or each key of a JSON flag down to its leaves."""
    if not isinstance(argument.value, dict):
        yield "", argument.value
        return
    stack: list[tuple[str, Any]] = [(str(k), v) for k, v in reversed(argument.value.items())]
    while stack:
        key, value = stack.pop()
        if isinstance(value, dict) and value:
            stack.extend((f"{key}.{k}", v) for k, v in reversed(value.items()))
        else:
            yield key, value


def _problem_entry(problem: Problem) -> Unmapped:
    assert problem.place is not None
    name, _, first = problem.words[0].text.partition("=") if problem.words else (problem.kind, "", "")
    text = " ".join([*([first] if first else []), *(word.text for word in problem.words[1:])])
    return Unmapped(
        name=name,
        text=text,
        reason=problem.message,
        written=_written(name, text, problem.words, problem.place, problem.source),
    )


def _provenance(reading: Reading, source: SourceText) -> Provenance:
    if not reading.found:
        return Provenance(kind=reading.kind, detail=reading.rule)
    written = tuple(_written_found(found, source) for found in reading.found)
    environment = all(found.variable is not None for found in reading.found)
    return Provenance(kind="environment" if environment else "explicit", detail=reading.rule, written=written)


def _written_found(found: Found, source: SourceText) -> Written:
    if found.argument is not None:
        return _written_argument(found.argument, found.place, found.value)
    assert found.variable is not None
    return _written_variable(found.variable, source)


def _written_argument(argument: Argument, place: Place, value: Any) -> Written:
    option = f"{argument.option} {place.key}" if place.key else argument.option
    if place.key and "." in argument.option:  # a dotted option names its key already
        option = argument.option
    text = text_of(value) if place.key or not argument.words else " ".join(w.text for w in argument.words)
    if isinstance(argument.value, bool):
        text = ""
    written = _written(option, text, argument.words, argument.place, argument.source, whole=not place.key)
    reference = _reference_for(value, argument) if place.key else None
    if reference is not None:
        return written.model_copy(update={"symbolic": True, "shell": f'"{reference}"'})
    return written


def _reference_for(value: Any, argument: Argument) -> str | None:
    """The shell expression that gives just this value inside a JSON flag, or None."""
    parts = [part for word in argument.words for part in word.parts if isinstance(part, Ref)]
    wanted = str(value)
    return next((part.expression for part in parts if wanted in (part.value, part.expression)), None)


def _written_variable(variable: EnvironmentValue, source: SourceText) -> Written:
    return _written(variable.name, variable.word.text, (variable.word,), variable.word.span, source)


def _written(
    option: str,
    text: str,
    words: Iterable[Word],
    place: Span,
    source: SourceText,
    *,
    whole: bool = True,
) -> Written:
    words = tuple(words)
    line, column = source.position(place.start)
    symbolic = any(word.symbolic for word in words) and whole
    return Written(
        option=option,
        text=text,
        shell=" ".join(word.shell() for word in words) if symbolic else shell_quote(text),
        symbolic=symbolic,
        file=source.name,
        line=line,
        column=column,
        start=place.start,
        end=place.end,
    )


def _plain(value: Any) -> Any:
    """A value without `Unknown`s inside, so that the document is JSON."""
    if isinstance(value, Unknown):
        return str(value)
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value if isinstance(value, bool | int | float | str) or value is None else json.dumps(str(value))

"""An explanation as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from portkit.catalogue.changes import Change
from portkit.catalogue.history import Run
from portkit.catalogue.load import known_releases
from portkit.catalogue.model import Flag, Variable
from portkit.explaining.counterparts import Counterpart, Setting, instead
from portkit.explaining.explanation import Explanation
from portkit.explaining.lifetime import Deprecation, Lifetime, Outcome
from portkit.report.console import STYLES

if TYPE_CHECKING:
    from rich.console import Console

_KINDS = {"flag": "a flag", "key": "a key of a config object", "variable": "an environment variable"}
_TOLD_ELSEWHERE = ("deprecated", "replacement", "ignored", "refused", "action", "const")
_FIELDS = {"dest": "stored as", "nargs": "number of values", "config_class": "config object"}
_OUTCOMES = {
    "unrecognized": "refused as unrecognized",
    "ambiguous": "refused as ambiguous: it could be {names}",
    "abbreviation": "taken as short for {names}",
    "rewritten": "taken as {names}",
    "refused": "refused: the config object has no such key",
    "unread": "read by nothing, silently",
    "warned": "read by nothing; the engine warns of an unknown variable",
    "copied": "copied to {names}, with a warning",
}

Line = tuple[str, str]
"""A label, empty where it is the one above, and what it says."""


def print_explanation(explanation: Explanation, console: Console) -> None:
    """Each engine's history of the name, then each setting with its places in both engines."""
    from rich.table import Table
    from rich.text import Text

    for heading, lines in _blocks(explanation):
        console.print(Text(heading, style="bold"))
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column(width=2)
        table.add_column(width=12, no_wrap=True)
        table.add_column(overflow="fold")
        for label, text in lines:
            table.add_row("", Text(label, style="dim"), Text(text, style=STYLES.get(text, "")))  # type: ignore[call-overload]
        console.print(table)
        console.print()


def _blocks(explanation: Explanation) -> Iterator[tuple[str, list[Line]]]:
    for life in explanation.lives:
        releases = known_releases(life.subject.engine)
        known = f"{len(releases)} releases, {releases[0]} to {releases[-1]}"
        kind = _KINDS[life.subject.kind] if life.known or life.subject.kind != "flag" else "no flag by itself"
        yield (
            f"{life.subject}: {kind} of {life.subject.engine} ({known})",
            list(_life_lines(life, explanation.settings)),
        )
    if explanation.keys:
        lines = [(f"{key}", name) for _, key, name in explanation.keys]
        yield "Keys that rows know", [("", f"{key}: {name}") for key, name in lines]
    for setting in explanation.settings:
        yield f"{setting.row.setting}: {setting.row.title}", list(_setting_lines(setting))
    if explanation.lives and not explanation.settings and not explanation.keys:
        yield "No row", [("", "portkit has no row for it: a diff or a port lists it as unknown, by name.")]


def _life_lines(life: Lifetime, settings: Iterable[Setting]) -> Iterator[Line]:
    if not life.catalogued:
        yield "known", "not in the catalogues; this is what the rows say of it"
    elif life.known:
        yield "known", _known(life)
    for run, deprecation in life.deprecated:
        yield "deprecated", f"{run}: {_deprecation(deprecation)}"
    if life.catalogued:
        yield from _labelled("without it" if life.known else "read as", map(_otherwise, life.otherwise))
        yield from _labelled("instead", (f"{use.place}: {_runs(use.releases)}" for use in instead(life, settings)))
    named = (("also", life.spellings), ("opposite", life.opposites), (_kin(life), life.same_place))
    for label, names in named:
        yield from _labelled(label, (f"{name}: {_runs(found)}" for name, found in names.items()))
    if life.form is not None:
        yield "takes", _form(life.form)
    changes = (
        f"{release}: {_change(change)}" for release, change in life.changes if change.field not in _TOLD_ELSEWHERE
    )
    yield from _labelled("changed", changes)


def _known(life: Lifetime) -> str:
    backs = [f"back in {run.first}" for run in life.known[1:]]
    gaps = [f"gone in {release}" for release in life.gone_in]
    told = [text for pair in zip_longest(gaps, backs) for text in pair if text]
    return f"{_runs(life.known)}; {', '.join(told) or 'still there'}"


def _kin(life: Lifetime) -> str:
    """What to call other flags that store into the same place: what it became, what it was, or neither."""
    if not life.current:
        return "renamed to"
    newest = life.known[-1].last
    return "formerly" if all(found[-1].last < newest for found in life.same_place.values()) else "same place"


def _labelled(label: str, texts: Iterable[str]) -> Iterator[Line]:
    for index, text in enumerate(texts):
        yield "" if index else label, text


def _otherwise(item: tuple[Run, Outcome]) -> str:
    run, outcome = item
    return f"{run}: {_OUTCOMES[outcome.kind].format(names=', '.join(outcome.names))}"


def _deprecation(deprecation: Deprecation) -> str:
    effect = (
        "stops the engine" if deprecation.refused else "accepted and dropped" if deprecation.ignored else "still works"
    )
    return effect + (f"; use {deprecation.replacement}" if deprecation.replacement else "")


def _form(form: Flag | Variable | str) -> str:
    if isinstance(form, str):
        return form
    parts = [form.type]
    if isinstance(form, Flag):
        if form.type == "bool":
            parts = ["no value" if form.action != "boolean_optional" else "no value; has an opposite"]
        if form.const is not None and form.type == "bool":
            parts.append(f"stores {form.const}")
        if form.nargs not in (None, 0):
            parts.append(f"{form.nargs} values")
        if form.config_class:
            parts.append(f"keys of {form.config_class}")
        if form.choices:
            parts.append(f"one of {' '.join(map(str, form.choices))}")
    parts.append("no default" if form.default is None else f"default {_plain(form.default)}")
    return ", ".join(parts)


def _change(change: Change) -> str:
    if change.field == "choices" and change.was is not None and change.now is not None:
        parts = [f"{word} {' '.join(map(str, v))}" for word, v in (("+", change.added), ("-", change.removed)) if v]
        return f"choices {' '.join(parts)}"
    if change.field == "choices":
        return "takes any value" if change.now is None else f"choices {' '.join(map(str, change.now))}"
    if change.field == "nullable":
        return "takes the text None too" if change.now else "no longer takes the text None"
    name = _FIELDS.get(change.field, change.field)
    return f"{name} {_plain(change.was)} -> {_plain(change.now)}"


def _setting_lines(setting: Setting) -> Iterator[Line]:
    row = setting.row
    yield "unit", row.unit
    effect = f" on {', '.join(row.effect)}" if row.effect else ""
    yield "impact", f"{row.impact}{effect}"
    yield "why", row.why
    for side in setting.sides:
        yield from _labelled(side.engine, _side_lines(side))
    for engine, verdict in setting.carried:
        yield f"to {engine}", verdict
    yield from _labelled("evidence", row.evidence)


def _side_lines(side: Counterpart) -> Iterator[str]:
    for use in side.uses:
        means = f", which means {_plain(use.place.means)}" if use.place.means is not None else ""
        read_only = ", read and never written" if use.place.read_only else ""
        yield f"{use.place}: {_runs(use.releases)}{means}{read_only}"
    for word, reason in side.without:
        yield f"{ {'absent': 'no counterpart', 'builtin': 'built in', 'ignored': 'ignored'}[word] }: {reason}"
    if side.default is not None:
        yield f"default {_plain(side.default)}"
    for name in side.names:
        yield f"value {name.native} ({name.verdict}): {name.reason}"
    if not side.uses and not side.without:
        yield "follows other settings"


def _runs(found: Iterable[Run]) -> str:
    return ", ".join(map(str, found))


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_plain, value)) + "]"
    return "unset" if value is None else str(value) or "''"

"""An explanation as plain data; docs/json.md describes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from portkit.catalogue.changes import FLAG_FIELDS
from portkit.catalogue.history import Run
from portkit.catalogue.model import Flag, Variable
from portkit.explaining.counterparts import Counterpart, Setting
from portkit.explaining.explanation import Explanation
from portkit.explaining.lifetime import Lifetime

EXPLANATION_SCHEMA = "portkit.explain/1"


def explanation_document(explanation: Explanation) -> dict[str, Any]:
    """The whole explanation as plain data."""
    return {
        "schema": EXPLANATION_SCHEMA,
        "name": explanation.name,
        "engines": [_life(life) for life in explanation.lives],
        "settings": [_setting(setting) for setting in explanation.settings],
        "keys": [{"engine": engine, "key": key, "setting": name} for engine, key, name in explanation.keys],
    }


def _life(life: Lifetime) -> dict[str, Any]:
    return {
        "engine": life.subject.engine,
        "kind": life.subject.kind,
        "name": life.subject.name,
        "key": life.subject.key or None,
        "catalogued": life.catalogued,
        "known": _run_list(life.known),
        "gone_in": [str(release) for release in life.gone_in],
        "deprecated": [
            {
                **_run(run),
                "replacement": deprecation.replacement,
                "ignored": deprecation.ignored,
                "refused": deprecation.refused,
            }
            for run, deprecation in life.deprecated
        ],
        "otherwise": [
            {**_run(run), "outcome": outcome.kind, "names": list(outcome.names)} for run, outcome in life.otherwise
        ],
        "spellings": _by_name(life.spellings),
        "opposites": _by_name(life.opposites),
        "same_place": _by_name(life.same_place),
        "form": _form_document(life.form),
        "changes": [
            {"release": str(release), "field": change.field, "was": _data(change.was), "now": _data(change.now)}
            for release, change in life.changes
        ],
    }


def _setting(setting: Setting) -> dict[str, Any]:
    row = setting.row
    return {
        "setting": row.setting,
        "title": row.title,
        "unit": row.unit,
        "impact": row.impact,
        "effect": list(row.effect),
        "why": row.why,
        "engines": {side.engine: _side(side) for side in setting.sides},
        "carried": {f"to_{engine}": verdict for engine, verdict in setting.carried},
        "evidence": list(row.evidence),
    }


def _side(side: Counterpart) -> dict[str, Any]:
    return {
        "places": [
            {
                "flag": use.place.flag,
                "key": use.place.key,
                "env": use.place.env,
                "means": use.place.means,
                "read_only": use.place.read_only,
                "known": _run_list(use.releases),
            }
            for use in side.uses
        ],
        "default": side.default,
        **dict.fromkeys(("absent", "builtin", "ignored")),
        **dict(side.without),
        "names": [
            {"name": n.native, "is": n.canonical, "verdict": n.verdict, "reason": n.reason, "releases": n.releases}
            for n in side.names
        ],
    }


def _form_document(form: Flag | Variable | str | None) -> Any:
    if isinstance(form, Flag):
        return {"names": list(form.names), **{field: _data(getattr(form, field)) for field in FLAG_FIELDS}}
    if isinstance(form, Variable):
        return {"type": form.type, "default": form.default, "replacement": form.replacement}
    return None if form is None else {"type": form}


def _run(run: Run) -> dict[str, str]:
    return {"first": str(run.first), "last": str(run.last)}


def _run_list(found: Iterable[Run]) -> list[dict[str, str]]:
    return [_run(run) for run in found]


def _by_name(names: Mapping[str, tuple[Run, ...]]) -> dict[str, list[dict[str, str]]]:
    return {name: _run_list(found) for name, found in names.items()}


def _data(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value

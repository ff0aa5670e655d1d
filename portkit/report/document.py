"""Comparisons and deployments as JSON; docs/json.md describes both."""

from __future__ import annotations

from typing import Any

from portkit.deployment.schema import Deployment, Setting, Unmapped
from portkit.diffing.compare import Comparison, Line
from portkit.secrets import MASK, is_secret, masked

DIFF_SCHEMA = "portkit.diff/1"
DEPLOYMENT_SCHEMA = "portkit.deployment/1"


def comparison_document(comparison: Comparison) -> dict[str, Any]:
    """The whole comparison, settings in the report's order."""
    return {
        "schema": DIFF_SCHEMA,
        "a": _side(comparison.a),
        "b": _side(comparison.b),
        "differs": comparison.differs,
        "counts": comparison.counts,
        "settings": [_line(line) for line in comparison.lines],
    }


def deployment_document(deployment: Deployment) -> dict[str, Any]:
    """One canonical document."""
    document = deployment.model_dump(mode="json")
    for name, setting in document["settings"].items():
        _mask_setting(name, setting)
    for item in document["unmapped"]:
        _mask_unmapped(item)
    return {"schema": DEPLOYMENT_SCHEMA, **document}


def _side(deployment: Deployment) -> dict[str, Any]:
    return {
        "engine": deployment.engine,
        "release": deployment.release,
        "release_reason": deployment.release_reason,
        "launch": deployment.launch,
        "facts": deployment.facts.model_dump(mode="json"),
        "notes": list(deployment.notes),
    }


def _line(line: Line) -> dict[str, Any]:
    return {
        "setting": line.setting,
        "title": line.title,
        "area": line.area,
        "unit": line.unit,
        "impact": line.impact,
        "difference": line.difference,
        "verdict": line.verdict,
        "a": _value(line.a, line.setting),
        "b": _value(line.b, line.setting),
        "why": line.why,
        "reason": line.reason,
        "fix": masked(line.setting, line.fix),
    }


def _value(side: Setting | Unmapped | None, name: str) -> dict[str, Any] | None:
    if side is None:
        return None
    document = side.model_dump(mode="json")
    if isinstance(side, Unmapped):
        _mask_unmapped(document)
        return document
    _mask_setting(name, document)
    return document


def _mask_unmapped(item: dict[str, Any]) -> None:
    if is_secret(item["name"]):
        item["text"] = MASK
        item["value"] = MASK if item["value"] is not None else None
        item["command"] = [item["name"], MASK] if item["command"] else []
        _mask_written(item["name"], [item["written"]])


def _mask_setting(name: str, setting: dict[str, Any]) -> None:
    if is_secret(name):
        setting["value"] = MASK if setting["value"] is not None else None
        setting["expression"] = MASK if setting["expression"] is not None else None
        _mask_written(name, setting["provenance"]["written"])


def _mask_written(name: str, written: list[dict[str, Any]]) -> None:
    for place in written:
        if is_secret(name) or is_secret(place["option"]):
            place["text"] = place["shell"] = MASK

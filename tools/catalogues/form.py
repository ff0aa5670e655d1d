"""The form of a catalogue file: sorted, one flag a line, only what isn't implied."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from portkit.catalogue.load import implied

_FLAG_KEYS = (
    "names", "dest", "type", "default", "choices", "nargs", "action", "const", "negatives", "hidden",
    "required", "nullable", "config_class", "deprecated", "replacement", "ignored", "refused",
)  # fmt: skip
_VARIABLE_KEYS = ("name", "type", "default", "replacement")


def text(document: dict[str, Any]) -> str:
    """A catalogue as its file has it. Reading that file and writing it again gives the same text."""
    sections = [f'"{key}": {_json(document[key])}' for key in ("engine", "release", "wheel")]
    flags = sorted(document["flags"], key=_flag_order)
    sections.append(_list("flags", (_short(f, _FLAG_KEYS, implied(f)) for f in flags)))
    classes = document.get("config_classes", {})
    if classes:
        sections.append(_classes(classes))
    registries = document.get("registries", {})
    if registries:
        rows = ",\n".join(f" {_json(place)}: {_json(names)}" for place, names in sorted(registries.items()))
        sections.append(f'"registries": {{\n{rows}\n}}')
    variables = sorted(document["variables"], key=lambda v: v["name"])
    blank = {"type": "str", "default": None, "replacement": None}
    sections.append(_list("variables", (_short(v, _VARIABLE_KEYS, blank) for v in variables)))
    writes = sorted(document["environment_writes"], key=lambda w: (w["name"], w["at"]))
    sections.append(_list("environment_writes", writes))
    return "{\n" + ",\n".join(sections) + "\n}\n"


def _flag_order(flag: dict[str, Any]) -> tuple[Any, ...]:
    """By dest; among flags of one dest the current spelling comes before deprecated ones."""
    dest = implied(flag)["dest"] if "dest" not in flag else flag["dest"]
    return dest, bool(flag.get("deprecated")), flag["names"]


def _short(row: dict[str, Any], keys: Iterable[str], usual: dict[str, Any]) -> dict[str, Any]:
    return {key: row[key] for key in keys if key in row and (key not in usual or row[key] != usual[key])}


def _list(name: str, rows: Iterable[Any]) -> str:
    return f'"{name}": [\n' + ",\n".join(_json(row) for row in rows) + "\n]"


def _classes(classes: dict[str, dict[str, str]]) -> str:
    blocks = []
    for name in sorted(classes):
        fields = ",\n".join(f"  {_json(key)}: {_json(kind)}" for key, kind in classes[name].items())
        blocks.append(f" {_json(name)}: {{\n{fields}\n }}")
    return '"config_classes": {\n' + ",\n".join(blocks) + "\n}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)

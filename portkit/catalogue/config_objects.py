"""What a config object makes of the JSON given to its flag: legal keys, and texts for numbers."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from typing import Any

from portkit.catalogue.model import Catalogue
from portkit.catalogue.tokens import StandIns
from portkit.catalogue.values import BadValue

_OPTIONAL = re.compile(r"\s*\|\s*None|None\s*\|\s*|Optional\[(.*)\]")
_LIST = re.compile(r"list\[(\w+)\]")
_FROM_TEXT: dict[str, Callable[[str], Any]] = {"int": int, "float": float}


def coerced(value: Any, class_name: str, catalogue: Catalogue) -> Any:
    """The value with the numbers that were written as texts (`key+=1,2` makes texts) made numbers.

    A text that is no number stays as it is: fields may have readers of their own.
    """
    fields = catalogue.config_classes.get(class_name)
    if fields is None or not isinstance(value, dict):
        return value
    return {key: _field(item, fields.get(key, ""), catalogue) for key, item in value.items()}


def type_of_key(catalogue: Catalogue, option: str, path: str) -> str | None:
    """The type text of a dotted key of a JSON flag's config object; None where the release hasn't it."""
    flag = catalogue.by_name.get(option)
    classes = [flag.config_class] if flag is not None and flag.config_class else []
    kind: str | None = None
    for key in path.split("."):
        fields: dict[str, str] = {}
        for name in reversed(classes):
            fields |= catalogue.config_classes.get(name, {})
        kind = fields.get(key)
        classes = re.findall(r"\w+", kind or "")
    return kind


def unknown_keys(
    value: Any, class_name: str, catalogue: Catalogue, stand_ins: StandIns, path: str = ""
) -> list[BadValue]:
    """What a config object refuses of the keys of a JSON value, at any depth it describes."""
    fields = catalogue.config_classes.get(class_name)
    if fields is None or not isinstance(value, dict):
        return []
    found: list[BadValue] = []
    for key, item in value.items():
        if key in fields:
            for inner in re.findall(r"\w+", fields[key] if isinstance(item, dict) else ""):
                found += unknown_keys(item, inner, catalogue, stand_ins, f"{path}{key}.")
        elif not stand_ins.partly_unknown(key):
            near = [key.replace("-", "_")] if key.replace("-", "_") in fields else []
            near += [k for k in difflib.get_close_matches(key, fields, n=3, cutoff=0.7) if k not in near]
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            release = f"{catalogue.engine} {catalogue.release}"
            found.append(BadValue(f"{class_name} has no key {path + key!r} in {release}{hint}", near, path + key))
    return found


def _field(value: Any, type_text: str, catalogue: Catalogue) -> Any:
    if isinstance(value, dict):
        for name in re.findall(r"\w+", type_text):
            value = coerced(value, name, catalogue)
        return value
    kind = _OPTIONAL.sub(lambda found: found[1] or "", type_text).strip()
    items = _LIST.fullmatch(kind)
    if items and isinstance(value, list):
        return [_number(item, items[1]) for item in value]
    return _number(value, kind)


def _number(value: Any, kind: str) -> Any:
    if not isinstance(value, str) or kind not in _FROM_TEXT:
        return value
    try:
        return _FROM_TEXT[kind](value)
    except ValueError:
        return value

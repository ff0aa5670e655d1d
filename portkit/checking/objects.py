"""Values inside the JSON of config objects, against the types that the release declares for their fields."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterator, Mapping
from typing import Any

from portkit.catalogue.resolution import Resolution, Unknown
from portkit.checking.findings import Finding, key_span

_LITERAL = re.compile(r"Literal(\[[^\]]*\])")
_ENUMS = {"CUDAGraphMode": ("NONE", "PIECEWISE", "FULL", "FULL_DECODE_ONLY", "FULL_AND_PIECEWISE")}
_TRUTHS = ("0", "1", "true", "false", "yes", "no", "on", "off", "t", "f", "y", "n")
_LISTED = 14


def object_findings(resolution: Resolution) -> Iterator[Finding]:
    """Keys whose value the config object would refuse."""
    classes = resolution.catalogue.config_classes
    for argument in resolution.arguments.values():
        if argument.flag.config_class is None or not isinstance(argument.value, dict):
            continue
        for path, wrong, hint in _wrong(argument.value, argument.flag.config_class, classes):
            span = key_span(argument.place, argument.source, path)
            yield Finding("PK303", f"{argument.flag.name} {path}: {wrong}", argument.source, span, hint)


def _wrong(
    value: dict[str, Any], class_name: str, classes: Mapping[str, Mapping[str, str]], path: str = ""
) -> Iterator[tuple[str, str, str]]:
    fields = classes.get(class_name, {})
    for key, item in value.items():
        type_text = fields.get(key)
        if type_text is None:
            continue
        if isinstance(item, dict):
            for inner in re.findall(r"\w+", type_text):
                if inner in classes:
                    yield from _wrong(item, inner, classes, f"{path}{key}.")
            continue
        refusal = refused(item, type_text)
        if refusal is not None:
            yield f"{path}{key}", *refusal


def refused(value: Any, type_text: str) -> tuple[str, str] | None:
    """Why a field of a type wouldn't take a JSON value, and what is near; None where it may take it."""
    if isinstance(value, Unknown):
        return None
    parts = [part.strip() for part in re.split(r"\|(?![^\[]*\])", type_text)]
    if value is None:
        return None  # fields written as plain types often take None before they are filled in
    choices = [choice for part in parts for choice in _choices(part)]
    plain = [part for part in parts if not _choices(part) and part != "None"]
    if choices and not plain:
        return _not_among(value, choices)
    if len(plain) != 1 or choices:
        return None
    if plain[0] == "bool" and not (isinstance(value, bool) or str(value).lower() in _TRUTHS):
        return f"{value!r} is neither true nor false", ""
    if plain[0] in ("int", "float"):
        return _not_a_number(value, plain[0])
    if plain[0].startswith("list[") and not isinstance(value, list):
        return f"{value!r} is no list", f"write [{value}]" if isinstance(value, int) else ""
    return None


def _choices(part: str) -> tuple[Any, ...]:
    found = _LITERAL.fullmatch(part)
    if found:
        return tuple(ast.literal_eval(found[1]))
    return _ENUMS.get(part, ())


def _not_among(value: Any, choices: list[Any]) -> tuple[str, str] | None:
    if value in choices or (choices[0] in _ENUMS["CUDAGraphMode"] and str(value).upper() in choices):
        return None
    names = [str(choice) for choice in choices]
    near = difflib.get_close_matches(str(value).lower(), names, n=3, cutoff=0.55)
    legal = ", ".join(names) if len(names) <= _LISTED else f"its {len(names)} choices"
    return f"{value!r} is not one of {legal}", f"did you mean {' or '.join(near)}?" if near else ""


def _not_a_number(value: Any, kind: str) -> tuple[str, str] | None:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return f"{value!r} is no {'whole ' * (kind == 'int')}number", ""
    if kind == "int" and number != number // 1:
        return f"{value!r} is no whole number", ""
    return None

"""What both engines' readers share: an argparse action as a record of plain values."""

from __future__ import annotations

import argparse
import enum
import math
import re
import types
import typing
from typing import Any

from catalogues.stubs import StubMeta

FLAG = re.compile(r"--[a-z0-9][a-z0-9-]*[a-z0-9]")

_KINDS = {
    "_StoreAction": "store",
    "_StoreTrueAction": "store_true",
    "_StoreFalseAction": "store_false",
    "_StoreConstAction": "store_const",
    "_AppendAction": "append",
    "BooleanOptionalAction": "boolean_optional",
    "EnableDisableAction": "boolean_optional",
}
SWITCHES = ("store_true", "store_false", "store_const", "boolean_optional")

# Help that says so of the flag itself; help may also mention that another one is deprecated.
_DEPRECATED_ITSELF = re.compile(
    r"\A\s*[\[(]?\s*(note:?\s*)?deprecat"
    r"|[(\[]deprecat"
    r"|is (now )?(a )?(deprecat|no[- ]op)"
    r"|deprecated[:;.,]"
    r"|deprecated and"
    r"|this (argument|flag|option) (is|has been) deprecated"
    r"|will be deprecated",
    re.IGNORECASE,
)

Record = dict[str, Any]


def kind(action: argparse.Action) -> str:
    """The action's name: argparse's word for it, or the class name of an engine's own."""
    name = type(action).__name__
    return _KINDS.get(name, name)


def plain(value: Any) -> Any:
    """A JSON value for a default, choice or constant; raises TypeError for what isn't one.

    An enum is written as people write it: by value where that is text or a number, else by name.
    """
    if isinstance(value, enum.Enum):
        return plain(value.value) if isinstance(value.value, str | int) else value.name
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted((plain(item) for item in value), key=str)
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if "unset" in type(value).__name__.lower():  # an engine's own mark for a flag that isn't given
        return None
    raise TypeError(f"no JSON value: {value!r}")


def record(action: argparse.Action) -> Record:
    """What argparse itself knows of an action; the reader adds type, negatives and deprecation."""
    if isinstance(action.type, StubMeta):
        raise TypeError(f"the type of {action.option_strings} is a stub")
    shape = kind(action)
    switch = shape in SWITCHES
    choices = None
    if action.choices is not None:
        choices = [plain(choice) for choice in action.choices]
        if isinstance(action.choices, set | frozenset):
            choices.sort(key=str)
    return {
        "names": list(action.option_strings),
        "dest": action.dest,
        "default": None if action.default is argparse.SUPPRESS else action.default,
        "choices": choices,
        "nargs": None if switch else action.nargs,
        "action": shape,
        "const": None if switch and shape != "store_const" else plain(action.const),
        "required": bool(action.required) and bool(action.option_strings),
    }


def help_text(action: argparse.Action) -> str:
    """The help, which is read for what it says of deprecation and never kept."""
    return action.help if isinstance(action.help, str) and action.help != argparse.SUPPRESS else ""


def deprecated_by_help(action: argparse.Action) -> bool:
    """Whether the help calls the flag itself deprecated."""
    return bool(_DEPRECATED_ITSELF.search(help_text(action)))


def other_flag(text: str, names: list[str]) -> str | None:
    """The first flag a text names beside the flag's own."""
    return next((flag for flag in FLAG.findall(text) if flag not in names), None)


def type_text(hint: Any) -> str:
    """A field's type as one would write it, without module names and validation marks."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return type_text(args[0])
    if origin is typing.Literal:
        return f"Literal[{', '.join(map(repr, args))}]"
    if origin in (typing.Union, types.UnionType):
        return " | ".join(map(type_text, args))
    if args:
        return f"{type_text(origin)}[{', '.join(map(type_text, args))}]"
    if hint is type(None):
        return "None"
    if isinstance(hint, list):
        return f"[{', '.join(map(type_text, hint))}]"
    return "..." if hint is ... else str(getattr(hint, "__name__", hint))

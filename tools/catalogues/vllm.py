"""Reads a vLLM release: the real parser of `vllm serve`, its config classes and its variables."""

from __future__ import annotations

import argparse
import ast
import dataclasses
import functools
import importlib
import re
import sys
import types
from pathlib import Path
from typing import Any

from catalogues import registries, vllm_environment
from catalogues.environment import scan
from catalogues.eras import (
    ENGINES,
    VLLM_ARGPARSE_MODULES,
    VLLM_CLOSED_CLASSES,
    VLLM_LATE_CLASSES,
)
from catalogues.fakes import install_torch, install_vllm_platform, join_literals
from catalogues.records import Record, deprecated_by_help, help_text, other_flag, plain, record, type_text
from catalogues.stubs import install
from catalogues.wheels import Sources

_TYPES = {
    "loads": "json",
    "human_readable_int": "human_int",
    "human_readable_int_or_auto": "human_int_or_auto",
}
_SAID_DEPRECATED = re.compile(r"(--[a-z0-9-]+)\)? is deprecated")


def read(sources: Sources) -> tuple[Record, dict[str, str]]:
    """The release's flags, config classes and variables, and the engine modules that failed to import."""
    failed = install("vllm", ENGINES["vllm"], sources.root)
    install_torch(sources.torch_version(), cuda=True)
    install_vllm_platform()
    # With exactly `--help` the parser drops --model; without any help it leaves out what the
    # attribute docs say of deprecation.
    sys.argv = ["vllm", "--help=all"]
    parser = _parser()
    messages = _deprecation_messages(sources.root)
    flags = [_flag(a, parser, messages) for a in parser._actions if a.dest != "help"]
    found = scan(sources.root / "vllm", ["."])
    variables = vllm_environment.variables(importlib.import_module("vllm.envs"), found)
    named = [row["config_class"] for row in flags if row["config_class"]]
    classes = _config_classes(named)
    return {
        "flags": flags,
        "config_classes": classes,
        "registries": registries.names(sources.root / "vllm"),
        "variables": variables,
        "environment_writes": found.writes,
    }, failed


def _parser() -> Any:
    """The parser of `vllm serve`: in some releases the subcommand adds flags to the common ones."""
    join_literals(importlib.import_module("vllm.engine.arg_utils"))
    flexible = _first(VLLM_ARGPARSE_MODULES, "FlexibleArgumentParser")
    serve = importlib.import_module("vllm.entrypoints.cli.serve")
    return serve.ServeSubcommand().subparser_init(flexible().add_subparsers())


def _first(modules: tuple[str, ...], name: str) -> Any:
    for module in modules:
        try:
            return getattr(importlib.import_module(module), name)
        except (ModuleNotFoundError, AttributeError):
            continue
    raise SystemExit(f"none of {', '.join(modules)} has {name}")


def _deprecation_messages(root: Path) -> dict[str, str]:
    """What arg_utils says of flags it calls deprecated only once they are parsed."""
    tree = ast.parse((root / "vllm/engine/arg_utils.py").read_text(encoding="utf-8"))
    constants = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return {m.group(1): text for text in constants if (m := _SAID_DEPRECATED.search(text))}


def _flag(action: argparse.Action, parser: Any, messages: dict[str, str]) -> Record:
    row = record(action)
    names = row["names"]
    known = [n for n, other in parser._option_string_actions.items() if other is action]
    row["hidden"] = [n for n in known if n not in names]
    switch = row["action"] in ("boolean_optional", "store_true", "store_false")
    row["type"], row["nullable"], row["config_class"] = ("bool", False, None) if switch else _type(action.type)
    row["config_class"] = row["config_class"] or VLLM_LATE_CLASSES.get(action.dest)
    row["default"] = _default(row["default"], row["config_class"])
    if row["action"] == "boolean_optional":
        storing_false = getattr(action, "negative_option_strings", None)
        if storing_false is None:
            storing_false = {n for n in names if n.startswith("--no-") and f"--{n[5:]}" in names}
        row["negatives"] = [n for n in [*names, *row["hidden"]] if n in storing_false]
        row["names"] = [n for n in names if n not in storing_false]
    message = next((messages[n] for n in names if n in messages), "")
    declared = action in getattr(parser, "_deprecated", ()) or getattr(action, "deprecated", False)
    own = "Deprecated" in type(action).__name__
    row["deprecated"] = bool(declared or own or message or deprecated_by_help(action))
    if row["deprecated"]:
        row["replacement"] = other_flag(message or help_text(action), [*names, *row["hidden"]])
        row["ignored"] = "has no effect" in message
    return row


def _type(function: Any) -> tuple[str, bool, str | None]:
    """(type, whether the text None means None, config class) of a parser's type function."""
    if function is None:
        return "str", False, None
    if isinstance(function, functools.partial):
        return _type(function.func)
    name = getattr(function, "__name__", type(function).__name__)
    if name in ("_optional_type", "_parse_type"):
        inner, nullable, config = _type(_closure(function)["return_type"])
        return inner, nullable or name == "_optional_type", config
    if name == "parse_dataclass":
        return "json", False, function.__defaults__[0].__name__
    if name == "<lambda>":
        return _lambda_name(function), False, None
    return _TYPES.get(name, name), False, None


def _closure(function: Any) -> dict[str, Any]:
    return {n: c.cell_contents for n, c in zip(function.__code__.co_freevars, function.__closure__, strict=True)}


def _lambda_name(function: Any) -> str:
    """A name for a function without one, by what it does."""
    if function("A-b") == "a_b":
        return "lower_dash_to_underscore"
    if function("0,1") == [0, 1]:
        return "comma_list"
    raise SystemExit("a lambda as a type that the tool doesn't know")


def _default(value: Any, config_class: str | None) -> Any:
    """A config object as JSON: {} where it equals one made without arguments, else None."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {} if type(value).__name__ == config_class else None
    return plain(value)


def _config_classes(named: list[str]) -> dict[str, dict[str, str]]:
    """The classes that JSON flags are read into, and those of their fields in turn."""
    known = {c.__name__: c for m in _config_modules() for c in vars(m).values() if _is_config(c, m)}
    classes: dict[str, dict[str, str]] = {}
    waiting = list(named)
    while waiting:
        name = waiting.pop()
        if name in classes or name not in known:
            continue
        fields = [f for f in dataclasses.fields(known[name]) if f.init]
        classes[name] = {f.name: type_text(f.type) for f in fields}
        if name not in VLLM_CLOSED_CLASSES:
            waiting += [word for text in classes[name].values() for word in re.findall(r"\w+", text)]
    return classes


def _config_modules() -> list[types.ModuleType]:
    return [m for name, m in sys.modules.items() if name.partition(".")[0] == "vllm" and ".config" in name]


def _is_config(value: Any, module: types.ModuleType) -> bool:
    return isinstance(value, type) and dataclasses.is_dataclass(value) and value.__module__ == module.__name__

"""Reads an SGLang release: its real `ServerArgs` parser and its registry of variables."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import importlib
import io
import os
import re
import warnings
from pathlib import Path
from typing import Any

from catalogues.environment import Found, scan
from catalogues.eras import ENGINES, SGLANG_ENVIRONMENT_SOURCES
from catalogues.fakes import install_torch
from catalogues.records import (
    SWITCHES,
    Record,
    deprecated_by_help,
    help_text,
    kind,
    other_flag,
    plain,
    record,
    type_text,
)
from catalogues.stubs import install
from catalogues.wheels import Sources

# The parser's type functions by what portkit calls them; any other keeps its name.
_TYPES = {
    "loads": "json",
    "json_list_type": "json",
    "parse_cuda_graph_config_arg": "json",
    "human_readable_int": "human_int",
    "nullable_str": "str",
}
_WARNED_REPLACEMENT = re.compile(r"(--[a-z0-9-]+) (?:is|has been) deprecated[^\"]{0,120}?(--[a-z0-9-]+)")
_USE_INSTEAD = re.compile(r"(?:use|pass) '?(--[a-z0-9-]+|SGLANG_[A-Z0-9_]+)", re.IGNORECASE)
_VARIABLE = re.compile(r"""["'](SGL(?:ANG)?_[A-Z0-9_]+)["']""")


def read(sources: Sources) -> tuple[Record, dict[str, str]]:
    """The release's flags and variables, and the engine modules that failed to import."""
    failed = install("sglang", ENGINES["sglang"], sources.root)
    install_torch(sources.torch_version(), cuda=False)
    from sglang.srt.server_args import ServerArgs  # type: ignore[import-not-found]

    parser = argparse.ArgumentParser()
    ServerArgs.add_cli_args(parser)
    text = (sources.root / "sglang/srt/server_args.py").read_text(encoding="utf-8")
    replacements = dict(_WARNED_REPLACEMENT.findall(text))
    flags = [_flag(a, parser, replacements) for a in parser._actions if a.dest != "help"]
    classes = _config_classes(flags)
    found = scan(sources.root / "sglang", SGLANG_ENVIRONMENT_SOURCES)
    variables = _variables(sources.root / "sglang/srt/environ.py", found)
    return {
        "flags": flags,
        "config_classes": classes,
        "variables": variables,
        "environment_writes": found.writes,
    }, failed


def _config_classes(flags: list[Record]) -> dict[str, dict[str, str]]:
    """The legal keys of `--cuda-graph-config`, which the parser checks phase by phase (from 0.5.14 on)."""
    row = next((flag for flag in flags if "--cuda-graph-config" in flag["names"]), None)
    if row is None:
        return {}
    module = importlib.import_module("sglang.srt.model_executor.cuda_graph_config")
    types = {field.name: type_text(field.type) for field in dataclasses.fields(module.PhaseConfig)}
    row["config_class"] = "CudaGraphConfig"
    phases = {phase: f"{phase.capitalize()}CudaGraphs" for phase in module.Phase.ALL}
    keys = module.ALLOWED_KEYS_PER_PHASE
    inner = {phases[phase]: {key: types.get(key, "Any") for key in sorted(keys[phase])} for phase in phases}
    return {"CudaGraphConfig": phases, **inner}


def _flag(action: argparse.Action, parser: argparse.ArgumentParser, replacements: dict[str, str]) -> Record:
    names = list(action.option_strings)
    row = record(action)
    row["default"] = plain(row["default"])
    row["type"] = _type(action)
    row["nullable"] = getattr(action.type, "__name__", "") == "nullable_str"
    if row["action"] == "boolean_optional":
        row["negatives"] = [n for n in names if n.startswith("--no-") and f"--{n[5:]}" in names]
        row["names"] = [n for n in names if n not in row["negatives"]]
    if hasattr(action, "const_value"):
        row["const"] = plain(action.const_value)
    own = type(action).__name__.startswith("Deprecated")
    row["deprecated"] = own or deprecated_by_help(action)
    if row["deprecated"]:
        text = f"{getattr(action, 'error_message', None) or ''} {help_text(action)}"
        named = [replacements[n] for n in names if n in replacements]
        row["replacement"] = getattr(action, "new_flag", None) or other_flag(text, names) or next(iter(named), None)
    if own and action.nargs == 0:
        row.update(_effect(action, parser))
    return row


def _type(action: argparse.Action) -> str:
    if action.type is None:
        return "bool" if action.nargs == 0 or kind(action) in SWITCHES else "str"
    name = getattr(action.type, "__name__", type(action.type).__name__)
    return _TYPES.get(name, name)


def _effect(action: argparse.Action, parser: argparse.ArgumentParser) -> dict[str, bool]:
    """Whether using a deprecated flag stops the parser, or stores nothing."""
    namespace = argparse.Namespace()
    try:
        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            action(parser, namespace, [], action.option_strings[0])
    except (Exception, SystemExit):
        return {"refused": True}
    return {"ignored": not vars(namespace)}


def _variables(registry: Path, found: Found) -> list[Record]:
    prefixes = ENGINES["sglang"].prefixes
    direct = {n: row for n, row in found.reads.items() if n.startswith(prefixes)}
    if not registry.exists():
        return list(direct.values())
    from sglang.srt.environ import EnvField, Envs  # type: ignore[import-not-found]

    fields = {name: value for name, value in vars(Envs).items() if isinstance(value, EnvField)}
    listed = {name: _variable(name, value) for name, value in fields.items()}
    for name, value in fields.items():
        if old := getattr(value, "deprecated_name", None):
            listed[old] = {**listed[name], "name": old, "replacement": name}
    rows = {**direct, **listed}
    for name, replacement in _replacements(registry).items():
        rows[name] = {**rows.get(name, {"name": name}), "replacement": replacement}
    return list(rows.values())


def _variable(name: str, value: Any) -> Record:
    default = value.default() if callable(value.default) else value.default
    shape = re.sub(r"^Env|WithAlias$", "", type(value).__name__).lower()
    return {"name": name, "type": "list" if shape == "tuple" else shape, "default": plain(default)}


def _replacements(registry: Path) -> dict[str, str]:
    """The variables that the engine, when they are set, says to replace by another or by a flag.

    Run instead of read: how environ.py declares them changed with every few releases, but it has
    always warned at import.
    """
    text = registry.read_text(encoding="utf-8")
    candidates = sorted(set(_VARIABLE.findall(text)))
    before = dict(os.environ)
    os.environ.update(dict.fromkeys(candidates, "1"))
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            exec(compile(text, str(registry), "exec"), {"__name__": "sglang.srt.environ_again"})
    finally:
        os.environ.clear()
        os.environ.update(before)
    found: dict[str, str] = {}
    for message in (str(warning.message) for warning in caught):
        old = re.search(rf"\b({'|'.join(candidates)})\b", message)
        new = _USE_INSTEAD.search(message)
        if old and new:
            found.setdefault(old.group(), new.group(1))
    return found

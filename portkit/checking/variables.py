"""Environment variables: read by this release, by another one, or by nobody."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from packaging.version import Version

from portkit.catalogue.history import variable_history
from portkit.catalogue.load import known_releases, load
from portkit.catalogue.model import Catalogue
from portkit.catalogue.resolution import EnvironmentValue, Resolution
from portkit.checking.findings import Finding
from portkit.mapping.load import rows
from portkit.source import SourceText

_NAMES = {"vllm": "vLLM", "sglang": "SGLang"}
_OWN = {"vllm": ("VLLM_",), "sglang": ("SGLANG_", "SGL_")}
_SILENT_BEFORE = Version("0.17.0")  # of vLLM: envs.py has validate_environ from there on
_OVERWRITTEN = {
    "sglang": {"CUDA_DEVICE_MAX_CONNECTIONS": "SGLang sets it to 8 whatever it was"},
    "vllm": {"TORCHINDUCTOR_COMPILE_THREADS": "vLLM sets it to 1 when it is imported"},
}
_IMAGE_VARIABLES = frozenset({"VLLM_VERSION", "VLLM_IMAGE", "VLLM_TAG", "VLLM_BIN", "VLLM_ARGS", "SGLANG_VERSION"})
"""Names that scripts use for themselves."""


def variable_findings(resolution: Resolution) -> Iterator[Finding]:
    """What is to be said about the variables the script sets."""
    for variable in resolution.environment.values():
        found = _finding(variable, resolution.catalogue, resolution.launch.source)
        if found is not None:
            yield found


def _finding(variable: EnvironmentValue, catalogue: Catalogue, source: SourceText) -> Finding | None:
    engine, name, span = catalogue.engine, variable.name, variable.word.span
    overwritten = _OVERWRITTEN[engine].get(name)
    if overwritten and not (engine == "sglang" and variable.word.text == "8"):
        return Finding("PK407", f"{name} has no effect: {overwritten}", source, span, "remove it")
    if variable.variable is None:
        return _unread(variable, catalogue, source)
    replacement = variable.variable.replacement
    if replacement:
        message = f"{name} is deprecated in {_NAMES[engine]} {catalogue.release}"
        return Finding("PK404", message, source, span, f"use {replacement}")
    if name.startswith("SGL_") and name not in catalogue.variables:
        message = f"SGLang copies {name} to SGLANG_{name[4:]} with a warning"
        return Finding("PK404", message, source, span, f"use SGLANG_{name[4:]}")
    return _bad_value(variable, catalogue, source)


def _unread(variable: EnvironmentValue, catalogue: Catalogue, source: SourceText) -> Finding | None:
    engine, name, span = catalogue.engine, variable.name, variable.word.span
    release = f"{_NAMES[engine]} {catalogue.release}"
    for other, prefixes in _OWN.items():
        if other != engine and name.startswith(prefixes):
            return Finding("PK405", f"{name} is {_NAMES[other]}'s: {_NAMES[engine]} doesn't read it", source, span)
    if not name.startswith(_OWN[engine]) or name in _IMAGE_VARIABLES:
        return None
    history = variable_history(catalogue, name)
    silently = engine == "vllm" and catalogue.release < _SILENT_BEFORE
    how = " and says nothing" if silently else " and only warns" if engine == "vllm" else ""
    if not history:
        now = _moved(name, catalogue)
        if now:
            return Finding("PK402", f"{release} doesn't read {name}{how}", source, span, f"use {now}")
        hint = _near(name, catalogue) or "remove it, unless the script reads it itself"
        return Finding("PK401", f"{release} doesn't read {name}, nor does any catalogued release", source, span, hint)
    message = f"{release} doesn't read {name}{how}: {history.text}"
    now = _moved(name, catalogue)
    if not history.before:
        hint = f"in {catalogue.release} it is {now}" if now else f"use {_NAMES[engine]} >= {history.after[0]}"
        return Finding("PK403", message, source, span, hint)
    return Finding("PK402", message, source, span, f"use {now}" if now else "remove it")


def _near(name: str, catalogue: Catalogue) -> str:
    """Variables spelled alike, of this release or of others with what they are now."""
    near = difflib.get_close_matches(name, catalogue.variables, n=2, cutoff=0.85)
    if near:
        return f"did you mean {' or '.join(near)}?"
    others = {v for r in known_releases(catalogue.engine) for v in load(catalogue.engine, r).variables}
    for other in difflib.get_close_matches(name, sorted(others), n=1, cutoff=0.85):
        now = _moved(other, catalogue)
        return f"did you mean {other}? {f'That is {now} now' if now else variable_history(catalogue, other).text}"
    return ""


def _moved(name: str, catalogue: Catalogue) -> str:
    """The place that took over what a variable said, by the mapping rows, or the flag of the same name."""
    for row in rows().values():
        side = row.side(catalogue.engine)
        if any(place.env == name for place in side.places):
            now = side.place(catalogue.release)
            if now is not None and now.env != name:
                return str(now)
    flag = "--" + re.sub(r"^(VLLM|SGLANG|SGL)_", "", name).lower().replace("_", "-")
    if flag in catalogue.by_name:
        return flag
    key = name.removeprefix("VLLM_").lower()
    if key in catalogue.config_classes.get("AttentionConfig", ()):
        return f"--attention-config {key}"
    return ""


def _bad_value(variable: EnvironmentValue, catalogue: Catalogue, source: SourceText) -> Finding | None:
    kind, text = variable.variable.type if variable.variable else "", variable.word.text
    if not variable.word.known or not text:
        return None
    if variable.name == "VLLM_PORT" and "://" in text:
        hint = "a Kubernetes service called vllm injects it: rename the service or set enableServiceLinks: false"
        return Finding("PK406", "VLLM_PORT is an internal port, not an address", source, variable.word.span, hint)
    number = {"int": r"\s*[-+]?[\d_]+\s*", "float": r"\s*[-+]?(\d[\d_]*\.?\d*|\.\d+|inf|nan)(e[-+]?\d+)?\s*"}.get(kind)
    if number is None or re.fullmatch(number, text, re.IGNORECASE):
        return None
    if catalogue.engine == "sglang":
        return None  # it warns and takes the default, or reads it by a function of its own
    message = f"{variable.name} takes a{'n integer' if kind == 'int' else ' number'}, not {text!r}"
    return Finding("PK406", message, source, variable.word.span)

"""Launches written as one line, for the tests of resolution."""

from __future__ import annotations

import dataclasses
import re
import shlex
from collections.abc import Mapping

from packaging.version import Version

from portkit.catalogue.load import load
from portkit.catalogue.model import Catalogue
from portkit.catalogue.resolution import Resolution, Unknown
from portkit.catalogue.resolve import resolve
from portkit.launch import EngineName, Launch, Part, Ref, Word
from portkit.source import SourceText, Span

VLLM = ("0.20.1", "0.33.0")
SGLANG = ("0.5.12.post1", "0.5.23")
ENTRIES = {
    "vllm": "vllm serve",
    "api_server": "python -m vllm.entrypoints.openai.api_server",
    "sglang": "python -m sglang.launch_server",
    "sglang serve": "sglang serve",
}
_UNKNOWN = re.compile(r"(\$\{(\w+):-([^}]*)\}|\$\w+|\$\([^)]*\))")


def catalogue(engine: EngineName, release: str) -> Catalogue:
    return load(engine, Version(release))


def launch(
    entry: str, words: list[str], environment: Mapping[str, str] | None = None, files: Mapping[str, str] | None = None
) -> Launch:
    """A launch of the given words, in which `$X`, `${X:-default}` and `$(...)` are filled in by the shell.

    A word that begins with `"` and ends with it is quoted; others that hold an unknown may split.
    """
    text = "\n".join(words)
    source = SourceText("launch.sh", text)
    argv: list[Word] = []
    start = 0
    for word in words:
        quoted = len(word) > 1 and word[0] == word[-1] == '"'
        parts = _parts(word[1:-1] if quoted else word)
        splits = not quoted and any(isinstance(part, Ref) and part.value is None for part in parts)
        argv.append(Word(parts, Span(start, start + len(word)), splits))
        start += len(word) + 1
    return Launch(
        source,
        "vllm" if entry in ("vllm", "api_server") else "sglang",
        ENTRIES[entry],
        argv,
        Span(0, len(text)),
        environment={name: Word((value,), Span(0, 0)) for name, value in (environment or {}).items()},
        files=dict(files or {}),
    )


def as_release(known: Catalogue, release: str) -> Catalogue:
    """A catalogue read as another release's, for rules of releases without one here."""
    return dataclasses.replace(known, release=Version(release))


def resolved(
    entry: str,
    release: str,
    line: str,
    environment: Mapping[str, str] | None = None,
    files: Mapping[str, str] | None = None,
) -> Resolution:
    """A command line (quoted as a shell reads it, unknowns as in `launch`) as a release resolves it."""
    made = launch(entry, shlex.split(line), environment, files)
    return resolve(made, catalogue(made.engine, release))


def outcome(resolution: Resolution) -> tuple[dict[str, object], list[str]]:
    """The values by dest without the model, `Unknown` as its expression, and the kinds of problems."""
    values = {dest: _plain(argument.value) for dest, argument in resolution.arguments.items()}
    for model in ("model_path", "model_tag"):
        if values.get(model) == "m":
            del values[model]
    return values, [problem.kind for problem in resolution.problems]


def _plain(value: object) -> object:
    if isinstance(value, Unknown):
        return f"<{value}>"
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


def _parts(text: str) -> tuple[Part, ...]:
    parts: list[Part] = []
    end = 0
    for found in _UNKNOWN.finditer(text):
        if found.start() > end:
            parts.append(text[end : found.start()])
        parts.append(Ref(found[0], found[3]))
        end = found.end()
    if end < len(text):
        parts.append(text[end:])
    return tuple(parts)

"""From a file to a canonical document, in one direction: text, launch, resolution, deployment."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from portkit.catalogue.resolution import Problem, Resolution
from portkit.catalogue.resolve import resolve
from portkit.deployment.schema import Deployment, Facts
from portkit.dialects.read import read_deployment
from portkit.errors import PortkitError
from portkit.facts import gather_facts
from portkit.frontends.shell import read_script
from portkit.launch import Launch, Note
from portkit.releases import choose_release, split_engine
from portkit.source import SourceText

SIZE_LIMIT_BYTES = 16_000_000
CONFIG_LIMIT_BYTES = 1_000_000

_REFUSED = ("ambiguous", "invalid_value", "missing_value", "missing_required", "unexpected_value", "refused")


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asks of one input.

    `release` is the engine and release to read it by, or several of which the launch's engine takes its
    own. `settings` are the `--set NAME=VALUE` pairs, `launch` a number from 1 or a name.
    """

    path: str
    release: str | tuple[str, ...] | None = None
    launch: str | None = None
    gpu: str | None = None
    model_config: str | None = None
    settings: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Loaded:
    """A launch read to the end, and the remarks for the person who asked."""

    launch: Launch
    resolution: Resolution
    deployment: Deployment
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Resolved:
    """A launch read by a release, whatever that refuses of it."""

    launch: Launch
    resolution: Resolution
    facts: Facts
    reason: str


def load_resolutions(request: Request) -> list[Resolved]:
    """Every launch of a file, or the one asked for, each read by its release.

    Raises PortkitError where the file can't be read or holds no launch.
    """
    source = read_source(request.path)
    launches = read_script(source, request.settings or {})
    chosen = launches if request.launch is None else [pick(launches, request.launch)[0]]
    return [_resolved(launch, request) for launch in chosen]


def _resolved(launch: Launch, request: Request) -> Resolved:
    read_file = reader_beside(launch.source.name)
    chosen = choose_release(launch, _asked(launch, request.release), read_file)
    resolution = resolve(launch, chosen.catalogue, read_file)
    name = _model_name(resolution)
    facts = gather_facts(launch.source.text, name, gpu=request.gpu, model_config=request.model_config)
    return Resolved(launch, resolution, facts, chosen.reason)


def load_deployment(request: Request) -> Loaded:
    """Read a file to its canonical document.

    Raises PortkitError where the file can't be read, holds no launch, or holds a value that the
    engine would refuse.
    """
    source = read_source(request.path)
    launches = read_script(source, request.settings or {})
    launch, remark = pick(launches, request.launch)
    resolved = _resolved(launch, request)
    resolution = resolved.resolution
    _stop_at_refusals(resolution)
    deployment = read_deployment(resolution, resolved.facts, resolved.reason)
    remarks = [f"read as {deployment.engine} {deployment.release} ({resolved.reason})"]
    if remark:
        remarks.append(remark)
    remarks.extend(f"{kind}: {why}" for kind, why in _guesses(deployment))
    remarks.extend(_note_text(source, note) for note in launch.notes)
    remarks.extend(note for note in deployment.notes if all(note != n.message for n in launch.notes))
    return Loaded(launch, resolution, deployment, tuple(remarks))


def _asked(launch: Launch, release: str | tuple[str, ...] | None) -> str | None:
    if not isinstance(release, tuple):
        return release
    return next((text for text in release if split_engine(text)[0] == launch.engine), None)


def reader_beside(script: str) -> Callable[[str], str | None]:
    """Reads a file that a script names: beside the script, else from here; None where it isn't."""

    def read(path: str) -> str | None:
        for folder in (Path(script).parent, Path()):
            try:
                with (folder / path).open("rb") as file:
                    return file.read(CONFIG_LIMIT_BYTES).decode("utf-8-sig")
            except (OSError, ValueError):
                continue
        return None

    return read


def read_source(path: str) -> SourceText:
    """A file's text, or standard input's for `-`. Raises PortkitError where there is none to read."""
    if path == "-":
        data = sys.stdin.buffer.read(SIZE_LIMIT_BYTES + 1)
        name = "<stdin>"
    else:
        name = path
        try:
            with Path(path).open("rb") as file:
                data = file.read(SIZE_LIMIT_BYTES + 1)
        except IsADirectoryError:
            raise PortkitError(f"{path} is a directory", hint="give a launch script") from None
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise PortkitError(
                f"can't read {path}: {why}", hint="give a launch script, or - for standard input"
            ) from None
    if len(data) > SIZE_LIMIT_BYTES:
        raise PortkitError(
            f"{name} is larger than {SIZE_LIMIT_BYTES // 1_000_000} MB", hint="give the launch script alone"
        )
    if b"\0" in data:
        raise PortkitError(f"{name} is a binary file", hint="give a launch script")
    return SourceText(name, _decoded(name, data))


def _decoded(name: str, data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise PortkitError(f"{name}: line {line} is not UTF-8 text", hint="save the script as UTF-8") from None


def pick(launches: list[Launch], wanted: str | None) -> tuple[Launch, str]:
    """The launch asked for by number or name, else the first, with a remark on what was taken.

    Raises PortkitError for a number or name that isn't there.
    """
    if wanted is None:
        launch = launches[0]
        if len(launches) == 1:
            return launch, ""
        others = ", ".join(f"{i} ({label(o)})" for i, o in enumerate(launches[1:], 2))
        return (
            launch,
            f"took launch 1 of {len(launches)} ({label(launch)}); --launch N takes another: {others}",
        )
    if wanted.isdecimal() and 1 <= int(wanted) <= len(launches):
        launch = launches[int(wanted) - 1]
        return launch, f"took launch {wanted} of {len(launches)} ({label(launch)})"
    named = [launch for launch in launches if wanted in (launch.name, label(launch))]
    if not named:
        known = "; ".join(f"{i}: {label(launch)}" for i, launch in enumerate(launches, 1))
        raise PortkitError(f"{launches[0].source.name} has no launch {wanted!r}", hint=f"launches there: {known}")
    return named[0], f"took launch {launches.index(named[0]) + 1} of {len(launches)} ({label(named[0])})"


def label(launch: Launch) -> str:
    """A launch in a few words: engine, name, line, branch."""
    line = launch.source.position(launch.span.start)[0]
    parts = [launch.engine, launch.name, f"line {line}", f"if {launch.condition}" if launch.condition else ""]
    return " ".join(part for part in parts if part)


def _model_name(resolution: Resolution) -> str | None:
    for dest in ("model_path", "model_tag", "model"):
        argument = resolution.arguments.get(dest)
        if argument is not None and isinstance(argument.value, str):
            return argument.value
    return None


def _stop_at_refusals(resolution: Resolution) -> None:
    refused: list[Problem] = [p for p in resolution.problems if p.kind in _REFUSED]
    if not refused:
        return
    first = refused[0]
    catalogue = resolution.catalogue
    more = f" ({len(refused) - 1} more)" if len(refused) > 1 else ""
    hint = f"{catalogue.engine} {catalogue.release} would refuse this launch{more}"
    if first.suggestions and "did you mean" not in first.message:
        hint += "; did you mean " + " or ".join(first.suggestions[:3]) + "?"
    raise PortkitError(first.message, source=first.source, span=first.place, hint=hint)


def _guesses(deployment: Deployment) -> list[tuple[str, str]]:
    facts = deployment.facts
    found = []
    if facts.gpu and facts.sources.get("gpu") != "--gpu":
        found.append(("GPU", f"{facts.gpu}, {facts.sources['gpu']}"))
    if facts.architecture and facts.sources.get("model") != "--model-config":
        found.append(("model", f"{facts.architecture}, {facts.sources['model']}"))
    return found


def _note_text(source: SourceText, note: Note) -> str:
    if note.span is None:
        return note.message
    return f"line {source.position(note.span.start)[0]}: {note.message}"

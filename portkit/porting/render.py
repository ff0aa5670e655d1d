"""A port as text: the launch script, from templates/<engine>/serve.sh.j2."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from portkit.conversions.writing import Emit
from portkit.data import data_root
from portkit.launch import Launch, shell_quote
from portkit.mapping.rows import AREAS
from portkit.porting.port import Entry, Port, left_behind
from portkit.secrets import masked

_COMMANDS = {"vllm": "vllm serve", "sglang": "python3 -m sglang.launch_server"}
_WIDTH = 100


@dataclass
class Group:
    """One area's lines of the script."""

    title: str
    lines: list[str] = field(default_factory=list)


def render_script(port: Port, launch: Launch) -> str:
    """A bash script that starts the target as the port says; every value quoted for bash."""
    import jinja2

    engine = port.catalogue.engine
    # Shell, not HTML: values are quoted by shell_quote before they reach the template.
    environment = jinja2.Environment(keep_trailing_newline=True, undefined=jinja2.StrictUndefined)
    template = environment.from_string((data_root() / "templates" / engine / "serve.sh.j2").read_text(encoding="utf-8"))
    return template.render(
        heading=_heading(port, launch),
        environment=environment_groups(port),
        groups=argument_groups(port),
        command=" ".join([*(word.shell() for word in launch.wrappers), _COMMANDS[engine], *_model(port)]),
    )


def _heading(port: Port, launch: Launch) -> str:
    source = port.source
    line = launch.source.position(launch.span.start)[0]
    name = _plain(launch.source.name)
    first = f"{port.catalogue.engine} {port.catalogue.release}, ported by portkit from {name} line {line}"
    lines = [f"{first} ({source.engine} {source.release})."]
    lines.extend(
        " ".join(filter(None, ("Left behind:", e.title, masked(e.name, e.source), f"({e.carry.verdict})")))
        for e in left_behind(port)
    )
    return "\n".join(f"# {_plain(text)}" for text in lines)


def _model(port: Port) -> list[str]:
    return [_words(emit) for _, emit in port.emits() if emit.flag == ""]


def environment_groups(port: Port) -> list[Group]:
    """`export NAME=VALUE` lines by area; stated ones are commented out."""
    groups = {area: Group(title) for area, title in (*AREAS, ("unmapped", "As in the source"))}
    active = {emit.env for _, emit in port.emits() if not emit.commented}
    done: set[str] = set()
    for entry, emit in port.emits():
        if emit.env is None or emit.env in done or (emit.commented and emit.env in active):
            continue
        done.add(emit.env)
        line = f"export {emit.env}={_words(emit)}"
        groups[entry.area].lines.extend(_commented(line, emit, entry))
    return [group for group in groups.values() if group.lines]


def argument_groups(port: Port) -> list[Group]:
    """One flag a line by area, each converted value under a comment that says from what."""
    groups = {area: Group(title) for area, title in (*AREAS, ("unmapped", "As in the source"))}
    documents = _documents(port)
    done: set[str] = set()
    for entry, emit in port.emits():
        if not emit.flag:
            continue
        if emit.key is not None and not emit.commented:
            lines = documents.pop(emit.flag, [])
        elif emit.flag in done:
            continue
        else:
            option = f"{emit.flag}.{emit.key} {_dotted(emit)}" if emit.key else f"{emit.flag} {_words(emit)}"
            lines = _commented(option.rstrip(), emit, entry)
            if not emit.commented:
                done.add(emit.flag)
        groups[entry.area].lines.extend(lines)
    return [group for group in groups.values() if group.lines]


def _worked_out(emit: Emit, entry: Entry) -> str:
    """That a value was computed for the defaults of what the script takes from outside."""
    if emit.shell is not None or entry.setting is None or not (emit.values or emit.key):
        return ""
    outside = [w for w in entry.setting.provenance.written if w.symbolic]
    return "; ".join(f"worked out for {w.shell} = {w.text}" for w in outside)


def _commented(line: str, emit: Emit, entry: Entry) -> list[str]:
    comment = _plain("; ".join(part for part in (emit.comment, _worked_out(emit, entry)) if part))
    if emit.commented:
        return [f"# {line.replace(chr(10), ' ')}" + (f"  # {comment}" if comment else "")]
    if not comment:
        return [line]
    if len(line) + len(comment) + 6 <= _WIDTH:
        return [f"{line}  # {comment}"]
    return [f"# {comment}", line]


def _words(emit: Emit) -> str:
    if emit.shell is not None:
        return " ".join(emit.shell)
    return " ".join(shell_quote(value) for value in emit.values)


def _documents(port: Port) -> dict[str, list[str]]:
    """The lines of each JSON flag: one document, or dotted keys where a value is the shell's to fill."""
    keyed: dict[str, list[Emit]] = {}
    for _, emit in port.emits():
        if emit.key is not None and emit.flag and not emit.commented:
            keyed.setdefault(emit.flag, []).append(emit)
    return {flag: _document(flag, emits) for flag, emits in keyed.items()}


def _document(flag: str, emits: list[Emit]) -> list[str]:
    comments = [f"# {emit.key}: {_plain(emit.comment)}" for emit in emits if emit.comment]
    if any(emit.shell is not None for emit in emits):
        return [*comments, *(f"{flag}.{emit.key} {_dotted(emit)}" for emit in emits)]
    document: dict[str, Any] = {}
    for emit in emits:
        *path, last = (emit.key or "").split(".")
        inner = document
        for part in path:
            inner = inner.setdefault(part, {})
        inner[last] = emit.json_value
    return [*comments, f"{flag} {shell_quote(json.dumps(document))}"]


def _dotted(emit: Emit) -> str:
    if emit.shell is not None:
        return " ".join(emit.shell)
    value = emit.json_value
    return shell_quote(value if isinstance(value, str) else json.dumps(value))


def _plain(text: str) -> str:
    """Text for a comment: one line, no control characters."""
    return "".join(char if char.isprintable() else " " for char in text)

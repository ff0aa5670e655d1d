"""The account of a port: every setting, what became of it, and why."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from portkit.diffing.compare import emit_text
from portkit.mapping.rows import AREAS
from portkit.porting.port import Entry, Port
from portkit.report.console import STYLES
from portkit.secrets import masked
from portkit.verdicts import VERDICTS

if TYPE_CHECKING:
    from rich.console import Console

_TITLES = {**dict(AREAS), "unmapped": "Not in portkit's rows"}


def print_account(port: Port, console: Console, *, everything: bool = False) -> None:
    """Settings by area, then counts; what nobody wrote and nothing changes is left out unless asked."""
    from rich.table import Table
    from rich.text import Text

    shown = [entry for entry in port.entries if everything or _tells(entry)]
    for area, title in _TITLES.items():
        entries = [entry for entry in shown if entry.area == area]
        if not entries:
            continue
        table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False, expand=False)
        for name, ratio in (("setting", 3), ("source", 3), ("verdict", 0), ("target", 4)):
            table.add_column(name, ratio=ratio or None, overflow="fold", no_wrap=ratio == 0)
        for entry in entries:
            verdict = Text(entry.carry.verdict, style=STYLES[entry.carry.verdict])
            table.add_row(entry.title, _source(entry), verdict, _target(entry))
        console.print(table)
        console.print()
    console.print(summary(port))


def _tells(entry: Entry) -> bool:
    if entry.carry.follows and not entry.explicit:
        return False
    telling = entry.default == "told" or entry.carry.verdict in ("unsafe", "unknown", "lost")
    return entry.explicit or bool(entry.carry.emits) or telling


def _source(entry: Entry) -> str:
    text = masked(entry.name, entry.source)
    if entry.setting is None or entry.explicit:
        return text
    return f"{text} ({entry.setting.provenance.detail or entry.setting.provenance.kind})"


def _target(entry: Entry) -> str:
    secret = masked(entry.name, "x") != "x"
    emits = ["(stated) " * emit.commented + emit_text(emit) for emit in entry.carry.emits]
    parts = [masked(entry.name, "  ".join(emits)) if secret else "  ".join(emits)]
    parts.append(entry.carry.reason or (entry.carry.rule if entry.carry.verdict != "carried" else ""))
    if entry.carry.instead:
        parts.append(f"-> {entry.carry.instead}")
    return "\n".join(part for part in parts if part)


def summary(port: Port) -> str:
    """How many settings have each verdict."""
    counted = Counter(entry.carry.verdict for entry in port.entries if _tells(entry))
    counts = ", ".join(f"{counted[verdict]} {verdict}" for verdict in VERDICTS if counted[verdict])
    return f"{sum(counted.values())} settings: {counts or 'none'}"

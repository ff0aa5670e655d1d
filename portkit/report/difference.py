"""A comparison as tables: what B lost first, then each area, then counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portkit.deployment.schema import Setting, Unmapped
from portkit.diffing.compare import Comparison, Line
from portkit.mapping.rows import AREAS
from portkit.report.console import STYLES
from portkit.secrets import masked

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_FIRST = ("lost", "unsafe")
_QUIET = ("same", "built-in", "inert", "converted", "carried")
_NARROW = 110
_HEADS = ("setting", "A", "B", "verdict", "why it matters")
_TITLES = {**dict(AREAS), "unmapped": "Not in portkit's rows"}


def print_comparison(comparison: Comparison, console: Console, *, everything: bool = False) -> None:
    """Tables of the differences that matter; with `everything` also what agrees."""
    lines = [line for line in comparison.lines if everything or line.verdict not in _QUIET]
    first = [line for line in lines if line.verdict in _FIRST]
    if first:
        _print_table("Lost or unsafe in B", first, console)
    for area, title in _TITLES.items():
        rest = [line for line in lines if line.area == area and line.verdict not in _FIRST]
        if rest:
            _print_table(title, rest, console)
    console.print(summary(comparison))


def _print_table(title: str, lines: list[Line], console: Console) -> None:
    from rich.text import Text

    narrow = console.width < _NARROW
    console.print(Text(title, style="bold"))
    table = _table(console.width, why=not narrow)
    table.add_row(*(Text(head, style="dim") for head in _HEADS[: 4 if narrow else 5]))
    for line in lines:
        cells = [Text(cell) for cell in (line.title, _cell(line.a, line), _cell(line.b, line))]
        cells.append(Text(line.verdict, style=STYLES[line.verdict]))
        if narrow:
            table.add_row(*cells)
            console.print(table)
            _print_why(line, console)
            table = _table(console.width, why=False)
        else:
            table.add_row(*cells, Text(_why(line)))
    if not narrow:
        console.print(table)
    console.print()


def _print_why(line: Line, console: Console) -> None:
    from rich.padding import Padding
    from rich.text import Text

    if why := _why(line):
        console.print(Padding(Text(why, style="dim"), (0, 0, 0, 4)))


def _table(width: int, *, why: bool) -> Table:
    """A grid whose columns have the same widths in every table of one report."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2, 0, 0))
    verdict = 11
    room = width - verdict - 2 * (5 if why else 4)
    shares = (4, 4, 4, 7) if why else (1, 1, 1)
    widths = [room * share // sum(shares) for share in shares]
    for column in widths[:3]:
        table.add_column(width=column, overflow="fold")
    table.add_column(width=verdict, no_wrap=True)
    if why:
        table.add_column(width=widths[3], overflow="fold")
    return table


def _cell(side: Setting | Unmapped | None, line: Line) -> str:
    if side is None:
        return "-"
    if isinstance(side, Unmapped):
        return masked(side.name, side.text) or "yes"
    written = side.provenance.written
    as_written = side.explicit and isinstance(side.value, str) and bool(written) and bool(written[0].text)
    text = masked(line.setting, written[0].text if as_written else side.text())
    if side.provenance.kind in ("default", "derived") and side.provenance.detail:
        return f"{text} ({side.provenance.detail})"
    return text


def _why(line: Line) -> str:
    parts = [line.reason or line.why]
    if line.fix:
        parts.append(f"Carried by: {masked(line.setting, line.fix)}")
    return " ".join(
        part if part.endswith((".", ":")) or part.startswith("Carried") else f"{part}." for part in parts if part
    )


def summary(comparison: Comparison) -> str:
    """Counts of the verdicts, and whether it matters."""
    counts = ", ".join(f"{count} {verdict}" for verdict, count in comparison.counts.items())
    return f"{len(comparison.lines)} settings: {counts}"

"""The terminal: width, colour, and the colours of verdicts."""

from __future__ import annotations

import io
import os
import re
import sys
from typing import IO, TYPE_CHECKING, TextIO, cast

from portkit.verdicts import Verdict

if TYPE_CHECKING:
    from rich.console import Console

STYLES: dict[Verdict, str] = {
    "lost": "bold red",
    "unsafe": "bold red",
    "unknown": "yellow",
    "differs": "yellow",
    "approximate": "cyan",
    "converted": "green",
    "carried": "green",
    "built-in": "dim",
    "inert": "dim",
    "same": "dim",
}

_PIPE_WIDTH = 100
_TRAILING = re.compile(r"[ \t]+(?=\n)")


def console(*, stderr: bool = False) -> Console:
    """A console as wide as the terminal; through a pipe, COLUMNS or 100 columns and no colour."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    if stream.isatty():
        return Console(file=stream, highlight=False, emoji=False, markup=False)
    columns = os.environ.get("COLUMNS", "")
    width = int(columns) if columns.isdecimal() and int(columns) > 0 else _PIPE_WIDTH
    return Console(file=cast(IO[str], _Trimmed(stream)), width=width, highlight=False, emoji=False, markup=False)


class _Trimmed(io.TextIOBase):
    """A stream without the blanks that fill a table's lines."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self.stream = stream

    def write(self, text: str) -> int:
        """Write text, blanks before line ends left out."""
        return self.stream.write(_TRAILING.sub("", text))

    def flush(self) -> None:
        """Pass the flush on."""
        self.stream.flush()

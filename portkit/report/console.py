"""The terminal: width, colour, and the colours of verdicts."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

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


def console(*, stderr: bool = False) -> Console:
    """A console as wide as the terminal; through a pipe, COLUMNS or 100 columns and no colour."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else int(os.environ.get("COLUMNS", "") or _PIPE_WIDTH)
    return Console(file=stream, width=width, highlight=False, soft_wrap=False, emoji=False, markup=False)

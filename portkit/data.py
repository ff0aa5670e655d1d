"""Where the data that travels with portkit lies: mappings/ and templates/."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


@cache
def data_root() -> Path:
    """The folder that holds mappings/ and templates/: inside an installed wheel, or the checkout."""
    bundled = _PACKAGE / "_data"
    return bundled if bundled.is_dir() else _PACKAGE.parent

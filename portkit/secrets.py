"""Keeping keys and tokens out of every report."""

from __future__ import annotations

import re

MASK = "********"

_SECRET = re.compile(
    r"(api[-_]?key|token$|hf[-_]?token|secret|passw|credential|ssl[-_]keyfile[-_]password)", re.IGNORECASE
)


def is_secret(name: str) -> bool:
    """Whether a flag, variable or setting of this name holds a secret."""
    return bool(_SECRET.search(name))


def masked(name: str, text: str) -> str:
    """The text, or a mask where the name says it is secret."""
    return MASK if text and is_secret(name) else text

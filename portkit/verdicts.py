"""The one vocabulary for what becomes of a setting, used in tables, JSON, Markdown and exit codes."""

from __future__ import annotations

from typing import Literal, get_args

Verdict = Literal[
    "lost",
    "unsafe",
    "unknown",
    "differs",
    "approximate",
    "converted",
    "carried",
    "built-in",
    "inert",
    "same",
]

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
"""All verdicts, what needs a person's eye first."""

MEANING: dict[Verdict, str] = {
    "lost": "the other side has no equivalent, or doesn't set it",
    "unsafe": "an equivalent exists but is broken or wrong on that release",
    "unknown": "not in the catalogue, no row yet, or only known when the script runs",
    "differs": "both sides set it, to different values",
    "approximate": "carried by a rule that is close, not exact",
    "converted": "exact after a change of unit or name",
    "carried": "the same value under the other engine's name",
    "built-in": "the other side already does it by default",
    "inert": "this release ignores it, nothing is lost",
    "same": "both sides agree",
}

Impact = Literal["high", "medium", "low", "none"]

IMPACTS: tuple[Impact, ...] = get_args(Impact)
"""Likely effect on speed, greatest first."""

"""Everything `portkit explain` says of a name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from portkit.explaining.counterparts import Setting, keys_of, rows_of, setting
from portkit.explaining.lifetime import Lifetime, lifetime
from portkit.explaining.subject import ENGINES, find_subjects
from portkit.launch import EngineName
from portkit.mapping.load import rows


@dataclass(frozen=True, slots=True)
class Explanation:
    """A name as asked for, its life in each engine that has it, and the settings it stands for.

    `keys` are the keys of a JSON flag that rows know: engine, key, setting.
    """

    name: str
    lives: tuple[Lifetime, ...]
    settings: tuple[Setting, ...]
    keys: tuple[tuple[EngineName, str, str], ...] = ()


def explain(name: str, engines: Sequence[EngineName] = ENGINES) -> Explanation:
    """What is known of a flag, a key, a variable or a setting. Raises PortkitError for an unknown name."""
    lives = tuple(lifetime(subject) for subject in find_subjects(name, engines))
    found = rows_of(lives) if lives else [rows()[name]]
    keys = tuple((life.subject.engine, key, of) for life in lives for key, of in keys_of(life))
    return Explanation(name, lives, tuple(map(setting, found)), keys)

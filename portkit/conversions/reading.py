"""What a reader sees of a launch, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from packaging.version import Version

from portkit.catalogue.resolution import Argument, EnvironmentValue, Resolution, Unknown
from portkit.deployment.schema import Facts, Setting
from portkit.mapping.rows import Place, Row


@dataclass(frozen=True, slots=True)
class Found:
    """One place of a row that the launch fills: the argument or variable, and its value there."""

    place: Place
    value: Any
    argument: Argument | None = None
    variable: EnvironmentValue | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """A canonical value and what it was read from.

    `rule` says how the value follows when it isn't simply what was written. Without `found`, `kind`
    tells a default of the release from a consequence of other settings.
    """

    value: Any
    found: tuple[Found, ...] = ()
    rule: str = ""
    kind: Literal["default", "derived"] = "default"


@dataclass
class ReadContext:
    """A resolved launch, its release and the facts about GPU and model.

    `setting` reads another setting of the same launch first; conversions that need one ask for it by
    name, so rows may stand in any order.
    """

    resolution: Resolution
    facts: Facts
    setting: Callable[[str], Setting | None]
    notes: list[str] = field(default_factory=list)

    def canonical(self, name: str) -> Any:
        """Another setting's value, or None where it isn't set or isn't known."""
        setting = self.setting(name)
        return setting.value if setting is not None and setting.known else None

    @property
    def engine(self) -> str:
        """The launch's engine."""
        return self.resolution.catalogue.engine

    @property
    def release(self) -> Version:
        """The launch's release."""
        return self.resolution.catalogue.release

    def found(self, row: Row) -> list[Found]:
        """The row's places that this launch fills, in the row's order."""
        places = row.side(self.engine).places
        return [found for place in places if (found := self.look(place)) is not None]

    def look(self, place: Place) -> Found | None:
        """What the launch says at one place, or None."""
        if not place.holds_in(self.release):
            return None
        if place.env is not None:
            variable = self.resolution.environment.get(place.env)
            return None if variable is None else Found(place, variable.word.text, variable=variable)
        argument = self.argument(place.flag or "")
        if argument is None:
            return None
        if place.key is None:
            return Found(place, argument.value, argument=argument)
        value = key_of(argument.value, place.key)
        return None if value is None else Found(place, value, argument=argument)

    def argument(self, flag: str) -> Argument | None:
        """The argument in effect for a flag, by any of its names, or None."""
        known = self.resolution.catalogue.by_name.get(flag) or self.resolution.catalogue.by_dest.get(flag)
        return None if known is None else self.resolution.arguments.get(known.dest)

    def value(self, flag: str, default: Any = None) -> Any:
        """A flag's value, or the default where it isn't set or isn't known."""
        argument = self.argument(flag)
        if argument is None or isinstance(argument.value, Unknown):
            return default
        return argument.value


def key_of(value: Any, path: str) -> Any:
    """A nested value by dotted path, or None."""
    for part in path.split("."):
        if not isinstance(value, dict) or part not in value:
            return None
        value = value[part]
    return value

"""A launch as the rules of combinations see it: values by dest and key, facts, release."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from portkit.catalogue.resolution import Argument, Resolution, Unknown
from portkit.checking.findings import Finding, argument_span, key_span
from portkit.deployment.schema import Facts


@dataclass(frozen=True, slots=True)
class View:
    """What a rule may look at. Values are those the launch gives."""

    resolution: Resolution
    facts: Facts

    @property
    def release(self) -> Version:
        """The release that the launch is read by."""
        return self.resolution.catalogue.release

    def argument(self, name: str) -> Argument | None:
        """A flag that the launch gives, by dest or by option string."""
        flag = self.resolution.catalogue.by_name.get(name)
        return self.resolution.arguments.get(flag.dest if flag is not None else name)

    def given(self, name: str) -> bool:
        """Whether the launch gives a flag at all, with a known value or not."""
        return self.argument(name) is not None

    def value(self, name: str, key: str | None = None) -> Any:
        """A flag's value, or a key's inside its object; None where it isn't given or isn't known."""
        argument = self.argument(name)
        value = argument.value if argument is not None else None
        for part in key.split(".") if key else ():
            value = value.get(part) if isinstance(value, dict) else None
        return None if isinstance(value, Unknown) else value

    def integer(self, *places: str) -> int | None:
        """The first of several places (`name` or `name.key`) that holds a whole number."""
        for place in places:
            name, _, key = place.partition(".")
            value = self.value(name, key or None)
            if isinstance(value, int) and not isinstance(value, bool):
                return value
        return None


@dataclass(frozen=True, slots=True)
class Hit:
    """What a rule found: the message, what to do, and at which flag (and key) to point."""

    message: str
    hint: str
    name: str
    key: str = ""


@dataclass(frozen=True)
class Rule:
    """A combination that a range of releases refuses, overrules or runs badly.

    `evidence` names where in which release it was read.
    """

    code: str
    engine: str
    releases: str
    find: Callable[[View], Iterator[Hit]]
    evidence: str

    def findings(self, view: View) -> Iterator[Finding]:
        """The rule's findings in a launch of a release that it speaks of."""
        catalogue = view.resolution.catalogue
        if catalogue.engine != self.engine or view.release not in SpecifierSet(self.releases, prereleases=True):
            return
        for hit in self.find(view):
            argument = view.argument(hit.name)
            launch = view.resolution.launch
            if argument is None:
                yield Finding(self.code, hit.message, launch.source, launch.span, hit.hint)
            elif hit.key:
                span = key_span(argument.place, argument.source, hit.key)
                yield Finding(self.code, hit.message, argument.source, span, hit.hint)
            else:
                yield Finding(self.code, hit.message, argument.source, argument_span(argument), hit.hint)

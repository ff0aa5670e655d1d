"""What only one engine has: flags, keys and variables without a counterpart, and why.

One entry of mappings/alone/<engine>/*.yaml is

    - names: [--ds-channel-config-path, "--ds-heavy-*"]   # flags, `--flag key` or variables
      releases: "<0.5.11"        # of the engine; left out, every release that has the name
      verdict: lost              # lost, inert (nothing changes without it) or built-in (the other does so anyway)
      impact: low                # what is missing without it: high, medium, low, none
      effect: [latency]
      why: What it does, in one sentence.
      reason: Why the other engine has none, or what it does instead.
      evidence: ["sglang 0.5.10 layers/attention/double_sparsity_backend.py"]
"""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from portkit.data import data_root
from portkit.mapping.load import records
from portkit.mapping.rows import Effect
from portkit.verdicts import Impact, Verdict


@dataclass(frozen=True)
class Alone:
    """A disposition of names that no row has. `names` may be patterns that end in `*`."""

    names: tuple[str, ...]
    why: str
    reason: str
    effect: tuple[Effect, ...]
    evidence: tuple[str, ...]
    verdict: Verdict = "lost"
    impact: Impact = "low"
    releases: str = ""

    @cached_property
    def _specifier(self) -> SpecifierSet:
        return SpecifierSet(self.releases, prereleases=True)

    def holds_in(self, release: Version) -> bool:
        """Whether it speaks of that release."""
        return not self.releases or release in self._specifier


def disposition(engine: str, name: str, release: Version) -> Alone | None:
    """What is known of a flag, `--flag key` or variable that no row has; None where nothing is."""
    exact, patterns = _index(engine)
    for entry in exact.get(name, ()):
        if entry.holds_in(release):
            return entry
    for pattern, entry in patterns:
        if fnmatch.fnmatchcase(name, pattern) and entry.holds_in(release):
            return entry
    return disposition(engine, name.partition(" ")[0], release) if " " in name else None


@cache
def entries(engine: str) -> tuple[Alone, ...]:
    """Every disposition of an engine, in file order."""
    folder = data_root() / "mappings" / "alone" / engine
    files = [f"alone/{engine}/{path.name}" for path in sorted(folder.glob("*.yaml"))]
    return tuple(_entry(record) for record in records(f"alone-{engine}", files)) if files else ()


@cache
def _index(engine: str) -> tuple[Mapping[str, list[Alone]], list[tuple[str, Alone]]]:
    exact: dict[str, list[Alone]] = {}
    patterns = []
    for entry in entries(engine):
        for name in entry.names:
            if name.endswith("*"):
                patterns.append((name, entry))
            else:
                exact.setdefault(name, []).append(entry)
    return exact, patterns


def _entry(record: dict[str, object]) -> Alone:
    values = {key: tuple(value) if isinstance(value, list) else value for key, value in record.items()}
    for text in ("why", "reason"):
        values[text] = " ".join(str(values[text]).split())
    return Alone(**values)  # type: ignore[arg-type]

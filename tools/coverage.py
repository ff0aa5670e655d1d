#!/usr/bin/env python
"""What portkit knows of every flag and variable, by release: rows, no equivalent, inert, missing.

    python tools/coverage.py                     a line a release
    python tools/coverage.py missing [ENGINE]    the names that have nothing yet, with their releases

Exits with 1 while a name is missing. Needs portkit installed and nothing else.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from packaging.version import Version

from portkit.catalogue.load import known_releases
from portkit.launch import EngineName
from portkit.mapping.coverage import Coverage, flag_coverage, variable_coverage

ENGINES: tuple[EngineName, ...] = ("sglang", "vllm")
KINDS: dict[str, Callable[[EngineName, Version], Coverage]] = {"flags": flag_coverage, "variables": variable_coverage}


def main(arguments: list[str]) -> int:
    """Print one of the two tables; the exit status."""
    if arguments and arguments[0] == "missing":
        return _missing([e for e in ENGINES if e in (arguments[1:] or ENGINES)])
    if arguments:
        raise SystemExit(__doc__)
    total = 0
    print(f"{'release':24}{'':10}{'rows':>6}{'no equivalent':>15}{'inert':>7}{'missing':>9}")
    for engine in ENGINES:
        for release in known_releases(engine):
            for kind, coverage in KINDS.items():
                found = coverage(engine, release)
                counts = len(found.rows), len(found.alone), len(found.inert), len(found.missing)
                print(f"{f'{engine} {release}':24}{kind:10}{counts[0]:6}{counts[1]:15}{counts[2]:7}{counts[3]:9}")
                total += counts[3]
    return int(total > 0)


def _missing(engines: list[EngineName]) -> int:
    total = 0
    for engine in engines:
        for kind, coverage in KINDS.items():
            names: dict[str, list[Version]] = {}
            for release in known_releases(engine):
                for name in coverage(engine, release).missing:
                    names.setdefault(name, []).append(release)
            for name, releases in sorted(names.items()):
                print(f"{engine} {kind[:-1]} {name}: {releases[0]} to {releases[-1]}")
            total += len(names)
    return int(total > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

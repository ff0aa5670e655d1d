"""Adding a release: extract it, read it a second time, and say what it changed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from packaging.version import Version

from catalogues import static, static_names
from catalogues.report import report
from catalogues.wheels import fetch, released
from portkit.catalogue.load import known_releases, load
from portkit.launch import EngineName


def add(engine: EngineName, asked: str | None, cache: Path) -> int:
    """Add one release, or all that are newer than the newest catalogued; the result is the exit status.

    The report goes to stdout, everything else to stderr.
    """
    wanted = _wanted(engine, asked)
    fresh = [release for release in wanted if release not in known_releases(engine)]
    if not fresh:
        listed = f"{engine} {', '.join(map(str, wanted))} is catalogued" if wanted else f"no newer {engine}"
        print(f"nothing new: {listed}")
        return 0
    return max(_add(engine, release, cache) for release in fresh)


def print_changes(engine: EngineName, old: Version, new: Version) -> int:
    """Print the report between two catalogued releases."""
    sys.stdout.write(report(load(engine, old), load(engine, new)))
    return 0


def _wanted(engine: EngineName, asked: str | None) -> list[Version]:
    if asked not in (None, "latest"):
        return [Version(asked)]
    index = released(engine)
    return index[-1:] if asked else [release for release in index if release > known_releases(engine)[-1]]


def _add(engine: EngineName, release: Version, cache: Path) -> int:
    command = [sys.executable, sys.argv[0], "--cache", str(cache), "extract", engine, str(release)]
    extracted = subprocess.run(command, stdout=sys.stderr, check=False)  # in its own process: modules can't be unloaded
    if extracted.returncode:
        return extracted.returncode
    known_releases.cache_clear()
    names = static_names.recorded()
    read = static.read_names(engine, fetch(engine, str(release), cache).root)
    names.setdefault(engine, {})[str(release)] = read
    static_names.record(names)
    _report(engine, release, read)
    return 0


def _report(engine: EngineName, release: Version, read: set[str]) -> None:
    """Print what changed, and where the two readings differ, which a test refuses until it is explained."""
    older = [known for known in known_releases(engine) if known < release]
    if older:
        print_changes(engine, older[-1], release)
    else:
        print(f"{engine} {release} is the oldest catalogued release")
    only_listed, only_read = static.differences(load(engine, release), read)
    for names, where in ((only_listed, "only in the parser"), (only_read, "only in the sources")):
        if names:
            print(f"\n**The static reading differs**, {where}: {', '.join(names)}")

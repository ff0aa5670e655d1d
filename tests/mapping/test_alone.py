"""Dispositions of what only one engine has, against the catalogues."""

from __future__ import annotations

import fnmatch

import pytest

from portkit.catalogue.load import known_releases, load
from portkit.mapping.alone import disposition, entries
from portkit.mapping.coverage import flag_coverage
from portkit.verdicts import IMPACTS

ENGINES = ("sglang", "vllm")
EFFECTS = {"latency", "throughput", "memory", "correctness", "operations"}


@pytest.mark.parametrize("engine", ENGINES)
def test_entries_are_complete(engine):
    for entry in entries(engine):
        assert entry.verdict in ("lost", "inert", "built-in"), entry.names
        assert entry.impact in IMPACTS, entry.names
        assert entry.effect and set(entry.effect) <= EFFECTS, entry.names
        assert entry.why.endswith(".") and entry.reason and not entry.reason.endswith("."), entry.names
        assert entry.evidence, entry.names


@pytest.mark.parametrize("engine", ENGINES)
def test_every_name_is_of_a_release_that_the_entry_speaks_of(engine):
    releases = [load(engine, release) for release in known_releases(engine)]
    for entry in entries(engine):
        for name in entry.names:
            spoken = [c for c in releases if entry.holds_in(c.release)]
            known = [n for c in spoken for n in (*c.by_name, *c.by_dest, *c.variables)]
            flag = name.partition(" ")[0]
            assert any(fnmatch.fnmatchcase(n, flag) for n in known), f"{engine} {name} {entry.releases}"


@pytest.mark.parametrize("engine", ENGINES)
def test_no_reason_is_given_twice(engine):
    seen: dict[str, tuple[str, ...]] = {}
    for entry in entries(engine):
        assert entry.reason not in seen, f"{entry.names} and {seen[entry.reason]}"
        seen[entry.reason] = entry.names


@pytest.mark.parametrize("engine", ENGINES)
def test_nothing_has_both_a_row_and_a_disposition(engine):
    for release in known_releases(engine):
        for name in flag_coverage(engine, release).rows:
            assert disposition(engine, name, release) is None, f"{engine} {release} {name}"


@pytest.mark.parametrize("engine", ENGINES)
def test_every_flag_of_every_release_has_a_row_or_a_reason(engine):
    for release in known_releases(engine):
        assert flag_coverage(engine, release).missing == (), release

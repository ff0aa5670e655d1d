"""The catalogues against the static reading of the sources, kept in reference/static_names.json.

`tools/catalogue.py compare` reads the sources again and holds the file and the catalogues against them.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from portkit.catalogue.load import known_releases, load

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
from catalogues import static, static_names
from catalogues.eras import NOT_STATIC

ENGINES = ("sglang", "vllm")
RELEASES = [(engine, release) for engine in ENGINES for release in known_releases(engine)]
RECORDED = static_names.recorded()


@pytest.mark.parametrize(("engine", "release"), RELEASES)
def test_two_readings_agree(engine: Any, release: Version) -> None:
    assert static.differences(load(engine, release), RECORDED[engine][str(release)]) == ([], [])


@pytest.mark.parametrize("engine", ENGINES)
def test_no_release_is_recorded_without_a_catalogue(engine: str) -> None:
    assert sorted(map(Version, RECORDED[engine])) == known_releases(engine)


@pytest.mark.parametrize(("engine", "releases", "names", "reason"), NOT_STATIC)
def test_every_listed_difference_is_one(engine: Any, releases: str, names: tuple[str, ...], reason: str) -> None:
    concerned = [release for release in known_releases(engine) if release in SpecifierSet(releases)]
    assert concerned and reason
    for release in concerned:
        assert set(names) <= set(load(engine, release).by_name)
        assert not set(names) & RECORDED[engine][str(release)]


def test_a_lost_flag_is_told() -> None:
    catalogue = load("vllm", Version("0.33.0"))
    names = RECORDED["vllm"]["0.33.0"]
    assert static.differences(catalogue, names - {"--seed"} | {"--sead"}) == (["--seed"], ["--sead"])


def test_the_file_is_written_as_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "names.json"
    static_names.record(RECORDED, path)
    assert path.read_text() == static_names.NAMES.read_text()
    assert static_names.recorded(path) == RECORDED


def test_gaps_are_kept(tmp_path: Path) -> None:
    names = {"vllm": {"0.1": {"--a", "--b"}, "0.2": {"--b"}, "0.10": {"--a"}}}
    path = tmp_path / "names.json"
    static_names.record(names, path)
    assert '"--a": [["0.1", "0.1"], ["0.10", "0.10"]]' in path.read_text()
    assert static_names.recorded(path) == names

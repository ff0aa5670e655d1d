"""Finding and loading the catalogues."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from portkit.catalogue.load import find, known_releases, load
from portkit.errors import PortkitError

SGLANG = (
    "0.4.10.post2 0.5.1.post3 0.5.2 0.5.3 0.5.3.post3 0.5.4 0.5.4.post3 0.5.5 0.5.5.post3 0.5.6 0.5.6.post2 0.5.7 "
    "0.5.8 0.5.8.post1 0.5.9 0.5.10 0.5.10.post1 0.5.11 0.5.12 0.5.12.post1 0.5.13 0.5.13.post1 0.5.14 0.5.15 "
    "0.5.15.post1 0.5.16 0.5.17 0.5.18 0.5.19 0.5.20 0.5.21 0.5.22 0.5.23"
)
VLLM = (
    "0.8.5 0.9.1 0.9.2 0.10.0 0.10.1 0.10.1.1 0.10.2 0.11.0 0.11.1 0.11.2 0.12.0 0.13.0 0.14.0 0.14.1 0.15.0 0.15.1 "
    "0.16.0 0.17.0 0.17.1 0.18.0 0.18.1 0.19.0 0.19.1 0.20.0 0.20.1 0.20.2 0.21.0 0.22.0 0.22.1 0.23.0 0.24.0 0.25.0 "
    "0.25.1 0.26.0 0.27.0 0.27.1 0.28.0 0.29.0 0.30.0 0.31.0 0.32.0 0.33.0"
)


@pytest.mark.parametrize(("engine", "releases"), [("sglang", SGLANG), ("vllm", VLLM)])
def test_known_releases_are_in_order(engine: str, releases: str) -> None:
    """By version, not by text; a release added later makes the list longer."""
    known = list(map(str, known_releases(engine)))
    assert [release for release in known if release in releases.split()] == releases.split()
    assert known_releases(engine) == sorted(known_releases(engine))


@pytest.mark.parametrize(
    ("engine", "text", "release", "note"),
    [
        ("sglang", "0.5.23", "0.5.23", None),
        ("sglang", "v0.5.23", "0.5.23", None),
        ("sglang", "latest", str(known_releases("sglang")[-1]), None),
        ("vllm", "LATEST", str(known_releases("vllm")[-1]), None),
        ("vllm", "0.33", "0.33.0", None),
        ("sglang", "0.5.12", "0.5.12", None),
        ("sglang", "0.5.1", "0.5.1.post3", "no catalogue of sglang 0.5.1: read as 0.5.1.post3"),
        ("sglang", "0.5.12.post2", "0.5.12.post1", "no catalogue of sglang 0.5.12.post2: read as 0.5.12.post1"),
        ("sglang", "0.5.11.post1", "0.5.11", "no catalogue of sglang 0.5.11.post1: read as 0.5.11"),
        ("vllm", "0.20.1rc2", "0.20.1", "no catalogue of vllm 0.20.1rc2: read as 0.20.1"),
        ("vllm", "0.20.1+cu129", "0.20.1", "no catalogue of vllm 0.20.1+cu129: read as 0.20.1"),
    ],
)
def test_find(engine: str, text: str, release: str, note: str | None) -> None:
    assert find(engine, text) == (Version(release), note)


@pytest.mark.parametrize(
    ("engine", "text", "message", "hint"),
    [
        (
            "sglang",
            "0.5.0",
            "no catalogue of sglang 0.5.0",
            "the nearest releases with one: 0.4.10.post2 and 0.5.1.post3",
        ),
        ("sglang", "0.4.1", "no catalogue of sglang 0.4.1", "the nearest releases with one: 0.4.10.post2"),
        ("vllm", "1.0", "no catalogue of vllm 1.0", f"the nearest releases with one: {known_releases('vllm')[-1]}"),
        (
            "vllm",
            "nightly",
            "'nightly' is no release of vllm",
            f"catalogued releases: {', '.join(map(str, known_releases('vllm')))}",
        ),
        ("vllm", "", "'' is no release of vllm", f"catalogued releases: {', '.join(map(str, known_releases('vllm')))}"),
        ("vlm", "0.20.1", "unknown engine 'vlm'", "did you mean vllm? portkit knows sglang, vllm"),
        ("SGLang", "latest", "unknown engine 'SGLang'", "did you mean sglang? portkit knows sglang, vllm"),
        ("tgi", "latest", "unknown engine 'tgi'", "portkit knows sglang, vllm"),
    ],
)
def test_find_refuses(engine: str, text: str, message: str, hint: str) -> None:
    with pytest.raises(PortkitError) as refused:
        find(engine, text)
    assert (refused.value.message, refused.value.hint) == (message, hint)


def test_load_refuses_a_release_without_a_catalogue() -> None:
    with pytest.raises(PortkitError, match=r"no catalogue of vllm 0\.21\.7"):
        load("vllm", Version("0.21.7"))


def test_load_reads_a_file_once() -> None:
    assert load("vllm", Version("0.33.0")) is load("vllm", Version("0.33.0"))


@given(
    st.sampled_from(["sglang", "vllm"]), st.text(max_size=12) | st.from_regex(r"v?0\.\d{1,2}(\.\d{1,2})?(\.post\d)?")
)
def test_find_answers_with_a_catalogued_release_or_refuses(engine: str, text: str) -> None:
    try:
        release, note = find(engine, text)
    except PortkitError as refused:
        assert refused.hint
        return
    assert release in known_releases(engine)
    if text.strip().lower() != "latest":
        assert release.base_version == Version(text).base_version
        assert (note is None) == (release == Version(text))

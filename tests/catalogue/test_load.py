"""Finding and loading the catalogues."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from portkit.catalogue.load import find, known_releases, load
from portkit.errors import PortkitError


def test_known_releases_are_in_order() -> None:
    assert list(map(str, known_releases("sglang"))) == ["0.5.11", "0.5.12.post1", "0.5.23"]
    assert list(map(str, known_releases("vllm"))) == ["0.20.1", "0.32.0", "0.33.0"]


@pytest.mark.parametrize(
    ("engine", "text", "release", "note"),
    [
        ("sglang", "0.5.23", "0.5.23", None),
        ("sglang", "v0.5.23", "0.5.23", None),
        ("sglang", "latest", "0.5.23", None),
        ("vllm", "LATEST", "0.33.0", None),
        ("vllm", "0.33", "0.33.0", None),
        ("sglang", "0.5.12", "0.5.12.post1", "no catalogue of sglang 0.5.12: read as 0.5.12.post1"),
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
            "0.5.15",
            "no catalogue of sglang 0.5.15",
            "the nearest releases with one: 0.5.12.post1 and 0.5.23",
        ),
        ("sglang", "0.4.1", "no catalogue of sglang 0.4.1", "the nearest releases with one: 0.5.11"),
        ("vllm", "1.0", "no catalogue of vllm 1.0", "the nearest releases with one: 0.33.0"),
        ("vllm", "nightly", "'nightly' is no release of vllm", "catalogued releases: 0.20.1, 0.32.0, 0.33.0"),
        ("vllm", "", "'' is no release of vllm", "catalogued releases: 0.20.1, 0.32.0, 0.33.0"),
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
    with pytest.raises(PortkitError, match=r"no catalogue of vllm 0\.21\.0"):
        load("vllm", Version("0.21.0"))


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

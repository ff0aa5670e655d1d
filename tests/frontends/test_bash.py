"""Real bash as the judge: what a launch receives, and what expressions mean when something outside is set."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from portkit.frontends.shell import read_script
from portkit.source import SourceText
from tests.frontends.generated import scripts, symbolic_scripts
from tests.frontends.recording import Bash
from tests.frontends.test_corpus import as_received, comparable

SMALL = (Path(__file__).parent / "small_scripts.txt").read_text().rstrip("\n").split("\n----\n")
WORLDS = ({}, {"TP": "9", "MODE": "a/b c", "EXTRA": "Qwen"}, {"TP": "", "MODE": "x"})
"""What is set outside a script: nothing, everything, some."""

few = settings(
    max_examples=40,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def agrees(script: str, bash: Bash) -> None:
    launches = read_script(SourceText("launch.sh", script), {})
    assert [launch.condition for launch in launches if launch.condition] == []
    assert {as_received(launch) for launch in launches} == {comparable(r) for r in bash.launches(script)}


@pytest.mark.parametrize("script", SMALL)
def test_small_scripts(script: str, bash: Bash) -> None:
    agrees(script, bash)


@few
@given(scripts)
def test_generated_scripts(bash: Bash, script: str) -> None:
    agrees(script, bash)


@few
@given(symbolic_scripts)
def test_expressions_mean_the_same_in_every_world(bash: Bash, script: str) -> None:
    (launch,) = read_script(SourceText("launch.sh", script), {})
    for outside in WORLDS:
        (received,) = bash.launches(script, outside)
        assert bash.words([word.shell() for word in launch.argv], outside) == list(received.argv[2:])
        if not outside:
            known = [
                word.text if word.known else value for word, value in zip(launch.argv, received.argv[2:], strict=True)
            ]
            assert known == list(received.argv[2:])


@few
@given(symbolic_scripts)
def test_settings_stand_for_what_is_outside(bash: Bash, script: str) -> None:
    outside = {"TP": "9", "MODE": "a/b-c", "EXTRA": "Qwen", "V0": "v", "V1": "a/bw", "V2": ""}
    (launch,) = read_script(SourceText("launch.sh", script), outside)
    (received,) = bash.launches(script, outside)
    assert [word.text for word in launch.argv] == list(received.argv[2:])

"""`portkit explain` as people run it: golden outputs, widths, pipes, exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from portkit.catalogue.history import catalogues
from portkit.explaining.subject import ENGINES

EXPECTED = Path(__file__).with_name("expected")
NAMES = {
    "cuda-graph-max-bs": "--cuda-graph-max-bs",
    "attention-backend": "--attention-backend",
    "vllm-attention-backend": "VLLM_ATTENTION_BACKEND",
    "swap-space": "--swap-space",
    "optimization": "-O",
    "num-speculative-tokens": "speculative-config.num_speculative_tokens",
    "graph-mode": "cuda_graphs.mode",
}


def run(*arguments: str, columns: int | None = None) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if key != "COLUMNS"} | {"NO_COLOR": "1"}
    if columns is not None:
        environment["COLUMNS"] = str(columns)
    command = [sys.executable, "-m", "portkit", "explain", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


@pytest.mark.parametrize(("slug", "name"), NAMES.items(), ids=list(NAMES))
def test_text(golden, slug, name):
    result = run(name, columns=80)
    assert (result.returncode, result.stderr) == (0, "")
    assert all(len(line) <= 80 and line == line.rstrip() for line in result.stdout.splitlines())
    golden(EXPECTED / f"{slug}.txt", result.stdout)


def test_wide_text(golden):
    result = run("--attention-backend", columns=140)
    assert (result.returncode, result.stderr) == (0, "")
    assert 100 < max(map(len, result.stdout.splitlines())) <= 140
    golden(EXPECTED / "attention-backend-140.txt", result.stdout)


def test_json(golden):
    result = run("--cuda-graph-max-bs", "--format", "json")
    assert json.loads(result.stdout)["schema"] == "portkit.explain/1"
    golden(EXPECTED / "cuda-graph-max-bs.json", result.stdout)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--cuda-graph-max-bs",),
        ("--", "--cuda-graph-max-bs"),
        ("cuda-graph-max-bs",),
        ("--cuda-graph-max-bs", "--engine", "sglang"),
        ("--engine", "sglang", "--cuda-graph-max-bs"),
    ],
)
def test_dashes_need_no_care(arguments):
    assert run(*arguments).stdout.startswith("--cuda-graph-max-bs: a flag of sglang")


def test_a_pipe_is_100_columns():
    lines = run("--attention-backend").stdout.splitlines()
    assert 80 < max(map(len, lines)) <= 100


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--no-such-flag"], "no flag, key, variable or setting is called --no-such-flag"),
        (["--swap-space", "--engine", "sglang"], "sglang has no --swap-space in any catalogued release; vllm has it"),
        (["--swap-space", "--engine", "vlm"], "--engine vlm: no such choice"),
        (["--swap-space", "--format", "xml"], "--format xml: no such choice"),
    ],
)
def test_trouble(arguments, said):
    result = run(*arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("portkit: error: ") and said in result.stderr


def test_no_flag_of_an_engine_is_taken_for_one_of_explain():
    for engine in ENGINES:
        for catalogue in catalogues(engine):
            assert not {"--engine", "--format", "--help"} & set(catalogue.by_name)


def test_an_abbreviation_says_what_it_is_short_for():
    document = json.loads(run("--tp", "--format", "json").stdout)
    assert document["engines"][0]["known"] == []
    assert document["engines"][0]["otherwise"][-1]["names"] == ["--tp-size"]

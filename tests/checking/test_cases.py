"""What `portkit check` finds, case by case: tests/checking/cases.txt says the release, the launch and the findings.

    vllm 0.27.1$ vllm serve /m/t --swap-space 4
      PK102 [--swap-space] remove it

Under each launch stand the findings in order: the code, the words it points at, and what to do.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from portkit.checking.check import check
from portkit.checking.codes import CHECKS
from portkit.pipeline import Request, load_resolutions

TEXT = Path(__file__).with_name("cases.txt").read_text(encoding="utf-8")
CASES = [block.split("\n") for block in TEXT.strip().split("\n\n") if not block.startswith("#")]


def found(folder: Path, release: str, command: str) -> list[str]:
    script = folder / "launch.sh"
    script.write_text(command + "\n", encoding="utf-8")
    (resolved,) = load_resolutions(Request(str(script), release=release.replace(" ", "@")))
    findings = check(resolved.resolution, resolved.facts)
    return [f"  {f.code} [{f.source.slice(f.span)}] {f.hint}".rstrip() for f in findings]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0][:90])
def test_findings(case: list[str], tmp_path: Path) -> None:
    release, _, command = case[0].partition("$ ")
    assert found(tmp_path, release, command) == case[1:]


def test_there_are_many_cases_of_both_engines() -> None:
    assert len(CASES) >= 130
    assert {case[0].split()[0] for case in CASES} == {"sglang", "vllm"}


def test_mtp_tokens_are_a_multiple_of_the_layers(tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    config.write_text('{"architectures": ["X"], "num_nextn_predict_layers": 2, "num_attention_heads": 12}')
    script = tmp_path / "launch.sh"
    lines = {3: ["PK506"], 4: [], 2: [], 1: []}
    for tokens, codes in lines.items():
        speculation = f'{{"method": "mtp", "num_speculative_tokens": {tokens}}}'
        script.write_text(f"vllm serve m --speculative-config '{speculation}'\n")
        (resolved,) = load_resolutions(Request(str(script), release="vllm@0.20.1", model_config=str(config)))
        assert [f.code for f in check(resolved.resolution, resolved.facts)] == codes
    script.write_text("vllm serve m --tensor-parallel-size 8\n")
    (resolved,) = load_resolutions(Request(str(script), release="vllm@0.20.1", model_config=str(config)))
    assert [f.code for f in check(resolved.resolution, resolved.facts)] == ["PK508"]


def test_a_config_file_that_is_read_and_not_obeyed(tmp_path: Path) -> None:
    (tmp_path / "serve.yaml").write_text("enable-prefix-caching: false\n")
    assert found(tmp_path, "vllm 0.20.1", "vllm serve m --config serve.yaml") == ["  PK902 [enable-prefix-caching]"]


ELSEWHERE = {"PK506", "PK902"}
"""Codes that need a file beside the script, tested above."""


def test_every_code_is_found_somewhere() -> None:
    assert set(re.findall(r"^  (PK\d+)", TEXT, re.MULTILINE)) | ELSEWHERE == set(CHECKS)

"""The forms in which findings are told, and docs/checks.md."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from portkit.catalogue.load import known_releases, load
from portkit.catalogue.resolve import accepts, resolve
from portkit.checking.check import check
from portkit.checking.codes import CHECKS
from portkit.checking.flags import flag_findings
from portkit.deployment.schema import Facts
from portkit.frontends.shell import read_script
from portkit.source import SourceText

HERE = Path(__file__).parent
SCRIPT = HERE / "launch.sh"


def run(*words: str, columns: str = "100") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "portkit", "check", *words],
        capture_output=True,
        text=True,
        cwd=HERE,
        env={"COLUMNS": columns, "PATH": "/usr/bin:/bin"},
        check=False,
    )


@pytest.mark.parametrize(
    ("name", "words", "columns"),
    [
        ("table-80.txt", (), "80"),
        ("table-140.txt", (), "140"),
        ("findings.json", ("--format", "json"), "100"),
        ("github.txt", ("--format", "github"), "100"),
        ("sarif.json", ("--format", "sarif"), "100"),
    ],
)
def test_output(name: str, words: tuple[str, ...], columns: str, golden: Any) -> None:
    result = run("launch.sh", *words, columns=columns)
    assert (result.returncode, result.stderr) == (1, "")
    golden(HERE / "expected" / name, result.stdout)
    if columns == "80":
        assert max(map(len, result.stdout.splitlines())) <= 80


def test_sarif_has_what_the_format_requires() -> None:
    log = json.loads(run("launch.sh", "--format", "sarif").stdout)
    assert log["version"] == "2.1.0"
    (one,) = log["runs"]
    rules = [rule["id"] for rule in one["tool"]["driver"]["rules"]]
    assert rules == sorted(set(rules))
    for result in one["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
        region = result["locations"][0]["physicalLocation"]["region"]
        assert (region["startLine"], region["startColumn"]) < (region["endLine"], region["endColumn"])


def test_exit_codes(tmp_path: Path) -> None:
    script = tmp_path / "launch.sh"
    for text, code in (
        ("vllm serve m --max-num-seqs 4", 0),
        ("vllm serve m --max-num-seqs 4 --max-num-seqs 8", 0),
        ("vllm serve m --no-such-flag", 1),
        ("VLLM_NO_SUCH=1 vllm serve m", 1),
        ("echo nothing", 2),
    ):
        script.write_text(text + "\n")
        assert run(str(script)).returncode == code, text
    assert run(str(tmp_path / "missing.sh")).returncode == 2


def test_every_launch_is_checked_and_one_can_be_picked(tmp_path: Path) -> None:
    script = tmp_path / "launch.sh"
    script.write_text("vllm serve m --one-bad\nvllm serve m --two-bad\n")
    both, second = run(str(script)).stdout, run(str(script), "--launch", "2").stdout
    assert "--one-bad" in both and "--two-bad" in both
    assert "--one-bad" not in second and "--two-bad" in second


def test_secrets_are_masked(tmp_path: Path) -> None:
    script = tmp_path / "launch.sh"
    script.write_text("HF_TOKEN=hf_secret1 vllm serve m --api-key sk-secret2 --no-such-flag\n")
    for form in ("table", "json", "github", "sarif"):
        result = run(str(script), "--format", form)
        assert "secret1" not in result.stdout and "secret2" not in result.stdout


def test_every_code_is_documented_in_order() -> None:
    text = (HERE.parents[1] / "docs" / "checks.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (PK\d+) (\S+)\n\n(\w+): ", text, re.MULTILINE)
    assert headings == [(check.code, check.name, check.level) for check in CHECKS.values()]


WORDS = st.lists(
    st.one_of(
        st.sampled_from(
            ["--tp", "2", "--max-num-seqs", "-cc.mode=3", "{}", '{"method":', "--speculative-config", "--enforce-eager"]
        ),
        st.text("abcdefgh-=.{}\":0123 'é$", min_size=1, max_size=12),
    ),
    max_size=8,
)


@settings(max_examples=150, deadline=None)
@given(engine=st.sampled_from(["sglang", "vllm"]), words=WORDS, data=st.data())
def test_any_command_line(engine: Any, words: list[str], data: st.DataObject) -> None:
    """No traceback; what the parser refuses has an error, and what it accepts has none from the parser."""
    release = data.draw(st.sampled_from(known_releases(engine)))
    quoted = " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)
    command = "vllm serve m " if engine == "vllm" else "python -m sglang.launch_server --model-path m "
    (launch,) = read_script(SourceText("launch.sh", command + quoted + "\n"), {})
    resolution = resolve(launch, load(engine, release))
    errors = [finding for finding in flag_findings(resolution) if finding.level == "error"]
    assert bool(errors) == (not accepts(resolution))
    for finding in check(resolution, Facts()):
        assert 0 <= finding.span.start <= finding.span.end <= len(finding.source.text)

"""Every ported script of the examples starts its engine with words that the engine's own parser takes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.oracle.conftest import ROOT, Ask

pytestmark = pytest.mark.oracle

PORTS = sorted(ROOT.glob("examples/*/port.*.sh"))
_NAME = re.compile(r"port\.(vllm|sglang)-(.+)\.sh")
_COMMANDS = ("vllm", "sglang", "python", "python3")
# What a command does in place of an engine: it writes down its words and its variables.
_RECORDER = """#!{python}
import json, os, sys
words = [os.path.basename(sys.argv[0]), *sys.argv[1:]]
with open(os.environ["RECORD"], "a") as record:
    record.write(json.dumps({{"words": words, "environment": dict(os.environ)}}) + "\\n")
"""
# What stands in front of an engine, and need not be installed here.
_WRAPPERS = ("numactl", "taskset")
_PASS_ON = """#!/usr/bin/env bash
while [[ $1 == -* ]]; do shift; done
exec "$@"
"""
_ENTRIES = {
    "vllm": (["vllm", "serve"],),
    "sglang": (
        ["sglang", "serve"],
        ["python", "-m", "sglang.launch_server"],
        ["python3", "-m", "sglang.launch_server"],
    ),
}


def test_there_are_ports() -> None:
    assert PORTS, "no examples/*/port.<engine>-<release>.sh"


@pytest.mark.parametrize("script", PORTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_the_engine_takes_it(script: Path, ask: Ask, tmp_path: Path) -> None:
    found = _NAME.fullmatch(script.name)
    assert found, f"{script.name} isn't named port.<engine>-<release>.sh"
    engine, release = found.groups()
    lines = [_after_entry(engine, call["words"]) for call in _calls(script, tmp_path)]
    assert lines, "it starts nothing"
    for argv, answer in zip(lines, ask(engine, release, lines), strict=True):
        assert answer["ok"], f"{engine} {release} refuses {argv}: {answer['error']}"


def _after_entry(engine: str, words: list[str]) -> list[str]:
    for entry in _ENTRIES[engine]:
        if words[: len(entry)] == entry:
            return words[len(entry) :]
    pytest.fail(f"it starts {words[:3]}")


def _calls(script: Path, folder: Path) -> list[dict[str, Any]]:
    """Run a script with recorders in place of the engines; the result is what it started."""
    stand_ins = dict.fromkeys(_COMMANDS, _RECORDER.format(python=sys.executable)) | dict.fromkeys(_WRAPPERS, _PASS_ON)
    for name, code in stand_ins.items():
        (folder / name).write_text(code, encoding="utf-8")
        (folder / name).chmod(0o755)
    record = folder / "record"
    text = script.read_text(encoding="utf-8")
    environment = {"PATH": f"{folder}:{os.environ['PATH']}", "HOME": str(folder), "RECORD": str(record)}
    environment |= dict.fromkeys(_asked_for(text), "1")
    done = subprocess.run(["bash", script.resolve()], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, f"{script.name} ended with {done.returncode}: {done.stderr}"
    return [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]


def _asked_for(text: str) -> list[str]:
    """The variables that a script won't run without: `${NAME:?message}`."""
    return re.findall(r"\$\{(\w+):?\?", text)

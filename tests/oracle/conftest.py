"""`ask`: what an engine's own parser makes of command lines."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import engines  # noqa: E402

Ask = Callable[[str, str, Sequence[Sequence[str]]], list[dict[str, Any]]]


def _ask(engine: str, release: str, lines: Sequence[Sequence[str]]) -> list[dict[str, Any]]:
    """One answer for each command line, by the real parser of a release."""
    if not engines.ready(engine):
        pytest.fail(f"{engine}'s own parser isn't prepared: run python tools/engines.py all", pytrace=False)
    questions = "".join(json.dumps({"argv": list(argv)}) + "\n" for argv in lines)
    python = str(engines.environment(engine) / "bin/python")
    command = [python, str(ROOT / f"tools/oracle/{engine}_parse.py"), release]
    done = subprocess.run(command, input=questions, capture_output=True, text=True, timeout=600)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(lines), f"the oracle stopped with status {done.returncode}:\n{done.stderr[-2000:]}"
    return answers


@pytest.fixture(scope="session")
def ask() -> Ask:
    return _ask

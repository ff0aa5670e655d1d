"""Ported scripts are sound bash."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PORTS = sorted((Path(__file__).resolve().parents[1] / "examples").glob("*/port.*.sh"))
SHELLCHECK = Path(sys.executable).parent / "shellcheck"


def test_there_are_ports() -> None:
    assert PORTS, "no examples/*/port.<engine>-<release>.sh"


@pytest.mark.parametrize("check", [["bash", "-n"], [SHELLCHECK]], ids=["bash", "shellcheck"])
@pytest.mark.parametrize("script", PORTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_sound(script: Path, check: list[str | Path]) -> None:
    done = subprocess.run([*check, script], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr

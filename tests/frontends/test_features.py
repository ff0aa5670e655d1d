"""The shell's features one by one, with real bash as the judge."""

from __future__ import annotations

import pytest

from tests.frontends.features import FAMILIES
from tests.frontends.recording import Bash
from tests.frontends.test_bash import agrees

CASES = [
    pytest.param(script, id=f"{family}: {name}")
    for family, scripts in FAMILIES.items()
    for name, script in scripts.items()
]


@pytest.mark.parametrize("script", CASES)
def test_bash_starts_the_same(script: str, bash: Bash) -> None:
    agrees(script, bash)

"""Real bash for the differential tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.frontends.recording import Bash


@pytest.fixture(scope="session")
def bash(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bash]:
    yield Bash(tmp_path_factory.mktemp("bash") / "world")

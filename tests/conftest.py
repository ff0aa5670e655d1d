"""What every test folder shares: golden files and the option that rewrites them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Golden = Callable[[Path, str], None]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite golden files with what the code says now")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compares a file with a text, character by character; with --update-golden the file takes the text."""

    def check(path: Path, text: str) -> None:
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
            return
        assert path.is_file(), f"{path.name} is missing: run pytest with --update-golden and read what it writes"
        assert text == path.read_bytes().decode(), f"{path.name} differs: --update-golden if the new text is right"

    return check

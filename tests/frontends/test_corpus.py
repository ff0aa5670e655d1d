"""Scripts shaped like what people write, each with the launches in it, and real bash as the judge."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from portkit.frontends.shell import read_script
from portkit.launch import Launch
from portkit.source import SourceText
from tests.conftest import Golden
from tests.frontends.recording import Bash, Received

CORPUS = Path(__file__).parent / "corpus"
SCRIPTS = sorted(path.stem for path in CORPUS.glob("*.sh"))
FROM_OUTSIDE = {
    "case-unknown", "defaults", "function-never-called", "operators-on-outside", "passed-through", "shifted-arguments", "assigned-argument", "slurm",
    "table-by-argument", "unknown-branch", "unknown-substitutions", "arithmetic-on-outside", "benchmark-sweep",
    "optional-extra", "venv-interpreter",
}  # fmt: skip
"""Scripts whose launches need something from outside; the others say all themselves."""


def text_of(name: str) -> str:
    return (CORPUS / f"{name}.sh").read_bytes().decode()


def launches(name: str) -> list[Launch]:
    return read_script(SourceText(f"{name}.sh", text_of(name)), {})


def as_record(launch: Launch) -> dict[str, Any]:
    """A launch as its expected form is written: what is empty is left out."""
    record = {
        "engine": launch.engine,
        "entrypoint": launch.entrypoint,
        "line": launch.source.position(launch.span.start)[0],
        "argv": [word.shell() for word in launch.argv],
        "values": {word.shell(): word.text for word in launch.argv if word.symbolic},
        "splits": [word.text for word in launch.argv if word.splits],
        "environment": {name: word.shell() for name, word in launch.environment.items()},
        "wrappers": [word.text for word in launch.wrappers],
        "condition": launch.condition,
        "name": launch.name,
        "files": launch.files,
        "notes": [note.message for note in launch.notes],
    }
    return {key: value for key, value in record.items() if value}


@pytest.mark.parametrize("name", SCRIPTS)
def test_launches_are_as_expected(name: str, golden: Golden) -> None:
    text = json.dumps([as_record(launch) for launch in launches(name)], indent=1, ensure_ascii=False)
    golden(CORPUS / f"{name}.json", text + "\n")


@pytest.mark.parametrize("name", sorted(set(SCRIPTS) - FROM_OUTSIDE - {"crlf-and-bom"}))
def test_bash_starts_the_same(name: str, bash: Bash) -> None:
    """A launch that is repeated word for word counts once."""
    assert {as_received(launch) for launch in launches(name)} == {
        comparable(received) for received in bash.launches(text_of(name))
    }


def as_received(launch: Launch) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    argv = (*launch.entrypoint.split(" "), *(word.text for word in launch.argv))
    return argv, tuple(sorted((name, word.text) for name, word in launch.environment.items() if name != "PATH"))


def comparable(received: Received) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """What a stub received, without the interpreter and its options."""
    argv = received.argv
    if argv[0].startswith("python"):
        at = next(i for i, word in enumerate(argv) if re.match(r"-[A-Za-z]*m", word))
        module = argv[at].split("m", 1)[1]
        argv = (*([module] if module else []), *argv[at + 1 :])
    return argv, received.environment


@pytest.mark.parametrize("name", SCRIPTS)
def test_places_lie_in_the_text(name: str) -> None:
    length = len(text_of(name))
    for launch in launches(name):
        spans = [launch.span, *(word.span for word in launch.argv), *(n.span for n in launch.notes if n.span)]
        assert all(0 <= span.start <= span.end <= length for span in spans)

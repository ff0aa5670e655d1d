"""portkit reads command lines as the engines' own parsers do, whatever is on them."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from engines import ORACLES
from packaging.version import Version

from portkit.catalogue.load import load
from portkit.catalogue.resolution import Resolution
from portkit.catalogue.resolve import accepts, resolve
from portkit.launch import Launch, literal
from portkit.source import SourceText, Span
from tests.oracle.commands import Command, commands
from tests.oracle.conftest import Ask

pytestmark = pytest.mark.oracle

COUNT, SEED = 200, 101
RELEASES = [(engine, release) for engine, releases in ORACLES.items() for release in releases]
ENTRIES = {"vllm": "vllm serve", "sglang": "python -m sglang.launch_server"}

# What the engine says where it refuses a line that portkit takes, and why that is meant to be so.
REFUSED_BY_ENGINE = {
    "module 'logging' has no attribute": "SGLang looks --log-level up in a module, after its parser took any text",
    "--cuda-graph-config: unknown phase": "the catalogue of SGLang has no keys of JSON flags",
    "^(Value|Type)Error: (Error: )?--": "vLLM checks what flags ask of each other after its parser took them",
    "--mm-processor-device: invalid choice: 'cuda'": "the oracle runs on a CPU, and the catalogue is for CUDA",
    "'NoneType' object has no attribute 'items'": "vLLM stops at an empty config file, and portkit reads no settings",
}
# What portkit says where it refuses a line that the parser takes, and why that is meant to be so.
REFUSED_BY_PORTKIT = {
    "SpeculativeConfig has no key": "vLLM's parser takes any JSON here, and its start fails at the unknown key",
    "^--model needs a value$": "vLLM makes the option behind it the first word, and serves a default model",
}
# Where portkit's value isn't the parser's, and why that is meant to be so.
OTHER_VALUE = {
    "config": "the engine takes --config out of the command line, and portkit keeps the file's name",
    "lora_modules": "vLLM makes objects of the texts",
}


@pytest.mark.parametrize(("engine", "release"), RELEASES)
def test_agrees_with_the_real_parser(engine: str, release: str, ask: Ask, tmp_path: Path) -> None:
    catalogue = load(engine, Version(release))
    lines = [_with_file(c, tmp_path / f"{i}.yaml") for i, c in enumerate(commands(catalogue, COUNT, SEED))]
    by_hand = (Path(__file__).parent / f"{engine}.txt").read_text(encoding="utf-8").splitlines()
    lines += [Command(tuple(shlex.split(text)), "by hand") for text in by_hand]
    plain = ["m"] if engine == "vllm" else ["--model-path", "m"]
    defaults, *answers = ask(engine, release, [plain, *(line.argv for line in lines)])
    found = []
    for line, answer in zip(lines, answers, strict=True):
        resolution = resolve(_launch(engine, line.argv), catalogue, _text)
        if said := _disagreement(resolution, answer, defaults["values"]):
            found.append(f"{shlex.join(line.argv)}\n  ({line.kind}) {said}")
    assert any(answer["ok"] for answer in answers) and not all(answer["ok"] for answer in answers)
    assert not found, f"{len(found)} of {len(lines)} command lines read otherwise:\n" + "\n".join(found)


def _with_file(command: Command, path: Path) -> Command:
    if command.config is None:
        return command
    path.write_text(command.config, encoding="utf-8")
    argv = tuple(str(path) if word == "CONFIG" else word for word in command.argv)
    return Command(argv, f"{command.kind}: {command.config!r}", command.config)


def _text(path: str) -> str | None:
    return Path(path).read_text(encoding="utf-8") if Path(path).exists() else None


def _launch(engine: str, argv: tuple[str, ...]) -> Launch:
    text = shlex.join(argv)
    words, end = [], 0
    for word in argv:
        start, end = end, end + len(shlex.quote(word))
        words.append(literal(word, Span(start, end)))
        end += 1
    return Launch(SourceText("launch.sh", text), engine, ENTRIES[engine], words, Span(0, len(text)))  # type: ignore[arg-type]


def _disagreement(ours: Resolution, real: dict[str, Any], defaults: dict[str, Any]) -> str | None:
    """What the two say differently about a command line; None where they agree or the difference is meant."""
    problems = [problem.message for problem in ours.problems if problem.kind not in ("ignored", "opaque")]
    if not real["ok"]:
        meant = _named(real["error"], REFUSED_BY_ENGINE)
        return None if problems or meant else f"refused by the engine: {real['error']}"
    if not accepts(ours):
        meant = all(_named(problem, REFUSED_BY_PORTKIT) for problem in problems)
        return None if meant else f"refused by portkit: {'; '.join(problems)}"
    wrong = []
    for dest in sorted(real["values"].keys() | ours.arguments.keys()):
        got = real["values"].get(dest, "(no such dest)")
        said = ours.arguments[dest].value if dest in ours.arguments else defaults.get(dest, "(no such dest)")
        dropped = dest in ours.arguments and ours.arguments[dest].flag.ignored
        if dest not in OTHER_VALUE and not dropped and not _same(said, got):
            wrong.append(f"{dest}: {said!r}, and the engine says {got!r}")
    return "; ".join(wrong) or None


def _named(message: str, table: dict[str, str]) -> bool:
    return any(re.search(pattern, message) for pattern in table)


def _same(ours: Any, real: Any) -> bool:
    """Equal values; of a config object only the keys that were given, since the engine fills in the rest."""
    if isinstance(ours, dict) and isinstance(real, dict):
        return all(key in real and _same_field(value, real[key]) for key, value in ours.items())
    return bool(ours == real)


def _same_field(ours: Any, real: Any) -> bool:
    """Equal values of a field; the config object's class has made numbers of texts."""
    if isinstance(ours, list) and isinstance(real, list):
        return list(map(str, ours)) == list(map(str, real))
    return _same(ours, real) or (isinstance(ours, str) and ours == str(real))

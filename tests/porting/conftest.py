"""`carry`: a command line of one engine ported to another, as what each setting became."""

import shlex
from dataclasses import dataclass

import pytest

from portkit.catalogue.load import find, load
from portkit.catalogue.resolve import resolve
from portkit.conversions.writing import PortOptions
from portkit.dialects.read import read_deployment
from portkit.facts import gather_facts
from portkit.launch import Launch, literal
from portkit.porting.port import port
from portkit.porting.render import render_script
from portkit.source import SourceText, Span

ENTRY = {"sglang": "sglang.launch_server", "vllm": "vllm serve"}


def launch_of(engine, words, environment=None):
    """A launch made of plain words, each with its place in a text of them all."""
    text = shlex.join(words)
    source, offset, argv = SourceText("launch.sh", text), 0, []
    for word in words:
        end = offset + len(shlex.quote(word))
        argv.append(literal(word, Span(offset, end)))
        offset = end + 1
    variables = {name: literal(value, Span(0, 0)) for name, value in (environment or {}).items()}
    return Launch(source, engine, ENTRY[engine], argv, Span(0, len(text)), variables)


def deployment_of(engine, release, command, environment=None, gpu=None):
    """The canonical document of a command line."""
    words = shlex.split(command) if isinstance(command, str) else list(command)
    launch = launch_of(engine, words, environment)
    catalogue = load(engine, find(engine, release)[0])
    resolution = resolve(launch, catalogue)
    model = next((a.value for d in ("model_path", "model_tag") if (a := resolution.arguments.get(d))), None)
    facts = gather_facts("", model, gpu=gpu)
    return read_deployment(resolution, facts, "test"), launch, resolution


@dataclass
class Carried:
    """A port: verdicts by setting, the rendered script, and what it emits."""

    port: object
    script: str

    def __getitem__(self, setting):
        return next(e.carry for e in self.port.entries if e.name == setting)

    def verdict(self, setting):
        """What became of a setting or of a flag without a row; None where it isn't in the account."""
        return next((e.carry.verdict for e in self.port.entries if e.name == setting), None)

    def words(self, flag):
        """The words after a flag in the script, or None where it isn't there."""
        for _, emit in self.port.emits():
            if emit.flag == flag and emit.key is None and not emit.commented:
                return list(emit.values)
        return None

    def keys(self, flag):
        """The keys written under a JSON flag."""
        return {e.key: e.json_value for _, e in self.port.emits() if e.flag == flag and e.key and not e.commented}

    def variables(self):
        """The variables set in the script."""
        return {e.env: e.values[0] for _, e in self.port.emits() if e.env and not e.commented}


def carry_over(source, command, target, *, environment=None, gpu=None, exact=False, force=()):
    """Port a command line; `source` and `target` are engine@release."""
    engine, release = source.split("@")
    deployment, launch, _ = deployment_of(engine, release, command, environment, gpu)
    to_engine, to_release = target.split("@")
    catalogue = load(to_engine, find(to_engine, to_release)[0])
    result = port(deployment, catalogue, PortOptions(exact, frozenset(force)))
    return Carried(result, render_script(result, launch))


@pytest.fixture(scope="session")
def carry():
    """`carry_over`, for tests and for property tests alike."""
    return carry_over


@pytest.fixture(scope="session")
def read():
    """`deployment_of`: a command line as its canonical document."""
    return deployment_of

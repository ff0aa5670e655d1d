"""A script to its launches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from portkit.errors import PortkitError
from portkit.frontends.shell import scan
from portkit.frontends.shell.evaluate import Evaluator, Findings
from portkit.frontends.shell.state import State
from portkit.frontends.shell.tree import Script, check_syntax, too_deep
from portkit.launch import Launch, Word
from portkit.source import SourceText, Span

_HINT = (
    "portkit looks for vllm serve, sglang serve, python -m sglang.launch_server and vllm.entrypoints.openai.api_server"
)


def read_script(source: SourceText, settings: Mapping[str, str]) -> list[Launch]:
    """The launches of a bash script, in the order of their place in it; nothing is executed.

    `settings` are values for variables that the script takes from outside. Raises PortkitError for
    text that bash would not read and for a script without a launch.
    """
    script = Script(source.text)
    check_syntax(script, source)
    findings = Findings()
    try:
        _walk(source, script, findings, settings)
    except (scan.TooDeep, RecursionError):
        raise too_deep(source, 0) from None
    if not findings.launches:
        raise _no_launch(source, findings)
    return _finished(findings)


def _walk(source: SourceText, script: Script, findings: Findings, settings: Mapping[str, str]) -> None:
    evaluator = Evaluator(source, script, findings)
    outcomes = evaluator.run(script.tree.root_node, State(settings))
    state = outcomes[0].state
    for name in state.functions:
        if name not in findings.called:
            before = len(findings.launches)
            alone = state.copy()
            alone.positional, alone.conditions = None, ()
            evaluator._call(name, [Word((), Span(0, 0), splits=True)], alone)
            if len(findings.launches) > before:
                evaluator.note(f"{name} is never called: its arguments are unknown")


def _no_launch(source: SourceText, findings: Findings) -> PortkitError:
    if findings.others:
        name, span = findings.others[0]
        return PortkitError(
            f"this starts {name}, which portkit doesn't know", source=source, span=span, hint="it reads SGLang and vLLM"
        )
    return PortkitError("no SGLang or vLLM launch found", source=source, hint=_HINT)


def _finished(findings: Findings) -> list[Launch]:
    """Launches without repeats, each with the conditions that tell it from the others."""
    distinct: list[Launch] = []
    for launch in findings.launches:
        twin = next((known for known in distinct if _same(known, launch)), None)
        if twin is None:
            distinct.append(launch)
        else:
            twin.condition = _shared(twin.condition, launch.condition)
    parts = [set(launch.condition.split(" and ")) if launch.condition else set() for launch in distinct]
    everywhere = set.intersection(*parts) if len(distinct) > 1 else parts[0]
    named = len({launch.name for launch in distinct}) > 1
    finished = []
    for launch in sorted(distinct, key=lambda known: known.span.start):
        own = [part for part in (launch.condition or "").split(" and ") if part and part not in everywhere]
        finished.append(
            replace(
                launch,
                condition=" and ".join(own) or None,
                name=launch.name if named else "",
                notes=[*launch.notes, *findings.notes],
            )
        )
    return finished


def _same(a: Launch, b: Launch) -> bool:
    return (
        a.span == b.span
        and [word.parts for word in a.argv] == [word.parts for word in b.argv]
        and {n: w.parts for n, w in a.environment.items()} == {n: w.parts for n, w in b.environment.items()}
        and [word.parts for word in a.wrappers] == [word.parts for word in b.wrappers]
    )


def _shared(a: str | None, b: str | None) -> str | None:
    if a is None or b is None:
        return None
    other = b.split(" and ")
    return " and ".join(part for part in a.split(" and ") if part in other) or None

"""A script to its launches."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace

from portkit.errors import PortkitError
from portkit.frontends.shell import scan
from portkit.frontends.shell.evaluate import Evaluator
from portkit.frontends.shell.outcomes import STEPS, Findings, common
from portkit.frontends.shell.simple import call
from portkit.frontends.shell.state import Conditions, State
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
    findings = Findings(allowed=STEPS + 2 * len(source.text))
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
            alone.positional, alone.shifted, alone.conditions = None, 0, ()
            call(evaluator, name, [Word((), Span(0, 0), splits=True)], alone, {})
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
    distinct: dict[Hashable, tuple[Launch, Conditions]] = {}
    for launch, conditions in findings.launches:
        key = _meaning(launch)
        known = distinct.get(key)
        distinct[key] = (launch, conditions) if known is None else (known[0], common(known[1], conditions))
    found = sorted(distinct.values(), key=lambda item: item[0].span.start)
    everywhere = set.intersection(*(set(conditions) for _, conditions in found))
    named = len({launch.name for launch, _ in found}) > 1
    notes = list(findings.notes.values())
    return [
        replace(
            launch,
            condition=_said([condition for condition in conditions if condition not in everywhere]),
            name=launch.name if named else "",
            notes=[*launch.notes, *notes],
        )
        for launch, conditions in found
    ]


def _said(conditions: list[tuple[str, bool]]) -> str | None:
    return " and ".join(text if holds else f"not {text}" for text, holds in conditions) or None


def _meaning(launch: Launch) -> Hashable:
    """What makes two launches at one place the same."""
    return (
        launch.span,
        tuple(word.parts for word in launch.argv),
        tuple((name, word.parts) for name, word in launch.environment.items()),
        tuple(word.parts for word in launch.wrappers),
    )

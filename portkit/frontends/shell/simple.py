"""Simple commands: assignments, functions, launches, and scripts inside words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from portkit.frontends.shell import documents, inner, scan
from portkit.frontends.shell.assign import is_assignment
from portkit.frontends.shell.builtins import BUILTINS
from portkit.frontends.shell.commands import Found, base_name, other_server, recognize
from portkit.frontends.shell.filters import filtered
from portkit.frontends.shell.outcomes import CALLS, Outcome
from portkit.frontends.shell.state import Saved, State
from portkit.frontends.shell.values import literal_piece, pieces_of, word_of
from portkit.launch import Launch, Note, Word
from portkit.source import Span

if TYPE_CHECKING:
    from tree_sitter import Node

    from portkit.frontends.shell.evaluate import Evaluator

_TESTS = ("command", "which", "type", "grep", "egrep", "pgrep", "lsof", "nc", "hash")
"""Commands whose failure is an answer, not trouble."""


def _assignments(evaluator: Evaluator, node: Node, state: State) -> list[Outcome]:
    for region in scan.command_words(evaluator.text, evaluator.script.start(node), len(evaluator.text)):
        evaluator.assigner.assign_text(*region, state)
    return [Outcome(state)]


def _assignment(evaluator: Evaluator, node: Node, state: State) -> list[Outcome]:
    evaluator.assigner.assign(node, state)
    return [Outcome(state)]


def _declaration(evaluator: Evaluator, node: Node, state: State) -> list[Outcome]:
    evaluator.assigner.declare(node, state)
    return [Outcome(state)]


def _unset(evaluator: Evaluator, node: Node, state: State) -> list[Outcome]:
    functions = False
    for region in scan.command_words(evaluator.text, evaluator.script.start(node), len(evaluator.text))[1:]:
        for word in evaluator.expander(state).words(*region):
            if word.text.startswith("-"):
                functions = functions or "f" in word.text
            elif functions or word.text in state.functions:
                state.functions.pop(word.text, None)
            else:
                state.remove(word.text)
    return [Outcome(state)]


def _define(evaluator: Evaluator, node: Node, state: State) -> list[Outcome]:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is not None and body is not None:
        state.functions[evaluator.script.slice(name)] = (evaluator, body)
    return [Outcome(state)]


def _command(evaluator: Evaluator, node: Node, state: State) -> list[Outcome]:
    """A simple command: assignments in front, words, and what they do."""
    given = state.input, state.document
    if any(child.type == "herestring_redirect" for child in node.named_children):
        documents.give(evaluator, node, state)
    regions = scan.command_words(evaluator.text, evaluator.script.start(node), len(evaluator.text))
    first = next((i for i, at in enumerate(regions) if not is_assignment(evaluator.text, *at)), len(regions))
    prefixes = regions[:first]
    expander = evaluator.expander(state)
    words = [word for region in regions[first:] for word in expander.words(*region)]
    if expander.defaulted and evaluator.output is not None:
        evaluator.output.known = False
    if not words:
        for prefix in prefixes:
            evaluator.assigner.assign_text(*prefix, state)
        return [Outcome(state)]
    environment = _prefixes(evaluator, prefixes, state) if prefixes else {}
    outcomes = _execute(evaluator, node, words, environment, state)
    if any(child.type == "herestring_redirect" for child in node.named_children):
        for outcome in outcomes:
            outcome.state.input, outcome.state.document = given
    return outcomes


def _prefixes(evaluator: Evaluator, prefixes: list[tuple[int, int]], state: State) -> dict[str, Word]:
    """Assignments in front of a command, each of which sees those before it."""
    environment: dict[str, Word] = {}
    world = state.copy()
    for prefix in prefixes:
        name = evaluator.assigner.assign_text(*prefix, world)
        if name is not None:
            value = world.scalar(name, Span(0, 0)) or ()
            environment[name] = word_of(value, evaluator.span(*prefix))
    return environment


def _execute(
    evaluator: Evaluator, node: Node, words: list[Word], environment: dict[str, Word], state: State
) -> list[Outcome]:
    head = base_name(words[0])
    if words[0].known and words[0].text in state.functions:
        return call(evaluator, words[0].text, words[1:], state, environment)
    if head == "eval":
        return inner.evaluated(evaluator, node, words, state)
    found = recognize(words)
    if found is not None:
        return _launch(evaluator, node, found, environment, state)
    builtin = BUILTINS.get(head)
    if builtin is not None:
        return _builtin(evaluator, node, words, environment, state)
    if inner.reads_script(words, state):
        return inner.shell(evaluator, words, environment, state)
    other = other_server(words)
    if other is not None:
        evaluator.findings.others.append((other[0], other[1].span))
    if evaluator.output is not None:
        printed = filtered(words, state.input, state.files)
        if printed is None:
            evaluator.output.known = False
        else:
            evaluator.output.chunks.append((literal_piece(printed, words[0].span),))
            evaluator.output.derived |= any(word.symbolic for word in words) or state.input_derived
            return [Outcome(state)]
    undecided = evaluator.condition_text(node, state) if head in _TESTS else None
    return [Outcome(state, None, undecided=undecided)]


def _builtin(
    evaluator: Evaluator, node: Node, words: list[Word], environment: dict[str, Word], state: State
) -> list[Outcome]:
    """A builtin, with a field separator set for it alone (`IFS=, read`)."""
    head = base_name(words[0])
    before = state.value("IFS")
    if "IFS" in environment:
        state.set("IFS", pieces_of(environment["IFS"]))
    outcomes = BUILTINS[head](evaluator, node, words, state)
    if "IFS" in environment:
        for outcome in outcomes:
            outcome.state.put_back("IFS", before, exported="IFS" in state.exported)
    return outcomes


def _launch(
    evaluator: Evaluator, node: Node, found: Found, environment: dict[str, Word], state: State
) -> list[Outcome]:
    variables = {n: _variable(n, state) for n in state.exported if isinstance(state.value(n), tuple)}
    merged = {**({} if found.cleared else {**variables, **environment}), **found.environment}
    for name in found.removed:
        merged.pop(name, None)
    span = evaluator.place_of(node)
    launch = Launch(
        source=evaluator.source,
        engine=found.engine,
        entrypoint=found.entrypoint,
        argv=found.argv,
        span=span,
        environment=merged,
        wrappers=found.wrappers,
        name=evaluator.function,
        files=dict(state.files),
        notes=[Note(f"run by {found.runner}: not carried", span)] if found.runner else [],
    )
    evaluator.findings.launches.append((launch, state.conditions))
    return [Outcome(state, None, "exit" if found.replaces_shell else "on")]


def _variable(name: str, state: State) -> Word:
    pieces = state.scalar(name, Span(0, 0)) or ()
    return word_of(pieces, pieces[0].span if pieces else Span(0, 0))


def call(
    evaluator: Evaluator, name: str, arguments: list[Word], state: State, environment: dict[str, Word]
) -> list[Outcome]:
    """A function of the script, with its own positional parameters and local variables."""
    owner, body = state.functions[name]
    evaluator.findings.called.add(name)
    if owner.calls >= CALLS or not evaluator.findings.may_call():
        return [Outcome(state, None)]
    positional, shifted = state.positional, state.shifted
    state.give_arguments(arguments)
    before: Saved = {variable: (state.value(variable), variable in state.exported) for variable in environment}
    for variable, word in environment.items():
        state.set(variable, pieces_of(word))
        state.exported.setdefault(variable, None)
    saved = owner.assigner.locals, owner.function, owner.output, owner.depth
    owner.assigner.locals, owner.function, owner.output = dict(before), name, evaluator.output
    owner.depth, owner.calls = evaluator.depth, owner.calls + 1
    try:
        outcomes: list[Outcome] = owner.run(body, state)
    finally:
        local = owner.assigner.locals or {}
        owner.calls -= 1
        owner.assigner.locals, owner.function, owner.output, owner.depth = saved
    for outcome in outcomes:
        outcome.state.positional, outcome.state.shifted = positional, shifted
        for variable, (value, exported) in local.items():
            outcome.state.put_back(variable, value, exported=exported)
    return [replace(o, flow="on") if o.flow == "return" else o for o in outcomes]


HANDLERS = {
    "variable_assignment": _assignment,
    "variable_assignments": _assignments,
    "declaration_command": _declaration,
    "unset_command": _unset,
    "function_definition": _define,
    "command": _command,
}

"""`for`, `while` and `until`: known turns are run, unknown ones once or not at all."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from portkit.frontends.shell.outcomes import TURNS, Outcome, after_loop, fewer, fewer_going
from portkit.frontends.shell.state import State
from portkit.frontends.shell.values import pieces_of
from portkit.launch import Word
from portkit.source import Span

if TYPE_CHECKING:
    from tree_sitter import Node

    from portkit.frontends.shell.evaluate import Evaluator

_OWN_ARGUMENTS = re.compile(r"\$#|\$\{?#|getopts|\$\{?[1@*]")


def _for(evaluator: Evaluator, node: Node, state: State) -> list[Outcome]:
    variable = node.child_by_field_name("variable")
    body = node.child_by_field_name("body")
    if variable is None or body is None:
        return [Outcome(state)]
    name = evaluator.script.slice(variable)
    values = node.children_by_field_name("value")
    turns: list[Word] = []
    for value in values:
        turns.extend(evaluator.expander(state).words(*evaluator.at(value)))
    header = evaluator.script.text[evaluator.script.start(variable) : evaluator.script.start(body)]
    over_arguments = not values and " in" not in header
    if over_arguments and state.positional is not None:
        turns = [Word(tuple(p.ref or p.text for p in pieces), Span(0, 0)) for pieces in state.positional]
    if any(word.splits for word in turns) or (over_arguments and state.positional is None):
        return _over_unknown(evaluator, node, body, state, name)
    if len(turns) > TURNS:
        evaluator.note(f"only the first {TURNS} turns of a loop are followed", evaluator.place_of(node))
    return _turns(evaluator, body, state, [(name, word) for word in turns[:TURNS]])


def _over_unknown(evaluator: Evaluator, node: Node, body: Node, state: State, name: str) -> list[Outcome]:
    """A loop over unknown words: its body once, with the variable unknown.

    A loop over the script's own arguments that starts nothing reads options, and none are taken as given.
    """
    header = evaluator.script.text[evaluator.script.start(node) : evaluator.script.start(body)]
    own = state.positional is None and (" in" not in header or re.search(r"\$\{?[@*]", header) is not None)
    if own:
        before = len(evaluator.findings.launches)
        trial = state.copy()
        trial.make_unknown(name, Span(0, 0))
        evaluator.run(body, trial)
        if len(evaluator.findings.launches) == before:
            return _no_options(evaluator, node, state)
        del evaluator.findings.launches[before:]
    words = " ".join(header.split())[:80].removesuffix(" do").removesuffix(";")
    evaluator.note(f"{words}: the words are unknown, so its body is read once", evaluator.span(*evaluator.at(node)))
    state.make_unknown(name, Span(0, 0))
    return [replace(o, flow=after_loop(o.flow)) for o in evaluator.run(body, state)]


def _no_options(evaluator: Evaluator, node: Node, state: State) -> list[Outcome]:
    evaluator.note("options on the script's own command line are taken as not given", evaluator.place_of(node))
    return [Outcome(state)]


def _turns(evaluator: Evaluator, body: Node, state: State, turns: list[tuple[str, Word]]) -> list[Outcome]:
    running, ended = [state], []
    for name, word in turns:
        if not evaluator.findings.may_turn():
            break
        following = []
        for current in running:
            current.set(name, pieces_of(word))
            for outcome in evaluator.run(body, current):
                if outcome.flow in ("on", "continue"):
                    following.append(Outcome(outcome.state))
                else:
                    ended.append(replace(outcome, flow=after_loop(outcome.flow)))
        running = [o.state for o in fewer(following, evaluator.findings)]
    return fewer_going([*(Outcome(current) for current in running), *ended], evaluator.findings)


def _c_style_for(evaluator: Evaluator, node: Node, state: State) -> list[Outcome]:
    body = node.child_by_field_name("body")
    header = re.match(r"for\s*\(\((.*?);(.*?);(.*?)\)\)\s*(?:;|do|\{)", evaluator.script.slice(node), re.DOTALL)
    if body is None or header is None:
        return [Outcome(state)]
    first, condition, step = header.groups()
    evaluator.arithmetic(first, state)

    def test(current: State) -> tuple[State, bool | None]:
        number = evaluator.arithmetic(condition, current) if condition.strip() else 1
        return current, None if number is None else number != 0

    return _while_it_holds(evaluator, node, body, state, test, lambda current: evaluator.arithmetic(step, current))


def _while(evaluator: Evaluator, node: Node, state: State) -> list[Outcome]:
    """Loops on known conditions are run; others are passed over, and what they assign is unknown."""
    body = node.child_by_field_name("body")
    conditions = [c for c in node.children_by_field_name("condition") if c.is_named]
    if body is None:
        return [Outcome(state)]
    until = node.children[0].type == "until"

    def test(current: State) -> tuple[State, bool | None]:
        after = evaluator.sequence(conditions, current)
        status = after[0].status if len(after) == 1 else None
        return after[0].state, None if status is None else status != until

    return _while_it_holds(evaluator, node, body, state, test, lambda current: None)


def _while_it_holds(
    evaluator: Evaluator,
    node: Node,
    body: Node,
    state: State,
    test: Callable[[State], tuple[State, bool | None]],
    step: Callable[[State], object],
) -> list[Outcome]:
    running, ended = [state], []
    for _ in range(TURNS):
        if not evaluator.findings.may_turn():
            break
        following = []
        for current in running:
            before = current.conditions
            tested, holds = test(current)
            if holds is None:
                tested.conditions = before
                ended.extend(_passed_over(evaluator, node, body, tested))
            elif not holds:
                ended.append(Outcome(tested))
            else:
                for outcome in evaluator.run(body, tested):
                    if outcome.flow in ("on", "continue"):
                        step(outcome.state)
                        following.append(Outcome(outcome.state))
                    else:
                        ended.append(replace(outcome, flow=after_loop(outcome.flow)))
        running = [o.state for o in fewer(following, evaluator.findings)]
        if not running:
            break
    else:
        evaluator.note(f"only the first {TURNS} turns of a loop are followed", evaluator.place_of(node))
    return fewer_going([*ended, *(Outcome(current) for current in running)], evaluator.findings)


def _passed_over(evaluator: Evaluator, node: Node, body: Node, state: State) -> list[Outcome]:
    header = evaluator.script.text[evaluator.script.start(node) : evaluator.script.start(body)]
    assigned = evaluator.assigner.names_in(body)
    if _OWN_ARGUMENTS.search(header):
        return _no_options(evaluator, node, state) if assigned else [Outcome(state)]
    inner = state.copy()
    for name in assigned:
        inner.make_unknown(name, Span(0, 0))
    evaluator.run(body, inner)
    evaluator.assigner.lose(body, state)
    return [Outcome(state)]


HANDLERS = {"for_statement": _for, "c_style_for_statement": _c_style_for, "while_statement": _while}

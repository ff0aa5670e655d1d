"""Lists, tests, `if` and `case`: known outcomes are followed, undecided ones both ways."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from portkit.frontends.shell import scan
from portkit.frontends.shell.conditions import Condition
from portkit.frontends.shell.outcomes import Outcome, fewer_going
from portkit.frontends.shell.patterns import matches
from portkit.frontends.shell.state import State
from portkit.frontends.shell.values import text_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from portkit.frontends.shell.evaluate import Evaluator


def fork(text: str, state: State) -> list[tuple[State, bool]]:
    """Both outcomes of an undecided test, or the one this path already assumes."""
    known = dict(state.conditions).get(text)
    if known is not None:
        return [(state, known)]
    other = state.copy()
    state.conditions = (*state.conditions, (text, True))
    other.conditions = (*other.conditions, (text, False))
    return [(state, True), (other, False)]


def _list(evaluator: Evaluator, node: Node, state: State) -> list[Outcome]:
    """`a && b`, `a || b`: b only on the paths where a's outcome asks for it."""
    operator = next((c.type for c in node.children if c.type in ("&&", "||")), "&&")
    left, right = node.named_children[0], node.named_children[-1]
    outcomes: list[Outcome] = []
    for after in evaluator.run(left, state):
        if after.flow != "on":
            outcomes.append(after)
            continue
        for taken, holds in _ways(after):
            if holds == (operator == "&&"):
                outcomes.extend(evaluator.run(right, taken))
            else:
                outcomes.append(Outcome(taken, holds))
    return outcomes


def _ways(outcome: Outcome) -> list[tuple[State, bool]]:
    """The outcomes to follow after a command: the known one, or both of an undecided test.

    An ordinary command is taken to succeed: `mkdir -p x || exit 1` goes on.
    """
    if outcome.status is not None:
        return [(outcome.state, outcome.status)]
    if outcome.undecided is None:
        return [(outcome.state, True)]
    return fork(outcome.undecided, outcome.state)


def _negated(evaluator: Evaluator, node: Node, state: State) -> list[Outcome]:
    outcomes: list[Outcome] = []
    for after in evaluator.run(node.named_children[-1], state):
        if after.status is None and after.undecided is not None and after.flow == "on":
            outcomes.extend(Outcome(taken, not holds) for taken, holds in fork(after.undecided, after.state))
        else:
            outcomes.append(replace(after, status=None if after.status is None else not after.status))
    return outcomes


def _if(evaluator: Evaluator, node: Node, state: State) -> list[Outcome]:
    condition, body, rest = _clauses(node)
    return _choose(evaluator, condition, body, rest, state)


def _clauses(node: Node) -> tuple[list[Node], list[Node], list[Node]]:
    """An `if` or `elif`: its condition, its body, and the clauses that follow it inside the node."""
    children = node.children
    then = next((i for i, c in enumerate(children) if c.type == "then"), len(children))
    end = next((i for i, c in enumerate(children) if c.type in ("elif_clause", "else_clause", "fi")), len(children))
    condition = [c for c in children[1:then] if c.is_named]
    body = [c for c in children[then + 1 : end] if c.is_named]
    return condition, body, [c for c in children[end:] if c.is_named]


def _choose(
    evaluator: Evaluator, condition: list[Node], body: list[Node], rest: list[Node], state: State
) -> list[Outcome]:
    outcomes: list[Outcome] = []
    for after in evaluator.sequence(condition, state):
        if after.flow != "on":
            outcomes.append(after)
        elif after.status is not None or not condition:
            outcomes.extend(_branch(evaluator, bool(after.status), body, rest, after.state))
        else:
            text = after.undecided or evaluator.condition_text(condition[-1], after.state)
            for taken, holds in fork(text, after.state):
                outcomes.extend(_branch(evaluator, holds, body, rest, taken))
    return fewer_going(outcomes, evaluator.findings)


def _branch(evaluator: Evaluator, holds: bool, body: list[Node], rest: list[Node], state: State) -> list[Outcome]:
    if holds:
        return evaluator.sequence(body, state)
    if not rest:
        return [Outcome(state)]
    first, *others = rest
    if first.type == "else_clause":
        return evaluator.run(first, state)
    if first.type != "elif_clause":
        return _branch(evaluator, False, body, others, state)
    condition, inner, _ = _clauses(first)
    return _choose(evaluator, condition, inner, others, state)


def _case(evaluator: Evaluator, node: Node, state: State) -> list[Outcome]:
    subject = node.child_by_field_name("value")
    items = [c for c in node.named_children if c.type == "case_item"]
    if subject is None:
        return [Outcome(state)]
    pieces = evaluator.expander(state).scalar(*evaluator.at(subject))
    text = text_of(pieces)
    if text is not None:
        what = evaluator.text[evaluator.script.start(node) :][:80].split("\n", 1)[0]
        evaluator.say_default(pieces, what, evaluator.script.start(node))
        return _items(evaluator, items, text, state)
    shown = evaluator.condition_text(subject, state)
    outcomes: list[Outcome] = []
    labels = [_item_label(evaluator, item) for item in items]
    for number, label in enumerate(labels):
        taken = state.copy()
        taken.conditions = (*taken.conditions, (f"{shown} is {label}", True))
        outcomes.extend(_items(evaluator, items[number:], None, taken))
    if "*" not in labels:
        state.conditions = (*state.conditions, (f"{shown} is none of {', '.join(labels)}", True))
        outcomes.append(Outcome(state))
    return fewer_going(outcomes, evaluator.findings)


def _items(evaluator: Evaluator, items: list[Node], text: str | None, state: State) -> list[Outcome]:
    """The first item that matches (the first of all for no text), and those it falls through to."""
    running: list[Outcome] = [Outcome(state)]
    ended: list[Outcome] = []
    falls = text is None
    for item in items:
        if not falls and (text is None or not _item_matches(evaluator, item, text, running[0].state)):
            continue
        following = [after for outcome in running for after in _item(evaluator, item, outcome.state)]
        running = [outcome for outcome in following if outcome.flow == "on"]
        ended.extend(outcome for outcome in following if outcome.flow != "on")
        end = next((c.type for c in reversed(item.children) if c.type in (";;", ";&", ";;&")), ";;")
        falls = end == ";&"
        if end == ";;" or not running:
            break
    return [*running, *ended]


def _item(evaluator: Evaluator, item: Node, state: State) -> list[Outcome]:
    patterns = {c.id for c in item.children_by_field_name("value")}
    return evaluator.sequence([c for c in item.named_children if c.id not in patterns], state)


def _item_matches(evaluator: Evaluator, item: Node, text: str, state: State) -> bool:
    for value in item.children_by_field_name("value"):
        pattern = evaluator.expander(state).pattern(*evaluator.at(value))
        if pattern is not None and matches(text, pattern):
            return True
    return False


def _item_label(evaluator: Evaluator, item: Node) -> str:
    return "|".join(evaluator.script.slice(c) for c in item.children_by_field_name("value"))


def _test(evaluator: Evaluator, node: Node, state: State) -> list[Outcome]:
    start, end = evaluator.at(node)
    text = evaluator.text[start:end]
    if text.startswith("(("):
        return truth(evaluator, node, state)
    double = text.startswith("[[")
    width = 2 if double else 1
    return [tested(evaluator, node, start + width, end - width, double, state)]


def truth(evaluator: Evaluator, node: Node, state: State) -> list[Outcome]:
    """`(( ))` as a command: whether its number isn't zero."""
    start, end = evaluator.at(node)
    number = evaluator.arithmetic(evaluator.text[start + 2 : end - 2], state)
    if number is None:
        return [Outcome(state, None, undecided=evaluator.condition_text(node, state))]
    return [Outcome(state, number != 0)]


def tested(evaluator: Evaluator, node: Node, start: int, end: int, double: bool, state: State) -> Outcome:
    """The outcome of a test whose words stand between two offsets."""
    condition = Condition(evaluator.expander(state), start, end, double=double)
    try:
        holds = condition.result()
    except (scan.TooDeep, RecursionError):
        holds = None
    if holds is None:
        return Outcome(state, None, undecided=evaluator.condition_text(node, state))
    if condition.assumed:
        text = " ".join(evaluator.text[start:end].split())[:80]
        said = "true" if holds else "false"
        evaluator.note(f"[ {text} ] decided by a default: taken as {said}", evaluator.span(start, end))
    return Outcome(state, holds)


def _compound(evaluator: Evaluator, node: Node, state: State) -> list[Outcome]:
    if node.children and node.children[0].type == "((":
        return truth(evaluator, node, state)
    return evaluator.sequence(node.named_children, state)


def _subshell(evaluator: Evaluator, node: Node, state: State) -> list[Outcome]:
    outcomes = evaluator.sequence(node.named_children, state.copy())
    status = outcomes[0].status if len(outcomes) == 1 else None
    return [Outcome(state, status)]


HANDLERS = {
    "list": _list,
    "negated_command": _negated,
    "if_statement": _if,
    "case_statement": _case,
    "test_command": _test,
    "compound_statement": _compound,
    "subshell": _subshell,
}

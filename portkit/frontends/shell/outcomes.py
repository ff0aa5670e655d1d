"""What statements come to: paths, what was met on them, and the bounds of a walk."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from portkit.frontends.shell.state import Conditions, State
from portkit.frontends.shell.values import Pieces
from portkit.launch import Launch, Note
from portkit.source import Span

Flow = Literal["on", "exit", "return", "break", "continue"]

PATHS = 64
STEPS = 20_000
CALLS = 40
TURNS = 256
ALL_TURNS = 4_000
ALL_CALLS = 4_000


@dataclass(slots=True)
class Outcome:
    """One path after a statement: where it stands, how the statement ended, and what comes next.

    `status` is None where success isn't known; `undecided` is then the test that would say, as people
    read it. An ordinary command has none and is taken to succeed.
    """

    state: State
    status: bool | None = True
    flow: Flow = "on"
    undecided: str | None = None


@dataclass
class Findings:
    """What a walk gathers: launches in the order met with their conditions, remarks, other engines' servers."""

    allowed: int = STEPS
    launches: list[tuple[Launch, Conditions]] = field(default_factory=list)
    notes: dict[str, Note] = field(default_factory=dict)
    others: list[tuple[str, Span]] = field(default_factory=list)
    steps: int = 0
    turns: int = 0
    calls: int = 0
    called: set[str] = field(default_factory=set)

    def may_turn(self) -> bool:
        """Whether one more turn of a loop is within bounds; counts it."""
        self.turns += 1
        return self.turns <= ALL_TURNS

    def may_call(self) -> bool:
        """Whether one more call of a function is within bounds; counts it."""
        self.calls += 1
        return self.calls <= ALL_CALLS

    def note(self, message: str, span: Span | None = None) -> None:
        """Remember a remark once."""
        self.notes.setdefault(message, Note(message, span))


@dataclass
class Output:
    """What commands in a substitution print; `known` until one prints what can't be told.

    `derived` when a command worked it out from what follows something outside.
    """

    chunks: list[Pieces] = field(default_factory=list)
    known: bool = True
    derived: bool = False


def fewer(outcomes: list[Outcome], findings: Findings) -> list[Outcome]:
    """Paths that stand in the same world are one; past the bound, what differs is unknown."""
    kept: list[Outcome] = []
    for outcome in outcomes:
        twin = next((k for k in kept if k.flow == outcome.flow and k.state.same_world(outcome.state)), None)
        if twin is None:
            kept.append(outcome)
            continue
        twin.state.conditions = common(twin.state.conditions, outcome.state.conditions)
        if (twin.status, twin.undecided) != (outcome.status, outcome.undecided):
            twin.status, twin.undecided = None, None
    most = PATHS if findings.steps < findings.allowed // 2 else 1
    while len(kept) > most:
        last = kept.pop()
        _blur(kept[0].state, last.state)
        findings.note(f"more than {PATHS} paths: variables that differ between some of them are taken as unknown")
    return kept


def fewer_going(outcomes: list[Outcome], findings: Findings) -> list[Outcome]:
    """`fewer` for the paths that go on; the ended ones stay as they are."""
    if len(outcomes) < 2:
        return outcomes
    going = [o for o in outcomes if o.flow == "on"]
    return [*fewer(going, findings), *(o for o in outcomes if o.flow != "on")]


def _blur(state: State, other: State) -> None:
    for name in {*state.variables, *other.variables}:
        if state.variables.get(name) != other.variables.get(name):
            state.make_unknown(name, Span(0, 0))
    state.conditions = common(state.conditions, other.conditions)


def common(a: Conditions, b: Conditions) -> Conditions:
    """The assumptions that two paths share."""
    shared = set(b)
    return tuple(condition for condition in a if condition in shared)


def after_loop(flow: Flow) -> Flow:
    """How a loop ends when its body ended so."""
    return "on" if flow in ("break", "continue") else flow

"""Walking a script: every path it may take, with the launches met on the way."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from portkit.frontends.shell import branches, documents, loops, simple
from portkit.frontends.shell.arithmetic import Calculator, NotKnown
from portkit.frontends.shell.assign import Assigner
from portkit.frontends.shell.expand import Captured, Expander
from portkit.frontends.shell.outcomes import Findings, Outcome, Output, fewer
from portkit.frontends.shell.state import State
from portkit.frontends.shell.tree import DEPTH, Script, too_deep
from portkit.frontends.shell.values import Piece, Pieces, literal_piece, shown, text_of
from portkit.launch import Ref
from portkit.source import SourceText, Span

if TYPE_CHECKING:
    from tree_sitter import Node

Handler = Callable[["Evaluator", "Node", State], list[Outcome]]

_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_]\w*|\d+)\}|([A-Za-z_]\w*|\d))")


class Evaluator:
    """Evaluates one text. An inner text (`eval`, `bash -c`) has an evaluator of its own, with the
    place of its word for every span."""

    def __init__(
        self,
        source: SourceText,
        script: Script,
        findings: Findings,
        place: Span | None = None,
        marks: Mapping[str, Ref] | None = None,
    ) -> None:
        self.source = source
        self.script = script
        self.text = script.text
        self.findings = findings
        self.place = place
        self.marks = marks or {}
        self.depth = 0
        self.calls = 0
        self.function = ""
        self.output: Output | None = None
        self.assigner = Assigner(self)

    def at(self, node: Node) -> tuple[int, int]:
        """Where a node begins and ends, in characters of this text."""
        return self.script.start(node), self.script.end(node)

    def span(self, start: int, end: int) -> Span:
        """A region of this text as a place in the source."""
        return self.place if self.place is not None else Span(start, end)

    def place_of(self, node: Node) -> Span:
        """A node's place in the source."""
        return self.span(*self.at(node))

    def note(self, message: str, span: Span | None = None) -> None:
        """Remember a remark once."""
        self.findings.note(message, span)

    def expander(self, state: State) -> Expander:
        """An expander of this text in a state."""
        return Expander(
            self.text,
            state,
            self.span,
            self.place is None,
            self.note,
            lambda start, end: self.captured(start, end, state),
            self.marks,
        )

    def run(self, node: Node, state: State) -> list[Outcome]:
        """All paths through a statement."""
        self.findings.steps += 1
        self.depth += 1
        if self.depth > DEPTH:
            raise too_deep(self.source, self.span(self.script.start(node), 0).start)
        try:
            if self.findings.steps > self.findings.allowed:
                self.note("too many steps: the rest of the script is not followed", self.place_of(node))
                return [Outcome(state, None)]
            handler = _HANDLERS.get(node.type)
            return handler(self, node, state) if handler is not None else [Outcome(state, None)]
        finally:
            self.depth -= 1

    def sequence(self, nodes: Iterable[Node], state: State) -> list[Outcome]:
        """Statements one after another, on every path that goes on."""
        running: list[Outcome] = [Outcome(state)]
        ended: list[Outcome] = []
        for node in nodes:
            if node.type == "comment":
                continue
            following: list[Outcome] = []
            for outcome in running:
                for after in self.run(node, outcome.state):
                    (following if after.flow == "on" else ended).append(after)
            running = fewer(following, self.findings) if len(following) > 1 else following
            if not running:
                break
        return [*running, *ended]

    def condition_text(self, node: Node, state: State) -> str:
        """A test as people read it, with the script's own variables filled in."""

        def put(match: re.Match[str]) -> str:
            name = match[1] or match[2]
            if name.isdigit():
                known = state.positional is not None and 0 < int(name) <= len(state.positional)
                value = state.positional[int(name) - 1] if known and state.positional else None
            else:
                value = state.scalar(name, Span(0, 0)) if name in state.variables else None
            if value is None:
                return match[0]
            text = "".join(shown(piece) for piece in value)
            return match[0] if text in (f"${{{name}}}", f"${name}") else text

        written = self.expander(state).readable(_VARIABLE.sub(put, self.script.slice(node)))
        text = " ".join(written.split())
        return text if len(text) <= 80 else text[:77] + "..."

    def say_default(self, pieces: Pieces, what: str, at: int) -> None:
        """Note that a default of something outside decided a branch."""
        refs = [p.ref for p in pieces if p.ref is not None and p.ref.value is not None]
        if refs:
            what = " ".join(what.split())[:80]
            self.note(f"{what}: decided by the default of {refs[0].expression}", self.span(at, at + 1))

    def arithmetic(self, text: str, state: State) -> int | None:
        """The value of `(( text ))`, with its assignments made; None where it can't be told."""
        plain = re.sub(r"\$(?:\{([A-Za-z_]\w*)\}|(?=[A-Za-z_]))", lambda match: match[1] or "", text)
        if "$" in plain:
            value = self._inner_text(f'"$(({text}))"', state)
            known = text_of(value)
            return int(known) if known is not None and re.fullmatch(r"-?\d+", known) else None
        expander = self.expander(state)
        try:
            return Calculator(plain, expander.number, expander.assign(Span(0, 0))).run()
        except (NotKnown, RecursionError):
            for name in re.findall(r"([A-Za-z_]\w*)\s*(?:[-+*/%]?=[^=]|\+\+|--)", plain):
                state.make_unknown(name, Span(0, 0))
            return None

    def _inner_text(self, text: str, state: State) -> Pieces:
        inner = Evaluator(self.source, Script(text), self.findings, Span(0, 0), self.marks)
        inner.depth = self.depth + 5
        return inner.expander(state).scalar(0, len(text))

    def captured(self, start: int, end: int, state: State) -> Captured | None:
        """The output of a command substitution, where only known text makes it; None else."""
        if self.depth > 40 or end - start > 10_000:
            return None
        inner = Script(self.text[start:end])
        evaluator = Evaluator(self.source, inner, self.findings, self.span(start, end), self.marks)
        evaluator.depth, evaluator.calls, evaluator.output = self.depth + 5, self.calls, Output()
        launches = len(self.findings.launches)
        root = evaluator.script.tree.root_node
        outcomes = evaluator.run(root, state.copy())
        met = len(self.findings.launches) > launches
        known = evaluator.output.known and not root.has_error and root.named_child_count > 0
        if met or not known or len(outcomes) != 1:
            return None
        pieces = _without_last_newlines([piece for chunk in evaluator.output.chunks for piece in chunk])
        return Captured(pieces, evaluator.output.derived)


def _without_last_newlines(pieces: list[Piece]) -> Pieces:
    while pieces and pieces[-1].ref is None and not pieces[-1].text.rstrip("\n"):
        pieces.pop()
    if pieces and pieces[-1].ref is None and pieces[-1].text.endswith("\n"):
        last = pieces.pop()
        pieces.append(literal_piece(last.text.rstrip("\n"), last.span))
    return tuple(pieces)


def _program(evaluator: Evaluator, node: Node, state: State) -> list[Outcome]:
    return evaluator.sequence(node.named_children, state)


_HANDLERS: dict[str, Handler] = {
    "program": _program,
    "do_group": _program,
    "else_clause": _program,
    "ERROR": _program,
    **branches.HANDLERS,
    **loops.HANDLERS,
    **documents.HANDLERS,
    **simple.HANDLERS,
}

"""Walking a script: every path it may take, with the launches met on the way."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from portkit.frontends.shell import scan
from portkit.frontends.shell.arithmetic import Calculator, NotKnown
from portkit.frontends.shell.assign import Assigner
from portkit.frontends.shell.commands import base_name, other_server, recognize
from portkit.frontends.shell.conditions import Condition
from portkit.frontends.shell.expand import Expander
from portkit.frontends.shell.patterns import matches
from portkit.frontends.shell.state import State
from portkit.frontends.shell.tree import DEPTH, Script, too_deep
from portkit.frontends.shell.values import Piece, Pieces, literal_piece, ref_piece, text_of, word_of
from portkit.launch import Launch, Note, Ref, Word
from portkit.source import SourceText, Span

if TYPE_CHECKING:
    from tree_sitter import Node

Flow = Literal["on", "exit", "return", "break", "continue"]

PATHS = 64
STEPS = 20_000
CALLS = 40
TURNS = 256


@dataclass(slots=True)
class Outcome:
    """One path after a statement: where it stands, how the statement ended, and what comes next.

    `status` is None where success isn't known.
    """

    state: State
    status: bool | None = True
    flow: Flow = "on"


@dataclass
class Findings:
    """What a walk gathers: launches in the order met, notes, and servers of other engines."""

    launches: list[Launch] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    others: list[tuple[str, Span]] = field(default_factory=list)
    steps: int = 0
    called: set[str] = field(default_factory=set)


class Evaluator:
    """Evaluates one text. An inner text (`eval`, `bash -c`) has an evaluator of its own, with the
    place of its word for every span."""

    def __init__(self, source: SourceText, script: Script, findings: Findings, place: Span | None = None) -> None:
        self.source = source
        self.script = script
        self.text = script.text
        self.findings = findings
        self.place = place
        self.depth = 0
        self.function = ""
        self.output: list[Pieces] | None = None
        self.tainted = False
        self.assigner = Assigner(self)

    def span(self, start: int, end: int) -> Span:
        """A region of this text as a place in the source."""
        return self.place if self.place is not None else Span(start, end)

    def note(self, message: str, span: Span | None = None) -> None:
        """Remember a remark once."""
        note = Note(message, span)
        if all(known.message != message for known in self.findings.notes):
            self.findings.notes.append(note)

    def expander(self, state: State) -> Expander:
        """An expander of this text in a state."""
        return Expander(
            self.text,
            state,
            self.span,
            self.place is None,
            self.note,
            lambda start, end: self.captured(start, end, state),
        )

    # Statements

    def run(self, node: Node, state: State) -> list[Outcome]:
        """All paths through a statement."""
        self.findings.steps += 1
        self.depth += 1
        if self.depth > DEPTH:
            raise too_deep(self.source, self.span(self.script.start(node), 0).start)
        try:
            if self.findings.steps > STEPS:
                return [Outcome(state, None)]
            handler: Callable[[Node, State], list[Outcome]] | None = getattr(self, f"_{node.type}", None)
            return handler(node, state) if handler is not None else [Outcome(state, None)]
        finally:
            self.depth -= 1

    def sequence(self, nodes: Iterable[Node], state: State) -> list[Outcome]:
        """Statements one after another, on every path that goes on."""
        running: list[Outcome] = [Outcome(state)]
        ended: list[Outcome] = []
        for node in nodes:
            following: list[Outcome] = []
            for outcome in running:
                for after in self.run(node, outcome.state):
                    (following if after.flow == "on" else ended).append(after)
            running = self._fewer(following)
            if not running:
                break
        return [*running, *ended]

    def _fewer(self, outcomes: list[Outcome]) -> list[Outcome]:
        """Paths that stand in the same world are one; past the bound, what differs is unknown."""
        kept: list[Outcome] = []
        for outcome in outcomes:
            twin = next((k for k in kept if k.state.same_world(outcome.state)), None)
            if twin is None:
                kept.append(outcome)
            else:
                twin.state.conditions = _common(twin.state.conditions, outcome.state.conditions)
                twin.status = twin.status if twin.status == outcome.status else None
        while len(kept) > PATHS:
            last = kept.pop()
            self._blur(kept[0].state, last.state)
            self.note(f"more than {PATHS} paths: variables that differ between some of them are taken as unknown")
        return kept

    def _blur(self, state: State, other: State) -> None:
        for name in {*state.variables, *other.variables}:
            if state.variables.get(name) != other.variables.get(name):
                state.make_unknown(name, Span(0, 0))
        state.conditions = _common(state.conditions, other.conditions)

    def _program(self, node: Node, state: State) -> list[Outcome]:
        return self.sequence(node.named_children, state)

    _compound_statement = _do_group = _else_clause = _program

    def _comment(self, node: Node, state: State) -> list[Outcome]:
        return [Outcome(state)]

    def _ERROR(self, node: Node, state: State) -> list[Outcome]:
        return self.sequence(node.named_children, state)

    def _subshell(self, node: Node, state: State) -> list[Outcome]:
        outcomes = self.sequence(node.named_children, state.copy())
        status = outcomes[0].status if len(outcomes) == 1 else None
        return [Outcome(state, status)]

    def _pipeline(self, node: Node, state: State) -> list[Outcome]:
        status: bool | None = None
        for child in node.named_children:
            outcomes = self.run(child, state.copy())
            status = outcomes[0].status if len(outcomes) == 1 and outcomes[0].flow == "on" else None
        return [Outcome(state, status)]

    def _negated_command(self, node: Node, state: State) -> list[Outcome]:
        outcomes = self.run(node.named_children[-1], state)
        return [replace(o, status=None if o.status is None else not o.status) for o in outcomes]

    def _list(self, node: Node, state: State) -> list[Outcome]:
        """`a && b`, `a || b`: b only on the paths where a's outcome asks for it."""
        operator = next((c.type for c in node.children if c.type in ("&&", "||")), "&&")
        left, right = node.named_children[0], node.named_children[-1]
        outcomes: list[Outcome] = []
        for after in self.run(left, state):
            if after.flow != "on":
                outcomes.append(after)
                continue
            for taken, holds in self._ways(left, after, operator == "||"):
                if holds == (operator == "&&"):
                    outcomes.extend(self.run(right, taken))
                else:
                    outcomes.append(Outcome(taken, holds))
        return outcomes

    def _ways(self, node: Node, outcome: Outcome, expect_success: bool) -> list[tuple[State, bool]]:
        """The outcomes to follow after a command: the known one, or both of an undecided test.

        An ordinary command is taken to succeed: `mkdir -p x || exit 1` goes on.
        """
        if outcome.status is not None:
            return [(outcome.state, outcome.status)]
        if not _is_test(node):
            return [(outcome.state, True)]
        return self._fork(self._condition_text(node), outcome.state)

    def _fork(self, text: str, state: State) -> list[tuple[State, bool]]:
        known = dict(state.conditions).get(text)
        if known is not None:
            return [(state, known)]
        other = state.copy()
        state.conditions = (*state.conditions, (text, True))
        other.conditions = (*other.conditions, (text, False))
        return [(state, True), (other, False)]

    def _condition_text(self, node: Node) -> str:
        text = " ".join(self.script.slice(node).split())
        return text if len(text) <= 80 else text[:77] + "..."

    def _if_statement(self, node: Node, state: State) -> list[Outcome]:
        children = node.children
        then = next(i for i, c in enumerate(children) if c.type == "then")
        end = next((i for i, c in enumerate(children) if c.type in ("elif_clause", "else_clause", "fi")), len(children))
        condition = [c for c in children[1:then] if c.is_named]
        body = [c for c in children[then + 1 : end] if c.is_named]
        rest = [c for c in children[end:] if c.is_named]
        return self._choose(condition, body, rest, state)

    def _choose(self, condition: list[Node], body: list[Node], rest: list[Node], state: State) -> list[Outcome]:
        outcomes: list[Outcome] = []
        for after in self.sequence(condition, state):
            if after.flow != "on":
                outcomes.append(after)
            elif after.status is not None:
                outcomes.extend(self._branch(after.status, body, rest, after.state))
            else:
                for taken, holds in self._fork(self._condition_text(condition[-1]), after.state):
                    outcomes.extend(self._branch(holds, body, rest, taken))
        return self._fewer_of_all(outcomes)

    def _fewer_of_all(self, outcomes: list[Outcome]) -> list[Outcome]:
        going = [o for o in outcomes if o.flow == "on"]
        return [*self._fewer(going), *(o for o in outcomes if o.flow != "on")]

    def _branch(self, holds: bool, body: list[Node], rest: list[Node], state: State) -> list[Outcome]:
        if holds:
            return self.sequence(body, state)
        if not rest:
            return [Outcome(state)]
        first, *others = rest
        if first.type == "else_clause":
            return self.run(first, state)
        if first.type != "elif_clause":
            return [Outcome(state)]
        then = next(i for i, c in enumerate(first.children) if c.type == "then")
        condition = [c for c in first.children[1:then] if c.is_named]
        inner = [c for c in first.children[then + 1 :] if c.is_named]
        return self._choose(condition, inner, others, state)

    def _case_statement(self, node: Node, state: State) -> list[Outcome]:
        subject = node.child_by_field_name("value")
        items = [c for c in node.named_children if c.type == "case_item"]
        if subject is None:
            return [Outcome(state)]
        pieces = self.expander(state).scalar(self.script.start(subject), self.script.end(subject))
        text = text_of(pieces)
        outcomes: list[Outcome] = []
        if text is not None:
            self._say_default(pieces, self.script.slice(node).split("\n", 1)[0], self.script.start(node))
            chosen = next((i for i in items if self._item_matches(i, text, state)), None)
            outcomes = self._item(chosen, state) if chosen is not None else [Outcome(state)]
            return [replace(o, flow="on") if o.flow == "break" else o for o in outcomes]
        shown = self.script.slice(subject)
        for item in items:
            label = f"{shown} is {self._item_label(item)}"
            taken = state.copy()
            taken.conditions = (*taken.conditions, (label, True))
            outcomes.extend(self._item(item, taken))
        return self._fewer_of_all(outcomes) or [Outcome(state)]

    def _item(self, item: Node, state: State) -> list[Outcome]:
        patterns = {c.id for c in item.children_by_field_name("value")}
        return self.sequence([c for c in item.named_children if c.id not in patterns], state)

    def _item_matches(self, item: Node, text: str, state: State) -> bool:
        for value in item.children_by_field_name("value"):
            pattern = text_of(self.expander(state).scalar(self.script.start(value), self.script.end(value)))
            if pattern is not None and matches(text, pattern):
                return True
        return False

    def _item_label(self, item: Node) -> str:
        return "|".join(self.script.slice(c) for c in item.children_by_field_name("value"))

    def _say_default(self, pieces: Pieces, what: str, at: int) -> None:
        refs = [p.ref for p in pieces if p.ref is not None and p.ref.value is not None]
        if refs:
            what = " ".join(what.split())[:80]
            self.note(f"{what}: decided by the default of {refs[0].expression}", self.span(at, at + 1))

    def _for_statement(self, node: Node, state: State) -> list[Outcome]:
        variable = node.child_by_field_name("variable")
        body = node.child_by_field_name("body")
        if variable is None or body is None:
            return [Outcome(state)]
        name = self.script.slice(variable)
        values = node.children_by_field_name("value")
        turns: list[Word] = []
        for value in values:
            turns.extend(self.expander(state).words(self.script.start(value), self.script.end(value)))
        if not values or any(word.splits for word in turns):
            return self._once(body, state, name)
        return self._turns(body, state, [self._setter(name, word) for word in turns[:TURNS]])

    def _once(self, body: Node, state: State, *names: str) -> list[Outcome]:
        """A loop over unknown words: its body once, with the variable unknown."""
        for name in names:
            state.make_unknown(name, Span(0, 0))
        return [replace(o, flow=_after_loop(o.flow)) for o in self.run(body, state)]

    @staticmethod
    def _setter(name: str, word: Word) -> Callable[[State], None]:
        pieces = tuple(
            literal_piece(part, word.span) if isinstance(part, str) else _ref(part, word.span) for part in word.parts
        )
        return lambda state: state.set(name, pieces)

    def _turns(self, body: Node, state: State, setters: list[Callable[[State], None]]) -> list[Outcome]:
        running, ended = [state], []
        for setter in setters:
            following = []
            for current in running:
                setter(current)
                for outcome in self.run(body, current):
                    if outcome.flow in ("on", "continue"):
                        following.append(Outcome(outcome.state))
                    else:
                        ended.append(replace(outcome, flow=_after_loop(outcome.flow)))
            running = [o.state for o in self._fewer(following)]
        return [*(Outcome(current) for current in running), *ended]

    def _c_style_for_statement(self, node: Node, state: State) -> list[Outcome]:
        body = node.child_by_field_name("body")
        header = re.match(r"for\s*\(\((.*?);(.*?);(.*?)\)\)", self.script.slice(node), re.DOTALL)
        if body is None or header is None:
            return [Outcome(state)]
        self._arithmetic(header[1], state)
        running, ended = [state], []
        for _ in range(TURNS):
            following = []
            for current in running:
                holds = self._arithmetic(header[2], current) if header[2].strip() else 1
                if not holds:
                    ended.append(Outcome(current))
                    continue
                for outcome in self.run(body, current):
                    if outcome.flow in ("on", "continue"):
                        self._arithmetic(header[3], outcome.state)
                        following.append(Outcome(outcome.state))
                    else:
                        ended.append(replace(outcome, flow=_after_loop(outcome.flow)))
            running = [o.state for o in self._fewer(following)]
            if not running:
                break
        return self._fewer_of_all([*ended, *(Outcome(current) for current in running)])

    def _arithmetic(self, text: str, state: State) -> int | None:
        expander = self.expander(state)
        try:
            return Calculator(text.replace("$", ""), expander._number, expander._assign(Span(0, 0))).run()
        except (NotKnown, RecursionError):
            return None

    def _while_statement(self, node: Node, state: State) -> list[Outcome]:
        """Loops on known conditions are run; others are passed over, and what they assign is unknown."""
        body = node.child_by_field_name("body")
        conditions = [c for c in node.children_by_field_name("condition") if c.is_named]
        if body is None:
            return [Outcome(state)]
        until = node.children[0].type == "until"
        running, ended = [state], []
        for _ in range(TURNS):
            following = []
            for current in running:
                after = self.sequence(conditions, current)
                status = after[0].status if len(after) == 1 else None
                if status is None:
                    ended.extend(self._skipped_loop(node, body, current))
                elif status == until:
                    ended.append(Outcome(current))
                else:
                    for outcome in self.run(body, after[0].state):
                        if outcome.flow in ("on", "continue"):
                            following.append(Outcome(outcome.state))
                        else:
                            ended.append(replace(outcome, flow=_after_loop(outcome.flow)))
            running = [o.state for o in self._fewer(following)]
            if not running:
                break
        return self._fewer_of_all([*ended, *(Outcome(current) for current in running)])

    def _skipped_loop(self, node: Node, body: Node, state: State) -> list[Outcome]:
        header = self.script.text[self.script.start(node) : self.script.start(body)]
        assigned = self.assigner.names_in(body)
        if re.search(r"\$#|\$\{?#|getopts|\$1|\$\{1", header):
            if assigned:
                self.note("options on the script's own command line are taken as not given", self.span(*self._at(node)))
            return [Outcome(state)]
        inner = state.copy()
        for name in assigned:
            inner.make_unknown(name, Span(0, 0))
        self.run(body, inner.copy())
        for name in assigned:
            state.make_unknown(name, Span(0, 0))
        return [Outcome(state)]

    def _at(self, node: Node) -> tuple[int, int]:
        return self.script.start(node), self.script.end(node)

    def _function_definition(self, node: Node, state: State) -> list[Outcome]:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is not None and body is not None:
            state.functions[self.script.slice(name)] = (self, body)
        return [Outcome(state)]

    # Simple commands

    def _variable_assignment(self, node: Node, state: State) -> list[Outcome]:
        self.assigner.assign(node, state)
        return [Outcome(state)]

    def _variable_assignments(self, node: Node, state: State) -> list[Outcome]:
        for child in node.named_children:
            self.assigner.assign(child, state)
        return [Outcome(state)]

    def _declaration_command(self, node: Node, state: State) -> list[Outcome]:
        self.assigner.declare(node, state)
        return [Outcome(state)]

    def _unset_command(self, node: Node, state: State) -> list[Outcome]:
        for child in node.named_children:
            name = self.script.slice(child)
            if not name.startswith("-"):
                state.remove(name.split("[", 1)[0])
        return [Outcome(state)]

    def _test_command(self, node: Node, state: State) -> list[Outcome]:
        start, end = self._at(node)
        text = self.text[start:end]
        if text.startswith("(("):
            return [Outcome(state, _truth(self._arithmetic(text[2:-2], state)))]
        double = text.startswith("[[")
        width = 2 if double else 1
        return [self._tested(start + width, end - width, double, state)]

    def _tested(self, start: int, end: int, double: bool, state: State) -> Outcome:
        condition = Condition(self.expander(state), start, end, double=double)
        try:
            holds = condition.result()
        except (scan.TooDeep, RecursionError):
            holds = None
        if condition.assumed and holds is not None:
            text = " ".join(self.text[start:end].split())[:80]
            self.note(
                f"[ {text} ] decided by a default: taken as {'true' if holds else 'false'}", self.span(start, end)
            )
        return Outcome(state, holds)

    def _redirected_statement(self, node: Node, state: State) -> list[Outcome]:
        body = node.child_by_field_name("body")
        self._documents(node, body, state)
        return self.run(body, state) if body is not None else [Outcome(state)]

    def _documents(self, node: Node, body: Node | None, state: State) -> None:
        """Keep the text of `cat > file <<EOF`."""
        document = next((c for c in node.named_children if c.type == "heredoc_redirect"), None)
        if document is None or body is None or self.script.slice(body).split()[:1] not in (["cat"], ["tee"]):
            return
        target = next((r for r in [*node.named_children, *document.named_children] if r.type == "file_redirect"), None)
        parts = {c.type: c for c in document.named_children}
        content, start = parts.get("heredoc_body"), parts.get("heredoc_start")
        if target is None or content is None or start is None:
            return
        destination = target.child_by_field_name("destination")
        if destination is None:
            return
        path = text_of(self.expander(state).scalar(*self._at(destination)))
        raw = self.script.slice(start)
        text: str | None = self.script.slice(content)
        if not raw.startswith(("'", '"', "\\")):
            text = text_of(self.expander(state).pieces(*self._at(content), "heredoc"))
        if path is not None and text is not None:
            state.files[path] = text

    def _command(self, node: Node, state: State) -> list[Outcome]:
        """A simple command: assignments in front, words, and what they do."""
        prefixes = [c for c in node.named_children if c.type == "variable_assignment"]
        arguments = [
            c
            for c in node.named_children
            if c.type not in ("variable_assignment", "file_redirect", "herestring_redirect", "heredoc_redirect")
        ]
        words: list[Word] = []
        expander = self.expander(state)
        for argument in arguments:
            words.extend(expander.words(*self._at(argument)))
        if not words:
            for prefix in prefixes:
                self.assigner.assign(prefix, state)
            return [Outcome(state)]
        environment = {name: word for p in prefixes for name, word in [self.assigner.prefix(p, state)] if name}
        return self._execute(node, words, environment, state)

    def _execute(self, node: Node, words: list[Word], environment: dict[str, Word], state: State) -> list[Outcome]:
        head = base_name(words[0])
        if words[0].known and words[0].text in state.functions:
            return self._call(words[0].text, words[1:], state, environment)
        if recognize(words) is not None:
            return self._launch(node, words, environment, state)
        builtin = getattr(self, f"_do_{_BUILTINS.get(head, '')}", None)
        if builtin is not None:
            outcomes: list[Outcome] = builtin(node, words, state)
            return outcomes
        inner = _inner_script(words)
        if inner is not None:
            return self._inner(inner, state, environment, own_world=True)
        found = other_server(words)
        if found is not None:
            self.findings.others.append((found[0], found[1].span))
        self.tainted = True
        return [Outcome(state, None)]

    def _launch(self, node: Node, words: list[Word], environment: dict[str, Word], state: State) -> list[Outcome]:
        found = recognize(words)
        assert found is not None
        variables = {n: self._variable(n, state) for n in state.exported if n in state.variables}
        merged = {**variables, **environment, **found.environment}
        for name in found.removed:
            merged.pop(name, None)
        span = self.span(*self._at(node))
        notes = [Note(f"run by {found.runner}: not carried", span)] if found.runner else []
        self.findings.launches.append(
            Launch(
                source=self.source,
                engine=found.engine,
                entrypoint=found.entrypoint,
                argv=found.argv,
                span=span,
                environment=merged,
                wrappers=found.wrappers,
                condition=_said(state.conditions),
                name=self.function,
                files=dict(state.files),
                notes=notes,
            )
        )
        return [Outcome(state, None, "exit" if found.replaces_shell else "on")]

    def _variable(self, name: str, state: State) -> Word:
        pieces = state.scalar(name, Span(0, 0)) or ()
        return word_of(pieces, pieces[0].span if pieces else Span(0, 0))

    def _call(
        self, name: str, arguments: list[Word], state: State, environment: dict[str, Word] | None = None
    ) -> list[Outcome]:
        """A function of the script, with its own positional parameters and local variables."""
        evaluator, body = state.functions[name]
        self.findings.called.add(name)
        if evaluator.depth_of_calls >= CALLS:
            return [Outcome(state, None)]
        outer_positional, outer_locals, outer_name = state.positional, evaluator.assigner.locals, evaluator.function
        known = not any(word.splits for word in arguments)
        state.positional = tuple(_pieces(word) for word in arguments) if known else None
        for variable, word in (environment or {}).items():
            state.set(variable, _pieces(word))
        evaluator.assigner.locals, evaluator.function = {}, name
        evaluator.depth_of_calls += 1
        output, evaluator.output = evaluator.output, self.output
        try:
            outcomes = evaluator.run(body, state)
        finally:
            evaluator.depth_of_calls -= 1
            evaluator.output = output
            saved, evaluator.assigner.locals = evaluator.assigner.locals, outer_locals
            evaluator.function = outer_name
        for outcome in outcomes:
            outcome.state.positional = outer_positional
            for variable, value in saved.items():
                if value is None:
                    outcome.state.variables.pop(variable, None)
                else:
                    outcome.state.variables[variable] = value
        return [replace(o, flow="on") if o.flow == "return" else o for o in outcomes]

    depth_of_calls = 0

    # Builtins

    def _do_leave(self, node: Node, words: list[Word], state: State) -> list[Outcome]:
        flow: Flow = {"exit": "exit", "return": "return", "break": "break", "continue": "continue"}[words[0].text]  # type: ignore[assignment]
        status = words[1].text == "0" if len(words) > 1 and words[1].text.isdigit() else None
        return [Outcome(state, status, flow)]

    def _do_true(self, node: Node, words: list[Word], state: State) -> list[Outcome]:
        return [Outcome(state, words[0].text != "false")]

    def _do_test(self, node: Node, words: list[Word], state: State) -> list[Outcome]:
        start, end = self._at(node)
        match = re.match(r"\s*(?:test|\[)\s", self.text[start:end])
        if match is None:
            return [Outcome(state, None)]
        return [self._tested(start + match.end(), end, False, state)]

    def _do_set(self, node: Node, words: list[Word], state: State) -> list[Outcome]:
        texts = [word.text for word in words[1:]]
        if "--" in texts:
            rest = words[texts.index("--") + 2 :]
            state.positional = None if any(w.splits for w in rest) else tuple(_pieces(w) for w in rest)
        if "-a" in texts or "allexport" in texts:
            state.export_all = not any(t in ("+a", "+o") for t in texts)
        elif "+a" in texts:
            state.export_all = False
        return [Outcome(state)]

    def _do_shift(self, node: Node, words: list[Word], state: State) -> list[Outcome]:
        count = int(words[1].text) if len(words) > 1 and words[1].text.isdigit() else 1
        if state.positional is not None:
            state.positional = state.positional[count:]
        return [Outcome(state)]

    def _do_read(self, node: Node, words: list[Word], state: State) -> list[Outcome]:
        for word in words[1:]:
            if word.text.isidentifier():
                state.make_unknown(word.text, word.span)
        return [Outcome(state, None)]

    def _do_source(self, node: Node, words: list[Word], state: State) -> list[Outcome]:
        if len(words) > 1:
            self.note(f"{words[1].text} is not read: what it sets is taken from outside", words[1].span)
        return [Outcome(state, True)]

    def _do_let(self, node: Node, words: list[Word], state: State) -> list[Outcome]:
        status = True
        for word in words[1:]:
            status = bool(self._arithmetic(word.text, state))
        return [Outcome(state, status)]

    def _do_echo(self, node: Node, words: list[Word], state: State) -> list[Outcome]:
        if self.output is not None:
            pieces: Pieces = ()
            for number, word in enumerate(w for w in words[1:] if w.text not in ("-n", "-e")):
                pieces += ((literal_piece(" ", word.span),) if number else ()) + _pieces(word)
            self.output.append(pieces)
        return [Outcome(state)]

    def _do_printf(self, node: Node, words: list[Word], state: State) -> list[Outcome]:
        plain = len(words) == 3 and words[1].text in ("%s", "%s\\n", "%d", "%d\\n")
        if self.output is not None and plain:
            self.output.append(_pieces(words[2]))
        elif self.output is not None:
            self.tainted = True
        elif len(words) > 3 and words[1].text == "-v":
            state.make_unknown(words[2].text, words[2].span)
        return [Outcome(state)]

    def _do_eval(self, node: Node, words: list[Word], state: State) -> list[Outcome]:
        if not all(word.known for word in words):
            return [Outcome(state, None)]
        place = Span(words[1].span.start, words[-1].span.end) if len(words) > 1 else self.span(*self._at(node))
        text = " ".join(word.text for word in words[1:])
        return self._inner((text, place), state, {}, own_world=False)

    def _do_nothing(self, node: Node, words: list[Word], state: State) -> list[Outcome]:
        return [Outcome(state)]

    def _inner(
        self, inner: tuple[str, Span], state: State, environment: dict[str, Word], *, own_world: bool
    ) -> list[Outcome]:
        """A script inside a word: `eval` in this world, `bash -c` in its own with what is exported."""
        text, place = inner
        if self.depth > 40:
            return [Outcome(state, None)]
        evaluator = Evaluator(self.source, Script(text), self.findings, place)
        evaluator.depth, evaluator.function = self.depth + 10, self.function
        world = state
        if own_world:
            world = state.copy()
            world.variables = {n: v for n, v in state.variables.items() if n in state.exported}
            world.functions = {}
            for name, word in environment.items():
                world.set(name, _pieces(word))
                world.exported[name] = None
        outcomes = evaluator.run(evaluator.script.tree.root_node, world)
        return [Outcome(state, None)] if own_world else outcomes

    def captured(self, start: int, end: int, state: State) -> Pieces | None:
        """The output of a command substitution, where only echoes make it; None else."""
        if self.depth > 40 or end - start > 10_000:
            return None
        evaluator = Evaluator(self.source, Script(self.text[start:end]), self.findings, self.span(start, end))
        evaluator.depth, evaluator.output = self.depth + 5, []
        launches = len(self.findings.launches)
        outcomes = evaluator.run(evaluator.script.tree.root_node, state.copy())
        met = len(self.findings.launches) > launches
        if met or evaluator.tainted or len(outcomes) != 1 or len(evaluator.output) != 1:
            return None
        return evaluator.output[0] if evaluator.script.tree.root_node.named_child_count else None


_BUILTINS = {
    "exit": "leave", "return": "leave", "break": "leave", "continue": "leave", "true": "true", "false": "true",
    ":": "true", "test": "test", "[": "test", "set": "set", "shift": "shift", "read": "read", "mapfile": "read",
    "readarray": "read", "getopts": "read", "source": "source", ".": "source", "let": "let", "echo": "echo",
    "printf": "printf", "eval": "eval", "trap": "nothing", "wait": "nothing", "ulimit": "nothing", "cd": "nothing",
    "shopt": "nothing", "umask": "nothing", "pushd": "nothing", "popd": "nothing", "sleep": "nothing",
}  # fmt: skip


def _is_test(node: Node) -> bool:
    if node.type in ("test_command", "negated_command", "list"):
        return any(_is_test(c) for c in node.named_children) if node.type != "test_command" else True
    text = node.text or b""
    return node.type == "command" and text.split()[:1] in ([b"test"], [b"["], [b"command"], [b"which"], [b"type"])


def _inner_script(words: list[Word]) -> tuple[str, Span] | None:
    """The text of `bash -c TEXT`, past `env`, `nohup` and the like."""
    for index, word in enumerate(words[:-1]):
        if base_name(word) in ("bash", "sh", "zsh", "dash"):
            for at in range(index + 1, len(words) - 1):
                if re.fullmatch(r"-\w*c", words[at].text):
                    body = words[at + 1]
                    return (body.text, body.span) if body.known else None
                if not words[at].text.startswith("-"):
                    break
            return None
    return None


def _pieces(word: Word) -> Pieces:
    exact = not word.symbolic and len(word.parts) == 1 and len(word.text) == word.span.end - word.span.start
    return tuple(
        literal_piece(part, word.span, exact=exact) if isinstance(part, str) else _ref(part, word.span)
        for part in word.parts
    )


def _ref(ref: Ref, span: Span) -> Piece:
    return ref_piece(ref.expression, ref.value, span)


def _truth(number: int | None) -> bool | None:
    return None if number is None else number != 0


def _after_loop(flow: Flow) -> Flow:
    return "on" if flow in ("break", "continue") else flow


def _common(a: tuple[tuple[str, bool], ...], b: tuple[tuple[str, bool], ...]) -> tuple[tuple[str, bool], ...]:
    return tuple(condition for condition in a if condition in b)


def _said(conditions: tuple[tuple[str, bool], ...]) -> str | None:
    said = [text if holds else f"not {text}" for text, holds in conditions]
    return " and ".join(said) or None

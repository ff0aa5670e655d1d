"""Assignments and declarations."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from portkit.frontends.shell import scan
from portkit.frontends.shell.values import (
    Array,
    Pieces,
    Table,
    Value,
    after,
    literal_piece,
    pieces_of,
    ref_piece,
    symbolic,
    text_of,
)
from portkit.source import Span

if TYPE_CHECKING:
    from tree_sitter import Node

    from portkit.frontends.shell.evaluate import Evaluator
    from portkit.frontends.shell.state import Saved, State

_ASSIGNMENT = re.compile(
    r"(?P<name>[A-Za-z_]\w*)(?:\[(?P<index>(?:\$\(\([^)]*\)\)|\$\{[^}]*\}|[^\]])*)\])?(?P<plus>\+?)=", re.DOTALL
)
_KEYED = re.compile(r"\[(?P<key>(?:[^\]\"']|\"[^\"]*\"|'[^']*')*)\]=")
_HIGHEST = 100_000


class Assigner:
    """Assigns in one evaluator's text. `locals` are the enclosing function's variables to put back."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.locals: Saved | None = None

    def assign(self, node: Node, state: State) -> str | None:
        """Carry out one assignment; gives the variable's name."""
        text, start = self.evaluator.text, self.evaluator.script.start(node)
        match = _ASSIGNMENT.match(text, start)
        value = match.end() if match is not None else start
        end = scan.end_of_parens(text, value, len(text)) if text.startswith("(", value) else 0
        return self.assign_text(start, end or scan.end_of_word(text, value, len(text)), state)

    def assign_text(self, start: int, end: int, state: State, *, table: bool = False) -> str | None:
        """Carry out the assignment written between two offsets."""
        match = _ASSIGNMENT.match(self.evaluator.text, start, end)
        if match is None:
            return None
        name, plus, at = match["name"], bool(match["plus"]), match.end()
        if self.evaluator.text[at : at + 1] == "(" and match["index"] is None:
            self._assign_list(name, at + 1, end - 1, plus, state, table)
            return name
        value = self._scalar(name, at, end, plus, state)
        old = state.value(name)
        if match["index"] is not None:
            state.set(name, self._with_element(old, match.span("index"), value, plus, state))
        elif state.attributes.get(name) == "i":
            state.set(name, value)
        elif plus:
            state.set(name, _appended(old, (state.scalar(name, Span(0, 0)) or ()) + value))
        else:
            state.set(name, _appended(old, value))
        return name

    def _scalar(self, name: str, at: int, end: int, plus: bool, state: State) -> Pieces:
        """The value assigned; for an integer variable its number, with what was there before added."""
        value = self.evaluator.expander(state).assigned(at, end)
        text = text_of(value)
        kind = state.attributes.get(name)
        if text is None or kind is None or (kind in "lu" and symbolic(value)):
            return value
        if kind in "lu":
            cased = text.lower() if kind == "l" else text.upper()
            return (literal_piece(cased, self.evaluator.span(at, end)),)
        number = self.evaluator.arithmetic(f"{name}+({text})" if plus else text, state)
        return value if number is None else (literal_piece(str(number), self.evaluator.span(at, end)),)

    def _with_element(
        self, old: Value | None, index: tuple[int, int], value: Pieces, plus: bool, state: State
    ) -> Value:
        parameters = self.evaluator.expander(state).parameters
        if isinstance(old, Table):
            key = text_of(parameters.key(*index))
            if key is None:
                return old
            return Table({**old.entries, key: (old.get(key) or ()) + value if plus else value})
        array = old if isinstance(old, Array) else Array({0: old} if old is not None else {})
        number = parameters.index(*index)
        if number is None or number > _HIGHEST:
            self.evaluator.note("an element is assigned at an unknown place: left out", self.evaluator.span(*index))
            return array
        if number < 0:
            number += max(array.elements, default=-1) + 1
        return Array({**array.elements, number: (array.get(number) or ()) + value if plus else value})

    def _assign_list(self, name: str, start: int, end: int, plus: bool, state: State, table: bool) -> None:
        expander = self.evaluator.expander(state)
        regions = scan.words_between(self.evaluator.text, start, end, comments=True)
        old = state.value(name)
        if table or isinstance(old, Table):
            entries = dict(old.entries) if plus and isinstance(old, Table) else {}
            if regions and _KEYED.match(self.evaluator.text, *regions[0]) is None:
                flat = [pieces_of(word) for region in regions for word in expander.words(*region)]
                pairs = zip(flat[::2], [*flat[1::2], ()], strict=False)
                entries.update((text, value) for key, value in pairs if (text := text_of(key)) is not None)
            for first, last in regions:
                match = _KEYED.match(self.evaluator.text, first, last)
                key = text_of(expander.parameters.key(*match.span("key"))) if match is not None else None
                if match is not None and key is not None:
                    entries[key] = expander.scalar(match.end(), last)
            state.set(name, Table(entries))
            return
        elements: dict[int, Pieces] = {}
        if plus and old is not None:
            elements = dict(old.elements) if isinstance(old, Array) else {0: old}
        following = max(elements, default=-1) + 1
        for first, last in regions:
            match = _KEYED.match(self.evaluator.text, first, last)
            if match is None:
                for word in expander.words(first, last):
                    elements[following] = pieces_of(word)
                    following += 1
                continue
            number = expander.parameters.index(*match.span("key"))
            if number is not None and 0 <= number <= _HIGHEST:
                elements[number] = expander.scalar(match.end(), last)
                following = number + 1
        state.set(name, Array(elements))

    def declare(self, node: Node, state: State) -> None:
        """`export`, `declare`, `local`, `readonly`, `typeset` with their options."""
        text = self.evaluator.text
        kind, *operands = scan.command_words(text, self.evaluator.script.start(node), len(text))
        command = text[slice(*kind)]
        options = ""
        for start, end in operands:
            if is_assignment(text, start, end):
                self._declare(command, options, _ASSIGNMENT.match(text, start, end)["name"], (start, end), state)  # type: ignore[index]
                continue
            for word in self.evaluator.expander(state).words(start, end):
                if word.text.startswith(("-", "+")):
                    options += word.text
                    continue
                name = word.text.split("=", 1)[0].removesuffix("+")
                if name.isidentifier() and word.known and not word.splits:
                    self._declare(command, options, name, None, state)
                if "=" in word.text and name.isidentifier() and isinstance(word.parts[0], str):
                    state.set(name, pieces_of(after(word, word.parts[0].index("=") + 1)))

    def _declare(self, command: str, options: str, name: str, assignment: tuple[int, int] | None, state: State) -> None:
        """One name of a declaration."""
        if command == "local" or (command != "export" and self.locals is not None and "g" not in options):
            self._remember(name, state)
        letters = "".join(re.findall(r"-(\w+)", options)) if command != "export" else ""
        for letter in "ilu":
            if letter in letters:
                state.attributes[name] = letter
        if assignment is not None:
            self.assign_text(*assignment, state, table="A" in letters)
        else:
            _declare_bare(name, command, letters, state)
        if "n" in letters:
            state.refer(name)
        exports = command == "export" or "x" in letters
        if "+x" in options or (command == "export" and "-n" in options):
            state.exported.pop(name, None)
        elif exports and "f" not in options:
            state.exported[name] = None

    def _remember(self, name: str, state: State) -> None:
        if self.locals is not None and name not in self.locals:
            self.locals[name] = state.variables.get(name), name in state.exported

    def lose(self, node: Node, state: State) -> None:
        """Make unknown what a block assigns; of what it only adds words to, keep what was there."""
        for name in self.names_in(node):
            value = state.value(name)
            if value is None or isinstance(value, Table) or not self._only_adds_words(name, node, value):
                state.make_unknown(name, Span(0, 0))
            elif isinstance(value, Array):
                number = max(value.elements, default=-1) + 1
                added = replace(ref_piece(f"${{{name}[@]:{number}}}", None, Span(0, 0)), many=True)
                state.set(name, Array({**value.elements, number: (added,)}))
            else:
                known = (*value, literal_piece(" ", Span(0, 0))) if text_of(value) else ()
                number = len(text_of(known) or "")
                state.set(name, (*known, ref_piece(f"${{{name}:{number}}}", None, Span(0, 0))))

    def _only_adds_words(self, name: str, node: Node, value: Value) -> bool:
        start, end = self.evaluator.at(node)
        text = self.evaluator.text[start:end]
        array = rf"=\(\s*\"?\$\{{{name}\[@\]\}}|\+=\("
        scalar = rf"\+=[\"'] |=\"\$(?:{name}|\{{{name}\}}) "
        adding = re.findall(rf"(?<![\w$]){name}(?:{array if isinstance(value, Array) else scalar})", text)
        return len(adding) == len(re.findall(rf"(?<![\w$]){name}(?:\[[^\]]*\])?\+?=", text))

    def names_in(self, node: Node) -> list[str]:
        """The variables that a block assigns anywhere."""
        found, stack = [], [node]
        while stack:
            current = stack.pop()
            if current.type == "variable_assignment":
                match = _ASSIGNMENT.match(self.evaluator.text, self.evaluator.script.start(current))
                if match is not None:
                    found.append(match["name"])
            stack.extend(current.named_children)
        return list(dict.fromkeys(reversed(found)))


def is_assignment(text: str, start: int, end: int) -> bool:
    """Whether a raw word assigns a variable."""
    return _ASSIGNMENT.match(text, start, end) is not None


def _appended(old: Value | None, value: Pieces) -> Value:
    """A scalar assignment to what is an array changes its first element."""
    if isinstance(old, Array):
        return Array({**old.elements, 0: value})
    if isinstance(old, Table):
        return Table({**old.entries, "0": value})
    return value


def _declare_bare(name: str, command: str, letters: str, state: State) -> None:
    """A name declared without a value."""
    if "A" in letters:
        if not isinstance(state.value(name), Table):
            state.set(name, Table())
    elif "a" in letters:
        if not isinstance(state.value(name), Array):
            state.set(name, Array())
    elif command == "local":
        state.set(name, ())

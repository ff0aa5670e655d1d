"""Assignments and declarations."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from portkit.frontends.shell import scan
from portkit.frontends.shell.values import Array, Pieces, Table, Value, word_of
from portkit.launch import Word
from portkit.source import Span

if TYPE_CHECKING:
    from tree_sitter import Node

    from portkit.frontends.shell.evaluate import Evaluator
    from portkit.frontends.shell.state import State

_ASSIGNMENT = re.compile(r"(?P<name>[A-Za-z_]\w*)(?:\[(?P<index>[^\]]*)\])?(?P<plus>\+?)=", re.DOTALL)
_KEYED = re.compile(r"\[(?P<key>(?:[^\]\"']|\"[^\"]*\"|'[^']*')*)\]=")


class Assigner:
    """Assigns in one evaluator's text. `locals` are the enclosing function's variables to put back."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.locals: dict[str, Value | None] | None = None

    def assign(self, node: Node, state: State, *, table: bool = False) -> str | None:
        """Carry out one assignment; gives the variable's name."""
        start, end = self.evaluator._at(node)
        return self.assign_text(start, end, state, table=table)

    def assign_text(self, start: int, end: int, state: State, *, table: bool = False) -> str | None:
        """Carry out the assignment written between two offsets."""
        match = _ASSIGNMENT.match(self.evaluator.text, start, end)
        if match is None:
            return None
        name, index, at = match["name"], match["index"], match.end()
        if self.evaluator.text[at : at + 1] == "(" and index is None:
            self._assign_list(name, at + 1, end - 1, bool(match["plus"]), state, table)
        else:
            value = self.evaluator.expander(state).scalar(at, end)
            self._assign_scalar(name, index, value, bool(match["plus"]), state)
        return name

    def _assign_scalar(self, name: str, index: str | None, value: Pieces, plus: bool, state: State) -> None:
        old = state.value(name)
        if index is not None:
            state.set(name, self._with_element(old, index, value, plus, state))
        elif plus:
            before = state.scalar(name, Span(0, 0))
            state.set(name, (before if before is not None else ()) + value)
        elif isinstance(old, Array):
            state.set(name, Array((value, *old.elements[1:])))
        else:
            state.set(name, value)

    def _with_element(self, old: Value | None, index: str, value: Pieces, plus: bool, state: State) -> Value:
        parameters = self.evaluator.expander(state).parameters
        if isinstance(old, Table):
            key = parameters._key(index)
            return old.put(key, (old.get(key) or ()) + value if plus else value)
        elements = list(old.elements) if isinstance(old, Array) else [old] if isinstance(old, tuple) else []
        number = parameters._index(index)
        if number is None or number > 10_000:
            return Array(tuple(elements))
        if number < len(elements):
            elements[number] = elements[number] + value if plus else value
        else:
            elements.append(value)
        return Array(tuple(elements))

    def _assign_list(self, name: str, start: int, end: int, plus: bool, state: State, table: bool) -> None:
        expander = self.evaluator.expander(state)
        regions = scan.words_between(self._uncommented(start, end), start, end)
        old = state.value(name)
        if table or isinstance(old, Table):
            entries = old if plus and isinstance(old, Table) else Table()
            for first, last in regions:
                match = _KEYED.match(self.evaluator.text, first, last)
                if match is not None:
                    entries = entries.put(expander.parameters._key(match["key"]), expander.scalar(match.end(), last))
            state.set(name, entries)
            return
        elements = list(old.elements) if plus and isinstance(old, Array) else []
        if plus and isinstance(old, tuple):
            elements = [old]
        for first, last in regions:
            match = _KEYED.match(self.evaluator.text, first, last)
            begin = match.end() if match is not None else first
            elements.extend(_of_word(word) for word in expander.words(begin, last))
        state.set(name, Array(tuple(elements)))

    def _uncommented(self, start: int, end: int) -> str:
        """The text with the comments of a list blanked, so that offsets stay."""
        text = self.evaluator.text
        if "#" not in text[start:end]:
            return text
        out, at = list(text[start:end]), start
        while at < end:
            if text[at] == "#" and text[at - 1] in " \t\n(":
                stop = text.find("\n", at, end)
                stop = end if stop < 0 else stop
                out[at - start : stop - start] = " " * (stop - at)
                at = stop
            else:
                at = scan.skip(text, at, end)
        return text[:start] + "".join(out) + text[end:]

    def prefix(self, node: Node, state: State) -> tuple[str, Word]:
        """A `NAME=value` in front of a command, which only that command sees."""
        start, end = self.evaluator._at(node)
        match = _ASSIGNMENT.match(self.evaluator.text, start, end)
        if match is None:
            return "", Word((), Span(start, end))
        value = self.evaluator.expander(state).scalar(match.end(), end)
        return match["name"], word_of(value, self.evaluator.span(match.end(), end))

    def declare(self, node: Node, state: State) -> None:
        """`export`, `declare`, `local`, `readonly`, `typeset` with their options."""
        kind = node.children[0].type
        options = ""
        for child in node.named_children:
            start, end = self.evaluator._at(child)
            text = self.evaluator.text[start:end]
            if text.startswith(("-", "+")):
                options += text
                continue
            name = _ASSIGNMENT.match(text)
            plain = name["name"] if name else text.split("=", 1)[0]
            if kind == "local" or (kind in ("declare", "typeset") and self.locals is not None and "g" not in options):
                self._remember(plain, state)
            if child.type == "variable_assignment" or name:
                self.assign_text(start, end, state, table="A" in options)
            elif "A" in options:
                state.set(plain, Table())
            elif "a" in options:
                state.set(plain, Array())
            elif kind == "local" and plain.isidentifier():
                state.set(plain, ())
            if (kind == "export" or "x" in options) and plain.isidentifier():
                if "-n" in options:
                    state.exported.pop(plain, None)
                else:
                    state.exported[plain] = None

    def _remember(self, name: str, state: State) -> None:
        if self.locals is not None and name not in self.locals:
            self.locals[name] = state.variables.get(name)

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


def _of_word(word: Word) -> Pieces:
    from portkit.frontends.shell.evaluate import _pieces

    return _pieces(word)

"""`[ ]`, `test` and `[[ ]]`: true, false, or None where only the running script knows."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from portkit.frontends.shell import scan
from portkit.frontends.shell.arithmetic import Calculator, NotKnown
from portkit.frontends.shell.patterns import matches
from portkit.frontends.shell.values import Array, Pieces, Table, literal_piece, pieces_of, symbolic, text_of
from portkit.source import Span

if TYPE_CHECKING:
    from portkit.frontends.shell.expand import Expander

_NUMERIC: dict[str, Callable[[int, int], bool]] = {
    "-eq": lambda a, b: a == b,
    "-ne": lambda a, b: a != b,
    "-lt": lambda a, b: a < b,
    "-le": lambda a, b: a <= b,
    "-gt": lambda a, b: a > b,
    "-ge": lambda a, b: a >= b,
}
_BINARY = ("=", "==", "!=", "=~", "<", ">", *_NUMERIC, "-nt", "-ot", "-ef")
_CLASSES = {"digit": "0-9", "alpha": "a-zA-Z", "alnum": "a-zA-Z0-9", "space": r"\s", "upper": "A-Z", "lower": "a-z"}
_RISKY = re.compile(r"[*+}]\)?[*+{]|\)[*+{]")


@dataclass(frozen=True)
class Operand:
    """A word of a test: how it reads, where it stands, and its value where it has been expanded already."""

    text: str
    start: int
    end: int
    value: Pieces | None = None


class Condition:
    """One test's words, evaluated with the state they stand in.

    `assumed` is set when a default of something outside decided.
    """

    def __init__(self, expander: Expander, start: int, end: int, *, double: bool) -> None:
        self.expander = expander
        self.double = double
        self.words = self._operands(start, end)
        self.at = 0
        self.depth = 0
        self.assumed = False

    def _operands(self, start: int, end: int) -> list[Operand]:
        """The words of the test: as written inside `[[ ]]`, as the shell expands them inside `[ ]`."""
        text, regions = self.expander.text, scan.words_between(self.expander.text, start, end)
        if self.double:
            return [Operand(text[first:last], first, last) for first, last in regions]
        return [
            Operand(word.text if word.known else text[first:last], first, last, pieces_of(word))
            for first, last in regions
            for word in self.expander.words(first, last)
        ]

    def result(self) -> bool | None:
        """Whether the test holds."""
        if not self.words:
            return False
        value = self._or()
        if self.at < len(self.words) and not self.double:
            return False if all(text_of(operand.value or ()) is not None for operand in self.words) else None
        return value

    def _raw(self, ahead: int = 0) -> str:
        index = self.at + ahead
        if index >= len(self.words):
            return ""
        return self.words[index].text

    def _or(self) -> bool | None:
        value = self._and()
        while self._raw() in ("||", "-o"):
            self.at += 1
            other = self._and()
            value = True if value or other else None if value is None or other is None else False
        return value

    def _and(self) -> bool | None:
        value = self._not()
        while self._raw() in ("&&", "-a") and self.at < len(self.words):
            self.at += 1
            other = self._not()
            value = False if value is False or other is False else None if value is None or other is None else True
        return value

    def _not(self) -> bool | None:
        self.depth += 1
        if self.depth > 60:
            self.at = len(self.words)
            return None
        try:
            return self._primary()
        finally:
            self.depth -= 1

    def _primary(self) -> bool | None:
        if self._raw() == "!":
            self.at += 1
            value = self._not()
            return None if value is None else not value
        if self._raw() == "(":
            self.at += 1
            value = self._or()
            self.at += 1
            return value
        if self._raw(1) in _BINARY:
            return self._binary()
        alone = self.at + 1 >= len(self.words)
        if not alone and re.fullmatch(r"-[a-zA-Z]", self._raw()) and self._raw(1) not in ("&&", "||", "-a", "-o", ")"):
            return self._unary()
        self.at += 1
        return self._not_empty(self._value(self.at - 1))

    def _value(self, index: int) -> Pieces:
        if index >= len(self.words):
            return ()
        operand = self.words[index]
        pieces = self.expander.scalar(operand.start, operand.end) if operand.value is None else operand.value
        if symbolic(pieces) and text_of(pieces) is not None:
            self.assumed = True
        return pieces

    @staticmethod
    def _not_empty(value: Pieces) -> bool | None:
        text = text_of(value)
        if text is not None:
            return text != ""
        return True if any(piece.ref is None and piece.text for piece in value) else None

    def _unary(self) -> bool | None:
        operator = self._raw()
        value = self._value(self.at + 1)
        self.at += 2
        if operator == "-n":
            return self._not_empty(value)
        if operator == "-z":
            filled = self._not_empty(value)
            return None if filled is None else not filled
        if operator == "-v":
            return self._is_set(text_of(value))
        return None

    def _is_set(self, name: str | None) -> bool | None:
        """`-v`: whether a variable or an element of one (`A[k]`) has a value."""
        if name is None:
            return None
        state = self.expander.state
        element = re.fullmatch(r"(\w+)\[(.*)\]", name)
        held = state.value(element[1]) if element else None
        if element and isinstance(held, Table):
            return held.get(element[2]) is not None
        if element and isinstance(held, Array) and element[2].isdigit():
            return held.get(int(element[2])) is not None
        if name in state.variables or name in state.outside:
            return True
        return False if name in state.unset else None

    def _binary(self) -> bool | None:
        operator = self._raw(1)
        left, right = self._value(self.at), self._value(self.at + 2)
        operand = self.words[self.at + 2] if self.at + 2 < len(self.words) else Operand("", 0, 0)
        right_region = operand.start, operand.end
        self.at += 3
        if operator in ("-nt", "-ot", "-ef"):
            return None
        a, b = text_of(left), text_of(right)
        if operator in _NUMERIC:
            numbers = self._number(a), self._number(b)
            if numbers[0] is None or numbers[1] is None:
                return None
            return _NUMERIC[operator](numbers[0], numbers[1])
        if a is None or b is None:
            return None
        if operator == "=~":
            found = _regex(a, self.expander.regex(*right_region) or "")
            if found is not None:
                self._remember(found)
            return None if found is None else bool(found)
        if operator in ("<", ">"):
            return a < b if operator == "<" else a > b
        equal = matches(a, self.expander.pattern(*right_region) or "") if self.double else a == b
        return equal if operator != "!=" or equal is None else not equal

    def _remember(self, found: re.Match[str] | Literal[False]) -> None:
        """What `=~` leaves in BASH_REMATCH."""
        groups = [found[0], *found.groups("")] if found else []
        pieces: dict[int, Pieces] = {number: (literal_piece(text, Span(0, 0)),) for number, text in enumerate(groups)}
        self.expander.state.set("BASH_REMATCH", Array(pieces))

    def _number(self, text: str | None) -> int | None:
        if text is None:
            return None
        text = text.strip()
        if re.fullmatch(r"-?\d{1,18}", text):
            return int(text)
        if not self.double:
            return None
        try:
            return Calculator(text, self.expander.number, lambda _name, _value: None).run()
        except (NotKnown, RecursionError):
            return None


def _regex(text: str, pattern: str) -> re.Match[str] | Literal[False] | None:
    """`=~` for patterns that can't run away; others are left undecided."""
    if len(text) > 500 or len(pattern) > 200 or _RISKY.search(pattern):
        return None
    for name, characters in _CLASSES.items():
        pattern = pattern.replace(f"[:{name}:]", characters)
    try:
        return re.search(pattern, text) or False
    except re.error:
        return None

"""What variables hold: text with places, and expressions for what only the shell knows."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from portkit.launch import Part, Ref, Word, shell_quote
from portkit.source import Span


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text or one reference.

    `exact` says that `text` is the source's own characters at `span`, so that a part of it has a
    place of its own. `quoted` text is not split into words. `many` marks an element of an array or of
    the arguments that stands for any number of them.
    """

    text: str
    span: Span
    ref: Ref | None = None
    quoted: bool = False
    exact: bool = False
    many: bool = False

    @property
    def known(self) -> bool:
        """Whether its value is known."""
        return self.ref is None or self.ref.value is not None


_ARGUMENTS = re.compile(r"\$(?:@|\{@:([1-9]\d*)\})\Z")

Pieces = tuple[Piece, ...]
"""A scalar's value."""


_MOST_PIECES = 200
_LONGEST = 500_000


class Break:
    """A mark between the pieces of one expansion."""


BREAK = Break()
"""Where one word ends and the next begins."""

NOTHING = Break()
"""An array without elements inside double quotes: alone there, it makes no word at all."""

Item = Piece | Break


@dataclass(frozen=True, slots=True)
class Array:
    """An indexed array: elements by number, never changed in place."""

    elements: dict[int, Pieces] = field(default_factory=dict)

    def in_order(self) -> list[Pieces]:
        """The elements by rising number."""
        return [self.elements[number] for number in sorted(self.elements)]

    def get(self, number: int) -> Pieces | None:
        """The element of a number; negative ones count from the end."""
        if number < 0:
            number += max(self.elements, default=-1) + 1
        return self.elements.get(number)


@dataclass(frozen=True, slots=True)
class Table:
    """An associative array, in order of assignment, never changed in place."""

    entries: dict[str, Pieces] = field(default_factory=dict)

    def get(self, key: str) -> Pieces | None:
        """The value under a key."""
        return self.entries.get(key)


Value = Pieces | Array | Table


def text_of(pieces: Pieces) -> str | None:
    """The value as text, defaults taken; None where a part is unknown."""
    if not all(piece.known for piece in pieces):
        return None
    return "".join(shown(piece) for piece in pieces)


def shown(piece: Piece) -> str:
    """A piece for people: its value, or its expression."""
    if piece.ref is None:
        return piece.text
    return piece.ref.expression if piece.ref.value is None else piece.ref.value


def symbolic(pieces: Pieces) -> bool:
    """Whether any part follows something outside the script."""
    return any(piece.ref is not None for piece in pieces)


def quoted(pieces: Pieces) -> Pieces:
    """The same value, safe from splitting."""
    return tuple(piece if piece.quoted else replace(piece, quoted=True) for piece in pieces)


def unquoted(pieces: Pieces) -> Pieces:
    """The same value, to be split where it stands unquoted."""
    return tuple(replace(piece, quoted=False) if piece.quoted else piece for piece in pieces)


def literal_piece(text: str, span: Span, *, exact: bool = False, quote: bool = True) -> Piece:
    """Known text."""
    return Piece(text, span, quoted=quote, exact=exact)


def ref_piece(expression: str, value: str | None, span: Span) -> Piece:
    """A reference to something outside the script."""
    return Piece("", span, ref=Ref(expression, value), quoted=True)


def word_of(pieces: Pieces, span: Span, *, splits: bool = False) -> Word:
    """Pieces as one word; neighbouring text is joined."""
    parts: list[Part] = []
    for piece in pieces:
        if piece.ref is not None:
            parts.append(piece.ref)
        elif piece.text:
            if parts and isinstance(parts[-1], str):
                parts[-1] += piece.text
            else:
                parts.append(piece.text)
    return Word(tuple(parts), span, splits)


def inside_expansion(pieces: Pieces) -> str:
    """Pieces as the operand of `${X:-...}` inside double quotes."""
    texts = []
    for piece in pieces:
        if piece.ref is not None:
            texts.append(piece.ref.expression)
        else:
            texts.append("".join("\\" + c if c in '\\"$`}' else c for c in piece.text))
    return "".join(texts)


def pieces_of(word: Word) -> Pieces:
    """A finished word as a value."""
    exact = not word.symbolic and len(word.parts) == 1 and len(word.text) == word.span.end - word.span.start
    return tuple(
        literal_piece(part, word.span, exact=exact)
        if isinstance(part, str)
        else replace(ref_piece(part.expression, part.value, word.span), many=word.splits)
        for part in word.parts
    )


def after(word: Word, length: int) -> Word:
    """A word without its first characters, which are text."""
    first = word.parts[0]
    assert isinstance(first, str)
    rest = first[length:]
    return Word(((rest,) if rest else ()) + word.parts[1:], word.span, word.splits)


def many(pieces: Pieces) -> bool:
    """Whether an element stands for any number of them."""
    return any(piece.many for piece in pieces)


def arguments_beyond(expression: str) -> int | None:
    """The first argument in an expression for all the script's arguments from one on (`$@`, `${@:3}`)."""
    found = _ARGUMENTS.match(expression)
    return int(found[1] or 1) if found is not None else None


def assigned(name: str, value: Value) -> str:
    """Shell text that gives a variable this value again."""
    nowhere = Span(0, 0)
    if isinstance(value, Array):
        elements = (
            f"[{number}]={word_of(value.elements[number], nowhere).shell()}" for number in sorted(value.elements)
        )
        return f"{name}=({' '.join(elements)})"
    if isinstance(value, Table):
        entries = (f"[{shell_quote(k)}]={word_of(v, nowhere).shell()}" for k, v in value.entries.items())
        return f"declare -A {name}=({' '.join(entries)})"
    return f"{name}={word_of(value, nowhere).shell()}"


def value_symbolic(value: Value) -> bool:
    """Whether any part of a variable follows something outside the script."""
    if isinstance(value, Array):
        return any(symbolic(element) for element in value.elements.values())
    if isinstance(value, Table):
        return any(symbolic(element) for element in value.entries.values())
    return symbolic(value)


def bounded(pieces: Pieces, name: str) -> Pieces:
    """A value of at most so many pieces and characters: joined where it is all text, unknown where it is too long."""
    if len(pieces) <= _MOST_PIECES and sum(len(piece.text) for piece in pieces) <= _LONGEST:
        return pieces
    text = None if symbolic(pieces) else text_of(pieces)
    if text is None or len(text) > _LONGEST:
        return (ref_piece(f"${{{name}}}", None, pieces[0].span),)
    return (literal_piece(text, pieces[0].span),)


def place_of(pieces: Pieces, otherwise: Span) -> Span:
    """Where a word was written: the span of its pieces if they stand together, else the expansion's."""
    pieces = tuple(piece for piece in pieces if piece.text or piece.ref is not None)
    if not pieces:
        return otherwise
    start, end = min(p.span.start for p in pieces), max(p.span.end for p in pieces)
    covered = sum(p.span.end - p.span.start for p in pieces)
    return Span(start, end) if end - start <= covered + 4 else otherwise

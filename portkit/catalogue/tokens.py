"""Words as an engine's parser gets them: text, with one character for each part nobody knows.

An unknown part of a word could be any text, so its expression (`$(hostname -f)`) mustn't be searched
for `=`, spaces or dots. It is stood in for by one private-use character until a value is final.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from portkit.catalogue.resolution import Unknown
from portkit.launch import Part, Ref, Word
from portkit.source import SourceText, Span

_FIRST = 0x100000
_LAST = 0x10FFFD
STAND_IN = re.compile("[\U00100000-\U0010fffd]")


@dataclass(frozen=True, slots=True)
class Token:
    """A string on its way to the parser, and where it comes from.

    `words` are the words of the launch it was made of: none for one out of a config file. `spelled`
    is the string before the engine rewrote it. `splits` marks an unknown that the shell may make any
    number of words of. `option` is set on a value that the engine moved away from its option.
    """

    text: str
    place: Span
    source: SourceText
    words: tuple[Word, ...] = ()
    spelled: str = ""
    origin: Literal["command line", "config file"] = "command line"
    splits: bool = False
    option: Token | None = None

    def within(self, other: Token) -> bool:
        """Whether the other's word holds it."""
        inner, outer = self.place, other.place
        return (
            bool(other.words) and self.source is other.source and outer.start <= inner.start and inner.end <= outer.end
        )

    def cut(self, start: int) -> Token:
        """The rest of the token from a character on, with the part of the word that it is."""
        head = self.text[:start]
        place = self.place
        if self.source.text.startswith(head, place.start):
            place = Span(place.start + len(head), place.end)
        words = tuple(Word(_parts_from(word.parts, start), place, word.splits) for word in self.words)
        return Token(self.text[start:], place, self.source, words, origin=self.origin)


class StandIns:
    """The stand-in characters of one launch, and what they stand for."""

    def __init__(self) -> None:
        self._characters: dict[str, str] = {}
        self._expressions: dict[str, str] = {}
        self._themselves: set[str] = set()

    def token(self, word: Word, source: SourceText) -> Token:
        """A word of the command line as the parser gets it."""
        text = "".join(self._part(part) for part in word.parts)
        splits = word.splits and STAND_IN.search(text) is not None
        return Token(text, word.span, source, (word,), spelled=self.show(text), splits=splits)

    def show(self, text: str) -> str:
        """The text with every stand-in written as its expression."""
        if text.isascii():
            return text
        return STAND_IN.sub(lambda found: self._expressions.get(found[0], found[0]), text)

    def partly_unknown(self, shown: str) -> bool:
        """Whether a text made by `show` holds the expression of an unknown part."""
        return any(expression in shown for expression in self._characters)

    def reveal(self, value: Any) -> Any:
        """A value with `Unknown` for every string that holds a stand-in, however deep."""
        if isinstance(value, str):
            if value.isascii() or not (stand_ins := set(STAND_IN.findall(value))):
                return value
            shown = self.show(value)
            return shown if stand_ins <= self._themselves else Unknown(shown)
        if isinstance(value, list):
            return [self.reveal(item) for item in value]
        if isinstance(value, dict):
            return {self.show(key): self.reveal(item) for key, item in value.items()}
        return value

    def _part(self, part: Part) -> str:
        if isinstance(part, Ref) and part.value is None:
            return self._characters.get(part.expression) or self._new(part.expression)
        text = part.value or "" if isinstance(part, Ref) else part
        return text if text.isascii() else STAND_IN.sub(lambda found: self._itself(found[0]), text)

    def _itself(self, character: str) -> str:
        """The stand-in of a character that is one: nobody writes them, but they may be in a value."""
        stand_in = self._characters.get(character) or self._new(character)
        self._themselves.add(stand_in)
        return stand_in

    def _new(self, expression: str) -> str:
        character = chr(min(_FIRST + len(self._characters), _LAST))
        self._characters[expression] = character
        self._expressions[character] = expression
        return character


def plain(text: str) -> str:
    """Text that holds no stand-in character of its own."""
    return text if text.isascii() else STAND_IN.sub("\ufffd", text)


def hull(tokens: Iterable[Token]) -> Span | None:
    """The smallest span over tokens, which are taken to lie in one source."""
    places = [token.place for token in tokens]
    if not places:
        return None
    return Span(min(place.start for place in places), max(place.end for place in places))


def all_words(tokens: Iterable[Token]) -> tuple[Word, ...]:
    """The words that tokens were made of, in order, each once."""
    return tuple(dict.fromkeys(word for token in tokens for word in token.words))


def _parts_from(parts: tuple[Part, ...], start: int) -> tuple[Part, ...]:
    kept: list[Part] = []
    for part in parts:
        length = _length(part)
        if start <= 0:
            kept.append(part)
        elif start < length:
            kept.append((part if isinstance(part, str) else part.value or "")[start:])
        start -= length
    return tuple(kept)


def _length(part: Part) -> int:
    if isinstance(part, str):
        return len(part)
    return 1 if part.value is None else len(part.value)

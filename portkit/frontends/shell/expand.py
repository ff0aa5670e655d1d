"""Words of a script as bash expands them, as far as that is known."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from portkit.frontends.shell import scan
from portkit.frontends.shell.arithmetic import NotKnown
from portkit.frontends.shell.braces import alternatives
from portkit.frontends.shell.escapes import ansi
from portkit.frontends.shell.numbers import arithmetic
from portkit.frontends.shell.parameters import Parameters
from portkit.frontends.shell.state import State
from portkit.frontends.shell.values import (
    BREAK,
    NOTHING,
    Break,
    Item,
    Piece,
    Pieces,
    assigned,
    literal_piece,
    place_of,
    quoted,
    ref_piece,
    shown,
    text_of,
    unquoted,
    word_of,
)
from portkit.launch import Ref, Word
from portkit.source import Span

_NAMES = re.compile(r"\$\{?[#!]?([A-Za-z_]\w*)")
_ALL = re.compile(r"\$@\Z|\$\{@:\d+\}\Z|\$\{\w+\[@\](?::\d+)?\}\Z")
_WORDS = re.compile(r"(?<![\w$-])[A-Za-z_][\w-]*")
_ARGUMENTS = re.compile(r"\$\{?[#1-9@*]")
_NAMED = re.compile(r"\$\{?([A-Za-z_]\w*)\b\}?")
_SPECIAL_IN_WORD = re.compile(r"['\"\\$`]")
_SPECIAL_IN_QUOTES = re.compile(r"[\\$`]")
_SPECIAL_IN_OPERAND = re.compile(r"[\"\\$`]")


@dataclass(frozen=True)
class Captured:
    """What a command substitution prints; `derived` when that follows something outside."""

    pieces: Pieces
    derived: bool


@dataclass
class Field:
    """A word as it grows: its pieces, and whether anything quoted keeps it when empty."""

    pieces: list[Piece]
    kept: bool = False

    @property
    def splits(self) -> bool:
        """Whether it is one unknown that may be any number of words: unquoted, or all of an array."""
        filled = [piece for piece in self.pieces if piece.ref is not None or piece.text]
        if len(filled) != 1 or filled[0].known or filled[0].ref is None:
            return False
        return filled[0].many or not filled[0].quoted or _ALL.match(filled[0].ref.expression) is not None


class Expander:
    """Expands regions of one text in one state.

    `span` maps offsets of the text to places in the source (a text out of `eval` or `bash -c` has
    the place of its word). `capture` runs a command substitution and gives its output, or None.
    `marks` are characters of an inner text that stand for what only the shell can fill in.
    """

    def __init__(
        self,
        text: str,
        state: State,
        span: Callable[[int, int], Span],
        exact: bool,
        note: Callable[[str, Span], None],
        capture: Callable[[int, int], Captured | None],
        marks: Mapping[str, Ref],
    ) -> None:
        self.text = text
        self.state = state
        self.span = span
        self.exact = exact
        self.note = note
        self.capture = capture
        self.marks = marks
        self.parameters = Parameters(self)
        self.defaulted = False  # words were made of a default's blanks

    def words(self, start: int, end: int) -> list[Word]:
        """A region as the words bash makes of it: split, empty ones dropped."""
        words: list[Word] = []
        for alternative in alternatives(self.text, start, end):
            items: list[Item] = []
            for part in alternative:
                if isinstance(part, str):
                    items.append(literal_piece(part, self.span(start, end)))
                else:
                    items.extend(self.items(*part, "word"))
            words.extend(self._fields(items, self.span(start, end)))
        return words

    def scalar(self, start: int, end: int) -> Pieces:
        """A region as one value, as an assignment takes it: no splitting."""
        return self.pieces(start, end, "word")

    def assigned(self, start: int, end: int) -> Pieces:
        """A region as an assignment takes it: a scalar with homes after colons too (`/a:~/b`)."""
        pieces: Pieces = ()
        at = begin = start
        while ":~" in self.text[begin:end] and at < end:
            if self.text.startswith(":~", at):
                pieces += self.scalar(begin, at + 1)
                begin = at + 1
            at = scan.skip(self.text, at, end)
        return pieces + self.scalar(begin, end)

    def pieces(self, start: int, end: int, mode: str) -> Pieces:
        """A region in a mode: `double` for the inside of double quotes, `heredoc`, `word`."""
        pieces: list[Piece] = []
        for item in self.items(start, end, mode):
            if isinstance(item, Piece):
                pieces.append(item)
            elif item is BREAK:
                pieces.append(literal_piece(" ", self.span(start, end)))
        return tuple(pieces)

    def pattern(self, start: int, end: int) -> str | None:
        """A region as a glob pattern: what is quoted stands for itself. None where a part is unknown."""
        return self._matcher(start, end, lambda text: re.sub(r"([*?\[\]\\()|])", r"\\\1", text))

    def regex(self, start: int, end: int) -> str | None:
        """A region as a regular expression: what is quoted stands for itself. None where a part is unknown."""
        return self._matcher(start, end, re.escape)

    def _matcher(self, start: int, end: int, escape: Callable[[str], str]) -> str | None:
        out = []
        for piece in self.scalar(start, end):
            if not piece.known:
                return None
            text = shown(piece)
            out.append(escape(text) if piece.quoted else text)
        return "".join(out)

    def written(self, start: int, end: int) -> Pieces:
        """A region as it is written, quotes and all, but for the script's own variables, which are filled in."""
        pieces: list[Piece] = []
        at = start
        for match in _NAMED.finditer(self.text, start, end):
            value = self.state.scalar(match[1], Span(0, 0)) if match[1] in self.state.variables else None
            if value is not None:
                pieces.append(literal_piece(self.text[at : match.start()], Span(0, 0)))
                pieces.extend(value)
                at = match.end()
        return (*pieces, literal_piece(self.text[at:end], Span(0, 0)))

    def items(self, start: int, end: int, mode: str) -> Iterator[Item]:
        """The pieces of a region, left to right."""
        at = start
        if mode == "word" and self.text.startswith("~", start) and self.text[start + 1 : end][:1] in ("", "/"):
            yield from self._home(start)
            at += 1
        specials = {"word": _SPECIAL_IN_WORD, "operand": _SPECIAL_IN_OPERAND}.get(mode, _SPECIAL_IN_QUOTES)
        while at < end:
            char = self.text[at]
            if mode == "word" and char in "'\"\\$`":
                at = yield from self._special(at, end)
            elif mode == "operand" and char == '"':
                stop = scan.end_of_double(self.text, at, end)
                yield from self.items(at + 1, stop - 1, "double")
                at = stop
            elif mode != "word" and char == "\\":
                at = yield from self._escape_in_double(at, end, mode)
            elif char in "$`":
                at = yield from self._expansion(at, end, in_quotes=True)
            else:
                found = specials.search(self.text, at + 1, end)
                stop = found.start() if found else end
                yield from self._text(at, stop, quote=mode != "word")
                at = stop

    def _text(self, start: int, end: int, *, quote: bool) -> Iterator[Piece]:
        return self._unmarked(self.text[start:end], self.span(start, end), exact=self.exact, quote=quote)

    def _unmarked(self, text: str, span: Span, *, exact: bool, quote: bool) -> Iterator[Piece]:
        """Characters, with each mark as what it stands for."""
        if not any(mark in text for mark in self.marks):
            yield literal_piece(text, span, exact=exact, quote=quote)
            return
        for run in re.split(f"([{''.join(self.marks)}])", text):
            ref = self.marks.get(run)
            if ref is not None:
                yield replace(ref_piece(ref.expression, ref.value, span), quoted=quote)
            elif run:
                yield literal_piece(run, span, quote=quote)

    def readable(self, text: str) -> str:
        """A text with the expressions that its marks stand for."""
        for mark, ref in self.marks.items():
            text = text.replace(mark, ref.expression)
        return text

    def _home(self, at: int) -> Iterator[Item]:
        home = self.state.scalar("HOME", self.span(at, at + 1))
        yield from quoted(home) if home else (ref_piece("${HOME}", None, self.span(at, at + 1)),)

    def _special(self, at: int, end: int) -> Generator[Item, None, int]:
        char = self.text[at]
        if char == "'":
            stop = scan.end_of_single(self.text, at, end)
            yield from self._text(at + 1, stop - 1, quote=True)
            return stop
        if char == '"':
            stop = scan.end_of_double(self.text, at, end)
            inside = list(self.items(at + 1, stop - 1, "double"))
            if NOTHING not in inside or any(isinstance(item, Piece) and (item.ref or item.text) for item in inside):
                yield literal_piece("", self.span(at, stop))
                yield from (item for item in inside if item is not NOTHING)
            return stop
        if char == "\\":
            if self.text[at + 1 : at + 2] == "\n":
                return at + 2
            yield from self._text(at + 1, min(at + 2, end), quote=True)
            return at + 2
        if self.text.startswith("$'", at):
            stop = scan.end_of_ansi(self.text, at, end)
            yield from self._unmarked(ansi(self.text[at + 2 : stop - 1]), self.span(at, stop), exact=False, quote=True)
            return stop
        if self.text.startswith('$"', at):
            return (yield from self._special(at + 1, end))
        return (yield from self._expansion(at, end, in_quotes=False))

    def _escape_in_double(self, at: int, end: int, mode: str) -> Generator[Item, None, int]:
        following = self.text[at + 1 : at + 2]
        special = {"double": '$`"\\', "operand": '$`"\\}'}.get(mode, "$`\\")
        if following == "\n":
            return at + 2
        if following and following in special and at + 1 < end:
            yield from self._text(at + 1, at + 2, quote=True)
            return at + 2
        yield from self._text(at, at + 1, quote=True)
        return at + 1

    def _expansion(self, at: int, end: int, *, in_quotes: bool) -> Generator[Item, None, int]:
        stop = scan.end_of_expansion(self.text, at, end, quoted=in_quotes)
        if stop == at + 1:
            yield from self._text(at, stop, quote=in_quotes)
            return stop
        if self.text.startswith("$((", at) and self.text.startswith("))", stop - 2):
            items: Iterator[Item] = iter(self.arithmetic(at + 3, stop - 2, self.span(at, stop)))
        elif self.text[at] == "`" or self.text.startswith("$(", at):
            items = iter(unquoted(self.substitution(at, stop)))
        else:
            items = self.parameters.expand(at, stop, in_quotes=in_quotes)
        for item in items:
            yield replace(item, quoted=True) if in_quotes and isinstance(item, Piece) else item
        return stop

    def arithmetic(self, start: int, end: int, span: Span) -> Pieces:
        """`$(( ))`: a number, or an expression over what comes from outside."""
        return arithmetic(self, start, end, span)

    def element(self, start: int, end: int) -> Pieces:
        """`A[index]` as arithmetic names it."""
        items = self.parameters.element(start, end)
        return tuple(item for item in items if isinstance(item, Piece))

    def number(self, name: str) -> int:
        """A variable as arithmetic reads it. Raises NotKnown."""
        number = self.state.number(name)
        if number is None:
            raise NotKnown
        return number

    def assign(self, span: Span) -> Callable[[str, int], None]:
        """What takes the assignments that arithmetic makes."""
        return lambda name, value: self.state.set(name, (literal_piece(str(value), span),))

    def substitution(self, at: int, stop: int) -> Pieces:
        """`$(command)`: its output where that is plain, else the command itself, closed over the script's variables."""
        span = self.span(at, stop)
        backtick = self.text[at] == "`"
        inner = (at + 1, stop - 1) if backtick else (at + 2, stop - 1)
        body = self.readable(self.text[inner[0] : inner[1]])
        output = None if backtick and "\\" in body else self.capture(*inner)
        if output is not None and not output.derived:
            return output.pieces
        if backtick:
            body = re.sub(r"\\([\\`$])", r"\1", body)
        known = text_of(output.pieces) if output is not None else None
        return (ref_piece(f"$({self._closing(body, span)}{body})", known, span),)

    def _closing(self, body: str, span: Span) -> str:
        """Assignments that give a command the script's variables and arguments which it uses."""
        used = [name for name in dict.fromkeys(_NAMES.findall(body)) if name in self.state.variables]
        prefix = "".join(f"{assigned(name, self.state.variables[name])}; " for name in used)
        if self.state.positional is not None and _ARGUMENTS.search(body):
            words = " ".join(word_of(pieces, span).shell() for pieces in self.state.positional)
            prefix += f"set -- {words}; "
        called = sorted(
            name for name in self.state.functions if re.search(rf"(?<![\w$-]){re.escape(name)}(?![\w-])", body)
        )
        if called:
            self.note(f"{called[0]} is a function of the script: what it prints isn't known", span)
        return prefix

    def _fields(self, items: list[Item], span: Span) -> list[Word]:
        fields: list[Field] = [Field([])]
        for item in items:
            if isinstance(item, Break):
                fields[-1].kept = fields[-1].kept or bool(fields[-1].pieces)
                fields.append(Field([]))
            elif item.quoted or (item.ref is not None and item.ref.value is None):
                fields[-1].pieces.append(item)
                fields[-1].kept = True
            else:
                self._split(item, fields)
        whole = len(fields) == 1 and self._written_here(items)
        return [
            word_of(tuple(f.pieces), span if whole else place_of(tuple(f.pieces), span), splits=f.splits)
            for f in fields
            if f.kept
        ]

    @staticmethod
    def _written_here(items: list[Item]) -> bool:
        return True if len(items) != 1 else isinstance(items[0], Piece) and not items[0].exact

    def _split(self, piece: Piece, fields: list[Field]) -> None:
        """An unquoted value, split at blanks, or as IFS says."""
        value = piece.text if piece.ref is None else piece.ref.value or ""
        separators = self.state.separators()
        gap = _gap(" \t\n" if separators is None else separators)
        if piece.ref is not None:
            if not gap.search(value):
                if value:
                    fields[-1].pieces.append(piece)
                    fields[-1].kept = True
                else:
                    self.note(f"{piece.ref.expression} is empty unless set outside: left out", piece.span)
                return
            self.defaulted = True
            self.note(f"the words of {piece.ref.expression} are those of its default", piece.span)
        at = 0
        while at < len(value):
            found = gap.match(value, at)
            if found is not None:
                if fields[-1].kept or found[0].strip(" \t\n"):
                    fields[-1].kept = True
                    fields.append(Field([]))
                at = found.end()
                continue
            stop = gap.search(value, at)
            end = stop.start() if stop is not None else len(value)
            fields[-1].pieces.append(_part(piece, at, value[at:end]))
            fields[-1].kept = True
            at = end


@lru_cache(maxsize=32)
def _gap(separators: str) -> re.Pattern[str]:
    """What stands between two words: blanks of IFS, or one other character of it with the blanks around it."""
    blanks = re.escape("".join(c for c in separators if c in " \t\n"))
    others = re.escape("".join(c for c in separators if c not in " \t\n"))
    blank = f"[{blanks}]" if blanks else "(?!)"
    return re.compile(f"{blank}*[{others}]{blank}*|{blank}+" if others else f"{blank}+")


def _part(piece: Piece, offset: int, text: str) -> Piece:
    if not piece.exact:
        return literal_piece(text, piece.span)
    start = piece.span.start + offset
    return literal_piece(text, Span(start, start + len(text)), exact=True)

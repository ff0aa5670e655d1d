"""Words of a script as bash expands them, as far as that is known."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace

from portkit.frontends.shell import scan
from portkit.frontends.shell.arithmetic import Calculator, NotKnown
from portkit.frontends.shell.parameters import Parameters
from portkit.frontends.shell.state import State
from portkit.frontends.shell.values import (
    Piece,
    Pieces,
    literal_piece,
    place_of,
    quoted,
    ref_piece,
    symbolic,
    text_of,
    unquoted,
    word_of,
)
from portkit.launch import Word
from portkit.source import Span

_NAMES = re.compile(r"\$\{?([A-Za-z_]\w*)")
_BRACES = re.compile(r"([\w=.,:/+-]*)\{(-?\d+\.\.-?\d+(?:\.\.\d+)?|[\w.,:/+-]*,[\w.,:/+-]*)\}([\w=.,:/+-]*)\Z")
_ESCAPED_IN_DOUBLE = '$`"\\\n'


class Break:
    """Where one word ends and the next begins inside one expansion."""


BREAK = Break()
Item = Piece | Break


@dataclass
class Field:
    """A word as it grows: its pieces, and whether anything quoted keeps it when empty."""

    pieces: list[Piece]
    kept: bool = False


class Expander:
    """Expands regions of one text in one state.

    `span` maps offsets of the text to places in the source (a text out of `eval` or `bash -c` has
    the place of its word). `capture` runs a command substitution and gives its output, or None.
    """

    def __init__(
        self,
        text: str,
        state: State,
        span: Callable[[int, int], Span],
        exact: bool,
        note: Callable[[str, Span], None],
        capture: Callable[[int, int], Pieces | None],
    ) -> None:
        self.text = text
        self.state = state
        self.span = span
        self.exact = exact
        self.note = note
        self.capture = capture
        self.parameters = Parameters(self)

    def words(self, start: int, end: int) -> list[Word]:
        """A region as the words bash makes of it: split, empty ones dropped."""
        braces = _BRACES.match(self.text[start:end])
        if braces:
            return [word_of((literal_piece(t, self.span(start, end)),), self.span(start, end)) for t in _braced(braces)]
        return self._fields(list(self.items(start, end, "word")), self.span(start, end))

    def scalar(self, start: int, end: int) -> Pieces:
        """A region as one value, as an assignment takes it: no splitting."""
        joined: list[Piece] = []
        for item in self.items(start, end, "word"):
            joined.append(literal_piece(" ", self.span(start, end)) if isinstance(item, Break) else item)
        return tuple(joined)

    def pieces(self, start: int, end: int, mode: str) -> Pieces:
        """A region in a mode: `double` for the inside of double quotes, `heredoc`, `word`."""
        joined: list[Piece] = []
        for item in self.items(start, end, mode):
            joined.append(literal_piece(" ", self.span(start, end)) if isinstance(item, Break) else item)
        return tuple(joined)

    def items(self, start: int, end: int, mode: str) -> Iterator[Item]:
        """The pieces of a region, left to right."""
        at = start
        if mode == "word" and self.text.startswith("~", start) and self.text[start + 1 : end][:1] in ("", "/"):
            yield from self._home(start)
            at += 1
        while at < end:
            char = self.text[at]
            if mode == "word" and char in "'\"\\$`":
                at = yield from self._special(at, end)
            elif mode != "word" and char == "\\":
                at = yield from self._escape_in_double(at, end, mode)
            elif char in "$`":
                at = yield from self._expansion(at, end, in_quotes=True)
            else:
                stop = at + 1
                specials = "'\"\\$`" if mode == "word" else "\\$`"
                while stop < end and self.text[stop] not in specials:
                    stop += 1
                yield self._text(at, stop, quote=mode != "word")
                at = stop

    def _text(self, start: int, end: int, *, quote: bool) -> Piece:
        return literal_piece(self.text[start:end], self.span(start, end), exact=self.exact, quote=quote)

    def _home(self, at: int) -> Iterator[Item]:
        home = self.state.scalar("HOME", self.span(at, at + 1))
        yield from quoted(home) if home else (ref_piece("${HOME}", None, self.span(at, at + 1)),)

    def _special(self, at: int, end: int) -> Generator[Item, None, int]:
        char = self.text[at]
        if char == "'":
            stop = scan.end_of_single(self.text, at, end)
            yield self._text(at + 1, stop - 1, quote=True)
            return stop
        if char == '"':
            stop = scan.end_of_double(self.text, at, end)
            yield literal_piece("", self.span(at, stop))
            yield from self.items(at + 1, stop - 1, "double")
            return stop
        if char == "\\":
            if self.text[at + 1 : at + 2] == "\n":
                return at + 2
            yield self._text(at + 1, min(at + 2, end), quote=True)
            return at + 2
        if self.text.startswith("$'", at):
            stop = scan.end_of_ansi(self.text, at, end)
            yield literal_piece(_ansi(self.text[at + 2 : stop - 1]), self.span(at, stop))
            return stop
        if self.text.startswith('$"', at):
            return (yield from self._special(at + 1, end))
        return (yield from self._expansion(at, end, in_quotes=False))

    def _escape_in_double(self, at: int, end: int, mode: str) -> Generator[Item, None, int]:
        following = self.text[at + 1 : at + 2]
        special = _ESCAPED_IN_DOUBLE if mode == "double" else "$`\\\n"
        if following == "\n":
            return at + 2
        if following and following in special and at + 1 < end:
            yield self._text(at + 1, at + 2, quote=True)
            return at + 2
        yield self._text(at, at + 1, quote=True)
        return at + 1

    def _expansion(self, at: int, end: int, *, in_quotes: bool) -> Generator[Item, None, int]:
        stop = scan.end_of_expansion(self.text, at, end)
        if stop == at + 1:
            yield self._text(at, stop, quote=in_quotes)
            return stop
        if self.text.startswith("$((", at) and self.text.startswith("))", stop - 2):
            items: Iterator[Item] = iter(self.arithmetic(at + 3, stop - 2, self.span(at, stop)))
        elif self.text[at] == "`" or self.text.startswith("$(", at):
            items = iter(self.substitution(at, stop))
        else:
            items = self.parameters.expand(at, stop, in_quotes=in_quotes)
        for item in items:
            if isinstance(item, Break):
                yield item
            else:
                yield replace(item, quoted=True) if in_quotes else replace(item, quoted=False)
        return stop

    def arithmetic(self, start: int, end: int, span: Span) -> Pieces:
        """`$(( ))`: a number, or an expression over what comes from outside."""
        region = "".join(
            piece if isinstance(piece, str) else piece.text for piece in self._arithmetic_parts(start, end)
        )
        references = self._references(region)
        try:
            number = Calculator(_plain(region), self._number, self._assign(span)).run()
        except (NotKnown, RecursionError):
            return (ref_piece(f"$(({self._symbolic(region, references)}))", None, span),)
        if not references:
            return (literal_piece(str(number), span),)
        return (ref_piece(f"$(({self._symbolic(region, references)}))", str(number), span),)

    def _arithmetic_parts(self, start: int, end: int) -> list[str]:
        """The region with what isn't a plain name (`${A:-1}`, `$(nproc)`) replaced by a stand-in variable."""
        parts, at = [], start
        while at < end:
            if self.text[at] in "$`" and not re.match(r"\$\{?[A-Za-z_]\w*\}?", self.text[at:end]):
                stop = scan.end_of_expansion(self.text, at, end)
                parts.append(self._stand_in(at, stop))
            elif match := re.match(r"\$\{([A-Za-z_]\w*)\}|\$([A-Za-z_]\w*)", self.text[at:end]):
                stop = at + match.end()
                parts.append(match[1] or match[2])
            elif self.text[at] == "$":
                stop = scan.end_of_expansion(self.text, at, end)
                parts.append(self._stand_in(at, stop))
            else:
                stop = at + 1
                parts.append(self.text[at] if self.text[at] != '"' else " ")
            at = stop
        return parts

    def _stand_in(self, at: int, stop: int) -> str:
        value = self.pieces(at, stop, "double")
        name = f"_portkit_{at}"
        self.state.variables[name] = value
        return name

    def _references(self, region: str) -> dict[str, Pieces]:
        found: dict[str, Pieces] = {}
        for name in re.findall(r"[A-Za-z_]\w*", region):
            value = self.state.scalar(name, Span(0, 0))
            if value is None:
                found[name] = (ref_piece(f"${{{name}}}", None, Span(0, 0)),)
            elif symbolic(value):
                found[name] = value
        return found

    def _symbolic(self, region: str, references: dict[str, Pieces]) -> str:
        def put(match: re.Match[str]) -> str:
            name = match[0]
            if name in references:
                return "".join(p.ref.expression if p.ref else p.text for p in references[name])
            return text_of(self.state.scalar(name, Span(0, 0)) or ()) or "0"

        return re.sub(r"[A-Za-z_]\w*", put, region).strip()

    def _number(self, name: str) -> int:
        number = self.state.number(name)
        if number is None:
            raise NotKnown
        return number

    def _assign(self, span: Span) -> Callable[[str, int], None]:
        return lambda name, value: self.state.set(name, (literal_piece(str(value), span),))

    def substitution(self, at: int, stop: int) -> Pieces:
        """`$(command)`: its output where that is plain, else the command itself, closed over the script's variables."""
        span = self.span(at, stop)
        inner = (at + 1, stop - 1) if self.text[at] == "`" else (at + 2, stop - 1)
        output = self.capture(*inner)
        if output is not None:
            return unquoted(output)
        body = self.text[inner[0] : inner[1]]
        used = [name for name in dict.fromkeys(_NAMES.findall(body)) if name in self.state.variables]
        prefix = ""
        for name in used:
            value = self.state.scalar(name, span) or ()
            prefix += f"{name}={word_of(value, span).shell()}; "
        return (ref_piece(f"$({prefix}{body})", None, span),)

    def _fields(self, items: list[Item], span: Span) -> list[Word]:
        fields: list[Field] = [Field([])]
        lonely = sum(1 for item in items if not isinstance(item, Break) and (item.ref or item.text)) == 1
        for item in items:
            if isinstance(item, Break):
                fields.append(Field([], kept=True))
                fields[-2].kept = True
            elif item.quoted:
                fields[-1].pieces.append(item)
                fields[-1].kept = True
            elif item.ref is not None and item.ref.value is None:
                if lonely:
                    return [word_of((item,), span, splits=True)]
                fields[-1].pieces.append(item)
                fields[-1].kept = True
            else:
                self._split(item, fields, span)
        whole = len(fields) == 1
        return [
            word_of(tuple(f.pieces), span if whole and self._written_here(items) else place_of(tuple(f.pieces), span))
            for f in fields
            if (f.pieces and any(p.text or p.ref for p in f.pieces)) or f.kept
        ]

    @staticmethod
    def _written_here(items: list[Item]) -> bool:
        return True if len(items) != 1 else isinstance(items[0], Piece) and not items[0].exact

    def _split(self, piece: Piece, fields: list[Field], span: Span) -> None:
        """An unquoted value, split at blanks as IFS does."""
        value = piece.ref.value if piece.ref is not None else piece.text
        if piece.ref is not None and not re.search(r"\s", value or ""):
            if value:
                fields[-1].pieces.append(piece)
                fields[-1].kept = True
            elif piece.ref is not None:
                self.note(f"{piece.ref.expression} is empty unless set outside: left out", piece.span)
            return
        if piece.ref is not None:
            self.note(f"the words of {piece.ref.expression} are those of its default", piece.span)
        at = 0
        for match in re.finditer(r"\S+|\s+", value or ""):
            if match[0].isspace():
                if fields[-1].pieces or fields[-1].kept:
                    fields.append(Field([]))
            else:
                fields[-1].pieces.append(_part(piece, match.start(), match[0]))
                fields[-1].kept = True
            at = match.end()
        assert at == len(value or "")


def _part(piece: Piece, offset: int, text: str) -> Piece:
    if not piece.exact:
        return literal_piece(text, piece.span)
    start = piece.span.start + offset
    return literal_piece(text, Span(start, start + len(text)), exact=True)


def _plain(region: str) -> str:
    return region.replace("\\\n", " ")


def _ansi(text: str) -> str:
    try:
        return str(ast.literal_eval('"' + text.replace('"', '\\"').replace("\\'", "'").replace("\n", "\\n") + '"'))
    except (ValueError, SyntaxError):
        return text


def _braced(match: re.Match[str]) -> list[str]:
    prefix, inside, suffix = match.groups()
    if "," in inside:
        return [prefix + item + suffix for item in inside.split(",")]
    first, last, *step = (int(part) for part in inside.split(".."))
    stride = (step[0] or 1) if step else 1
    numbers = range(first, last + 1, stride) if first <= last else range(first, last - 1, -stride)
    return [f"{prefix}{number}{suffix}" for number in numbers[:1000]]

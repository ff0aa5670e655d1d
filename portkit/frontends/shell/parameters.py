"""`$NAME` and `${NAME...}`: values, defaults, lengths, arrays."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from portkit.frontends.shell.operators import operated
from portkit.frontends.shell.values import (
    BREAK,
    NOTHING,
    Array,
    Break,
    Item,
    Piece,
    Pieces,
    Table,
    arguments_beyond,
    assigned,
    inside_expansion,
    literal_piece,
    many,
    quoted,
    ref_piece,
    symbolic,
    text_of,
    unquoted,
    word_of,
)
from portkit.source import Span

if TYPE_CHECKING:
    from portkit.frontends.shell.expand import Expander

_BRACED = re.compile(
    r"(?P<mark>!|#(?=[\w@*#?$!-]))?(?P<name>[A-Za-z_]\w*|\d+|[@*#?$!-])"
    r"(?:\[(?P<index>(?:\$\(\([^)]*\)\)|\$\{[^}]*\}|\"[^\"]*\"|'[^']*'|[^\]])*)\])?(?P<rest>.*)\Z",
    re.DOTALL,
)
_DEFAULTS = (":-", ":=", ":?", ":+", "-", "=", "?", "+")
_ELEMENT = re.compile(r"([A-Za-z_]\w*)(?:\[([^\]]*)\])?\Z")
_FILLED = re.compile(r"\$\{\w+(?::[-=?]|\?)")
_LARGEST_SHOWN = 64


class Parameters:
    """The parameter expansions of one expander."""

    def __init__(self, expander: Expander) -> None:
        self.expander = expander
        self.state = expander.state

    def expand(self, at: int, stop: int, *, in_quotes: bool) -> Iterator[Item]:
        """The items of the expansion at `at`, which ends before `stop`."""
        text, span = self.expander.text, self.expander.span(at, stop)
        if text[at + 1] != "{":
            yield from self._plain(text[at + 1 : stop], span, in_quotes)
            return
        match = _BRACED.match(text, at + 2, stop - 1)
        if match is None:
            yield ref_piece(self.expander.readable(text[at:stop]), None, span)
            return
        name, index = self._given(match["name"]), match["index"]
        raw = self.expander.readable(text[at : match.start("name")] + name + text[match.end("name") : stop])
        region = match.span("index") if index is not None else None
        rest_at = match.start("rest")
        if match["mark"] == "#":
            yield from self._length(name, region, raw, span)
        elif match["mark"] == "!":
            yield from self._indirect(name, index, (rest_at, stop - 1), raw, span, in_quotes)
        elif index in ("@", "*") or (name in ("@", "*") and not match["mark"]):
            yield from self._many(name, index or name, (rest_at, stop - 1), span, in_quotes)
        else:
            yield from self._one(name, region, (rest_at, stop - 1), raw, span, in_quotes)

    def element(self, start: int, end: int) -> Iterator[Item]:
        """`A[index]`, written without `${}` as in arithmetic."""
        match = _BRACED.match(self.expander.text, start, end)
        if match is not None and match["index"] is not None:
            value = self._get(match["name"], match.span("index"), Span(0, 0))
            yield from value if value is not None else (_open(f"${{{match[0]}}}", Span(0, 0)),)

    def _plain(self, name: str, span: Span, in_quotes: bool) -> Iterator[Item]:
        if name in ("@", "*"):
            yield from self._many(name, name, (0, 0), span, in_quotes)
            return
        name = self._given(name)
        value = self._get(name, None, span)
        yield from unquoted(value) if value is not None else (_open(self._outside(name), span),)

    def _given(self, name: str) -> str:
        """The number that an unknown argument of the script had before `shift`."""
        unknown = self.state.positional is None and name.isdigit() and name != "0"
        return str(int(name) + self.state.shifted) if unknown else name

    def _outside(self, name: str) -> str:
        if name == "#" and self.state.shifted:
            return f"$(($# - {self.state.shifted}))"
        return f"${{{name}}}" if len(name) > 1 or name.isalpha() or name == "_" else f"${name}"

    def _get(self, name: str, index: tuple[int, int] | None, span: Span) -> Pieces | None:
        """The value the script knows, or None where it comes from outside."""
        if name.isdigit() and name != "0":
            return self._positional(int(name))
        if name == "#":
            return self._count(span)
        if index is None:
            return self.state.scalar(name, span)
        value = self.state.value(name)
        if isinstance(value, Table):
            return self._element(name, value, index, span)
        if value is None:
            return () if name in self.state.unset else None
        return self._element(name, value if isinstance(value, Array) else Array({0: value}), index, span)

    def _element(self, name: str, value: Array | Table, index: tuple[int, int], span: Span) -> Pieces:
        """An element; under a key that follows something outside, an expression that looks it up again."""
        key = self.key(*index)
        element: Pieces | None
        if isinstance(value, Table):
            text = text_of(key)
            element = value.get(text) if text is not None else None
        else:
            number = self.index(*index)
            text = None if number is None else str(number)
            element = value.get(number) if number is not None else None
        size = len(value.entries if isinstance(value, Table) else value.elements)
        if not symbolic(key) or size > _LARGEST_SHOWN:
            return element or ()
        known = text_of(element or ()) if text is not None else None
        lookup = f'$({assigned(name, value)}; printf %s "${{{name}[{inside_expansion(key)}]}}")'
        return (ref_piece(lookup, known, span),)

    def _count(self, span: Span) -> Pieces | None:
        if self.state.positional is None:
            return None
        if any(many(element) for element in self.state.positional):
            return (self._of_arguments("$#", span),)
        return (literal_piece(str(len(self.state.positional)), span),)

    def _positional(self, number: int) -> Pieces | None:
        if self.state.positional is None:
            return None
        for place, element in enumerate(self.state.positional[:number]):
            if many(element):
                first = arguments_beyond(element[0].ref.expression if element[0].ref else "")
                if first is None:
                    return (self._of_arguments(f"${{{number}}}", element[0].span),)
                return (_open(self._outside(str(first + number - place - 1)), element[0].span),)
        return self.state.positional[number - 1] if number <= len(self.state.positional) else ()

    def _of_arguments(self, expansion: str, span: Span) -> Piece:
        """An expansion of arguments of which only the shell knows how many there are."""
        words = " ".join(word_of(pieces, span).shell() for pieces in self.state.positional or ())
        return _open(f'$(set -- {words}; printf %s "{expansion}")', span)

    def key(self, start: int, end: int) -> Pieces:
        """A table's key, which may be quoted or an expansion."""
        return self.expander.scalar(start, end)

    def index(self, start: int, end: int) -> int | None:
        """A number where arithmetic stands: an array's index, the bounds of a slice."""
        text = self.expander.text[start:end].strip()
        if re.fullmatch(r"-?[1-9]\d{0,8}|0", text):
            return int(text)
        number = text_of(self.expander.arithmetic(start, end, Span(0, 0)))
        return int(number) if number is not None and re.fullmatch(r"-?\d+", number) else None

    def _length(self, name: str, index: tuple[int, int] | None, raw: str, span: Span) -> Iterator[Item]:
        if index is not None and self.expander.text[index[0] : index[1]] in ("@", "*"):
            elements = self._elements(name)
            if elements is not None and any(many(element) for element in elements):
                elements = None
            yield literal_piece(str(len(elements)), span) if elements is not None else _open(raw, span)
            return
        if name in ("@", "*"):
            yield from self._get("#", None, span) or (_open("$#", span),)
            return
        value = self._get(name, index, span)
        text = text_of(value) if value is not None else None
        if value is None:
            yield _open(raw, span)
        elif symbolic(value) or text is None:
            yield self._again(name, value, f"${{#{name}}}", None if text is None else str(len(text)), span)
        else:
            yield literal_piece(str(len(text)), span)

    def _again(self, name: str, value: Pieces, expansion: str, known: str | None, span: Span) -> Piece:
        """An expansion of a variable whose value follows something outside, in terms of that value."""
        if len(value) == 1 and value[0].ref is not None:
            plain = re.fullmatch(r"\$\{?(\w+)\}?", value[0].ref.expression)
            if plain:
                renamed = re.sub(r"^\$\{(#?)\w+", lambda m: f"${{{m[1]}{plain[1]}", expansion)
                return replace(ref_piece(renamed, known, span), quoted=False)
        stand_in = name if name.isidentifier() else "value"
        expansion = re.sub(r"^\$\{(#?)\w+", lambda m: f"${{{m[1]}{stand_in}", expansion)
        expression = f'$({assigned(stand_in, value)}; printf %s "{expansion}")'
        return replace(ref_piece(expression, known, span), quoted=False)

    def _indirect(
        self, name: str, index: str | None, rest: tuple[int, int], raw: str, span: Span, in_quotes: bool
    ) -> Iterator[Item]:
        """`${!A[@]}`, the keys of an array, and `${!X}`, the variable that X names."""
        if index in ("@", "*"):
            keys = self._keys(name)
            if keys is None:
                yield _open(raw, span)
            else:
                yield from _joined([(literal_piece(key, span),) for key in keys])
            return
        if name == "#" and self.state.positional:
            yield from unquoted(self.state.positional[-1])
            return
        target = _ELEMENT.match(text_of(self._get(name, None, span) or ()) or "")
        if index is not None or target is None or self.expander.text[slice(*rest)] in ("@", "*"):
            yield _open(raw, span)
        elif target[2] is None:
            expansion = raw.replace(f"!{name}", target[1], 1)
            yield from self._one(target[1], None, rest, expansion, span, in_quotes)
        else:
            value = self.state.value(target[1])
            held = value.get(int(target[2])) if isinstance(value, Array) and target[2].isdigit() else None
            held = value.get(target[2]) if isinstance(value, Table) else held
            yield from unquoted(held) if held is not None else (_open(raw, span),)

    def _keys(self, name: str) -> list[str] | None:
        value = self.state.value(name)
        if isinstance(value, Table):
            return list(value.entries)
        return [str(number) for number in sorted(value.elements)] if isinstance(value, Array) else None

    def _elements(self, name: str) -> list[Pieces] | None:
        """All elements of an array or all positional parameters; None where they are unknown."""
        if name in ("@", "*"):
            return None if self.state.positional is None else list(self.state.positional)
        value = self.state.value(name)
        if isinstance(value, Array):
            return value.in_order()
        if isinstance(value, Table):
            return list(value.entries.values())
        if value is not None:
            lost = len(value) == 1 and value[0].ref is not None and value[0].ref.expression == f"${{{name}}}"
            return None if lost else [value]
        return [] if name in self.state.unset else None

    def _many(self, name: str, kind: str, rest: tuple[int, int], span: Span, in_quotes: bool) -> Iterator[Item]:
        """`${A[@]}`, `$@` and slices of them: one word for each element."""
        elements = self._elements(name)
        written = self.expander.text[rest[0] : rest[1]]
        if elements is None:
            shown = f"${name}" if name in ("@", "*") else f"${{{name}[{kind}]}}"
            if name in ("@", "*") and self.state.shifted:
                shown = f"${{{name}:{self.state.shifted + 1}}}"
            yield _open(shown, span)
            return
        operator = next((o for o in _DEFAULTS if written.startswith(o)), None)
        if operator is not None:
            filled = bool(elements)
            if filled != (operator[-1] == "+"):
                yield from self._spread(elements, kind, span, in_quotes) if filled else ()
                if filled:
                    return
            if filled == (operator[-1] == "+"):
                mode = "operand" if in_quotes else "word"
                yield from self.expander.items(rest[0] + len(operator), rest[1], mode)
            elif in_quotes:
                yield NOTHING
            return
        if written.startswith(":"):
            counted_from = 1 if name in ("@", "*") else 0
            elements = self._slice(self._numbered(name, elements), rest[0] + 1, rest[1], counted_from)
        elif written:
            elements = [self._operated(element, rest) or element for element in elements]
        yield from self._spread(elements, kind, span, in_quotes)

    def _spread(self, elements: list[Pieces], kind: str, span: Span, in_quotes: bool) -> Iterator[Item]:
        if kind == "*" and in_quotes:
            separators = self.state.separators()
            between = " " if separators is None else separators[:1]
            for number, element in enumerate(elements):
                if number:
                    yield literal_piece(between, span)
                yield from quoted(element)
            return
        if not elements and in_quotes:
            yield NOTHING
        yield from _joined(elements, in_quotes)

    def _numbered(self, name: str, elements: list[Pieces]) -> list[tuple[int, Pieces]]:
        value = self.state.value(name)
        if isinstance(value, Array):
            return sorted(value.elements.items())
        return list(enumerate(elements, 1 if name in ("@", "*") else 0))

    def _slice(self, elements: list[tuple[int, Pieces]], start: int, end: int, counted_from: int) -> list[Pieces]:
        """`:first:count` of numbered elements; a negative first counts from the end."""
        colon = self.expander.text.find(":", start, end)
        first = self.index(start, end if colon < 0 else colon)
        length = self.index(colon + 1, end) if colon >= 0 else None
        if first is None:
            return [element for _, element in elements]
        if first < 0:
            first += (elements[-1][0] if elements else -1) + 1
        taken = [element for number, element in elements if number >= max(first, counted_from)]
        return taken if length is None else taken[: max(length, 0)]

    def _one(
        self, name: str, index: tuple[int, int] | None, rest: tuple[int, int], raw: str, span: Span, in_quotes: bool
    ) -> Iterator[Item]:
        value = self._get(name, index, span)
        written = self.expander.text[rest[0] : rest[1]]
        gone = name in self.state.unset and name not in self.state.variables
        if gone and written.startswith(("-", "=", "+", "?")):
            rest, written = (rest[0] - 1, rest[1]), f":{written}"
        operator = next((o for o in _DEFAULTS if written.startswith(o)), None)
        if operator is not None:
            yield from self._default(name, value, operator, (rest[0] + len(operator), rest[1]), span, in_quotes)
        elif not written:
            yield from unquoted(value) if value is not None else (_open(self._outside(name), span),)
        elif value is None:
            yield _open(self._raw_operator(raw, rest), span)
        else:
            yield from self._operate(name, value, rest, span)

    def _default(
        self, name: str, value: Pieces | None, operator: str, region: tuple[int, int], span: Span, in_quotes: bool
    ) -> Iterator[Item]:
        """`:-`, `:=`, `:?` and `:+`, with and without the colon."""
        items = list(self.expander.items(*region, "operand" if in_quotes else "word"))
        operand = tuple(literal_piece(" ", span) if isinstance(item, Break) else item for item in items)
        kind, colon = operator[-1], operator.startswith(":")
        if value is not None and (not colon or not symbolic(value) or _surely_filled(value)):
            empty = colon and text_of(value) == "" and not symbolic(value)
            if kind == "+":
                yield from () if empty else items
            elif kind in "-=" and empty:
                yield from items
                if kind == "=":
                    self.state.set(name, operand)
            else:
                yield from unquoted(value)
            return
        result = self._symbolic_default(name, value, operator, operand, span, keeps=_keeps(operand))
        yield result
        if kind == "=":
            self.state.set(name, (result,))

    def _symbolic_default(
        self, name: str, value: Pieces | None, operator: str, operand: Pieces, span: Span, *, keeps: bool
    ) -> Piece:
        rest = f"{operator}{inside_expansion(operand)}}}"
        taken = "" if operator[-1] == "+" else None if operator[-1] == "?" else text_of(operand)
        if value is None:
            item = ref_piece(f"${{{name}{rest}", taken, span)
        else:
            rest = rest.replace("=", "-", 1) if operator[-1] == "=" else rest
            before = text_of(value)
            if before:
                taken = text_of(operand) if operator[-1] == "+" else before
            item = self._again(name, value, f"${{{name}{rest}", taken, span)
        return replace(item, quoted=keeps)

    def _operate(self, name: str, value: Pieces, rest: tuple[int, int], span: Span) -> Iterator[Item]:
        """A string operator: on text it is done, on what follows something outside it stays an expression."""
        result = self._operated(value, rest)
        operand = "".join(p.ref.expression if p.ref else p.text for p in self.expander.written(*rest))
        if symbolic(value) or result is None or symbolic(self.expander.scalar(*rest)):
            yield self._again(name, value, f"${{{name}{operand}}}", None if result is None else text_of(result), span)
        else:
            yield from (replace(piece, span=span, quoted=False) for piece in result)

    def _operated(self, value: Pieces, rest: tuple[int, int]) -> Pieces | None:
        text = text_of(value)
        result = None if text is None else operated(self.expander, text, *rest)
        return None if result is None else (literal_piece(result, self.expander.span(*rest)),)

    def _raw_operator(self, raw: str, rest: tuple[int, int]) -> str:
        """The expansion as written, with the script's own variables in its operand filled in."""
        head = raw[: len(raw) - 1 - (rest[1] - rest[0])]
        return head + "".join(p.ref.expression if p.ref else p.text for p in self.expander.written(*rest)) + "}"


def _open(expression: str, span: Span) -> Piece:
    """A reference that splits where it stands unquoted; a number doesn't."""
    number = expression.startswith(("$#", "${#", "$((", "$?", "$!", "$$"))
    return replace(ref_piece(expression, None, span), quoted=number)


def _joined(elements: list[Pieces], in_quotes: bool = True) -> Iterator[Item]:
    for number, element in enumerate(elements):
        if number:
            yield BREAK
        if in_quotes:
            yield from quoted(element) or (literal_piece("", Span(0, 0)),)
        else:
            yield from unquoted(element)


def _surely_filled(value: Pieces) -> bool:
    """Whether a value has characters whatever comes from outside."""
    return any(
        piece.text if piece.ref is None else piece.ref.value != "" and _FILLED.match(piece.ref.expression)
        for piece in value
    )


def _keeps(operand: Pieces) -> bool:
    """Whether an operand is quoted so that its blanks, or its being empty, stay."""
    return any(piece.quoted and piece.ref is None and (not piece.text or " " in piece.text) for piece in operand)

"""`$NAME` and `${NAME...}`: values, defaults, string operators, arrays."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from portkit.frontends.shell.patterns import replaced, without_prefix, without_suffix
from portkit.frontends.shell.values import (
    Array,
    Pieces,
    Table,
    inside_expansion,
    literal_piece,
    quoted,
    ref_piece,
    symbolic,
    text_of,
    unquoted,
)
from portkit.source import Span

if TYPE_CHECKING:
    from portkit.frontends.shell.expand import Expander, Item

_BRACED = re.compile(
    r"(?P<mark>[#!]?)(?P<name>[A-Za-z_]\w*|\d+|[@*#?$!-])(?:\[(?P<index>[^\]]*)\])?(?P<rest>.*)\Z", re.DOTALL
)
_DEFAULTS = (":-", ":=", ":?", ":+", "-", "=", "?", "+")
_STRING = ("##", "#", "%%", "%", "//", "/#", "/%", "/", "^^", "^", ",,", ",", ":")


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
        match = _BRACED.match(text[at + 2 : stop - 1])
        if match is None:
            yield ref_piece(text[at:stop], None, span)
            return
        name, index, rest = match["name"], match["index"], match["rest"]
        rest_at = at + 2 + match.start("rest")
        if match["mark"] == "#":
            yield from self._length(name, index, text[at:stop], span)
        elif match["mark"] == "!" and (index is not None or not rest):
            yield from self._indirect(name, index, text[at:stop], span)
        elif index in ("@", "*") or (name in ("@", "*") and not match["mark"]):
            yield from self._many(name, index or name, rest, rest_at, stop - 1, span, in_quotes)
        else:
            yield from self._one(name, index, rest, rest_at, stop - 1, text[at:stop], span)

    def _plain(self, name: str, span: Span, in_quotes: bool) -> Iterator[Item]:
        if name in ("@", "*"):
            yield from self._many(name, name, "", 0, 0, span, in_quotes)
            return
        yield from self._get(name, None, span) or (ref_piece(self._outside(name), None, span),)

    def _outside(self, name: str) -> str:
        return f"${{{name}}}" if len(name) > 1 or name.isalpha() or name == "_" else f"${name}"

    def _get(self, name: str, index: str | None, span: Span) -> Pieces | None:
        """The value the script knows, or None where it comes from outside."""
        if name.isdigit() and name != "0":
            return self._positional(int(name))
        if name == "#":
            return None if self.state.positional is None else (literal_piece(str(len(self.state.positional)), span),)
        if index is None:
            return self.state.scalar(name, span)
        value = self.state.value(name)
        if isinstance(value, Table):
            return value.get(self._key(index)) or ()
        number = self._index(index)
        if isinstance(value, Array) and number is not None:
            within = -len(value.elements) <= number < len(value.elements)
            return value.elements[number] if within else ()
        if value is not None and number == 0 and not isinstance(value, Array):
            return value
        return None

    def _positional(self, number: int) -> Pieces | None:
        if self.state.positional is None:
            return None
        return self.state.positional[number - 1] if number <= len(self.state.positional) else ()

    def _key(self, index: str) -> str:
        """A table's key, which may be a variable or quoted."""
        key = index.strip()
        if re.fullmatch(r"\"?\$\{?\w+\}?\"?", key):
            name = key.strip('"').strip("${}")
            value = self._get(name, None, Span(0, 0))
            return (text_of(value) if value is not None else None) or key
        return key.strip("'\"")

    def _index(self, index: str) -> int | None:
        index = index.strip().removeprefix("$").strip("{}")
        if re.fullmatch(r"-?\d+", index):
            return int(index)
        return self.state.number(index) if re.fullmatch(r"[A-Za-z_]\w*", index) else None

    def _length(self, name: str, index: str | None, raw: str, span: Span) -> Iterator[Item]:
        if index in ("@", "*"):
            elements = self._elements(name)
            if elements is None:
                yield ref_piece(raw, None, span)
            else:
                yield literal_piece(str(len(elements)), span)
            return
        value = self._get(name, index, span)
        text = text_of(value) if value is not None else None
        if text is None or (value and symbolic(value)):
            yield ref_piece(raw, None if text is None else str(len(text)), span)
        else:
            yield literal_piece(str(len(text)), span)

    def _indirect(self, name: str, index: str | None, raw: str, span: Span) -> Iterator[Item]:
        value = self.state.value(name)
        if index in ("@", "*"):
            keys = [key for key, _ in value.entries] if isinstance(value, Table) else None
            if isinstance(value, Array):
                keys = [str(number) for number in range(len(value.elements))]
            if keys is None:
                yield ref_piece(raw, None, span)
                return
            yield from self._joined([(literal_piece(key, span),) for key in keys])
            return
        target = text_of(self.state.scalar(name, span) or ())
        if not target or not target.isidentifier():
            yield ref_piece(raw, None, span)
            return
        yield from self._get(target, None, span) or (ref_piece(f"${{{target}}}", None, span),)

    def _elements(self, name: str) -> list[Pieces] | None:
        """All elements of an array or all positional parameters; None where they are unknown."""
        if name in ("@", "*"):
            return None if self.state.positional is None else list(self.state.positional)
        value = self.state.value(name)
        if isinstance(value, Array):
            return list(value.elements)
        if isinstance(value, Table):
            return [element for _, element in value.entries]
        if value is not None:
            return [value]
        return [] if name in self.state.unset else None

    def _many(
        self, name: str, kind: str, rest: str, rest_at: int, end: int, span: Span, in_quotes: bool
    ) -> Iterator[Item]:
        """`${A[@]}`, `$@` and slices of them: one word for each element."""
        elements = self._elements(name)
        if elements is None:
            shown = f"${name}" if name in ("@", "*") else f"${{{name}[{kind}]}}"
            yield replace(ref_piece(shown, None, span), quoted=False)
            return
        if rest.startswith((":-", ":+", "-", "+")):
            alternative = rest.lstrip(":")[0] == "+"
            if bool(elements) == alternative:
                offset = rest_at + (2 if rest[0] == ":" else 1)
                yield from self.expander.items(offset, end, "word")
                return
            if alternative:
                return
        elif rest.startswith(":"):
            elements = self._slice(elements, rest[1:])
        elif rest:
            elements = [self._operate_known(element, rest, rest_at, end) or element for element in elements]
        if kind == "*" and in_quotes:
            for number, element in enumerate(elements):
                if number:
                    yield literal_piece(" ", span)
                yield from quoted(element)
            return
        yield from self._joined(elements if in_quotes else [unquoted(element) for element in elements], in_quotes)

    def _joined(self, elements: list[Pieces], in_quotes: bool = True) -> Iterator[Item]:
        from portkit.frontends.shell.expand import BREAK

        for number, element in enumerate(elements):
            if number:
                yield BREAK
            yield from quoted(element) if in_quotes else element
        if len(elements) == 1 and not elements[0] and in_quotes:
            yield literal_piece("", Span(0, 0))

    def _slice(self, elements: list[Pieces], bounds: str) -> list[Pieces]:
        first, _, count = bounds.partition(":")
        start = self._index(first)
        length = self._index(count) if count.strip() else None
        if start is None:
            return elements
        if start < 0:
            start += len(elements)
        return elements[start:] if length is None else elements[start : start + length]

    def _one(
        self, name: str, index: str | None, rest: str, rest_at: int, end: int, raw: str, span: Span
    ) -> Iterator[Item]:
        value = self._get(name, index, span)
        operator = next((o for o in _DEFAULTS if rest.startswith(o)), None)
        if operator is not None:
            yield from self._default(name, value, operator, rest_at + len(operator), end, raw, span)
        elif not rest:
            yield from value if value is not None else (ref_piece(self._outside(name), None, span),)
        else:
            yield from self._operate(name, value, rest, rest_at, end, raw, span)

    def _default(
        self, name: str, value: Pieces | None, operator: str, at: int, end: int, raw: str, span: Span
    ) -> Pieces:
        """`:-`, `:=`, `:?` and `:+`, with and without the colon."""
        operand = self.expander.pieces(at, end, "word")
        if value is not None:
            return self._default_of_known(name, value, operator, operand, span)
        operand_text = inside_expansion(operand)
        expression = f"${{{name}{operator}{operand_text}}}"
        if operator.endswith("?"):
            return (ref_piece(expression, None, span),)
        if operator.endswith("+"):
            return (ref_piece(expression, "", span),)
        result: Pieces = (ref_piece(expression, text_of(operand), span),)
        if operator.endswith("="):
            self.state.set(name, result)
        return result

    def _default_of_known(self, name: str, value: Pieces, operator: str, operand: Pieces, span: Span) -> Pieces:
        text = text_of(value)
        empty = text == "" and operator.startswith(":")
        if operator.endswith("+"):
            return () if text == "" and operator == ":+" else operand
        if text is None and len(value) == 1 and value[0].ref is not None:
            plain = re.fullmatch(r"\$\{?(\w+)\}?", value[0].ref.expression)
            if plain and operator[-1] in "-=":
                expression = f"${{{plain[1]}{operator[:-1]}-{inside_expansion(operand)}}}"
                value = (ref_piece(expression, text_of(operand), span),)
        elif empty and operator[-1] in "-=":
            value = operand
        if operator.endswith("=") and empty:
            self.state.set(name, value)
        return value

    def _operate(
        self, name: str, value: Pieces | None, rest: str, rest_at: int, end: int, raw: str, span: Span
    ) -> Pieces:
        """A string operator: on text it is done, on a plain outside variable it stays an expression."""
        if value is None:
            return (ref_piece(self._raw_operator(raw, rest_at, end), None, span),)
        result = self._operate_known(value, rest, rest_at, end)
        if result is not None:
            if symbolic(value):
                self.expander.note(f"{raw} was worked out from the default of {name}", span)
            return tuple(replace(piece, span=span) for piece in result)
        if len(value) == 1 and value[0].ref is not None:
            plain = re.fullmatch(r"\$\{?(\w+)\}?", value[0].ref.expression)
            if plain:
                operand = self.expander.text[rest_at:end]
                return (ref_piece(f"${{{plain[1]}{operand}}}", None, span),)
        return (ref_piece(raw, None, span),)

    def _raw_operator(self, raw: str, rest_at: int, end: int) -> str:
        """The expansion as written, unless its operand names variables of the script."""
        operand = self.expander.text[rest_at:end]
        names = re.findall(r"\$\{?([A-Za-z_]\w*)", operand)
        if not any(name in self.state.variables for name in names):
            return raw
        pieces = self.expander.pieces(rest_at, end, "double")
        head = raw[: len(raw) - 1 - (end - rest_at)]
        return head + "".join(p.ref.expression if p.ref else p.text for p in pieces) + "}"

    def _operate_known(self, value: Pieces, rest: str, rest_at: int, end: int) -> Pieces | None:
        text = text_of(value)
        operator = next((o for o in _STRING if rest.startswith(o)), None)
        if text is None or operator is None:
            return None
        at = rest_at + len(operator)
        span = self.expander.span(rest_at, end)
        if operator == ":":
            result = self._substring(text, self.expander.text[at:end])
        elif operator[0] in "/":
            result = self._replacement(text, operator, at, end)
        else:
            pattern = text_of(self.expander.pieces(at, end, "word"))
            result = None if pattern is None else _cased_or_cut(text, operator, pattern)
        return None if result is None else (literal_piece(result, span),)

    def _substring(self, text: str, bounds: str) -> str | None:
        first, _, count = bounds.partition(":")
        start = self._index(first.strip(" ()"))
        if start is None:
            return None
        start = max(0, start + len(text)) if start < 0 else start
        if not count.strip():
            return text[start:]
        length = self._index(count.strip(" ()"))
        if length is None:
            return None
        return text[start : start + length] if length >= 0 else text[start:length]

    def _replacement(self, text: str, operator: str, at: int, end: int) -> str | None:
        raw = self.expander.text
        middle = at
        while middle < end and raw[middle] != "/":
            middle += 2 if raw[middle] == "\\" else 1
        pattern = text_of(self.expander.pieces(at, min(middle, end), "word"))
        by = text_of(self.expander.pieces(middle + 1, end, "word")) if middle < end else ""
        if pattern is None or by is None:
            return None
        anchor = operator[1] if operator in ("/#", "/%") else ""
        return replaced(text, pattern.replace("\\/", "/"), by, everywhere=operator == "//", anchor=anchor)


def _cased_or_cut(text: str, operator: str, pattern: str) -> str:
    if operator[0] in "^,":
        change = str.upper if operator[0] == "^" else str.lower
        return change(text) if len(operator) == 2 else change(text[:1]) + text[1:]
    cut = without_prefix if operator[0] == "#" else without_suffix
    return cut(text, pattern, longest=len(operator) == 2)

"""`$(( ))` in words: a number, or the same arithmetic over what comes from outside."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from portkit.frontends.shell import scan
from portkit.frontends.shell.arithmetic import Calculator, NotKnown
from portkit.frontends.shell.values import Pieces, literal_piece, ref_piece, symbolic, text_of
from portkit.source import Span

if TYPE_CHECKING:
    from portkit.frontends.shell.expand import Expander

_NAME = re.compile(r"(?<![\w])[A-Za-z_]\w*")
_PLAIN = re.compile(r"\$\{([A-Za-z_]\w*)\}|\$([A-Za-z_]\w*)")
_READ_NAME = re.compile(r"(?<![\w#$.])(?!0[xX])[A-Za-z_]\w*\b(?!\s*(?:(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--))")
_PLAIN_NUMBER = re.compile(r"\s*[-+]?\d\w*\s*\Z")
_NESTED = 8
_LONGEST = 2000
_NOWHERE = Span(0, 0)


def arithmetic(expander: Expander, start: int, end: int, span: Span) -> Pieces:
    """The value of what stands between two offsets, as arithmetic."""
    region, stand_ins = _region(expander, start, end)
    references: dict[str, Pieces] = {}
    for name in _NAME.findall(region):
        value = stand_ins.get(name) or expander.state.scalar(name, _NOWHERE)
        if value is None:
            references[name] = (ref_piece(f"${{{name}}}", None, _NOWHERE),)
        elif symbolic(value):
            references[name] = value
    outside = f"$(({_filled_in(expander, region, references, stand_ins)}))"

    def number(name: str) -> int:
        if name not in stand_ins:
            return expander.number(name)
        text = text_of(stand_ins[name])
        if text is None:
            raise NotKnown
        return Calculator(text, expander.number, lambda _name, _value: None).run()

    try:
        result = Calculator(region, number, expander.assign(span)).run()
    except (NotKnown, RecursionError):
        return (ref_piece(outside, None, span),)
    if not references:
        return (literal_piece(str(result), span),)
    return (ref_piece(outside, str(result), span),)


def _region(expander: Expander, start: int, end: int) -> tuple[str, dict[str, Pieces]]:
    """The text with what isn't a plain name (`${A:-1}`, `$(nproc)`) replaced by stand-in names, and their values."""
    text = expander.text
    parts: list[str] = []
    stand_ins: dict[str, Pieces] = {}
    at = start
    while at < end:
        plain = _PLAIN.match(text, at, end)
        element = re.compile(r"[A-Za-z_]\w*\[[^\]]*\]").match(text, at, end)
        if plain is not None:
            name = plain[1] or plain[2]
            written = expander.state.scalar(name, _NOWHERE)
            known = None if written is None or symbolic(written) else text_of(written)
            parts.append(name if known is None else known or " ")
            at = plain.end()
        elif text[at] in "$`" or text[at] in expander.marks:
            stop = at + 1 if text[at] in expander.marks else scan.end_of_expansion(text, at, end)
            value = expander.pieces(at, stop, "double")
            known = None if symbolic(value) else text_of(value)
            name = f"_portkit_{len(stand_ins)}"
            if known is not None and re.fullmatch(r"-?\w*|[-+*/%]", known):
                parts.append(known)
            else:
                parts.append(name)
                stand_ins[name] = value
            at = stop
        elif element is not None and (not parts or not (parts[-1][-1:].isalnum() or parts[-1][-1:] == "_")):
            value = expander.element(at, element.end())
            name = f"_portkit_{len(stand_ins)}"
            parts.append(name)
            stand_ins[name] = value
            at = element.end()
        elif text.startswith("\\\n", at):
            parts.append(" ")
            at += 2
        else:
            parts.append(" " if text[at] == '"' else text[at])
            at += 1
    return _with_expressions(expander, "".join(parts)), stand_ins


def _with_expressions(expander: Expander, region: str) -> str:
    """The text with variables that hold expressions replaced by those, in parentheses, as arithmetic reads them."""

    def put(match: re.Match[str]) -> str:
        value = expander.state.scalar(match[0], _NOWHERE)
        text = None if value is None or symbolic(value) else text_of(value)
        return match[0] if text is None or not text.strip() or _PLAIN_NUMBER.match(text) else f"({text})"

    for _ in range(_NESTED):
        filled = _READ_NAME.sub(put, region)
        if filled == region or len(filled) > _LONGEST:
            break
        region = filled
    return region


def _filled_in(expander: Expander, region: str, references: dict[str, Pieces], stand_ins: dict[str, Pieces]) -> str:
    def put(match: re.Match[str]) -> str:
        name = match[0]
        if name in references:
            return "".join(p.ref.expression if p.ref else p.text for p in references[name])
        text = text_of(stand_ins.get(name) or expander.state.scalar(name, _NOWHERE) or ()) or "0"
        return text if re.fullmatch(r"\w+", text) else f"({text})"

    return _NAME.sub(put, region).strip()

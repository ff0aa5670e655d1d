"""The one way portkit refuses: a message, the place, and what to do."""

from __future__ import annotations

import re

from portkit.source import SourceText, Span

_SECRET = re.compile(
    r"((?:--(?:admin-)?api-key|--hf-token|--ssl-keyfile-password|\b\w*(?:TOKEN|API_KEY|SECRET|PASSWORD)\w*)[= ]+['\"]?)"
    r"([^\s'\"]+)"
)
"""A secret on a line that a message shows; the mask keeps columns."""


class PortkitError(Exception):
    """Input portkit can't go on with; the command line prints it and exits with 2.

    `span` lies in `source`; both are None where the trouble has no place in a text.
    `hint` says what to do about it.
    """

    def __init__(
        self,
        message: str,
        *,
        source: SourceText | None = None,
        span: Span | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.source = source
        self.span = span
        self.hint = hint

    def __str__(self) -> str:
        lines = [f"{self._place()}{self.message}"]
        if self.source is not None and self.span is not None:
            lines.extend(underlined(self.source, self.span))
        if self.hint:
            lines.append(f"  = {self.hint}")
        return "\n".join(lines)

    def _place(self) -> str:
        if self.source is None:
            return ""
        if self.span is None:
            return f"{self.source.name}: "
        line, column = self.source.position(self.span.start)
        return f"{self.source.name}:{line}:{column}: "


def underlined(source: SourceText, span: Span, width: int = 100) -> list[str]:
    """The line a span starts in, numbered, and carets under the span's part of it."""
    number, column = source.position(span.start)
    text = _SECRET.sub(lambda found: found[1] + "*" * len(found[2]), source.line(number).expandtabs(1))
    first = column - 1
    last = max(first + 1, min(len(text), first + span.end - span.start))
    shift = max(0, min(first - width // 2, len(text) - width))
    if shift:
        text, first, last = "…" + text[shift + 1 :], first - shift, last - shift
    if len(text) > width:
        text = text[: width - 1] + "…"
    gutter = str(number)
    return [
        f"{gutter} | {text}",
        f"{' ' * len(gutter)} | {' ' * first}{'^' * max(1, min(last, width) - first)}",
    ]

"""Text with places in it: what messages underline and provenance points at."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of characters (not bytes) of a source text."""

    start: int
    end: int


@dataclass(frozen=True)
class SourceText:
    """A text and the name it is known by in messages (a path, or `<stdin>`)."""

    name: str
    text: str
    _line_starts: list[int] = field(default_factory=list, repr=False, compare=False)

    def __post_init__(self) -> None:
        starts = [0]
        starts.extend(index + 1 for index, char in enumerate(self.text) if char == "\n")
        self._line_starts.extend(starts)

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of a character, both counted from 1."""
        line = bisect_right(self._line_starts, offset) - 1
        return line + 1, offset - self._line_starts[line] + 1

    def line(self, number: int) -> str:
        """The text of a line counted from 1, without its line end."""
        start = self._line_starts[number - 1]
        end = self._line_starts[number] if number < len(self._line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    def slice(self, span: Span) -> str:
        """The characters a span covers."""
        return self.text[span.start : span.end]

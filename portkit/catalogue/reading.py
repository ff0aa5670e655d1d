"""One reading of a launch: what the rules of both engines share while they prepare its words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from portkit.catalogue.argparse_rules import OptionTable
from portkit.catalogue.model import Catalogue, Flag
from portkit.catalogue.resolution import Argument, Problem, ProblemKind, Resolution
from portkit.catalogue.tokens import StandIns, Token, all_words, hull
from portkit.launch import Launch
from portkit.source import Span

ReadFile = Callable[[str], str | None]


@dataclass
class Reading:
    """A launch, the release that reads it, and the resolution in the making.

    `incomplete` is set where words or a file are out of reach, so that nothing may be called missing.
    """

    resolution: Resolution
    table: OptionTable
    read_file: ReadFile | None
    stand_ins: StandIns = field(default_factory=StandIns)
    incomplete: bool = False

    @property
    def launch(self) -> Launch:
        return self.resolution.launch

    @property
    def catalogue(self) -> Catalogue:
        return self.resolution.catalogue

    @property
    def serve(self) -> bool:
        """Whether the engine is started by its `serve` command, which has rules of its own."""
        return "serve" in self.launch.entrypoint.split()

    def report(
        self,
        kind: ProblemKind,
        message: str,
        tokens: Sequence[Token],
        suggestions: Sequence[str] = (),
        subject: str = "",
        key: str = "",
    ) -> None:
        """Record a problem with the tokens it is about, which all come from one source."""
        source = tokens[0].source if tokens else self.launch.source
        where = place(tokens) if tokens else self.launch.span
        words = all_words(tokens)
        problem = Problem(kind, message, where, source, words, tuple(suggestions), subject, key)
        self.resolution.problems.append(problem)

    def keep(self, flag: Flag, value: object, option: Token, values: Sequence[Token]) -> None:
        """Record a flag that the engine takes out of the command line before its parser sees it."""
        name = option.spelled.partition("=")[0]
        self.store(Argument(flag, value, name, all_words(values), place([option, *values]), option.source))

    def store(self, argument: Argument) -> None:
        """Let an argument take effect, in place of an earlier one of its dest."""
        arguments = self.resolution.arguments
        if argument.flag.dest in arguments:
            self.resolution.overridden.append(arguments[argument.flag.dest])
        arguments[argument.flag.dest] = argument

    def file_text(self, path: str) -> str | None:
        """The text of a file: one that the script writes itself, else from outside, else None."""
        if path in self.launch.files:
            return self.launch.files[path]
        return None if self.read_file is None else self.read_file(path)


def place(tokens: Sequence[Token]) -> Span:
    """Where tokens of one source stand: from the first to the last."""
    return hull(token for token in tokens if token.source is tokens[0].source) or Span(0, 0)

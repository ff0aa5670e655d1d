"""Scripts inside words and here-documents: `eval`, `bash -c`, `bash <<EOF`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portkit.frontends.shell.commands import inner_environment, inner_script
from portkit.frontends.shell.outcomes import Outcome
from portkit.frontends.shell.state import State
from portkit.frontends.shell.tree import Script
from portkit.frontends.shell.values import Pieces, literal_piece, pieces_of
from portkit.launch import Ref, Word
from portkit.source import Span

if TYPE_CHECKING:
    from tree_sitter import Node

    from portkit.frontends.shell.evaluate import Evaluator

_FIRST_MARK = 0xE000
_LAST_MARK = 0xF8FF
_DEEPEST = 40


def reads_script(words: list[Word], state: State) -> bool:
    """Whether a command is a shell with a script to read."""
    found = inner_script(words)
    return found is not None and (found.text is not None or state.document != ())


def shell(evaluator: Evaluator, words: list[Word], environment: dict[str, Word], state: State) -> list[Outcome]:
    """A shell of its own, which sees what is exported."""
    found = inner_script(words)
    assert found is not None
    world = state.copy()
    world.variables = {n: v for n, v in state.variables.items() if n in state.exported}
    world.functions, world.input, world.document = {}, None, ()
    arguments = found.arguments
    if found.text is not None and arguments and not arguments[0].splits:
        world.variables["0"] = pieces_of(arguments[0])
        arguments = arguments[1:]
    world.give_arguments(arguments)
    for name, word in {**environment, **inner_environment(words)}.items():
        world.set(name, pieces_of(word))
        world.exported[name] = None
    pieces = state.document if found.text is None else pieces_of(found.text)
    _run(evaluator, pieces, world)
    return [Outcome(state, None)]


def evaluated(evaluator: Evaluator, node: Node, words: list[Word], state: State) -> list[Outcome]:
    """`eval`: its words joined, read as a script of this world."""
    place = evaluator.place_of(node)
    pieces: Pieces = ()
    for word in words[1:]:
        pieces += ((literal_piece(" ", word.span),) if pieces else ()) + pieces_of(word)
    return _run(evaluator, pieces, state) if pieces else [Outcome(state, place is not None)]


def _run(evaluator: Evaluator, pieces: Pieces, world: State) -> list[Outcome]:
    from portkit.frontends.shell.evaluate import Evaluator

    if evaluator.depth > _DEEPEST:
        return [Outcome(world, None)]
    text, marks = _marked(pieces)
    place = Span(min(piece.span.start for piece in pieces), max(piece.span.end for piece in pieces))
    within = Evaluator(evaluator.source, Script(text), evaluator.findings, place, marks)
    within.depth, within.function, within.output = evaluator.depth + 10, evaluator.function, evaluator.output
    within.calls, within.assigner.locals = evaluator.calls, evaluator.assigner.locals
    return within.run(within.script.tree.root_node, world)


def _marked(pieces: Pieces) -> tuple[str, dict[str, Ref]]:
    """A script's text with a character of its own for each part that only the running shell fills in."""
    known = "".join(piece.text for piece in pieces)
    free = (chr(code) for code in range(_FIRST_MARK, _LAST_MARK) if chr(code) not in known)
    marks: dict[str, Ref] = {}
    out = []
    for piece in pieces:
        if piece.ref is None:
            out.append(piece.text)
            continue
        mark = next(free, " ")
        marks[mark] = piece.ref
        out.append(mark)
    return "".join(out), marks

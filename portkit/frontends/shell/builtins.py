"""The shell's own commands, as far as they matter to what a launch is given."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from portkit.frontends.shell import branches
from portkit.frontends.shell.filters import formatted
from portkit.frontends.shell.outcomes import Flow, Outcome
from portkit.frontends.shell.state import State
from portkit.frontends.shell.values import Array, Pieces, literal_piece, pieces_of
from portkit.launch import Word

if TYPE_CHECKING:
    from tree_sitter import Node

    from portkit.frontends.shell.evaluate import Evaluator

Builtin = Callable[["Evaluator", "Node", list[Word], State], list[Outcome]]

_TEST = re.compile(r"\s*(?:test|\[)\s")


def _leave(evaluator: Evaluator, node: Node, words: list[Word], state: State) -> list[Outcome]:
    status = words[1].text == "0" if len(words) > 1 and words[1].text.isdigit() else None
    return [Outcome(state, status, cast(Flow, words[0].text))]


def _true(evaluator: Evaluator, node: Node, words: list[Word], state: State) -> list[Outcome]:
    return [Outcome(state, words[0].text != "false")]


def _test(evaluator: Evaluator, node: Node, words: list[Word], state: State) -> list[Outcome]:
    start, end = evaluator.at(node)
    match = _TEST.match(evaluator.text, start, end)
    if match is None:
        return [Outcome(state, None)]
    return [branches.tested(evaluator, node, match.end(), end, False, state)]


def _set(evaluator: Evaluator, node: Node, words: list[Word], state: State) -> list[Outcome]:
    texts = [word.text for word in words[1:]]
    options = texts[: texts.index("--")] if "--" in texts else texts
    if "--" in texts:
        rest = words[texts.index("--") + 2 :]
        state.give_arguments(rest)
    for option, argument in zip(options, [*options[1:], ""], strict=False):
        if re.fullmatch(r"[-+]\w*a\w*", option) or (option in ("-o", "+o") and argument == "allexport"):
            state.export_all = option.startswith("-")
    return [Outcome(state)]


def _shift(evaluator: Evaluator, node: Node, words: list[Word], state: State) -> list[Outcome]:
    count = int(words[1].text) if len(words) > 1 and words[1].text.isdigit() else 1
    return [Outcome(state, state.shift(count))]


def _read(evaluator: Evaluator, node: Node, words: list[Word], state: State) -> list[Outcome]:
    """`read` and `mapfile`: the words of a known here-string or pipe, else unknown."""
    options = "".join(w.text[1:] for w in words[1:] if w.text.startswith("-"))
    names = [w for w in words[1:] if w.text.isidentifier()]
    if words[0].text in ("mapfile", "readarray"):
        return _mapfile(words, names, options, state)
    plain = re.fullmatch(r"[rae]*", options) is not None and words[0].text == "read"
    ended = state.input == ""
    fields = _fields(state) if plain else None
    if fields is None:
        for word in names:
            state.make_unknown(word.text, word.span)
        return [Outcome(state, None)]
    separator, texts = fields
    if "a" in options and names:
        values = [(literal_piece(text, names[0].span),) for text in texts]
        state.set(names[0].text, Array(dict(enumerate(values))))
        return [Outcome(state, not ended)]
    for number, name in enumerate(names):
        last = number == len(names) - 1
        text = separator.join(texts[number:]) if last else "".join(texts[number : number + 1])
        state.set(name.text, (literal_piece(text, name.span),))
    return [Outcome(state, not ended)]


def _mapfile(words: list[Word], names: list[Word], options: str, state: State) -> list[Outcome]:
    """`mapfile -t A`: the lines of the known input, else an unknown array."""
    name = names[-1].text if names else "MAPFILE"
    span = words[0].span
    if state.input is None or options not in ("", "t"):
        state.make_unknown(name, span)
        return [Outcome(state)]
    lines = state.input.splitlines(keepends="t" not in options)
    state.set(name, Array({number: (literal_piece(line, span),) for number, line in enumerate(lines)}))
    state.input = ""
    return [Outcome(state)]


def _fields(state: State) -> tuple[str, list[str]] | None:
    """The next line of the known input, which it takes, as the field separator cuts it, and the separator."""
    separators = state.separators()
    if state.input is None or separators is None:
        return None
    if len(separators) > 1 and not separators.isspace():
        return None
    line, _, state.input = state.input.partition("\n")
    if not separators:
        return "", [line]
    if separators.isspace():
        return " ", line.split()
    fields = line.split(separators)
    return separators, fields[:-1] if fields[-1] == "" else fields


def _source(evaluator: Evaluator, node: Node, words: list[Word], state: State) -> list[Outcome]:
    if len(words) > 1:
        evaluator.note(f"{words[1].text} is not read: what it sets is taken from outside", words[1].span)
    return [Outcome(state, True)]


def _let(evaluator: Evaluator, node: Node, words: list[Word], state: State) -> list[Outcome]:
    status: bool | None = True
    for word in words[1:]:
        number = evaluator.arithmetic(word.text, state)
        status = None if number is None else number != 0
    return [Outcome(state, status)]


def _echo(evaluator: Evaluator, node: Node, words: list[Word], state: State) -> list[Outcome]:
    if evaluator.output is None:
        return [Outcome(state)]
    arguments, options = words[1:], ""
    while arguments and re.fullmatch(r"-[neE]+", arguments[0].text):
        options += arguments.pop(0).text
    if any(word.splits for word in arguments) or ("e" in options and any("\\" in w.text for w in arguments)):
        evaluator.output.known = False
    pieces: Pieces = ()
    for number, word in enumerate(arguments):
        pieces += ((literal_piece(" ", word.span),) if number else ()) + pieces_of(word)
    if "n" not in options:
        pieces += (literal_piece("\n", evaluator.place_of(node)),)
    evaluator.output.chunks.append(pieces)
    return [Outcome(state)]


def _printf(evaluator: Evaluator, node: Node, words: list[Word], state: State) -> list[Outcome]:
    into = words[2].text if len(words) > 3 and words[1].text == "-v" else None
    if into is None and evaluator.output is None:
        return [Outcome(state)]
    rest = words[3:] if into is not None else words[1:]
    pieces = _printed(rest)
    if into is not None and pieces is None:
        state.make_unknown(into, words[2].span)
    elif into is not None and pieces is not None:
        state.set(into, pieces)
    elif pieces is None and evaluator.output is not None:
        evaluator.output.known = False
    elif pieces is not None and evaluator.output is not None:
        evaluator.output.chunks.append(pieces)
    return [Outcome(state)]


def _printed(words: list[Word]) -> Pieces | None:
    if not words or any(word.splits for word in words):
        return None
    if len(words) == 2 and words[0].text in ("%s", "%s\\n"):
        end = (literal_piece("\n", words[0].span),) if words[0].text.endswith("n") else ()
        return pieces_of(words[1]) + end
    if any(word.symbolic for word in words):
        return None
    text = formatted([word.text for word in words])
    return None if text is None else (literal_piece(text, words[0].span),)


def _nothing(evaluator: Evaluator, node: Node, words: list[Word], state: State) -> list[Outcome]:
    return [Outcome(state)]


BUILTINS: dict[str, Builtin] = {
    **dict.fromkeys(("exit", "return", "break", "continue"), _leave),
    **dict.fromkeys(("true", "false", ":"), _true),
    **dict.fromkeys(("test", "["), _test),
    **dict.fromkeys(("read", "mapfile", "readarray", "getopts"), _read),
    **dict.fromkeys(("source", "."), _source),
    **dict.fromkeys(("trap", "wait", "ulimit", "cd", "shopt", "umask", "pushd", "popd", "sleep", "disown"), _nothing),
    "set": _set,
    "shift": _shift,
    "let": _let,
    "echo": _echo,
    "printf": _printf,
}

"""Redirections: files that here-documents and echoes write, and output that goes elsewhere."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from portkit.frontends.shell.outcomes import Outcome, Output
from portkit.frontends.shell.state import State
from portkit.frontends.shell.values import Pieces, literal_piece, shown, symbolic, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from portkit.frontends.shell.evaluate import Evaluator


def _redirected(evaluator: Evaluator, node: Node, state: State) -> list[Outcome]:
    body = node.child_by_field_name("body")
    _keep_document(evaluator, node, body, state)
    if body is None:
        return [Outcome(state)]
    given = state.input, state.document, state.input_derived
    if give(evaluator, node, state):
        outcomes = _with_output(evaluator, node, body, state)
        for outcome in outcomes:
            outcome.state.input, outcome.state.document, outcome.state.input_derived = given
        return outcomes
    return _with_output(evaluator, node, body, state)


def give(evaluator: Evaluator, node: Node, state: State) -> bool:
    """Let a command read what its redirection gives it: a here-document, a here-string, a process."""
    for child in node.named_children:
        pieces: Pieces | None = None
        if child.type == "heredoc_redirect":
            pieces = _document(evaluator, child, state)
        elif child.type == "herestring_redirect":
            start, end = evaluator.at(child)
            start += len(evaluator.text[start + 3 : end]) - len(evaluator.text[start + 3 : end].lstrip()) + 3
            text = evaluator.expander(state).scalar(start, end)
            pieces = (*text, literal_piece("\n", evaluator.span(start, end)))
        elif child.type == "file_redirect" and evaluator.script.slice(child).lstrip("0").startswith("<"):
            pieces = _process(evaluator, child, state) or ()
        if pieces is not None:
            state.document = pieces
            state.input = text_of(pieces) if pieces else None
            state.input_derived = symbolic(pieces)
            return True
    return False


def _process(evaluator: Evaluator, redirect: Node, state: State) -> Pieces | None:
    source = redirect.child_by_field_name("destination")
    if source is None or source.type != "process_substitution":
        return None
    start, end = evaluator.at(source)
    captured = evaluator.captured(start + 2, end - 1, state)
    return (*captured.pieces, literal_piece("\n", evaluator.span(start, end))) if captured is not None else None


def _document(evaluator: Evaluator, document: Node, state: State) -> Pieces:
    """The text of a here-document, expanded unless its delimiter is quoted."""
    parts = {c.type: c for c in document.named_children}
    content, start = parts.get("heredoc_body"), parts.get("heredoc_start")
    if content is None or start is None:
        return ()
    place = evaluator.place_of(content)
    pieces: Pieces = (literal_piece(evaluator.script.slice(content), place, exact=evaluator.place is None),)
    if not evaluator.script.slice(start).startswith(("'", '"', "\\")):
        pieces = evaluator.expander(state).pieces(*evaluator.at(content), "heredoc")
    if evaluator.text.startswith("<<-", evaluator.script.start(document)):
        pieces = tuple(
            replace(p, text=re.sub(r"^\t+" if first else r"(?<=\n)\t+", "", p.text), exact=False) if p.text else p
            for first, p in zip([True, *[False] * len(pieces)], pieces, strict=False)
        )
    return pieces


def _with_output(evaluator: Evaluator, node: Node, body: Node, state: State) -> list[Outcome]:
    target = _target(evaluator, node)
    if target is None:
        return evaluator.run(body, state)
    outer, evaluator.output = evaluator.output, Output()
    try:
        outcomes = evaluator.run(body, state)
        written = evaluator.output
    finally:
        evaluator.output = outer
    if written.chunks and len(outcomes) == 1:
        _keep_output(evaluator, target, written, outcomes[0].state)
    return outcomes


def _target(evaluator: Evaluator, node: Node) -> Node | None:
    """The redirection that takes standard output away, if there is one."""
    for child in node.named_children:
        if child.type == "file_redirect":
            text = evaluator.script.slice(child).lstrip("1")
            if text.startswith((">", "&>")):
                return child
    return None


def _keep_output(evaluator: Evaluator, redirect: Node, output: Output, state: State) -> None:
    """Keep what known echoes write to a file."""
    destination = redirect.child_by_field_name("destination")
    pieces = tuple(piece for chunk in output.chunks for piece in chunk)
    if destination is None or not output.known:
        return
    path = text_of(evaluator.expander(state).scalar(*evaluator.at(destination)))
    text = text_of(pieces)
    raw = evaluator.script.slice(redirect)
    if path is None or text is None or ">&" in raw:
        return
    state.files[path] = (state.files.get(path, "") if ">>" in raw else "") + text


def _keep_document(evaluator: Evaluator, node: Node, body: Node | None, state: State) -> None:
    """Keep the text of `cat > file <<EOF`."""
    document = next((c for c in node.named_children if c.type == "heredoc_redirect"), None)
    if document is None or body is None:
        return
    command = evaluator.script.slice(body).split()
    if command[:1] not in (["cat"], ["tee"], ["sudo"]):
        return
    redirects = [r for r in [*node.named_children, *document.named_children] if r.type == "file_redirect"]
    path = _document_path(evaluator, body, redirects, state)
    pieces = _document(evaluator, document, state)
    text = "".join(shown(piece) for piece in pieces)
    if path is not None and text_of(pieces) is None:
        evaluator.note(
            f"{path}: what comes from outside stands in it as the script wrote it", evaluator.place_of(document)
        )
    if path is not None:
        appends = any(evaluator.script.slice(r).startswith(">>") for r in redirects)
        state.files[path] = (state.files.get(path, "") if appends else "") + text


def _document_path(evaluator: Evaluator, body: Node, redirects: list[Node], state: State) -> str | None:
    for redirect in redirects:
        destination = redirect.child_by_field_name("destination")
        if destination is not None and evaluator.script.slice(redirect).lstrip("1").startswith(">"):
            path = text_of(evaluator.expander(state).scalar(*evaluator.at(destination)))
            if path is not None and path != "/dev/null":
                return path
    words = [c for c in body.named_children if c.type != "command_name"]
    for word in words if "tee" in evaluator.script.slice(body).split()[:2] else []:
        path = text_of(evaluator.expander(state).scalar(*evaluator.at(word)))
        if path is not None and path != "tee" and not path.startswith("-"):
            return path
    return None


def _pipeline(evaluator: Evaluator, node: Node, state: State) -> list[Outcome]:
    """Each command in a world of its own; what one prints is the next one's input."""
    outer, status, undecided = evaluator.output, None, None
    children = node.named_children
    given, derived = None, False
    try:
        for number, child in enumerate(children):
            last = number == len(children) - 1
            inner = state.copy()
            inner.input, inner.input_derived = given, derived
            evaluator.output = outer if last else Output()
            outcomes = evaluator.run(child, inner)
            single = outcomes[0] if len(outcomes) == 1 and outcomes[0].flow == "on" else None
            status, undecided = (single.status, single.undecided) if single else (None, None)
            if not last and evaluator.output is not None:
                given, derived = _printed(evaluator.output), derived or _derived(evaluator.output)
    finally:
        evaluator.output = outer
    return [Outcome(state, status, undecided=undecided)]


def _derived(output: Output) -> bool:
    return output.derived or any(symbolic(chunk) for chunk in output.chunks)


def _printed(output: Output) -> str | None:
    if not output.known:
        return None
    return text_of(tuple(piece for chunk in output.chunks for piece in chunk))


HANDLERS = {"redirected_statement": _redirected, "pipeline": _pipeline}

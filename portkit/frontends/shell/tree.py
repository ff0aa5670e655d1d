"""The syntax tree of a script: tree-sitter's nodes with character offsets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from portkit.errors import PortkitError
from portkit.frontends.shell import scan
from portkit.source import SourceText, Span

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

DEPTH = 200
_REPAIRS = 5
_ASSIGNMENTS = re.compile(r"^[ \t]*\w+=.*[ \t]\w+\+?=", re.MULTILINE)
_BARE_NEWLINE = re.compile(rb"(?<!\\)\n")
_CLOSERS = {"fi": "if", "done": "loop", "esac": "case", "}": "brace", ")": "parenthesis"}


class Script:
    """A parsed text. Offsets count characters; line ends are plain newlines of the same length."""

    def __init__(self, text: str) -> None:
        import tree_sitter
        import tree_sitter_bash

        self.text = text.replace("\\\r\n", " \\\n").replace("\r\n", " \n").replace("\r", "\n")
        data = self.text.encode("utf-8", "surrogatepass")
        self._offsets = None if len(data) == len(self.text) else _byte_offsets(self.text)
        parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))
        self.tree: Tree = parser.parse(data)
        if _ASSIGNMENTS.search(self.text):
            for _ in range(_REPAIRS):
                repaired = _with_lines_ended(data, self.tree.root_node)
                if repaired == data:
                    break
                data = repaired
                self.tree = parser.parse(data)

    def start(self, node: Node) -> int:
        """Where a node begins, in characters."""
        return node.start_byte if self._offsets is None else self._offsets[node.start_byte]

    def end(self, node: Node) -> int:
        """Where a node ends, in characters."""
        return node.end_byte if self._offsets is None else self._offsets[node.end_byte]

    def slice(self, node: Node) -> str:
        """A node's text."""
        return self.text[self.start(node) : self.end(node)]


def _with_lines_ended(data: bytes, root: Node) -> bytes:
    """The text with `;` for the newline after `A=1 B=2`, which the grammar takes for a blank before a command."""
    changed = bytearray(data)
    stack = [root]
    while stack:
        node = stack.pop()
        stack.extend(node.named_children)
        if node.type != "command" or node.child_count < 2:
            continue
        last: Node | None = None
        for child in node.children:
            if last is not None:
                gap = data[last.end_byte : child.start_byte]
                newline = _BARE_NEWLINE.search(gap)
                if newline is not None:
                    at = last.end_byte + newline.start()
                    changed[last.end_byte : at + 1] = b" " * (at - last.end_byte) + b";"
            last = child if child.type == "variable_assignment" else last if child.type == "comment" else None
    return bytes(changed)


def _byte_offsets(text: str) -> list[int]:
    offsets: list[int] = []
    for index, char in enumerate(text):
        offsets.extend([index] * len(char.encode("utf-8", "surrogatepass")))
    offsets.append(len(text))
    return offsets


def check_syntax(script: Script, source: SourceText) -> None:
    """Raise PortkitError for an unclosed quote or a block that nothing ends."""
    if not script.tree.root_node.has_error:
        return
    try:
        quote = scan.unclosed_quote(script.text)
    except (scan.TooDeep, RecursionError):
        raise too_deep(source, 0) from None
    if quote is not None:
        raise PortkitError(
            "unclosed quote", source=source, span=Span(quote, quote + 1), hint="close it, or escape it with a backslash"
        )
    missing = _missing(script.tree.root_node)
    if missing is not None and missing.type in _CLOSERS and not _closed(script, missing):
        opener = missing.parent or missing
        at = script.start(opener)
        raise PortkitError(
            f"{_CLOSERS[missing.type]} without its {missing.type}",
            source=source,
            span=Span(at, min(at + 2, script.end(opener))),
            hint=f"end it with {missing.type}",
        )


def _closed(script: Script, missing: Node) -> bool:
    """Whether an expansion is closed after all, where the grammar couldn't tell."""
    start, limit = script.start(missing.parent or missing), len(script.text)
    if not script.text.startswith("$", start):
        return False
    return scan.end_of_expansion(script.text, start, limit) <= limit and script.text.find("}", start, limit) >= 0


def _missing(root: Node) -> Node | None:
    stack = [root]
    while stack:
        node = stack.pop()
        if node.is_missing:
            return node
        if node.has_error:
            stack.extend(reversed(node.children))
    return None


def too_deep(source: SourceText, at: int) -> PortkitError:
    """The refusal of nesting that nobody writes."""
    return PortkitError(
        "nested too deep to read", source=source, span=Span(at, at + 1), hint="give the launch script alone"
    )

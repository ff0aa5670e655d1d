"""Bash's lexical rules: where a quote, an expansion or a word ends. Offsets are characters."""

from __future__ import annotations

import re

_BLANKS = " \t\n"
_BEFORE_WORD = " \t\n;(&|"
_CASE = re.compile(r"case\s+\S+\s+in\b|esac\b")
_DEPTH = 60
_NAME = re.compile(r"\w*", re.ASCII)
_SPACES = re.compile(r"(?:[ \t]|\\\n)*")
_REDIRECT = re.compile(r"(?:\d+|\{\w+\})?(?:<<<|<<-?|&>>|&>|>>|>\||>&|<&|<>|[<>](?!\())")
_DEFAULT = re.compile(r"!?(?:\w+|[@*#?$!-])(?:\[[^\]]*\])?:?[-=?+]")


class TooDeep(Exception):
    """Nesting beyond what anybody writes."""


def end_of_single(text: str, start: int, limit: int) -> int:
    """The offset after the quote that closes the one at `start`; `limit` where none does."""
    end = text.find("'", start + 1, limit)
    return limit if end < 0 else end + 1


def end_of_ansi(text: str, start: int, limit: int) -> int:
    """The offset after a `$'...'` that begins at `start`."""
    at = start + 2
    while at < limit and text[at] != "'":
        at += 2 if text[at] == "\\" else 1
    return min(at + 1, limit)


def end_of_double(text: str, start: int, limit: int, depth: int = 0) -> int:
    """The offset after the double quote that closes the one at `start`."""
    at = start + 1
    while at < limit and text[at] != '"':
        if text[at] == "\\":
            at += 2
        elif text[at] in "$`":
            at = end_of_expansion(text, at, limit, depth + 1, quoted=True)
        else:
            at += 1
    return min(at + 1, limit)


def end_of_expansion(text: str, start: int, limit: int, depth: int = 0, *, quoted: bool = False) -> int:
    """The offset after the expansion that begins at `start` with `$` or a backtick; `quoted`: inside double quotes."""
    if depth > _DEPTH:
        raise TooDeep
    if text[start] == "`":
        at = start + 1
        while at < limit and text[at] != "`":
            at += 2 if text[at] == "\\" else 1
        return min(at + 1, limit)
    following = text[start + 1] if start + 1 < limit else ""
    if following == "{":
        return _end_of_brace(text, start + 2, limit, depth, quoted)
    if following == "(":
        return end_of_parens(text, start + 1, limit, depth)
    if following and (following in "0123456789@*#?$!-"):
        return start + 2
    return _NAME.match(text, start + 1, limit).end()  # type: ignore[union-attr]


def _end_of_brace(text: str, at: int, limit: int, depth: int, quoted: bool) -> int:
    """The end of `${...}`. Inside double quotes the operand of a default takes a single quote as it is."""
    plain_quote = quoted and _DEFAULT.match(text, at, limit) is not None
    if text[at : at + 1] in ("#", "$", "!", "?", "*", "@", "-"):
        at += 1
    while at < limit and text[at] != "}":
        at = at + 1 if text[at] == "'" and plain_quote else skip(text, at, limit, depth, quoted=plain_quote)
    return min(at + 1, limit)


def end_of_parens(text: str, start: int, limit: int, depth: int = 0) -> int:
    """The offset after the parenthesis that closes the one at `start`; comments inside don't count."""
    open_parens, at = 0, start
    cases: list[int] = []  # how deep each `case` stands, whose patterns end with a parenthesis of their own
    while at < limit:
        char = text[at]
        if char == "(":
            open_parens += 1
            at += 1
        elif char == ")":
            at += 1
            if cases and cases[-1] == open_parens:
                continue
            open_parens -= 1
            if open_parens == 0:
                return at
        elif char == "#" and text[at - 1] in _BLANKS:
            end = text.find("\n", at, limit)
            at = limit if end < 0 else end
        elif char in "ce" and text[at - 1] in _BEFORE_WORD and (word := _CASE.match(text, at, limit)):
            if word[0] != "esac":
                cases.append(open_parens)
            elif cases:
                cases.pop()
            at = word.end()
        else:
            at = skip(text, at, limit, depth)
    return limit


def skip(text: str, at: int, limit: int, depth: int = 0, *, quoted: bool = False) -> int:
    """The offset after one lexical unit: an escape, a quote, an expansion, or a character."""
    char = text[at]
    if char == "\\":
        return min(at + 2, limit)
    if char == "'":
        return end_of_single(text, at, limit)
    if char == '"':
        return end_of_double(text, at, limit, depth + 1)
    if char == "$" and not quoted and text.startswith("'", at + 1, limit):
        return end_of_ansi(text, at, limit)
    if char in "$`":
        return end_of_expansion(text, at, limit, depth + 1, quoted=quoted)
    return at + 1


def words_between(text: str, start: int, limit: int, *, comments: bool = False) -> list[tuple[int, int]]:
    """The raw words of a region, split at unquoted blanks; with `comments`, those are passed over."""
    words, at = [], start
    while at < limit:
        if comments and text[at] == "#":
            end = text.find("\n", at, limit)
            at = limit if end < 0 else end
            continue
        if text[at] in _BLANKS or (text[at] == "\\" and text[at + 1 : at + 2] == "\n"):
            at += 2 if text[at] == "\\" else 1
            continue
        begin = at
        while at < limit and text[at] not in _BLANKS:
            if text[at] == "\\" and text[at + 1 : at + 2] == "\n":
                break
            at = skip(text, at, limit)
        words.append((begin, min(at, limit)))
    return words


def command_words(text: str, start: int, limit: int) -> list[tuple[int, int]]:
    """The raw words of the simple command that begins at `start`, wherever redirections stand among them."""
    words, at = [], start
    while at < limit:
        if text.startswith("\\\n", at):
            at += 2
        elif text[at] in " \t":
            at += 1
        elif (redirect := _REDIRECT.match(text, at, limit)) is not None:
            at = end_of_word(text, _SPACES.match(text, redirect.end(), limit).end(), limit)  # type: ignore[union-attr]
        elif text[at] in "\n;&|()#":
            break
        else:
            begin, at = at, end_of_word(text, at, limit)
            words.append((begin, at))
    return words


def end_of_word(text: str, start: int, limit: int) -> int:
    """The offset after the word that begins at `start`, an array's parentheses included."""
    at = start
    while at < limit and text[at] not in " \t\n;&|)":
        if text[at] == "(" and (at == start or text[at - 1] not in "=@+*?!"):
            break
        if text[at] in "<>":
            if at > start or not text.startswith("(", at + 1):
                break
            at += 1
        at = end_of_parens(text, at, limit) if text[at] == "(" else skip(text, at, limit)
    while text.endswith("\\\n", start, at) and not text.endswith("\\\\\n", start, at):
        at -= 2
    return at


def unclosed_quote(text: str) -> int | None:
    """The offset of a quote that nothing closes, or None. Comments and here-documents are passed over."""
    at, limit = 0, len(text)
    pending: list[str] = []
    while at < limit:
        char = text[at]
        if char == "#" and (at == 0 or text[at - 1] in " \t\n;&|("):
            end = text.find("\n", at)
            at = limit if end < 0 else end
        elif char == "\n" and pending:
            at = _after_documents(text, at + 1, pending)
            pending = []
        elif text.startswith("<<", at) and not text.startswith("<<<", at):
            at, delimiter = _document_delimiter(text, at + 2)
            pending.append(delimiter)
        elif text.startswith("<<<", at):
            at += 3
        elif char in "'\"" or text.startswith("$'", at):
            end = skip(text, at, limit)
            closed = text[end - 1] == ("'" if char != '"' else '"') and end - 1 > at
            if end >= limit and not closed:
                return at
            at = end
        else:
            at = skip(text, at, limit)
    return None


def _document_delimiter(text: str, at: int) -> tuple[int, str]:
    if text[at : at + 1] == "-":
        at += 1
    while text[at : at + 1] in (" ", "\t"):
        at += 1
    begin = at
    while at < len(text) and text[at] not in " \t\n;&|<>()":
        at = skip(text, at, len(text))
    return max(at, begin + 1), text[begin:at].replace("'", "").replace('"', "").replace("\\", "")


def _after_documents(text: str, at: int, delimiters: list[str]) -> int:
    for delimiter in delimiters:
        while at < len(text):
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            line = text[at:end]
            at = end + 1
            if line.strip("\t") == delimiter:
                break
    return min(at, len(text))

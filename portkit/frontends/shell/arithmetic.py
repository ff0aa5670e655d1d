"""`$(( ))` on known numbers: bash's operators over Python's integers, bounded."""

from __future__ import annotations

import re
from collections.abc import Callable

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+#[\w@]+|0[xX][0-9a-fA-F]+|\d+)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<op>\*\*|<<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\||\+\+|--|[-+*/%&|^]=|[-+*/%<>=!~&|^?:(),]))"
)
_LEVELS: tuple[tuple[str, ...], ...] = (
    ("||",),
    ("&&",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!="),
    ("<", ">", "<=", ">="),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
)
_WORD = 1 << 63


class NotKnown(Exception):
    """The expression has a part that isn't known, or isn't arithmetic."""


class Calculator:
    """Evaluates one expression; `get` gives a variable's number, `put` takes assignments.

    Raises NotKnown for what can't be computed.
    """

    def __init__(self, text: str, get: Callable[[str], int], put: Callable[[str, int], None]) -> None:
        self.tokens = _tokens(text)
        self.at = 0
        self.get = get
        self.put = put
        self.depth = 0
        self.idle = 0  # inside what `&&`, `||` or `?:` passes over

    def run(self) -> int:
        """The value of the whole expression."""
        if not self.tokens:
            return 0
        value = self._comma()
        if self.at != len(self.tokens):
            raise NotKnown
        return value

    def _peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def _take(self) -> str:
        token = self._peek()
        self.at += 1
        return token

    def _comma(self) -> int:
        value = self._assignment()
        while self._peek() == ",":
            self._take()
            value = self._assignment()
        return value

    def _assignment(self) -> int:
        self.depth += 1
        if self.depth > 60:
            raise NotKnown
        name, operator = self._peek(), self.tokens[self.at + 1] if self.at + 1 < len(self.tokens) else ""
        if name.isidentifier() and operator in ("=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="):
            self.at += 2
            value = self._assignment()
            if operator != "=":
                value = self._applied(operator[:-1], self._read(name), value)
            self._write(name, value)
        else:
            value = self._ternary()
        self.depth -= 1
        return value

    def _ternary(self) -> int:
        condition = self._binary(0)
        if self._peek() != "?":
            return condition
        self._take()
        first = self._passing_over(not condition, self._assignment)
        if self._take() != ":":
            raise NotKnown
        second = self._passing_over(bool(condition), self._assignment)
        return first if condition else second

    def _passing_over(self, idle: bool, parse: Callable[[], int]) -> int:
        """A part that is read but, where idle, has no effect."""
        self.idle += idle
        value = parse()
        self.idle -= idle
        return value

    def _read(self, name: str) -> int:
        return 0 if self.idle else self.get(name)

    def _write(self, name: str, value: int) -> None:
        if not self.idle:
            self.put(name, value)

    def _applied(self, operator: str, a: int, b: int) -> int:
        return 0 if self.idle else _apply(operator, a, b)

    def _binary(self, level: int) -> int:
        if level == len(_LEVELS):
            return self._power()
        value = self._binary(level + 1)
        while self._peek() in _LEVELS[level]:
            operator = self._take()
            decided = operator in ("&&", "||") and bool(value) == (operator == "||")
            other = self._passing_over(decided, lambda: self._binary(level + 1))
            value = self._applied(operator, value, other)
        return value

    def _power(self) -> int:
        base = self._unary()
        if self._peek() == "**":
            self._take()
            exponent = self._power()
            if exponent < 0 or exponent > 63:
                if self.idle:
                    return 0
                raise NotKnown
            return _wrapped(base**exponent)
        return base

    def _unary(self) -> int:
        token = self._take()
        if token in ("-", "+", "!", "~"):
            self.depth += 1
            if self.depth > 60:
                raise NotKnown
            value = self._unary()
            self.depth -= 1
            return {"-": -value, "+": value, "!": int(not value), "~": ~value}[token]
        if token in ("++", "--"):
            name = self._take()
            value = self._read(name) + (1 if token == "++" else -1)
            self._write(name, value)
            return value
        if token == "(":
            value = self._comma()
            if self._take() != ")":
                raise NotKnown
            return value
        return self._operand(token)

    def _operand(self, token: str) -> int:
        if token[:1].isdigit():
            if "#" in token:
                return _in_base(*token.split("#", 1))
            if token[:2].lower() == "0x":
                return _wrapped(int(token[:20], 16))
            if len(token) > 20 or (token[0] == "0" and not set(token) <= set("01234567")):
                raise NotKnown
            return _wrapped(int(token, 8 if token[0] == "0" else 10))
        if not token.isidentifier():
            raise NotKnown
        value = self._read(token)
        if self._peek() in ("++", "--"):
            self._write(token, value + (1 if self._take() == "++" else -1))
        return value


def _tokens(text: str) -> list[str]:
    tokens: list[str] = []
    at = 0
    text = text.strip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None or len(tokens) > 500:
            raise NotKnown
        tokens.append(match["number"] or match["name"] or match["op"])
        at = match.end()
        while at < len(text) and text[at].isspace():
            at += 1
    return tokens


def _in_base(base: str, digits: str) -> int:
    if not (base.isdigit() and len(base) <= 2 and 2 <= int(base) <= 36 and len(digits) < 65 and digits.isalnum()):
        raise NotKnown
    try:
        return _wrapped(int(digits, int(base)))
    except ValueError:
        raise NotKnown from None


def _apply(operator: str, a: int, b: int) -> int:
    if operator in ("/", "%"):
        if b == 0:
            raise NotKnown
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return quotient if operator == "/" else a - quotient * b
    if operator in ("<<", ">>"):
        if not 0 <= b < 64:
            raise NotKnown
        return _wrapped(a << b if operator == "<<" else a >> b)
    return _wrapped(
        {
            "+": a + b,
            "-": a - b,
            "*": a * b,
            "&": a & b,
            "|": a | b,
            "^": a ^ b,
            "&&": int(bool(a and b)),
            "||": int(bool(a or b)),
            "==": int(a == b),
            "!=": int(a != b),
            "<": int(a < b),
            ">": int(a > b),
            "<=": int(a <= b),
            ">=": int(a >= b),
        }[operator]
    )


def _wrapped(value: int) -> int:
    """Bash counts in 64 bits."""
    return (value + _WORD) % (1 << 64) - _WORD

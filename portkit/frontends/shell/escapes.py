"""The escapes of `$'...'`."""

from __future__ import annotations

import re

_ESCAPE = re.compile(
    r"\\(?:x(?P<hex>[0-9a-fA-F]{1,2})|u(?P<short>[0-9a-fA-F]{1,4})|U(?P<long>[0-9a-fA-F]{1,8})"
    r"|(?P<octal>[0-7]{1,3})|c(?P<control>.)|(?P<plain>.))",
    re.DOTALL,
)
_PLAIN = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip


def ansi(text: str) -> str:
    """What stands between the quotes of `$'...'`, decoded; bytes above 127 are read as UTF-8."""
    decoded = _ESCAPE.sub(_decoded, text)
    return decoded.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _decoded(match: re.Match[str]) -> str:
    if match["plain"] is not None:
        return _PLAIN.get(match["plain"], match[0])
    if match["control"] is not None:
        return chr(ord(match["control"].upper()) & 0x1F)
    code = match["short"] or match["long"]
    if code is not None:
        number = int(code, 16)
        return chr(number) if number < 0xD800 or 0xDFFF < number < 0x110000 else "\ufffd"
    byte = int(match["hex"], 16) if match["hex"] is not None else int(match["octal"], 8) & 0xFF
    return bytes([byte]).decode("ascii", "surrogateescape")

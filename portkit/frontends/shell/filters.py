"""Text commands whose output follows from their words and input alone: `seq`, `basename`, `tr`, `printf`."""

from __future__ import annotations

import re

from portkit.frontends.shell.commands import base_name
from portkit.launch import Word

_LONGEST = 1000
_CLASSES = {"[:upper:]": "A-Z", "[:lower:]": "a-z", "[:digit:]": "0-9"}
_DIRECTIVE = re.compile(r"%(?P<flags>[0-]?)(?P<width>\d{0,3})(?P<kind>[sd%])")
_ESCAPES = {"\\n": "\n", "\\t": "\t", "\\\\": "\\"}


def filtered(words: list[Word], given: str | None) -> str | None:
    """What a command prints, given its standard input; None where that can't be told."""
    if not all(word.known for word in words):
        return None
    texts = [word.text for word in words[1:]]
    name = base_name(words[0])
    if name == "seq":
        return _seq(texts)
    if name == "basename" and 1 <= len(texts) <= 2 and not texts[0].startswith("-"):
        return _basename(*texts) + "\n"
    if name == "dirname" and len(texts) == 1 and not texts[0].startswith("-"):
        return _dirname(texts[0]) + "\n"
    if name == "tr" and given is not None:
        return _tr(texts, given)
    if name == "cat" and not texts:
        return given
    return None


def _seq(texts: list[str]) -> str | None:
    separator = "\n"
    if texts[:1] == ["-s"] and len(texts) > 1:
        separator, texts = texts[1], texts[2:]
    if not 1 <= len(texts) <= 3 or not all(re.fullmatch(r"-?\d{1,9}", text) for text in texts):
        return None
    numbers = [int(text) for text in texts]
    first = numbers[0] if len(numbers) > 1 else 1
    step = numbers[1] if len(numbers) > 2 else 1
    if step == 0:
        return None
    counted = range(first, numbers[-1] + (1 if step > 0 else -1), step)
    if len(counted) > _LONGEST:
        return None
    return separator.join(str(number) for number in counted) + ("\n" if counted else "")


def _basename(path: str, suffix: str = "") -> str:
    if not path.strip("/"):
        return path[:1]
    name = path.rstrip("/").rsplit("/", 1)[-1]
    return name[: -len(suffix)] if suffix and name.endswith(suffix) and name != suffix else name


def _dirname(path: str) -> str:
    trimmed = path.rstrip("/")
    if not trimmed:
        return "/" if path else "."
    if "/" not in trimmed:
        return "."
    return trimmed.rsplit("/", 1)[0].rstrip("/") or "/"


def _tr(texts: list[str], given: str) -> str | None:
    deletes = texts[:1] == ["-d"]
    sets = [_set_of(text) for text in (texts[1:] if deletes else texts)]
    if len(sets) != (1 if deletes else 2) or any(characters is None for characters in sets):
        return None
    source = sets[0] or ""
    if deletes:
        return given.translate(dict.fromkeys(map(ord, source)))
    target = sets[1] or ""
    if not target:
        return None
    padded = target + target[-1] * (len(source) - len(target))
    table: dict[int, str] = {}
    for old, new in zip(source, padded, strict=False):
        table[ord(old)] = new
    return given.translate(table)


def _set_of(text: str) -> str | None:
    """The characters of a `tr` set; None for what isn't plain."""
    text = _ESCAPES.get(text, _CLASSES.get(text, text))
    if text.startswith("-") or "\\" in text or "[" in text:
        return None
    return re.sub(r"(\w)-(\w)", lambda m: "".join(chr(c) for c in range(ord(m[1]), ord(m[2]) + 1)), text)


def formatted(texts: list[str]) -> str | None:
    """`printf` of known words, once through its format; None where that isn't all."""
    form, *arguments = texts
    plain = _DIRECTIVE.sub("", form)
    if "%" in plain or len(arguments) != sum(m["kind"] != "%" for m in _DIRECTIVE.finditer(form)):
        return None
    values = iter(arguments)
    out, at = [], 0
    for match in _DIRECTIVE.finditer(form):
        out.append(_unescaped(form[at : match.start()]))
        at = match.end()
        if match["kind"] == "%":
            out.append("%")
            continue
        value = next(values)
        if match["kind"] == "d" and not re.fullmatch(r"-?(?:[1-9]\d{0,17}|0)", value):
            return None
        width = int(match["width"] or 0)
        if match["flags"] == "-":
            out.append(value.ljust(width))
        else:
            out.append(value.zfill(width) if match["flags"] and match["kind"] == "d" else value.rjust(width))
    out.append(_unescaped(form[at:]))
    return "".join(out)


def _unescaped(text: str) -> str:
    return re.sub(r"\\[nt\\]", lambda match: _ESCAPES[match[0]], text)

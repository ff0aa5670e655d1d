"""Text commands whose output follows from their words and input alone: `seq`, `basename`, `tr`, `printf`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from portkit.frontends.shell.commands import base_name
from portkit.launch import Word

_LONGEST = 1000
_CLASSES = {"[:upper:]": "A-Z", "[:lower:]": "a-z", "[:digit:]": "0-9"}
_DIRECTIVE = re.compile(r"%(?P<flags>[0-]?)(?P<width>\d{0,3})(?P<kind>[sd%])")
_ESCAPES = {"\\n": "\n", "\\t": "\t", "\\\\": "\\"}


def filtered(words: list[Word], given: str | None, files: Mapping[str, str]) -> str | None:
    """What a command prints, given its standard input and the files the script wrote; None where that can't be told."""
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
    if name == "cat" and len(texts) <= 1:
        return given if not texts else files.get(texts[0])
    cut = _CUTTERS.get(name)
    return cut(texts, given) if cut is not None and given is not None else None


def _wc(texts: list[str], given: str) -> str | None:
    counts = {"-l": given.count("\n"), "-w": len(given.split()), "-c": len(given.encode())}
    return f"{counts[texts[0]]}\n" if len(texts) == 1 and texts[0] in counts else None


def _cut(texts: list[str], given: str) -> str | None:
    """`cut -d, -f2`, one field."""
    options = re.fullmatch(r"-d ?(.) -f ?(\d{1,4})", " ".join(texts))
    if options is None:
        return None
    number = int(options[2]) - 1
    lines = (line.split(options[1]) for line in given.splitlines())
    return "".join(("".join(f[number : number + 1]) if len(f) > 1 else f[0]) + "\n" for f in lines)


def _head(texts: list[str], given: str) -> str | None:
    count = _line_count(texts)
    return None if count is None else "".join(given.splitlines(keepends=True)[:count])


def _tail(texts: list[str], given: str) -> str | None:
    count = _line_count(texts)
    return None if count is None else "".join(given.splitlines(keepends=True)[-count:]) if count else ""


def _line_count(texts: list[str]) -> int | None:
    option = re.fullmatch(r"(?:-n ?|-)(\d{1,6})", " ".join(texts))
    return int(option[1]) if option else 10 if not texts else None


def _awk(texts: list[str], given: str) -> str | None:
    """`awk -F, '{print NF}'` and `'{print $2}'`."""
    options = re.fullmatch(r"(?:-F ?(.) )?\{ ?print (?:(NF)|\$(\d{1,3})) ?;? ?\}", " ".join(texts))
    if options is None:
        return None
    out = []
    for line in given.splitlines():
        fields = line.split(options[1]) if options[1] and line else line.split()
        number = int(options[3] or 0)
        out.append(str(len(fields)) if options[2] else line if number == 0 else "".join(fields[number - 1 : number]))
    return "".join(f"{line}\n" for line in out)


def _sed(texts: list[str], given: str) -> str | None:
    """`sed s/text/text/g` without patterns."""
    script = re.fullmatch(r"s([/|,#:@])([\w ,:=@-]+)\1([\w ,:=@./-]*)\1(g?)", texts[0]) if len(texts) == 1 else None
    if script is None:
        return None
    count = -1 if script[4] else 1
    return "".join(line.replace(script[2], script[3], count) for line in given.splitlines(keepends=True))


_CUTTERS = {"wc": _wc, "cut": _cut, "head": _head, "tail": _tail, "awk": _awk, "sed": _sed}


def _seq(texts: list[str]) -> str | None:
    separator = "\n"
    if texts[:1] == ["-s"] and len(texts) > 1:
        separator, texts = texts[1], texts[2:]
    elif texts and re.match(r"-s.", texts[0]):
        separator, texts = texts[0][2:], texts[1:]
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
    """`printf` of known words, through its format as often as they fill it; None where that can't be told."""
    form, *arguments = texts
    taken = sum(m["kind"] != "%" for m in _DIRECTIVE.finditer(form))
    rounds = len(arguments) // taken if taken and arguments else 1
    if "%" in _DIRECTIVE.sub("", form) or len(arguments) != taken * rounds:
        return None
    turns = [_filled(form, arguments[at * taken : (at + 1) * taken]) for at in range(rounds)]
    return None if any(turn is None for turn in turns) else "".join(turn or "" for turn in turns)


def _filled(form: str, arguments: list[str]) -> str | None:
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

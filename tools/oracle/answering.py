"""The loop both oracles share: command lines in, what a parser makes of them out, as JSON lines."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import enum
import io
import json
import os
import sys
from collections.abc import Callable
from typing import Any

Parse = Callable[[list[str]], argparse.Namespace]


def main(description: str | None, prepare: Callable[[str], Parse]) -> int:
    """Answer every line of standard input; only answers reach standard output.

    A question is `{"argv": [...]}`. An answer is `{"ok": true, "values": {dest: value}}`, or
    `{"ok": false, "error": the last line said, "exit": status}`.
    """
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("release")
    release = parser.parse_args().release
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)  # engines and their libraries print where they like
        parse = prepare(release)
        for line in sys.stdin:
            answers.write(json.dumps(_answer(parse, json.loads(line)["argv"])) + "\n")
            answers.flush()
    return 0


def _answer(parse: Parse, argv: list[str]) -> dict[str, Any]:
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            values = vars(parse(argv))
    except SystemExit as stop:
        return {"ok": False, "error": _last_line(said.getvalue()), "exit": stop.code}
    except Exception as error:  # a traceback ends the engine too
        return {"ok": False, "error": f"{type(error).__name__}: {_last_line(str(error))}", "exit": 1}
    return {"ok": True, "values": {dest: plain(value) for dest, value in values.items() if not dest.startswith("_")}}


def _last_line(text: str) -> str:
    return text.strip().rpartition("\n")[2]


def plain(value: Any) -> Any:
    """A value as JSON: a config object as its fields, an enum as its value or name, what else isn't JSON as text."""
    if isinstance(value, enum.Enum):
        return plain(value.value) if isinstance(value.value, str | int) else value.name
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name, None)) for f in dataclasses.fields(value)}
    return str(value)

"""vLLM's registry of variables: their types and defaults, found by asking it."""

from __future__ import annotations

import contextlib
import io
import os
import re
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from catalogues.environment import Found
from catalogues.eras import ENGINES
from catalogues.records import Record, plain

_RANDOM = re.compile(r"[0-9a-f]{32}\Z")


def variables(registry: ModuleType, found: Found) -> list[Record]:
    """Every variable of `vllm.envs`, and those the sources read past it under vLLM's prefix."""
    rows = {n: row for n, row in found.reads.items() if n.startswith(ENGINES["vllm"].prefixes)}
    clear = getattr(registry.__getattr__, "cache_clear", lambda: None)
    for name, getter in registry.environment_variables.items():
        clear()
        rows[name] = {"name": name, "type": _type(name, getter), "default": _read(name, getter, None)}
    return list(rows.values())


def _type(name: str, getter: Callable[[], Any]) -> str:
    """The variable's type by how it takes a few texts: each variable has a reader of its own."""
    got = {text: _read(name, getter, text) for text in ("1", "2", "1.5", "a,b")}
    if isinstance(got["1"], bool) or isinstance(got["2"], bool):
        return "bool"
    if isinstance(got["2"], int):
        return "int"
    if got["1.5"] == 1.5:
        return "float"
    return "list" if isinstance(got["a,b"], list) else "str"


def _read(name: str, getter: Callable[[], Any], text: str | None) -> Any:
    """What the engine makes of a text, or of its absence; None where it refuses or makes it up."""
    with (
        _set(name, text),
        contextlib.redirect_stderr(io.StringIO()),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        try:
            value = plain(getter())
        except Exception:  # an engine may refuse with any error, and some values are no JSON
            return None
    return None if isinstance(value, str) and _RANDOM.search(value) else value


@contextlib.contextmanager
def _set(name: str, text: str | None) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.pop(name, None)
    if text is not None:
        os.environ[name] = text
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)

"""Environment variables an engine's sources read and set directly, found in the syntax trees."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_READERS = {
    "getenv": "str",
    "get_env_var": "str",
    "get_str_env_var": "str",
    "get_bool_env_var": "bool",
    "get_bool_env": "bool",
    "_get_bool_env": "bool",
    "get_int_env_var": "int",
    "get_float_env_var": "float",
}
_NAME = re.compile(r"[A-Z][A-Z0-9_]+\Z")
_TRUE, _FALSE = ("true", "1", "yes", "y", "on"), ("false", "0", "no", "n", "off", "")


@dataclass
class Found:
    """What a scan found.

    `reads`: by variable, a record with name, type and default. `writes`: the value (None where it
    is computed), whether it gives way to one from outside, and the place in the package.
    """

    reads: dict[str, dict[str, Any]] = field(default_factory=dict)
    writes: list[dict[str, Any]] = field(default_factory=list)


def scan(package: Path, parts: Iterable[str]) -> Found:
    """Read the Python files under `parts` of a package, tests, benchmarks and vendored code left out."""
    found = Found()
    for path in _files(package, parts):
        text = path.read_text(encoding="utf-8")
        if "environ" in text or "env" in text:
            _Scanner(ast.parse(text), path.relative_to(package).as_posix(), found).run()
    return found


def _files(package: Path, parts: Iterable[str]) -> Iterator[Path]:
    skipped = {"tests", "test", "unit_test.py", "benchmarks", "third_party"}
    for part in parts:
        place = package / part
        for path in [place] if place.is_file() else sorted(place.rglob("*.py")):
            if not skipped.intersection(path.relative_to(package).parts):
                yield path


class _Scanner:
    def __init__(self, tree: ast.Module, place: str, found: Found) -> None:
        self.tree = tree
        self.place = place
        self.found = found
        self.constants: dict[str, str] = {}

    def run(self) -> None:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and _text(node.value):
                self.constants.setdefault(node.targets[0].id, _text(node.value))
        for node in ast.walk(self.tree):
            match node:
                case ast.Call(func=ast.Attribute(value=owner, attr=("get" | "pop"))) if _is_environ(owner):
                    self.read(node, "str")
                case ast.Call(func=ast.Attribute(value=owner, attr="setdefault")) if _is_environ(owner):
                    if len(node.args) > 1:
                        self.write(node.args[0], node.args[1], "unless set")
                case ast.Call(func=(ast.Attribute(attr=name) | ast.Name(id=name))) if name in _READERS:
                    self.read(node, _READERS[name])
                case ast.Subscript(value=owner, slice=key, ctx=ast.Load()) if _is_environ(owner):
                    self.note(key, "str", None)
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        if isinstance(target, ast.Subscript) and _is_environ(target.value):
                            self.write(target.slice, value, "always")
                case ast.Compare(left=key, ops=[ast.In() | ast.NotIn()], comparators=[owner]) if _is_environ(owner):
                    self.note(key, "presence", None)

    def read(self, call: ast.Call, kind: str) -> None:
        if call.args:
            keywords = [k.value for k in call.keywords if k.arg in ("default", "key_default")]
            self.note(call.args[0], kind, next(iter([*call.args[1:2], *keywords]), None))

    def note(self, key: ast.expr, kind: str, default: ast.expr | None) -> None:
        """Keep the first read that tells a type; a mere test for presence tells none."""
        name = self.name(key)
        known = self.found.reads.get(name)
        if name and (known is None or known["type"] == "presence"):
            self.found.reads[name] = {"name": name, "type": kind, "default": _default(default, kind)}

    def write(self, key: ast.expr, value: ast.expr, how: str) -> None:
        name = self.name(key)
        if name:
            text = value.value if isinstance(value, ast.Constant) else None
            place = f"{self.place}:{key.lineno}"
            self.found.writes.append({"name": name, "value": text, "when": how, "at": place})

    def name(self, key: ast.expr) -> str:
        text = self.constants.get(key.id, "") if isinstance(key, ast.Name) else _text(key)
        return text if _NAME.match(text) else ""


def _is_environ(node: ast.expr) -> bool:
    return ast.unparse(node) in ("os.environ", "environ")


def _text(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _default(node: ast.expr | None, kind: str) -> Any:
    """The default as the variable's type would read it; None where it is computed."""
    try:
        value = ast.literal_eval(node) if node is not None else None
        if isinstance(value, str) and kind in ("int", "float"):
            return int(value) if kind == "int" else float(value)
    except ValueError:
        return None
    if isinstance(value, str) and kind == "bool":
        return True if value.lower() in _TRUE else False if value.lower() in _FALSE else None
    return value if isinstance(value, bool | int | float | str) else None

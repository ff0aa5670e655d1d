"""Names that vLLM looks up in a registry at start, which its parser lists as no choices.

They are read from the syntax trees: a registry is a `Literal`, an enum, a table whose keys are the
names, decorators with the name as their argument, or what an attribute is compared with, wherever a
release keeps it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# A flag's dest, or a key of its JSON -> the folder and names of its registry; all that a release has are joined.
REGISTRIES = {
    "tool_call_parser": ("tool_parsers", "_TOOL_PARSERS_TO_REGISTER", "ToolParserManager"),
    "reasoning_parser": ("reasoning", "_REASONING_PARSERS_TO_REGISTER", "ReasoningParserManager"),
    "quantization": ("layers/quantization/__init__.py", "QuantizationMethods"),
    "load_format": ("", "LoadFormats", "LoadFormat"),
    "speculative_config.method": ("config", "SpeculativeMethod", "self.method"),
    "attention_backend": ("", "AttentionBackendEnum", "_Backend"),
}
_FILES = {
    "load_format": ("model_executor/model_loader/__init__.py", "config.py", "config/__init__.py", "config/load.py"),
    "attention_backend": (
        "v1/attention/backends/registry.py",
        "attention/backends/registry.py",
        "platforms/interface.py",
    ),
    "speculative_config.method": ("config/speculative.py", "config/__init__.py", "config.py"),
}


@dataclass
class _Modules:
    """The assignments, classes and decorators of some modules, by name."""

    literals: dict[str, ast.expr]
    trees: list[ast.Module]


def names(package: Path) -> dict[str, list[str]]:
    """The names of every registry that a release's sources have, sorted."""
    found = {}
    for place, (folder, *wanted) in REGISTRIES.items():
        modules = _modules(package, folder, _FILES.get(place, ()))
        known = sorted({name for registry in wanted for name in _names(modules, registry)})
        if known:
            found[place] = known
    return found


def _modules(package: Path, folder: str, files: tuple[str, ...]) -> _Modules:
    if files:
        paths = [package / file for file in files if (package / file).is_file()]
    elif folder.endswith(".py"):
        paths = list(package.glob(f"**/{folder}"))
    else:
        paths = sorted(package.glob(f"**/{folder}/*.py"))
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in paths]
    literals = {}
    for tree in trees:
        for node in tree.body:
            target = node.target if isinstance(node, ast.AnnAssign) else None
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                target = node.targets[0]
            if isinstance(target, ast.Name) and isinstance(node, ast.Assign | ast.AnnAssign) and node.value:
                literals[target.id] = node.value
    return _Modules(literals, trees)


def _names(modules: _Modules, registry: str) -> Iterator[str]:
    if registry in modules.literals:
        yield from _of_expression(modules.literals[registry], modules)
    for tree in modules.trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and node.name == registry:
                yield from _members(node)
            if isinstance(node, ast.Call) and ast.unparse(node.func) == f"{registry}.register_module" and node.args:
                yield from _texts(node.args[0])
            elif isinstance(node, ast.Call) and ast.unparse(node.func) == f"{registry}.register_module":
                yield from (t for k in node.keywords if k.arg == "name" for t in _texts(k.value))
            elif isinstance(node, ast.Compare) and ast.unparse(node.left) == registry:
                yield from (text for other in node.comparators for text in _texts(other))


def _members(enum: ast.ClassDef) -> Iterator[str]:
    """An enum's values where it is one of texts to be written, else its members' names."""
    texts = any(ast.unparse(base) == "str" for base in enum.bases)
    for node in enum.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            yield from _texts(node.value) if texts else [node.targets[0].id]


def _of_expression(value: ast.expr, modules: _Modules) -> Iterator[str]:
    """The texts of a Literal, a union of them, or a table's keys; names stand for other assignments."""
    if isinstance(value, ast.Dict):
        yield from (text for key in value.keys if key is not None for text in _texts(key))
        return
    for node in ast.walk(value):
        yield from _texts(node)
        if isinstance(node, ast.Name) and node.id in modules.literals and node.id not in ("Literal", "Union"):
            yield from _of_expression(modules.literals[node.id], modules)


def _texts(node: ast.expr | ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.List | ast.Tuple):
        for item in node.elts:
            yield from _texts(item)

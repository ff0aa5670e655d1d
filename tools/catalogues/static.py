"""A second reading of a release's flags: from the syntax trees of its sources, nothing is run.

It shares no code with the first reading. It finds what the sources spell out, so names that argparse
derives (`--no-x`, `--disable-x`) are left out of the comparison. Anything else it can't see is listed
in catalogues/eras.py with the reason.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from catalogues.eras import NOT_STATIC, SGLANG_FLAG_SOURCES, VLLM_PARSER_MODULES, VLLM_SERVE_COMMAND
from portkit.catalogue.model import Catalogue


def read_names(engine: str, root: Path) -> set[str]:
    """The option strings that a release's unzipped sources spell out."""
    return set(_sglang(root) if engine == "sglang" else _vllm(root))


def differences(catalogue: Catalogue, read: set[str]) -> tuple[list[str], list[str]]:
    """What only the catalogue has and what only this reading has, save what is listed with its reason."""
    derived = {name for flag in catalogue.flags for name in (*flag.negatives, *flag.hidden)}
    listed = {name for flag in catalogue.flags for name in flag.names} - derived
    excused = _excused(catalogue.engine, catalogue.release)
    return sorted(listed - read - excused), sorted(read - derived - (listed - excused))


def _excused(engine: str, release: Version) -> set[str]:
    entries = (names for of, releases, names, _ in NOT_STATIC if of == engine and release in SpecifierSet(releases))
    return {name for names in entries for name in names}


def _sglang(root: Path) -> Iterator[str]:
    for pattern in SGLANG_FLAG_SOURCES:
        for path in sorted(root.glob(pattern)):
            tree = _parse(path)
            yield from _added(tree)
            for name in _classes(tree):
                for field in _fields(name):
                    yield from _annotated(field)


def _annotated(field: ast.AnnAssign) -> Iterator[str]:
    """The names of a flag declared by a field: `x: A[type, Arg(...)]`, or `x: A[type, "help"]`."""
    match field.annotation:
        case ast.Subscript(value=ast.Name(id=("A" | "Annotated")), slice=ast.Tuple(elts=[_, *marks])):
            pass
        case _:
            return
    keywords: dict[str | None, ast.expr] = {}
    for mark in marks:
        if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "Arg":
            keywords = {keyword.arg: keyword.value for keyword in mark.keywords}
            break
        if isinstance(mark, ast.Constant | ast.JoinedStr | ast.BinOp):
            break
    else:
        return
    if "no_cli" in keywords and ast.literal_eval(keywords["no_cli"]):
        return
    default = ast.Constant(f"--{_field_name(field).replace('_', '-')}")
    yield ast.literal_eval(keywords.get("cli_name", default))
    yield from ast.literal_eval(keywords.get("aliases", ast.List(elts=[])))


def _vllm(root: Path) -> Iterator[str]:
    paths = [root / f"{module.replace('.', '/')}.py" for module in VLLM_PARSER_MODULES]
    frontend = _parse(next(path for path in paths if path.exists()))
    yield from _added(frontend)
    yield from _added(_parse(root / "vllm/engine/arg_utils.py"))
    yield from _added(_parse(root / VLLM_SERVE_COMMAND))
    # Every field of the frontend's classes becomes a flag, in a loop.
    for declared in _classes(frontend):
        if declared.name.endswith("FrontendArgs"):
            yield from (f"--{_field_name(field).replace('_', '-')}" for field in _fields(declared))


def _parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _added(tree: ast.Module) -> Iterator[str]:
    """The literal option strings of `add_argument` calls."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="add_argument"), args=args):
                yield from _options(args)


def _options(args: Iterable[ast.expr]) -> Iterator[str]:
    for arg in args:
        if isinstance(arg, ast.Constant) and isinstance(arg.value, str) and arg.value.startswith("-"):
            yield arg.value


def _classes(tree: ast.Module) -> Iterator[ast.ClassDef]:
    return (node for node in tree.body if isinstance(node, ast.ClassDef))


def _fields(declared: ast.ClassDef) -> Iterator[ast.AnnAssign]:
    for node in declared.body:
        if isinstance(node, ast.AnnAssign) and "ClassVar" not in ast.unparse(node.annotation):
            yield node


def _field_name(field: ast.AnnAssign) -> str:
    return ast.unparse(field.target)

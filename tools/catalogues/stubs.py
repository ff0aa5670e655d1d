"""Importing an engine's real modules without torch, Triton or a GPU.

The engine's package is registered bare (its __init__ never runs). Whatever third-party module it
asks for and that isn't on its list of real ones is answered by a stub that accepts any use. Only
imports made by the engine or by a stub are answered so: stubs handed to other libraries break them.
"""

from __future__ import annotations

import abc
import importlib.machinery
import importlib.metadata
import sys
import types
from collections.abc import Iterator, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any

from catalogues.eras import Engine

_BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "xor", "lshift", "rshift")
_UNARY = ("neg", "pos", "abs", "invert")
_ORDER = ("lt", "le", "gt", "ge")


class StubMeta(abc.ABCMeta):
    """The type of stub objects: classes, so that an engine may inherit from them and annotate with them."""

    def __getattr__(cls, name: str) -> Any:
        # A real class that inherits from a stub has this metaclass too, and keeps its own errors.
        if name.startswith("__") or "_is_stub" not in cls.__dict__:
            raise AttributeError(name)
        stub = make_stub(f"{cls.__qualname__}.{name}")
        setattr(cls, name, stub)
        return stub

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if "_is_stub" not in cls.__dict__:
            return super().__call__(*args, **kwargs)
        decorated = args[0] if len(args) == 1 and not kwargs else None
        if isinstance(decorated, types.FunctionType) or (
            isinstance(decorated, type) and not isinstance(decorated, StubMeta)
        ):
            return decorated
        return make_stub(f"{cls.__qualname__}()")

    def __iter__(cls) -> Iterator[Any]:
        return iter(())

    def __len__(cls) -> int:
        return 0

    def __bool__(cls) -> bool:
        return False

    def __contains__(cls, item: object) -> bool:
        return False

    def __getitem__(cls, key: object) -> Any:
        return cls

    def __enter__(cls) -> Any:
        return cls

    def __exit__(cls, *error: object) -> bool:
        return False

    def __int__(cls) -> int:
        return 0

    def __float__(cls) -> float:
        return 0.0

    def __index__(cls) -> int:
        return 0

    def __hash__(cls) -> int:
        return id(cls)

    def __repr__(cls) -> str:
        return f"<stub {cls.__qualname__}>"


for _name in _BINARY:
    for _side in ("", "r"):
        setattr(StubMeta, f"__{_side}{_name}__", lambda cls, other=None: cls)
for _name in _UNARY:
    setattr(StubMeta, f"__{_name}__", lambda cls: cls)
for _name in _ORDER:
    setattr(StubMeta, f"__{_name}__", lambda cls, other: False)


class _StubBase:
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def __init_subclass__(cls, **kwargs: Any) -> None:
        pass

    def __class_getitem__(cls, key: object) -> Any:
        return cls

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        return core_schema.any_schema()


def make_stub(name: str) -> Any:
    """An object that can be called, indexed, inherited from and computed with, and is false."""
    namespace = {"_is_stub": True, "__qualname__": name, "__module__": "stub"}
    return StubMeta(name.rpartition(".")[2] or "stub", (_StubBase,), namespace)


class StubModule(types.ModuleType):
    """A module with every attribute."""

    __path__: list[str] = []  # noqa: RUF012 - the import system wants a list on the module itself

    def __getattr__(self, name: str) -> Any:
        if name == "__version__":
            return "99.0.0"
        if name.startswith("__"):
            raise AttributeError(name)
        full = f"{self.__name__}.{name}"
        if full in ABSENT_ATTRIBUTES:
            raise AttributeError(full)
        value = sys.modules.get(full) or make_stub(full)
        setattr(self, name, value)
        return value


# Device back ends that engines probe for on torch itself.
ABSENT_ATTRIBUTES = frozenset(
    {"torch.npu", "torch.hpu", "torch.musa", "torch.mlu", "torch.version.musa", "torch.version.cann"}
)


class _StubLoader(Loader):
    def create_module(self, spec: ModuleSpec) -> types.ModuleType:
        return StubModule(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        pass


def stub_module(name: str) -> StubModule:
    """A stub registered under `name` and as an attribute of its parent."""
    module = StubModule(name)
    module.__spec__ = ModuleSpec(name, _StubLoader(), is_package=True)
    sys.modules[name] = module
    parent, _, leaf = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], leaf, module)
    return module


class _ForgivingLoader(Loader):
    """Runs an engine module; one that fails becomes a stub and is recorded in `failed`."""

    def __init__(self, inner: Loader, failed: dict[str, str]) -> None:
        self.inner = inner
        self.failed = failed

    def create_module(self, spec: ModuleSpec) -> types.ModuleType | None:
        return self.inner.create_module(spec)

    def exec_module(self, module: types.ModuleType) -> None:
        try:
            self.inner.exec_module(module)
        except Exception as error:
            self.failed[module.__name__] = f"{type(error).__name__}: {error}"
            module.__class__ = StubModule


class _EngineFinder(MetaPathFinder):
    """Finds the engine's own modules."""

    def __init__(self, name: str, engine: Engine, failed: dict[str, str]) -> None:
        self.prefix = f"{name}."
        self.engine = engine
        self.failed = failed

    def find_spec(self, name: str, path: Sequence[str] | None, target: object = None) -> ModuleSpec | None:
        if not name.startswith(self.prefix):
            return None
        if _within(name, self.engine.stubbed):
            return ModuleSpec(name, _StubLoader(), is_package=True)
        spec = PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None and not _within(name, self.engine.intact):
            spec.loader = _ForgivingLoader(spec.loader, self.failed)
        return spec


class _ThirdPartyFinder(MetaPathFinder):
    """Answers the engine's imports of other packages."""

    def __init__(self, name: str, engine: Engine) -> None:
        self.name = name
        self.engine = engine

    def find_spec(self, name: str, path: Sequence[str] | None, target: object = None) -> ModuleSpec | None:
        top = name.partition(".")[0]
        if top == self.name or top in self.engine.real or importer() not in (self.name, "stub"):
            return None
        if top in self.engine.absent:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        parent = sys.modules.get(top)
        if top in sys.stdlib_module_names or ("." in name and not isinstance(parent, StubModule)):
            return None
        return ModuleSpec(name, _StubLoader(), is_package=True)


def _within(name: str, packages: Sequence[str]) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def importer() -> str:
    """The top-level package whose code asked, seen through the import system and this tool."""
    frame = sys._getframe(1)
    machinery = ("importlib", "_frozen_importlib", "_frozen_importlib_external", "catalogues")
    while frame is not None:
        top = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if top not in machinery:
            return top
        frame = frame.f_back  # type: ignore[assignment]
    return ""


def install(name: str, engine: Engine, sources: Path) -> dict[str, str]:
    """Make the engine under `sources` importable; the result collects its modules that failed."""
    failed: dict[str, str] = {}
    sys.meta_path[:0] = [_EngineFinder(name, engine, failed), _ThirdPartyFinder(name, engine)]
    package = types.ModuleType(name)
    package.__path__ = [str(sources / name)]
    package.__spec__ = ModuleSpec(name, None, is_package=True)
    package.__spec__.submodule_search_locations = package.__path__
    package.__dict__["__version__"] = "0"
    package.__dict__["__getattr__"] = lambda attribute: _lazily(name, attribute, package.__path__)
    sys.modules[name] = package
    _answer_versions(name)
    return failed


def _lazily(package: str, attribute: str, path: Sequence[str]) -> Any:
    """What the engine's unrun __init__ would have exported."""
    if attribute.startswith("__"):
        raise AttributeError(attribute)
    full = f"{package}.{attribute}"
    if PathFinder.find_spec(full, path):
        return importlib.import_module(full)
    return make_stub(full)


def _answer_versions(name: str) -> None:
    """Give the engine a version for every distribution it asks about, save its own."""
    real = importlib.metadata.version

    def version(distribution: str) -> str:
        if importer() != name or distribution.partition("-")[0] == name:
            return real(distribution)
        return "99.0.0"

    importlib.metadata.version = version

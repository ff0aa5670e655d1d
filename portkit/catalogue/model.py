"""A release's flags and environment variables, as its own parser declares them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from packaging.version import Version

from portkit.launch import EngineName


@dataclass(frozen=True, slots=True)
class Flag:
    """One argument of an engine's parser.

    `names` are the option strings in the parser's own order (the first long one is the canonical
    spelling; empty for a positional). `negatives` are the strings that store False (`--no-x`,
    `--disable-x`). `type` is one of: bool, int, float, str, json, human_int, human_int_or_auto,
    or the engine's own name for a function that portkit treats as str. `action` is store,
    store_true, store_false, boolean_optional, append, store_const, or an engine's own deprecated
    action. `nargs` is argparse's: None, an int, "?", "*", "+". `config_class` names the config
    object whose fields are the legal keys of a JSON flag.
    """

    names: tuple[str, ...]
    dest: str
    type: str = "str"
    default: Any = None
    choices: tuple[Any, ...] | None = None
    nargs: int | str | None = None
    action: str = "store"
    const: Any = None
    negatives: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    required: bool = False
    nullable: bool = False
    config_class: str | None = None
    deprecated: bool = False
    replacement: str | None = None
    ignored: bool = False  # accepted and dropped by this release
    refused: bool = False  # the parser knows it only to stop with an error

    @property
    def name(self) -> str:
        """The canonical spelling: the first long option string, else the first, else the dest."""
        return next((n for n in self.names if n.startswith("--")), self.names[0] if self.names else self.dest)


@dataclass(frozen=True, slots=True)
class Variable:
    """An environment variable a release reads."""

    name: str
    type: str = "str"
    default: Any = None
    replacement: str | None = None  # set on a deprecated name


@dataclass(frozen=True)
class Catalogue:
    """Everything one release of one engine accepts on its command line and in its environment.

    `config_classes` maps a class name (see `Flag.config_class`) to its fields: name -> type text.
    `registries` has the names that the engine looks up at start where its parser lists no choices, by
    dest (`quantization`) or by dest and key (`speculative_config.method`).
    """

    engine: EngineName
    release: Version
    flags: tuple[Flag, ...]
    variables: Mapping[str, Variable]
    config_classes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    registries: Mapping[str, Sequence[str]] = field(default_factory=dict)
    by_name: Mapping[str, Flag] = field(init=False, repr=False, compare=False)
    by_dest: Mapping[str, Flag] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        names = {n: flag for flag in self.flags for n in (*flag.names, *flag.negatives, *flag.hidden)}
        object.__setattr__(self, "by_name", names)
        object.__setattr__(self, "by_dest", {flag.dest: flag for flag in reversed(self.flags)})

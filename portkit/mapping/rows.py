"""Mapping rows as data: what a row holds, with the checks a reviewer can rely on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from portkit.verdicts import Impact

Effect = Literal["latency", "throughput", "memory", "correctness", "operations"]
Fidelity = Literal["exact", "approximate", "none"]


@dataclass(frozen=True)
class Place:
    """Where an engine takes a setting: a flag, a key inside a JSON flag, or a variable.

    `releases` is a PEP 440 specifier of the releases that have it. `means` is the canonical value
    that a switch stands for when present. An `env` that ends in `*` stands for a family. A `read_only`
    place is understood but never written.
    """

    flag: str | None = None
    key: str | None = None
    env: str | None = None
    releases: str = ""
    means: Any = None
    read_only: bool = False

    @cached_property
    def _specifier(self) -> SpecifierSet:
        return SpecifierSet(self.releases, prereleases=True)

    def holds_in(self, release: Version) -> bool:
        """Whether that release has this place."""
        return not self.releases or release in self._specifier

    def __str__(self) -> str:
        name = self.flag or self.env or ""
        return f"{name} {self.key}" if self.key else name


@dataclass(frozen=True)
class Side:
    """One engine's half of a row.

    `read` and `write` name conversions (portkit.conversions). `names` maps the engine's own value
    names to canonical ones. `absent` says why there is no counterpart; `builtin` says that the
    engine does it by itself. `default` is the canonical value when nobody says, where that is one
    value in all catalogued releases; defaults that depend on anything live in portkit.defaults.
    `ignored` says why the engine drops the flag (verdict `inert`).
    """

    places: tuple[Place, ...] = ()
    read: str = "same"
    write: str = "same"
    names: dict[str, Any] | list[dict[str, Any]] | None = None
    absent: str | None = None
    builtin: str | None = None
    ignored: str | None = None
    default: Any = None

    def place(self, release: Version) -> Place | None:
        """The spelling to write for a release: the first place that holds there."""
        return next((p for p in self.places if p.holds_in(release) and not p.read_only), None)


@dataclass(frozen=True)
class Row:
    """One setting: its unit, both engines' spellings, and why it matters.

    `compare` is false for settings that another row compares for them. `comparable` is false where
    the engines' numbers mean different things, so that equal ones are no agreement. `better` says
    whether more or less of it serves speed, so that a worse value counts as lost; `worst` is the one
    value that loses all of it.
    """

    setting: str
    title: str
    unit: str
    why: str
    impact: Impact
    effect: tuple[Effect, ...]
    fidelity: Fidelity
    sglang: Side
    vllm: Side
    evidence: tuple[str, ...]
    compare: bool = True
    comparable: bool = True
    better: Literal["more", "less", ""] = ""
    worst: Any = None

    @property
    def area(self) -> str:
        """The part before the dot: the file the row stands in."""
        return self.setting.split(".", 1)[0]

    def side(self, engine: str) -> Side:
        """One engine's half."""
        return self.sglang if engine == "sglang" else self.vllm


AREAS: tuple[tuple[str, str], ...] = (
    ("model", "Model"),
    ("parallelism", "Parallelism"),
    ("communication", "Communication"),
    ("cuda_graphs", "CUDA graphs and compilation"),
    ("speculation", "Speculative decoding"),
    ("attention", "Attention"),
    ("memory", "Memory and KV cache"),
    ("scheduling", "Scheduling"),
    ("lora", "LoRA adapters"),
    ("multimodal", "Multimodal input"),
    ("disaggregation", "Disaggregation and KV transfer"),
    ("serving", "Server and parsers"),
    ("observability", "Logs, metrics and traces"),
)
"""The areas in the order a launch is read, with their titles."""

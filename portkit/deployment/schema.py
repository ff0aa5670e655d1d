"""The canonical document, the same for every engine."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Model(BaseModel):
    """Shared configuration: unknown fields are errors, documents don't change once made."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Written(Model):
    """One place where a setting is written.

    `option` is the flag (with its key, for JSON flags) or variable as spelled, `text` its value as
    the engine gets it, `shell` the same as bash text with the script's own variables, `symbolic`
    whether those two can differ at run time. `line` and `column` count from 1, `start` and `end`
    are character offsets into `file`.
    """

    option: str
    text: str
    shell: str
    symbolic: bool = False
    file: str
    line: int
    column: int
    start: int
    end: int


class Provenance(Model):
    """Where a value comes from.

    `explicit`: a flag; `environment`: a variable; `derived`: follows from other settings;
    `default`: what the release does when nobody says. `detail` is the rule or the reason.
    """

    kind: Literal["explicit", "environment", "derived", "default"]
    detail: str = ""
    written: tuple[Written, ...] = ()


class Setting(Model):
    """One canonical setting.

    `value` is None where it isn't known from the text; then `expression` holds what stands there.
    """

    setting: str
    unit: str
    value: Any = None
    expression: str | None = None
    provenance: Provenance

    @property
    def known(self) -> bool:
        """Whether the value is known without running the script."""
        return self.expression is None

    @property
    def area(self) -> str:
        """The part of the name before the dot."""
        return self.setting.split(".", 1)[0]

    @property
    def explicit(self) -> bool:
        """Whether someone wrote it."""
        return self.provenance.kind in ("explicit", "environment")

    def text(self) -> str:
        """The value for people."""
        if not self.known:
            return str(self.expression)
        return text_of(self.value)


class Unmapped(Model):
    """A flag or variable with no row: kept by name so that nothing disappears.

    `command` is the option and its values as bash words; empty for what the release doesn't know and
    for keys inside JSON flags, whose `value` is given.
    """

    name: str
    text: str
    reason: str
    written: Written
    command: tuple[str, ...] = ()
    value: Any = None


class Facts(Model):
    """What is known beyond the script, and how.

    `gpu_memory_mib` is the total of one GPU. Model facts are None where nobody said; `sources` says
    for each fact whether it was given or guessed from the text.
    """

    gpu: str | None = None
    gpu_count: int | None = None
    gpu_memory_mib: int | None = None
    compute_capability: tuple[int, int] | None = None
    nvlink: bool | None = None
    architecture: str | None = None
    hybrid: bool | None = None
    moe: bool | None = None
    mla: bool | None = None
    mtp_layers: int | None = None
    attention_heads: int | None = None
    sources: dict[str, str] = Field(default_factory=dict)


class Deployment(Model):
    """One launch of one release of one engine, as settings."""

    engine: Literal["sglang", "vllm"]
    release: str
    release_reason: str
    launch: str
    settings: dict[str, Setting]
    unmapped: tuple[Unmapped, ...] = ()
    facts: Facts = Facts()
    notes: tuple[str, ...] = ()

    def value(self, setting: str, default: Any = None) -> Any:
        """A setting's value, or the default where it isn't set or isn't known."""
        found = self.settings.get(setting)
        return default if found is None or not found.known or found.value is None else found.value


def text_of(value: Any) -> str:
    """A canonical value for people: lists spaced, booleans as yes and no."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return " ".join(text_of(item) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{key}={text_of(item)}" for key, item in value.items())
    return "none" if value is None else str(value)

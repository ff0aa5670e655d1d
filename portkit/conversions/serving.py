"""Parsers, names and the server itself."""

from __future__ import annotations

from packaging.version import Version

from portkit.conversions.generic import without_place, write_same
from portkit.conversions.reading import ReadContext, Reading
from portkit.conversions.registry import reader, writer
from portkit.conversions.writing import Carry, Emit, WriteContext, emit_at
from portkit.deployment.schema import Setting
from portkit.mapping.rows import Row


@writer("tool_call_parser", across=True)
def write_tool_parser(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """vLLM needs the parser's name and a second switch (0.20.1 entrypoints/openai/cli_args.py)."""
    carry = write_same(row, setting, context)
    if context.engine != "vllm" or not carry.emits:
        return carry
    switch = Emit(flag="--enable-auto-tool-choice", comment="vLLM refuses tool_choice auto without it")
    return Carry(carry.verdict, (switch, *carry.emits), reason=carry.reason)


@writer("with_parser", across=True)
def write_with_parser(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """The switch goes with the parser: SGLang needs only the parser."""
    if context.engine == "sglang":
        return Carry("built-in", reason="SGLang's tool parser is enough")
    return Carry("carried", (Emit(flag="--enable-auto-tool-choice"),))


@reader("port")
def read_port(row: Row, context: ReadContext) -> Reading | None:
    """The port given, or the engine's own: 30000 for SGLang, 8000 for vLLM."""
    found = context.found(row)
    if found:
        return Reading(found[0].value, tuple(found))
    return Reading(30000 if context.engine == "sglang" else 8000, (), f"default of {context.engine}")


@reader("host")
def read_host(row: Row, context: ReadContext) -> Reading | None:
    """The address given, or the engine's own: this machine for SGLang, every interface for vLLM."""
    found = context.found(row)
    if found:
        return Reading(found[0].value, tuple(found))
    return Reading("127.0.0.1" if context.engine == "sglang" else "0.0.0.0", (), f"default of {context.engine}")


@reader("upper_case")
def read_upper(row: Row, context: ReadContext) -> Reading | None:
    """vLLM's level names in capitals, SGLang's in small letters."""
    found = context.found(row)
    if not found:
        return None
    value = found[0].value
    return Reading(value.lower() if isinstance(value, str) else value, tuple(found))


@writer("upper_case")
def write_upper(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """A level's name in capitals."""
    place = context.place(row)
    if place is None or not setting.known:
        return without_place(row, setting, context)
    return Carry("converted", (emit_at(place, str(setting.value).upper()),))


@reader("flagged_sampler")
def read_sampler(row: Row, context: ReadContext) -> Reading | None:
    """FlashInfer's sampler by a truth value."""
    found = context.found(row)
    if not found:
        return None
    return Reading("flashinfer" if str(found[0].value) in ("1", "True", "true") else "pytorch", tuple(found))


@writer("sampler_variable", across=True)
def write_sampler(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """FlashInfer's sampler is vLLM's default from 0.24 on, a variable before."""
    place = context.place(row)
    if place is None or setting.value not in ("flashinfer", "pytorch"):
        return Carry("lost", reason=f"vLLM has no {setting.text()} sampler")
    on = setting.value == "flashinfer"
    if on and context.release >= Version("0.24.0"):
        return Carry("built-in", reason="vLLM samples with FlashInfer where it can")
    return Carry(
        "approximate",
        (emit_at(place, "1" if on else "0"),),
        reason="needs FlashInfer installed" if on else "",
    )

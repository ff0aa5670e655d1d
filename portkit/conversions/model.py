"""The model, its precision and its context."""

from __future__ import annotations

from portkit.conversions.generic import names_of, without_place, write_same
from portkit.conversions.registry import writer
from portkit.conversions.writing import Carry, Emit, WriteContext, emit_at, symbolic_shell
from portkit.deployment.schema import Setting
from portkit.mapping.rows import Row


@writer("positional_model")
def write_model(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """The model is what `vllm serve` serves: its first word."""
    value = str(setting.value if setting.known else setting.expression)
    shell = symbolic_shell(setting)
    return Carry("carried", (Emit(flag="", values=(value,), shell=None if shell is None else (shell,)),))


@writer("max_model_len")
def write_context(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """Tokens, as a plain integer: the engines' suffixes differ."""
    place = context.place(row)
    if place is None:
        return without_place(row, setting, context)
    if setting.value == -1:
        return Carry("built-in", reason="the model's own length")
    value = setting.value if setting.known else setting.expression
    written = setting.provenance.written[0].text if setting.provenance.written else str(value)
    if setting.known and written != str(value):
        return Carry("converted", (emit_at(place, value, comment=f"{written} in {context.origin}"),))
    return Carry("carried", (emit_at(place, value, shell=_digits_only(setting)),))


def _digits_only(setting: Setting) -> str | None:
    written = setting.provenance.written
    return symbolic_shell(setting) if written and written[0].text.isdigit() else None


@writer("quantization", across=True)
def write_quantization(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """The method's name; vLLM also reads it from the checkpoint."""
    if setting.value == "unquant" and context.engine == "vllm":
        return Carry("built-in", reason="vLLM quantizes nothing by itself")
    carry = write_same(row, setting, context)
    if carry.verdict == "lost" and context.engine == "vllm":
        reason = f"{carry.reason}; vLLM reads a checkpoint's own quantization without a flag"
        return Carry("lost", reason=reason)
    known = {name.canonical for name in names_of(row.side(context.engine))}
    if setting.value in ("awq", "gptq") and setting.value in known and context.engine == "vllm":
        reason = "vLLM picks the marlin kernel by itself when the flag is left out; naming awq pins the slow one"
        return Carry("built-in", reason=reason)
    return carry

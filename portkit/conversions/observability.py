"""Traces: a switch and an endpoint in SGLang, an endpoint alone in vLLM."""

from __future__ import annotations

from portkit.conversions.generic import without_place, write_same
from portkit.conversions.reading import ReadContext, Reading
from portkit.conversions.registry import reader, writer
from portkit.conversions.writing import Carry, Emit, WriteContext
from portkit.deployment.schema import Setting
from portkit.mapping.rows import Row

_COLLECTOR = "localhost:4317"
"""SGLang's default of --otlp-traces-endpoint (0.5.4.post3 to 0.5.23 server_args.py)."""


@reader("traced_by_endpoint")
def read_traced(row: Row, context: ReadContext) -> Reading | None:
    """vLLM traces when it has an endpoint (0.33.0 v1/engine/async_llm.py)."""
    if context.value("--otlp-traces-endpoint") is None:
        return None
    return Reading(True, (), "an endpoint turns vLLM's traces on", kind="derived")


@writer("tracing", across=True)
def write_tracing(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """SGLang's switch; for vLLM an endpoint, SGLang's default one where the launch names none."""
    if not setting.value:
        return Carry("built-in", reason="no traces unless asked for")
    if context.engine == "sglang":
        place = context.place(row)
        if place is None:
            return without_place(row, setting, context)
        return Carry("converted", (Emit(flag=place.flag, comment="SGLang traces only with it"),))
    if context.value("observability.otlp_endpoint") is not None:
        return Carry("built-in", reason="vLLM traces as soon as it has an endpoint")
    emit = Emit(flag="--otlp-traces-endpoint", values=(_COLLECTOR,), comment="SGLang's default collector")
    return Carry("converted", (emit,), rule="vLLM's traces are turned on by their endpoint")


@writer("trace_endpoint", across=True)
def write_endpoint(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """An endpoint that SGLang doesn't send to without its switch would turn vLLM's traces on."""
    if not context.value("observability.tracing", False):
        return Carry("inert", reason="SGLang sends no traces without --enable-trace")
    return write_same(row, setting, context)

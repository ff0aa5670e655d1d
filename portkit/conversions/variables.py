"""Settings that one engine takes from a variable and the other from a flag's value."""

from __future__ import annotations

from portkit.conversions.generic import canonical_of, without_place, write_same
from portkit.conversions.reading import ReadContext, Reading
from portkit.conversions.registry import reader, writer
from portkit.conversions.writing import Carry, Emit, WriteContext
from portkit.deployment.schema import Setting
from portkit.mapping.rows import Row

_TRUTHS = frozenset({"1", "true", "yes", "y"})


@reader("meant_by_variable")
def read_meant(row: Row, context: ReadContext) -> Reading | None:
    """What a variable stands for when it is on, or a flag's value; a variable that is off says nothing."""
    found = context.found(row)
    if not found:
        return None
    if found[0].place.env is None:
        return Reading(canonical_of(found[0], row.side(context.engine)), tuple(found))
    if str(found[0].value).strip().lower() not in _TRUTHS:
        return None
    return Reading(found[0].place.means, tuple(found))


@writer("variable_for")
def write_variable(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """A variable set to 1 for the one value that it stands for; any other is what it is without."""
    place = context.place(row)
    if place is None:
        return without_place(row, setting, context)
    if place.env is None or not setting.known:
        return write_same(row, setting, context)
    if setting.value != place.means:
        return Carry("built-in", reason=f"{context.engine} does so unless {place.env} is set")
    return Carry("converted", (Emit(env=place.env, values=("1",)),))


@writer("logprobs_variable", across=True)
def write_logprobs(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """SGLang gives log probabilities after temperature, or raw ones by a variable (0.5.23 layers/sampler.py).

    Its default is before top-k and top-p, vLLM's processed ones after; logits it never gives.
    """
    if setting.value == "processed_logprobs":
        return Carry("approximate", reason="SGLang's default: after temperature, but before top-k and top-p")
    if setting.value != "raw_logprobs":
        return Carry("lost", reason="SGLang returns log probabilities, never logits")
    return write_variable(row, setting, context)


@reader("count")
def read_count(row: Row, context: ReadContext) -> Reading | None:
    """A whole number, which a variable holds as text."""
    found = context.found(row)
    if not found:
        return None
    value = found[0].value
    return Reading(int(value) if isinstance(value, str) and value.strip().isdigit() else value, tuple(found))


@writer("threads")
def write_threads(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """The number of threads; SGLang's 0, its own choice, is left to vLLM's default."""
    if setting.value == 0 and not context.same_engine:
        return Carry("built-in", reason=f"0 leaves the number to {context.source.engine}: so does leaving it out")
    return write_same(row, setting, context)

"""Batch limits: requests at once, tokens of prefill per step.

SGLang's chunk counts prefill tokens only; vLLM's max_num_batched_tokens counts decode tokens too, so
M = C + max_num_seqs x q keeps a chunk of C at full decode load (q tokens per request and step).
Sources: SGLang 0.5.12.post1 server_args.py, model_executor/model_runner_kv_cache_mixin.py; vLLM 0.20.1
and 0.33.0 config/vllm.py `_set_max_num_scheduled_tokens`, engine/arg_utils.py.
"""

from __future__ import annotations

from portkit.catalogue.resolution import Unknown
from portkit.conversions.cuda_graphs import target_max_num_seqs
from portkit.conversions.generic import without_place, write_same
from portkit.conversions.parallelism import attention_dp
from portkit.conversions.reading import ReadContext, Reading
from portkit.conversions.registry import reader, writer
from portkit.conversions.speculation import emitted_method, target_speculation
from portkit.conversions.writing import Carry, Emit, WriteContext, as_given, emit_at
from portkit.defaults.limits import (
    SGLANG_SPECULATION_REQUESTS,
    sglang_default_chunk,
    vllm_default_max_num_batched_tokens,
    vllm_default_max_num_seqs,
    vllm_draft_slots,
)
from portkit.deployment.schema import Setting
from portkit.mapping.rows import Place, Row

HYBRID_SEQUENCES = 256
"""max_num_seqs for a hybrid model whose source names no limit: vLLM's own smaller tier."""


@reader("max_running_requests")
def read_max_running(row: Row, context: ReadContext) -> Reading | None:
    """Requests running at once on one attention DP rank."""
    found = context.found(row)
    if context.engine == "vllm":
        if found:
            return Reading(found[0].value, tuple(found))
        limit = vllm_default_max_num_seqs(context.facts)
        known = "" if context.facts.gpu_memory_mib else " (the smaller tier: no --gpu given)"
        return Reading(limit, (), f"default of vllm {context.release}{known}")
    ranks = attention_dp(context)
    if found:
        value = found[0].value
        if ranks > 1 and isinstance(value, int):
            return Reading(value // ranks, tuple(found), f"{value} over {ranks} attention DP ranks")
        return Reading(value, tuple(found))
    if context.canonical("speculation.method") is None:
        return Reading(Unknown("as many as its pool of states holds")) if context.facts.hybrid else None
    rule = f"SGLang's cap of {SGLANG_SPECULATION_REQUESTS} with speculation"
    if ranks > 1:
        return Reading(SGLANG_SPECULATION_REQUESTS // ranks, (), f"{rule}, over {ranks} attention DP ranks")
    return Reading(SGLANG_SPECULATION_REQUESTS, (), rule)


@writer("max_num_seqs")
def write_max_num_seqs(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """The same limit on vLLM, also where only SGLang's speculation set it."""
    place = context.place(row)
    if place is None:
        return without_place(row, setting, context)
    rule = setting.provenance.detail
    if not setting.known and not setting.explicit:
        rule = "vLLM refuses to start a hybrid model with more sequences than it has state blocks"
        return Carry("approximate", (emit_at(place, HYBRID_SEQUENCES, comment=rule),), reason=rule)
    if not rule:
        return Carry("carried", (as_given(place, setting),))
    return Carry("converted", (emit_at(place, setting.text(), comment=rule),), rule=rule)


@writer("total_running_requests")
def write_total_running(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """SGLang divides its limit over attention DP ranks, and cuts it to 48 with speculation unless told."""
    place = context.place(row)
    if place is None:
        return without_place(row, setting, context)
    if not setting.explicit and context.value("speculation.method") is None:
        return Carry("built-in", reason="SGLang runs as many as its KV cache holds")
    ranks = 1
    if context.value("parallelism.data_parallel_attention", False):
        ranks = int(context.value("parallelism.data_parallel_size", 1))
    if ranks == 1 or not isinstance(setting.value, int):
        comment = "" if setting.explicit else f"{setting.provenance.detail}; SGLang would cut it to 48"
        return Carry("carried", (as_given(place, setting, comment=comment),))
    rule = f"{setting.value} per rank x {ranks} attention DP ranks"
    return Carry("converted", (emit_at(place, setting.value * ranks, comment=rule),), rule=rule)


@reader("prefill_chunk")
def read_chunk(row: Row, context: ReadContext) -> Reading | None:
    """Prefill tokens per step on one attention DP rank; -1 is no chunking."""
    found = context.found(row)
    if context.engine == "vllm":
        return _vllm_chunk(row, context)
    ranks = attention_dp(context)
    if found:
        value = found[0].value
        if ranks > 1 and isinstance(value, int) and value > 0:
            return Reading(value // ranks, tuple(found), f"{value} over {ranks} attention DP ranks")
        return Reading(value, tuple(found))
    chunk = sglang_default_chunk(context.release, context.facts.gpu_memory_mib)
    if chunk is None:
        return Reading(Unknown("2048 to 16384 by GPU memory: give --gpu"), ())
    gib = (context.facts.gpu_memory_mib or 0) / 1024
    return Reading(chunk // ranks, (), f"default of sglang {context.release}, {gib:.0f} GiB")


@reader("chunked_prefill_on")
def read_chunked(row: Row, context: ReadContext) -> Reading | None:
    """Chunking said aloud; its absence is a chunk of -1, which another row reads."""
    found = [f for f in context.found(row) if f.value is True]
    return Reading(True, tuple(found)) if found else None


def _vllm_chunk(row: Row, context: ReadContext) -> Reading | None:
    found = [f for f in context.found(row) if f.value is not True]
    off = next((f for f in found if f.value is False), None)
    if off is not None:
        return Reading(-1, tuple(found))
    budget = next((f for f in found if isinstance(f.value, int) and not isinstance(f.value, bool)), None)
    if budget is None:
        tokens = vllm_default_max_num_batched_tokens(context.release, context.facts)
        known = "" if context.facts.gpu_memory_mib else " (the smaller tier: no --gpu given)"
        return Reading(tokens, tuple(found), f"default of vllm {context.release}{known}, decode tokens included")
    seqs = context.value("--max-num-seqs")
    draft = context.canonical("speculation.draft_tokens")
    q = 1 + draft if isinstance(draft, int) else 1
    if isinstance(seqs, int) and budget.value - seqs * q > 0:
        rule = f"{budget.value} tokens - {seqs} sequences x {q} decode tokens"
        return Reading(budget.value - seqs * q, tuple(found), rule)
    return Reading(budget.value, tuple(found), "decode tokens included")


@writer("batched_tokens")
def write_batched_tokens(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """M = C + max_num_seqs x q, and the slots a parallel drafter reserves before vLLM 0.33."""
    place = context.place(row)
    if place is None:
        return without_place(row, setting, context)
    if setting.value == -1:
        return _without_chunks(context)
    if context.same_engine:
        return _own_budget(place, setting, context)
    seqs = target_max_num_seqs(context)
    q = target_speculation(context).tokens_per_request if emitted_method(context) else 1
    slots = draft_slots(context)
    default = vllm_default_max_num_batched_tokens(context.release, context.facts)
    if not isinstance(setting.value, int):
        return _with_unknown_chunk(place, setting, default, seqs * (q + slots) if slots else 0)
    tokens = setting.value + seqs * (q + slots)
    if not setting.explicit and not slots and default >= setting.value:
        return Carry("built-in", reason=f"vLLM's default is {default} tokens")
    rule = f"chunk {setting.value} + {seqs} sequences x {q} decode tokens"
    if slots:
        rule += f" + {seqs} x {slots} slots that DFlash reserves on vLLM {context.release}"
    if setting.provenance.detail:
        rule += f"; {setting.provenance.detail}"
    reason = "vLLM mixes prefill and decode in one step, so its budget counts both"
    return Carry("approximate", (emit_at(place, tokens, comment=rule),), rule=rule, reason=reason)


def _own_budget(place: Place, setting: Setting, context: WriteContext) -> Carry:
    """vLLM's budget as it is written, and whether a drafter's slots leave anything of it."""
    written = setting.provenance.written
    emits = (emit_at(place, written[0].text),) if written else ()
    default = vllm_default_max_num_batched_tokens(context.release, context.facts)
    budget = int(written[0].text) if written and written[0].text.isdigit() else default
    seqs = context.value("scheduling.max_running_requests", vllm_default_max_num_seqs(context.facts))
    reserved = draft_slots(context) * seqs
    if reserved < budget:
        return Carry("carried", emits)
    reason = (
        f"the server would not start: {seqs} sequences reserve {reserved} draft slots of {budget} tokens, which "
        f"leaves max_num_scheduled_tokens at {budget - reserved}: raise --max-num-batched-tokens or lower "
        "--max-num-seqs"
    )
    return Carry("unsafe", emits, reason=reason)


def _with_unknown_chunk(place: Place, setting: Setting, default: int, reserved: int) -> Carry:
    """vLLM's own budget, raised by what the drafter reserves so that the server starts."""
    if setting.explicit:
        emit = as_given(place, setting)
        return Carry("approximate", (emit,), reason="vLLM's budget counts decode tokens too")
    if not reserved:
        return Carry("built-in", reason=f"not known without --gpu; vLLM's default is {default} tokens")
    rule = f"vLLM's default {default} + {reserved} tokens that the drafter and its verify steps take"
    return Carry("approximate", (emit_at(place, default + reserved, comment=rule),), rule=rule)


def draft_slots(context: WriteContext) -> int:
    """Token slots per sequence that the drafter takes from the budget on vLLM."""
    tokens = target_speculation(context).draft_tokens if emitted_method(context) is not None else None
    return vllm_draft_slots(context.release, emitted_method(context), tokens or 1)


def _without_chunks(context: WriteContext) -> Carry:
    if context.facts.hybrid and not context.same_engine:
        return Carry("unsafe", reason="vLLM's hybrid models with prefix caching need chunked prefill: left on")
    emit = Emit(flag="--no-enable-chunked-prefill", comment="-1 in sglang: whole prompts in one step")
    return Carry("approximate", (emit,), reason="vLLM raises its token budget to the context length")


@writer("chunk_from_budget")
def write_chunk(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """SGLang's chunk, multiplied back over attention DP ranks."""
    place = context.place(row)
    if place is None or not isinstance(setting.value, int):
        return without_place(row, setting, context)
    ranks = 1
    if context.value("parallelism.data_parallel_attention", False):
        ranks = int(context.value("parallelism.data_parallel_size", 1))
    if setting.value == -1:
        return Carry("converted", (emit_at(place, -1, comment="no chunked prefill"),))
    if context.same_engine:
        return Carry("carried", (emit_at(place, setting.value * ranks, comment=setting.provenance.detail),))
    own = sglang_default_chunk(context.release, context.facts.gpu_memory_mib)
    if not setting.explicit and (own is None or own >= setting.value):
        return Carry("built-in", reason="SGLang's own chunk is as large" if own else "left to SGLang's own choice")
    rule = setting.provenance.detail or "vLLM's token budget"
    return Carry("approximate", (emit_at(place, setting.value * ranks, comment=rule),), rule=rule)


@writer("async_scheduling", across=True)
def write_async(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """vLLM schedules ahead by itself, but not with a draft model on 0.20."""
    place = context.place(row)
    if place is None:
        return without_place(row, setting, context)
    if setting.value:
        return Carry("built-in", reason="vLLM schedules ahead by default where the method allows")
    return write_same(row, setting, context)


@writer("priority_direction", across=True)
def write_priority(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """SGLang serves higher numbers first, vLLM lower ones."""
    carry = write_same(row, setting, context)
    if not carry.emits or context.value("scheduling.low_priority_first", False):
        return carry
    return Carry("approximate", carry.emits, reason="direction flips: clients must negate their priorities")


@reader("scheduling_policy")
def read_policy(row: Row, context: ReadContext) -> Reading | None:
    """vLLM's policy flag also says whether there are priorities; those have a row of their own."""
    found = context.found(row)
    return None if not found or found[0].value == "priority" else Reading(found[0].value, tuple(found))


@reader("scheduling_priority")
def read_priority(row: Row, context: ReadContext) -> Reading | None:
    """Priorities, as vLLM's policy."""
    found = context.found(row)
    return Reading("priority", tuple(found)) if found and found[0].value == "priority" else None

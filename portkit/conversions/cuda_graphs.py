"""CUDA graph sizes: SGLang's batches of requests against vLLM's batches of tokens.

A captured size of b requests is b x q tokens, q = 1 + draft tokens per step (SGLang 0.5.11
model_executor/cuda_graph_runner.py; vLLM 0.20.1 v1/cudagraph_dispatcher.py). A port never covers
less than the target's own default: converted sizes are added to it, or left out where it covers
them, and always given as a list, because vLLM cuts a scalar maximum to its stride grid.
"""

from __future__ import annotations

from packaging.version import Version

from portkit.catalogue.resolution import Unknown
from portkit.conversions.generic import without_place, write_same
from portkit.conversions.reading import Found, ReadContext, Reading
from portkit.conversions.registry import reader, writer
from portkit.conversions.speculation import tokens_per_request
from portkit.conversions.writing import Carry, Emit, WriteContext, emit_at
from portkit.defaults.graphs import (
    sglang_decode_batch_sizes,
    sglang_default_maximum,
    vllm_capture_sizes,
    vllm_decode_batch_sizes,
)
from portkit.defaults.limits import vllm_default_max_num_seqs
from portkit.deployment.schema import Facts, Setting, text_of
from portkit.mapping.rows import Place, Row
from portkit.verdicts import Verdict

_CHUNK_OF_LIST = 40


@reader("decode_batch_sizes")
def read_sizes(row: Row, context: ReadContext) -> Reading | None:
    """The batches decode graphs hold, in requests, from a list, a maximum or the default."""
    if context.canonical("cuda_graphs.mode") == "none":
        return None
    return _sglang_sizes(row, context) if context.engine == "sglang" else _vllm_sizes(row, context)


def _sglang_sizes(row: Row, context: ReadContext) -> Reading | None:
    found = context.found(row)
    listed = next((f for f in found if isinstance(f.value, list)), None)
    unknown = next((f for f in found if isinstance(f.value, Unknown)), None)
    if unknown is not None:
        return Reading(unknown.value, tuple(found))
    if listed is not None:
        if not all(isinstance(size, int) for size in listed.value):
            return Reading(Unknown(text_of(listed.value)), tuple(found))
        return Reading(sorted(set(listed.value)), tuple(found))
    speculation = context.canonical("speculation.method") is not None
    padding = context.canonical("cuda_graphs.padding") is not False
    if found:
        sizes = sglang_decode_batch_sizes(found[0].value, speculation=speculation, padding=padding)
        return Reading(sizes, tuple(found), f"SGLang's own list up to {found[0].value} requests")
    total = context.value("--tp-size", 1)
    maximum = sglang_default_maximum(context.release, context.facts.gpu_memory_mib, total)
    if maximum is None:
        return Reading(Unknown("SGLang's own list, by GPU memory: give --gpu"))
    limit = context.value("--max-running-requests")
    if isinstance(limit, int) and context.release >= Version("0.5.20"):
        maximum = min(maximum, limit)
    sizes = sglang_decode_batch_sizes(maximum, speculation=speculation, padding=padding)
    gib = (context.facts.gpu_memory_mib or 0) / 1024
    return Reading(sizes, (), f"default of sglang {context.release}, {gib:.0f} GiB, tp {total}")


def _vllm_sizes(row: Row, context: ReadContext) -> Reading | None:
    found = context.found(row)
    q = 1 + (_int(context.canonical("speculation.draft_tokens")) or 0)
    seqs = _int(context.canonical("scheduling.max_running_requests")) or vllm_default_max_num_seqs(context.facts)
    listed = next((f for f in found if isinstance(f.value, list) and not _is_maximum(f)), None)
    if listed is not None:
        if not all(isinstance(size, int) for size in listed.value):
            return Reading(Unknown(text_of(listed.value)), tuple(found))
        batches = vllm_decode_batch_sizes(listed.value, q, seqs)
        return Reading(batches, tuple(found), f"{text_of(listed.value)} tokens / {q} per request" if q > 1 else "")
    maximum = next((m for f in found if (m := _maximum_of(f)) is not None), None)
    tokens = vllm_capture_sizes(
        context.release,
        max_num_seqs=seqs,
        tokens_per_request=q,
        max_num_batched_tokens=_int(context.value("--max-num-batched-tokens")),
        blackwell=is_blackwell(context.facts),
        maximum=maximum,
        every_small_size=context.value("--performance-mode") == "interactivity",
    )
    batches = vllm_decode_batch_sizes(tokens, q, seqs)
    rule = (
        f"vLLM's grid up to {maximum} tokens is cut to {tokens[-1] if tokens else 0}, {q} per request"
        if maximum is not None
        else f"default of vllm {context.release}: up to {tokens[-1]} tokens, {q} per request"
    )
    return Reading(batches, tuple(found), rule)


def _is_maximum(found: Found) -> bool:
    """A list of one in --cuda-graph-sizes, which vLLM before 0.13 took for the end of its own list."""
    return found.place.flag == "--cuda-graph-sizes" and isinstance(found.value, list) and len(found.value) == 1


def _maximum_of(found: Found) -> int | None:
    return _int(found.value[0]) if _is_maximum(found) else _int(found.value)


def _int(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def is_blackwell(facts: Facts) -> bool:
    """Whether the GPU is of compute capability 10.x, where vLLM captures more."""
    return facts.compute_capability is not None and facts.compute_capability[0] == 10


@reader("decode_coverage")
def read_coverage(row: Row, context: ReadContext) -> Reading | None:
    """The largest decode batch that runs in a graph, in requests."""
    if context.canonical("cuda_graphs.mode") == "none":
        return Reading(0, (), "no graphs", "derived")
    sizes = context.canonical("cuda_graphs.decode_batch_sizes")
    if not isinstance(sizes, list):
        return Reading(Unknown("not known without the graph sizes (--gpu)"), kind="derived")
    largest = max(sizes, default=0)
    limit = _int(context.canonical("scheduling.max_running_requests"))
    if limit is not None and limit < largest:
        return Reading(limit, (), f"graphs hold {largest}, at most {limit} run", "derived")
    setting = context.setting("cuda_graphs.decode_batch_sizes")
    detail = setting.provenance.detail if setting is not None else ""
    return Reading(largest, (), detail or f"largest of {_brief(sizes)}", "derived")


@writer("follows_sizes")
def write_follows_sizes(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """A consequence of the list of sizes; nothing of its own to write."""
    carry = context.carried("cuda_graphs.decode_batch_sizes")
    if carry is None:
        return Carry("built-in", reason="follows the graph sizes", follows=True)
    return Carry(carry.verdict, reason=carry.reason or carry.rule, follows=True)


@writer("capture_sizes")
def write_capture_sizes(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """b requests as b x q tokens, added to what vLLM captures by itself, or alone with --graphs exact."""
    place = context.place(row)
    if place is None:
        return without_place(row, setting, context)
    if not isinstance(setting.value, list):
        return _unknown_sizes(context)
    q = tokens_per_request(context)
    requests = [int(size) for size in setting.value]
    if not requests:
        return Carry("inert", reason="no size of the source holds a whole decode batch")
    if context.same_engine:
        return _own_sizes(row, place, setting, [size * q for size in requests], context)
    converted = {size * q for size in requests} | set(context.value("cuda_graphs.prefill_sizes", []))
    rule = f"{_brief(requests)} requests x {q} tokens per step" if q > 1 else f"{_brief(requests)} requests"
    if context.options.graphs_exact:
        emit = Emit(flag=place.flag, values=tuple(map(str, sorted(converted))), comment=rule)
        verdict: Verdict = "converted" if q > 1 else "carried"
        return Carry(verdict, (emit,), rule=rule, reason=f"source covers {max(requests)} requests, port the same")
    return _beyond_default(requests, converted, rule, q, place.flag or "", context)


def _own_sizes(row: Row, place: Place, setting: Setting, sizes: list[int], context: WriteContext) -> Carry:
    """The sizes of a release of the same engine: a maximum as the target's maximum, a list as its list."""
    written = list({w.start: w for w in setting.provenance.written}.values())  # aliases share a word
    one = written[0].text.split() if len(written) == 1 else []
    scalar = len(one) == 1 and one[0].isdigit() and ("max" in written[0].option or "sizes" in written[0].option)
    maximum = next(
        (p for p in row.side(context.engine).places if p.holds_in(context.release) and _takes_maximum(p)), None
    )
    if scalar and maximum is not None:
        return Carry("converted", (emit_at(maximum, int(one[0])),))
    return Carry("converted", (emit_at(place, sorted(sizes)),))


def _takes_maximum(place: Place) -> bool:
    return place.key is None and not place.read_only and "max" in (place.flag or "")


def _beyond_default(
    requests: list[int], converted: set[int], rule: str, q: int, flag: str, context: WriteContext
) -> Carry:
    seqs = target_max_num_seqs(context)
    default = vllm_capture_sizes(
        context.release, max_num_seqs=seqs, tokens_per_request=q, blackwell=is_blackwell(context.facts)
    )
    covered = vllm_decode_batch_sizes(default, q, seqs)
    wanted = [n for n in requests if n <= seqs]
    exact = context.value("cuda_graphs.padding") is False
    prefill = context.value("cuda_graphs.prefill_sizes", [])
    enough = set(wanted) <= set(covered) if exact else max(wanted, default=0) <= max(covered, default=0)
    if enough and max(prefill, default=0) <= max(default):
        reason = (
            f"source covers {max(requests)} requests, vLLM's default {max(covered)} of {seqs}: "
            f"up to {default[-1]} tokens, {q} per request"
        )
        return Carry("built-in", rule=rule, reason=reason)
    tokens = sorted(set(default) | {size for size in converted if size <= seqs * q} | set(prefill))
    reach = max(vllm_decode_batch_sizes(tokens, q, seqs), default=0)
    reason = f"source covers {max(requests)} requests, vLLM's default {max(covered, default=0)}, this list {reach}"
    emit = Emit(flag=flag, values=tuple(map(str, tokens)), comment=f"vLLM's own sizes and {rule}; {reason}")
    return Carry("converted" if q > 1 else "carried", (emit,), rule=rule, reason=reason)


def _unknown_sizes(context: WriteContext) -> Carry:
    """vLLM's own list, which often covers every sequence that it runs, whatever the source's is."""
    seqs, q = target_max_num_seqs(context), tokens_per_request(context)
    default = vllm_capture_sizes(
        context.release, max_num_seqs=seqs, tokens_per_request=q, blackwell=is_blackwell(context.facts)
    )
    covered = max(vllm_decode_batch_sizes(default, q, seqs), default=0)
    if covered >= seqs:
        return Carry("built-in", reason=f"vLLM's default covers all {seqs} sequences that it runs")
    reason = f"the source's sizes aren't known; vLLM's own list, kept, covers {covered} of {seqs} sequences"
    return Carry("unknown", reason=reason, instead="--gpu tells SGLang's own list")


def target_max_num_seqs(context: WriteContext) -> int:
    """The sequence limit the port runs with: its own flag, or vLLM's default."""
    return context.target_int("scheduling.max_running_requests") or vllm_default_max_num_seqs(context.facts)


def _brief(sizes: list[int]) -> str:
    text = text_of(sizes)
    return text if len(text) <= _CHUNK_OF_LIST else f"{sizes[0]}..{sizes[-1]}"


@writer("batch_sizes")
def write_batch_sizes(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """vLLM's sizes as SGLang's batches of requests, together with SGLang's own list."""
    place = context.place(row)
    if place is None:
        return without_place(row, setting, context)
    if not isinstance(setting.value, list):
        return Carry("unknown", reason="the source's graph sizes aren't known; SGLang's own list is kept")
    if context.same_engine:
        return _own_sizes(row, place, setting, setting.value, context)
    wanted = set(setting.value)
    total = context.target_int("parallelism.tensor_parallel_size") or 1
    maximum = sglang_default_maximum(context.release, context.facts.gpu_memory_mib, total)
    speculation = context.value("speculation.method") is not None
    rule = setting.provenance.detail
    if not context.options.graphs_exact and maximum is not None:
        if max(wanted, default=0) <= maximum:
            return Carry("built-in", rule=rule, reason=f"SGLang captures {maximum} requests by itself")
        wanted |= set(sglang_decode_batch_sizes(maximum, speculation=speculation))
    if not wanted or (not setting.explicit and maximum is None):
        return Carry("approximate", reason="SGLang's own list depends on GPU memory: give --gpu to compare")
    emit = Emit(flag=place.flag, values=tuple(map(str, sorted(wanted))), comment=rule)
    return Carry("converted", (emit,), rule=rule, reason=f"covers {max(wanted)} requests")


@reader("graph_mode")
def read_mode(row: Row, context: ReadContext) -> Reading | None:
    """The graph mode by vLLM's names; an eager launch is `none` whatever else it says."""
    from portkit.conversions.generic import canonical_of

    found = context.found(row)
    side = row.side(context.engine)
    values = [(canonical_of(f, side), f) for f in found if f.value is not False]
    if not values:
        return None
    none = next((f for value, f in values if value == "none"), None)
    return Reading("none" if none else str(values[0][0]).lower(), tuple(found))


@writer("graph_mode")
def write_mode(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """vLLM's cudagraph_mode. A source without graphs is questioned, and carried only when asked for."""
    place = context.place(row)
    if place is None:
        return without_place(row, setting, context)
    carried = context.options.graphs_exact or {"cuda_graphs.mode", "cuda_graphs"} & context.options.force
    if setting.value != "none" or context.same_engine:
        return Carry("carried", (Emit(flag=place.flag, key=place.key, json_value=str(setting.value).upper()),))
    question = "the source runs without CUDA graphs, which on vLLM costs 2.4x to 3.4x: does its reason hold there? "
    if carried:
        comment = "no graphs, as in the source; compilation stays on (--enforce-eager would end it too)"
        emit = Emit(flag=place.flag, key=place.key, json_value="NONE", comment=comment)
        return Carry("approximate", (emit,), reason=question + "Carried as a mode that keeps compilation")
    emit = Emit(flag=place.flag, key=place.key, json_value="NONE", comment="only if needed", commented=True)
    return Carry(
        "approximate",
        (emit,),
        reason=question + "Not carried",
        instead="--graphs exact carries it as cudagraph_mode NONE, which keeps compilation",
    )


@writer("sglang_graph_mode")
def write_sglang_mode(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """vLLM's mode as SGLang's switches; SGLang has full decode graphs and prefill graphs apart."""
    mode = setting.value
    if context.same_engine and mode != "none" and context.release >= Version("0.5.14"):
        backend = "disabled" if mode == "piecewise" else "full"
        return Carry("carried", (Emit(flag="--cuda-graph-backend-decode", values=(backend,)),))
    if mode == "none":
        carried = context.options.graphs_exact or {"cuda_graphs.mode", "cuda_graphs"} & context.options.force
        emit = Emit(flag="--disable-cuda-graph", comment="only if needed", commented=not carried)
        reason = "the source runs without CUDA graphs: does its reason hold on SGLang?"
        return Carry("approximate", (emit,), reason=reason, instead="" if carried else "--graphs exact carries it")
    if mode == "full_decode_only":
        later = context.release >= Version("0.5.14")
        values = ("disabled",) if later else ()
        flag = "--cuda-graph-backend-prefill" if later else "--disable-piecewise-cuda-graph"
        return Carry("converted", (Emit(flag=flag, values=values, comment="no prefill graphs"),))
    if mode in ("full_and_piecewise", "full"):
        return Carry("built-in", reason="SGLang captures decode and prefill graphs by default")
    return Carry("approximate", reason=f"SGLang has no {mode} mode: decode keeps its full graphs")


@reader("prefill_sizes")
def read_prefill_sizes(row: Row, context: ReadContext) -> Reading | None:
    """Explicit prefill graph sizes, in tokens, from a list or a maximum."""
    from portkit.defaults.graphs import sglang_prefill_sizes

    found = context.found(row)
    if not found:
        return None
    value = found[0].value
    if isinstance(value, int):
        return Reading(sglang_prefill_sizes(value), tuple(found), f"SGLang's own list up to {value} tokens")
    return Reading(sorted(value) if isinstance(value, list) else value, tuple(found))


@writer("in_capture_sizes")
def write_in_sizes(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """Prefill sizes are tokens in both engines and join vLLM's one list."""
    carry = context.carried("cuda_graphs.decode_batch_sizes")
    if carry is not None and carry.verdict == "built-in":
        return Carry("built-in", reason="vLLM's default list holds sizes as large")
    return Carry("approximate", reason="joined into the list of capture sizes; with speculation vLLM rounds them")


@writer("keeps_compilation")
def write_compile(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """vLLM compiles by default; SGLang only when asked."""
    if context.same_engine:
        return write_same(row, setting, context)
    if context.engine == "vllm":
        if setting.value:
            return Carry("built-in", reason="vLLM compiles by default")
        return Carry("built-in", reason="SGLang's default: vLLM keeps its own, which is faster")
    if setting.value and setting.explicit:
        place = context.place(row)
        return Carry(
            "approximate",
            (Emit(flag=place.flag, commented=True),) if place else (),
            reason="SGLang's kernels are not compiled by default; torch.compile there is another path",
        )
    return Carry("built-in", reason="SGLang doesn't compile unless told")


@reader("compilation")
def read_compilation(row: Row, context: ReadContext) -> Reading | None:
    """vLLM compiles unless eager or at level 0."""
    found = context.found(row)
    if found and found[0].value:
        return Reading(False, tuple(found), "eager ends compilation too")
    if str(context.value("--optimization-level", 2)) == "0":
        return Reading(False, (), "optimisation level 0", "derived")
    return Reading(True, (), f"default of vllm {context.release}")

"""Memory: fractions that mean different things, KV cache types, pages and prefix reuse.

SGLang's mem_fraction_static is the part of free memory for weights and KV (0.5.11
model_executor/model_runner.py); vLLM's gpu_memory_utilization is the part of all memory for
everything, activations and graphs included (0.20.1 v1/worker/gpu_worker.py).
"""

from __future__ import annotations

import math

from packaging.version import Version

from portkit.conversions.generic import without_place, write_same, write_switch
from portkit.conversions.reading import ReadContext, Reading
from portkit.conversions.registry import reader, writer
from portkit.conversions.speculation import emitted_method
from portkit.conversions.writing import Carry, Emit, WriteContext, emit_at
from portkit.deployment.schema import Setting
from portkit.mapping.rows import Place, Row

GIB_PER_GB = 1e9 / 2**30
VLLM_DEFAULT_FRACTION = 0.92
HYBRID_PREFIX_CACHING = Version("0.26.0")
"""First vLLM that turns prefix caching on by itself for models with mamba or linear attention layers."""

_BLOCK_SIZES = frozenset({16, 32, 64, 128})


@writer("utilization_from_static_fraction", across=True)
def write_utilization(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """A bounded gpu_memory_utilization u = min(0.92, f + 0.6 (1 - f)); never f itself.

    The part of 1 - f that held activations and graphs moves inside u; 0.6 of it is an estimate, and
    vLLM's own default is the bound.
    """
    place = context.place(row)
    if place is None or not isinstance(setting.value, int | float):
        return without_place(row, setting, context)
    fraction = float(setting.value)
    utilization = math.floor(100 * min(VLLM_DEFAULT_FRACTION, fraction + 0.6 * (1 - fraction))) / 100
    rule = f"SGLang's {fraction:g} counts weights and KV only, vLLM's share activations, graphs and the draft too"
    reason = f"{rule}; compare SGLang's max_total_num_tokens with vLLM's 'GPU KV cache size' in the logs"
    instead = "--kv-cache-memory-bytes sets the KV pool itself once its size is known"
    emit = emit_at(place, utilization, comment=rule)
    return Carry("approximate", (emit,), rule=rule, reason=reason, instead=instead)


@writer("static_fraction_left_out", across=True)
def write_static_fraction(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """SGLang works its fraction out from chunk, graphs and GPU; vLLM's number means another thing."""
    reason = (
        f"vLLM's {setting.text()} counts activations and graphs, SGLang's fraction doesn't: left to SGLang's "
        "own formula"
    )
    if isinstance(setting.value, int | float) and setting.value < 0.8:
        reason += "; the source leaves memory to others: set --mem-fraction-static by hand, lower than this"
    return Carry("approximate", reason=reason)


@writer("kv_cache_dtype")
def write_kv_dtype(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """The KV type's name, and what an 8-bit cache costs with speculation below compute capability 9."""
    carry = write_same(row, setting, context)
    if context.engine != "vllm" or not str(setting.value).startswith("fp8") or not carry.emits:
        return carry
    capability = context.facts.compute_capability
    if capability is not None and capability[0] >= 9:
        return carry
    method = emitted_method(context)
    if method == "dflash" and context.release < Version("0.24.0"):
        reason = (
            "DFlash needs a non-causal backend and 8-bit KV there needs FlashAttention 3 on sm90: no backend "
            "takes both, the server would not start. KV left at auto, with half the tokens"
        )
        return Carry("unsafe", carry.emits if context.same_engine else (), reason=reason)
    if method is not None and context.release < Version("0.33.0"):
        reason = (
            "below sm90 an 8-bit KV cache moves vLLM from FLASH_ATTN to FLASHINFER, which loses full decode "
            "graphs while speculating"
        )
        return Carry("approximate", carry.emits, reason=reason, instead="--attention-backend TRITON_ATTN keeps them")
    return carry


@writer("block_size", across=True)
def write_block_size(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """Tokens per KV page: 16, 32, 64 and 128 are block sizes in vLLM, SGLang's 1 is not."""
    place = context.place(row)
    if place is None:
        return without_place(row, setting, context)
    if setting.value in _BLOCK_SIZES:
        reason = "an attention backend or a hybrid model may raise it"
        return Carry("approximate", (emit_at(place, setting.value),), reason=reason)
    return Carry("approximate", reason=f"vLLM has no pages of {setting.text()}: prefixes are reused in blocks of 16")


@writer("num_gpu_blocks")
def write_num_blocks(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """Blocks = tokens / block size, rounded up; vLLM's override raises as well as caps."""
    place = context.place(row)
    if place is None or not isinstance(setting.value, int):
        return without_place(row, setting, context)
    block = context.target_int("memory.page_size") or 16
    if context.facts.hybrid:
        return Carry("approximate", reason="a hybrid model's block size is only known at start: not carried")
    blocks = -(-setting.value // block)
    rule = f"{setting.value} tokens / {block} per block"
    reason = "SGLang only caps its pool with this, vLLM's override can raise it too"
    return Carry("approximate", (emit_at(place, blocks, comment=rule),), rule=rule, reason=reason)


@writer("prefix_caching")
def write_prefix_caching(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """Always said aloud on vLLM, whose default depends on model and release."""
    place = context.place(row)
    if place is None:
        return without_place(row, setting, context)
    if context.engine == "sglang":
        return _radix_cache(row, place, setting, context)
    carry = write_switch(place, bool(setting.value), row.side("vllm"), context)
    if setting.value and context.release < HYBRID_PREFIX_CACHING and context.facts.hybrid is not False:
        kind = "is" if context.facts.hybrid else "may be"
        comment = f"off by default on hybrid models before {HYBRID_PREFIX_CACHING}; this model {kind} one"
        emits = tuple(Emit(flag=e.flag, comment=comment) for e in carry.emits)
        return Carry("carried", emits, reason=comment)
    return carry


def _radix_cache(row: Row, place: Place, setting: Setting, context: WriteContext) -> Carry:
    """SGLang's radix cache; a hybrid model that speculates needs a second state buffer to keep it.

    SGLang 0.5.11 server_args.py:2441 refuses radix cache, speculation and no_buffer together.
    """
    speculates = context.value("speculation.method") is not None
    if not (setting.value and context.facts.hybrid and speculates) or context.same_engine:
        return write_switch(place, setting.value, row.side("sglang"), context)
    later = context.release >= Version("0.5.14")
    flag = "--mamba-radix-cache-strategy" if later else "--mamba-scheduler-strategy"
    rule = "a hybrid model that speculates needs it to keep its radix cache"
    return Carry("converted", (Emit(flag=flag, values=("extra_buffer",), comment=rule),), rule=rule)


def vllm_prefix_caching_default(release: Version, hybrid: bool | None) -> bool | None:
    """Whether vLLM caches prefixes when nobody says; None where that depends on an unknown model.

    vLLM 0.25.1, 0.26.0 and 0.33.0 config/model.py `is_prefix_caching_supported`.
    """
    if release >= HYBRID_PREFIX_CACHING or hybrid is False:
        return True
    return False if hybrid else None


@writer("offloading_gib")
def write_offloading(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """GiB over all tensor ranks = 0.931 x GB per rank x tp (SGLang 0.5.11 mem_cache/memory_pool_host.py)."""
    place = context.place(row)
    if place is None or not isinstance(setting.value, int | float):
        return without_place(row, setting, context)
    ranks = int(context.value("parallelism.tensor_parallel_size", 1))
    if not setting.value:
        return Carry("unknown", reason="the host pool is sized by --hicache-ratio of a KV pool only known at start")
    gib = round(float(setting.value) * GIB_PER_GB * ranks, 2)
    if context.same_engine:
        gib = float(setting.provenance.written[0].text)
    rule = f"{setting.value} x 1e9 bytes per rank x {ranks} ranks"
    return Carry("converted", (emit_at(place, gib, comment=rule),), rule=rule)


@writer("hicache_size")
def write_hicache_size(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """SGLang takes whole GB for each rank, and a switch."""
    place = context.place(row)
    if place is None or not isinstance(setting.value, int | float):
        return without_place(row, setting, context)
    rule = setting.provenance.detail
    emits = (Emit(flag="--enable-hierarchical-cache"), emit_at(place, math.ceil(setting.value), comment=rule))
    return Carry("converted" if rule else "carried", emits, rule=rule)


@reader("offloading_as_gb")
def read_offloading(row: Row, context: ReadContext) -> Reading | None:
    """GB per rank = GiB over all tensor ranks / tp / 0.931 (vLLM 0.20.1 config/cache.py)."""
    found = context.found(row)
    if not found or not isinstance(found[0].value, int | float):
        return Reading(found[0].value, tuple(found)) if found else None
    ranks = context.canonical("parallelism.tensor_parallel_size") or 1
    gigabytes = round(float(found[0].value) / ranks / GIB_PER_GB, 3)
    return Reading(gigabytes, tuple(found), f"{found[0].value} GiB over {ranks} ranks")


@reader("offload_group")
def read_group(row: Row, context: ReadContext) -> Reading | None:
    """Layers per offload group; SGLang's -1 and vLLM's 0 both mean off."""
    found = context.found(row)
    if not found:
        return None
    return Reading(0 if found[0].value == -1 else found[0].value, tuple(found))


@writer("offload_group")
def write_group(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """Off needs no flag."""
    if setting.value == 0:
        return Carry("built-in", reason="off unless given")
    return write_same(row, setting, context)


@writer("sequences_cap", across=True)
def write_sequences_cap(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """SGLang's pool of mamba states bounds the sequences, as vLLM's max_num_seqs does."""
    limit = context.target_int("scheduling.max_running_requests")
    if limit is not None and isinstance(setting.value, int) and limit <= setting.value:
        return Carry("built-in", reason=f"--max-num-seqs {limit} is within {setting.value} states")
    if limit is None and isinstance(setting.value, int):
        emit = Emit(flag="--max-num-seqs", values=(str(setting.value),), comment="one mamba state per sequence")
        return Carry("approximate", (emit,), reason="vLLM bounds states by sequences")
    return Carry(
        "approximate",
        reason="lower --max-num-seqs to the number of states if vLLM refuses to start",
        emits=(),
    )


@writer("mamba_cache_mode", across=True)
def write_mamba_mode(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """extra_buffer keeps prefix reuse on hybrids; vLLM picks align mode by itself with prefix caching."""
    if setting.value == "no_buffer":
        return Carry("built-in", reason="vLLM's mode without prefix reuse of states")
    return Carry("built-in", reason="with --enable-prefix-caching vLLM chooses align mode; reuse in larger blocks")


@reader("prefix_caching")
def read_prefix_caching(row: Row, context: ReadContext) -> Reading | None:
    """On in SGLang unless switched off; in vLLM by model and release."""
    found = context.found(row)
    if found:
        off = found[0].value is (context.engine == "sglang")
        return Reading(not off, tuple(found))
    if context.engine == "sglang":
        return Reading(True, (), "default of sglang")
    default = vllm_prefix_caching_default(context.release, context.facts.hybrid)
    if default is None:
        context.notes.append(
            f"prefix caching: vllm {context.release} turns it off on hybrid models; whether this is one isn't known"
        )
        return None
    kind = "a hybrid model" if context.facts.hybrid else "this model"
    return Reading(default, (), f"default of vllm {context.release} for {kind}")


@reader("blocks_as_tokens")
def read_blocks(row: Row, context: ReadContext) -> Reading | None:
    """Tokens = blocks x block size, 16 unless given."""
    found = context.found(row)
    if not found or not isinstance(found[0].value, int):
        return Reading(found[0].value, tuple(found)) if found else None
    block = context.value("--block-size", 16)
    return Reading(found[0].value * block, tuple(found), f"{found[0].value} blocks x {block} tokens")


@writer("only_lru", across=True)
def write_only_lru(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """vLLM evicts the least recently used block."""
    if setting.value == "lru":
        return Carry("built-in", reason="vLLM evicts the least recently used block")
    return Carry("lost", reason=f"vLLM evicts the least recently used block, not by {setting.text()}")


@writer("with_host_cache", across=True)
def write_host_cache(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """Offloading is on in vLLM where it has a size."""
    size = context.value("memory.host_cache_gb")
    if size:
        return Carry("approximate", reason="carried by its size: vLLM's native offloading keeps evicted blocks")
    return Carry(
        "unknown",
        reason="sized by a ratio of a KV pool only known at start: read SGLang's log and give "
        "--kv-offloading-size (GiB over all ranks)",
    )

"""Sizes of the parallel groups. SGLang counts DP attention inside tp, vLLM beside it.

Sources: SGLang 0.5.12.post1 server_args.py (`_handle_data_parallelism`), 0.5.22
arg_groups/fields/parallel.py; vLLM 0.20.1 and 0.33.0 config/parallel.py and
model_executor/layers/fused_moe/config.py. GPUs: SGLang tp x pp with DP attention, tp x pp x dp
without; vLLM tp x pp x dp always.
"""

from __future__ import annotations

import re
from dataclasses import replace

from portkit.conversions.generic import names_of, without_place, write_same
from portkit.conversions.reading import ReadContext, Reading
from portkit.conversions.registry import reader, writer
from portkit.conversions.writing import Carry, Emit, WriteContext, as_given, emit_at, symbolic_shell
from portkit.deployment.schema import Setting
from portkit.mapping.rows import Row

_EXPERT_PARALLEL_A2A = frozenset(
    {
        "deepep",
        "deepep_v2",
        "mooncake",
        "nixl",
        "mori",
        "flashinfer",
        "megamoe",
        "flashinfer_megamoe",
        "ascend_fuseep",
    }
)
"""All-to-all backends for which SGLang sets ep_size to tp_size (0.5.12.post1 `_handle_a2a_moe`)."""


def attention_dp(context: ReadContext) -> int:
    """SGLang's attention data-parallel size: ranks that share the experts of one tp group."""
    size = context.value("--attn-dp-size")
    if isinstance(size, int):
        return size
    if context.value("--enable-dp-attention"):
        replicas = context.value("--dp-size", 1)
        return replicas if isinstance(replicas, int) else 1
    return 1


@reader("attention_tp_from_total")
def read_total_tp(row: Row, context: ReadContext) -> Reading | None:
    """GPUs per attention group = tp / attention dp."""
    found = context.found(row)
    if not found:
        return None
    total, groups = found[0].value, attention_dp(context)
    if groups == 1 or not isinstance(total, int):
        return Reading(total, tuple(found))
    return Reading(total // groups, tuple(found), f"{total} GPUs in all / {groups} attention DP ranks")


@writer("total_tp_from_attention")
def write_total_tp(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """tp = GPUs per attention group x attention dp."""
    place = context.place(row)
    if place is None:
        return without_place(row, setting, context)
    groups = _attention_groups(context)
    if groups == 1 or not isinstance(setting.value, int):
        return Carry("carried", (as_given(place, setting),))
    total = setting.value * groups
    rule = f"{setting.value} GPUs x {groups} attention DP ranks: SGLang's tp counts them all"
    return Carry("converted", (emit_at(place, total, comment=rule),), rule=rule)


def _attention_groups(context: WriteContext) -> int:
    if not context.value("parallelism.data_parallel_attention", False):
        return 1
    return int(context.value("parallelism.data_parallel_size", 1))


@writer("attention_tp")
def write_attention_tp(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """vLLM's tp counts one attention group only."""
    place = context.place(row)
    if place is None:
        return without_place(row, setting, context)
    if setting.provenance.detail and setting.known:
        comment = setting.provenance.detail
        return Carry("converted", (emit_at(place, setting.value, comment=comment),), rule=comment)
    return Carry("carried", (as_given(place, setting),))


@reader("data_parallel_size")
def read_dp(row: Row, context: ReadContext) -> Reading | None:
    """Data-parallel ranks, whatever they share."""
    found = [f for f in context.found(row) if isinstance(f.value, int) or not isinstance(f.value, bool)]
    return Reading(found[0].value, tuple(found)) if found else None


@writer("data_parallel_size")
def write_dp(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """The same number of ranks; independent replicas of an MoE model become one lock-step group."""
    place = context.place(row)
    if place is None:
        return without_place(row, setting, context)
    emit = as_given(place, setting)
    if context.value("parallelism.data_parallel_attention", False) or context.engine == "sglang":
        return Carry("carried", (emit,))
    if setting.value == 1:
        return Carry("carried", (emit,))
    if context.facts.moe:
        return Carry(
            "approximate",
            (emit,),
            reason="independent MoE replicas become one group that shares experts in lock-step",
            instead=f"start {setting.text()} servers behind a router to keep them independent",
        )
    reason = "" if context.facts.moe is False else "if the model is MoE, its replicas become lock-step"
    return Carry("carried", (emit,), reason=reason)


@reader("data_parallel_attention")
def read_dp_attention(row: Row, context: ReadContext) -> Reading | None:
    """Whether the data-parallel ranks share experts."""
    if context.engine == "sglang":
        found = context.found(row)
        return Reading(attention_dp(context) > 1, tuple(found)) if found else None
    size = context.value("--data-parallel-size", 1)
    if not isinstance(size, int) or size == 1:
        return None
    expert_parallel = bool(context.value("--enable-expert-parallel"))
    if not expert_parallel and context.facts.moe is None:
        context.notes.append("data parallel: give --model-config to tell whether the ranks share experts")
        return None
    shared = expert_parallel or bool(context.facts.moe)
    return Reading(shared, (), "MoE ranks of vLLM's data parallel group share their experts")


@writer("data_parallel_attention")
def write_dp_attention(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """vLLM's data parallel ranks share experts by themselves; SGLang needs the switch."""
    if context.engine == "vllm":
        return _dp_attention_on_vllm(context)
    place = context.place(row)
    if place is None or not setting.value:
        return Carry("built-in", reason="off unless given")
    if place.flag == "--attn-dp-size":
        size = int(context.value("parallelism.data_parallel_size", 1))
        return Carry("converted", (emit_at(place, size),), rule="vLLM's data-parallel-size")
    return Carry("converted", (Emit(flag=place.flag),), rule="vLLM shares experts over data parallel ranks")


def _dp_attention_on_vllm(context: WriteContext) -> Carry:
    """DP attention is what vLLM's data parallel ranks do; how experts are spread is a switch of its own."""
    shared = "vLLM's data parallel ranks share the experts of an MoE model"
    ranks = context.value("parallelism.data_parallel_size", 1)
    if context.value("parallelism.expert_parallel_size", 1) != 1 or context.facts.moe is False or ranks == 1:
        return Carry("built-in", reason=shared)
    emit = Emit(
        flag="--enable-expert-parallel", comment="whole experts per rank; leave it out to slice them as SGLang does"
    )
    reason = f"{shared}; whole experts per rank is how vLLM serves them, SGLang with ep 1 slices each over all ranks"
    return Carry("approximate", (emit,), reason=reason)


@reader("expert_parallel_size")
def read_ep(row: Row, context: ReadContext) -> Reading | None:
    """Ranks the experts are spread over: a number in SGLang, all GPUs of the group in vLLM."""
    found = context.found(row)
    if context.engine == "vllm":
        if not found:
            return None
        if not found[0].value:
            return Reading(1, tuple(found))
        sizes = [context.canonical(f"parallelism.{part}_parallel_size") or 1 for part in ("tensor", "data")]
        if not all(isinstance(size, int) for size in sizes):
            return Reading("all", tuple(found))
        return Reading(sizes[0] * sizes[1], tuple(found), "all tp x dp ranks")
    if found:
        return Reading(found[0].value, tuple(found))
    if context.value("--moe-a2a-backend") in _EXPERT_PARALLEL_A2A:
        total = context.value("--tp-size", 1)
        return Reading(total, (), f"{context.value('--moe-a2a-backend')} spreads experts over all {total} ranks")
    return None


@writer("expert_parallel_switch")
def write_ep_switch(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """vLLM's expert parallelism is all ranks or none."""
    place = context.place(row)
    if place is None:
        return without_place(row, setting, context)
    if setting.value == 1:
        return Carry("built-in", reason="off unless given")
    tensor, data = (context.value(f"parallelism.{part}_parallel_size", 1) for part in ("tensor", "data"))
    attention = context.value("parallelism.data_parallel_attention", False)
    ranks = tensor * (data if attention else 1)
    if setting.value in (ranks, "all"):
        rule = f"ep {setting.value} = all {ranks} ranks"
        return Carry("converted", (Emit(flag=place.flag, comment=rule),), rule=rule)
    return Carry(
        "lost",
        reason=f"vLLM spreads experts over all {ranks} ranks or none, not over {setting.text()}",
    )


@writer("expert_parallel_size")
def write_ep_size(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """SGLang takes the number of ranks."""
    place = context.place(row)
    if place is None or not isinstance(setting.value, int):
        return without_place(row, setting, context)
    if setting.value == 1:
        return Carry("built-in", reason="1 unless given")
    rule = "vLLM's expert parallelism spans all ranks"
    return Carry("converted", (emit_at(place, setting.value, comment=rule),), rule=rule)


@reader("host_and_port")
def read_address(row: Row, context: ReadContext) -> Reading | None:
    """`HOST:PORT` of the first node, from one flag or from two."""
    found = context.found(row)
    if not found:
        return None
    if context.engine == "sglang":
        return Reading(found[0].value, tuple(found))
    parts = {str(f.place): f.value for f in found}
    host = parts.get("--master-addr") or "127.0.0.1"
    return Reading(f"{host}:{parts.get('--master-port', 29501)}", tuple(found))


@writer("host_and_port")
def write_address(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """`HOST:PORT` as two flags."""
    side = row.side(context.engine)
    places = [place for place in side.places if place.holds_in(context.release)]
    if len(places) < 2:
        return without_place(row, setting, context)
    rule = "dist-init-addr split into address and port"
    halves = _split_address(setting)
    if halves is None:
        return Carry("unknown", reason=f"can't tell host from port in {setting.text()}")
    emits = tuple(
        Emit(flag=place.flag, values=(half,), shell=(half,) if symbolic_shell(setting) else None, comment=rule)
        for place, half in zip(places, halves, strict=False)
    )
    return Carry("converted", emits, rule=rule)


@writer("joined_address")
def write_joined(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """Two flags as `HOST:PORT`, either half left to the shell where it was."""
    written = setting.provenance.written
    if len(written) == 2 and any(half.symbolic for half in written):
        place = context.place(row)
        assert place is not None
        shell = ":".join(half.shell for half in written)
        return Carry("converted", (emit_at(place, setting.value, shell=shell),))
    return write_same(row, setting, context)


@writer("node_rank")
def write_node_rank(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """The same number; vLLM's nodes after the first serve no HTTP and say so (0.20.1 entrypoints/cli/serve.py)."""
    carry = write_same(row, setting, context)
    if context.same_engine or not carry.emits or setting.value == 0:
        return carry
    if setting.known:
        return Carry("converted", (*carry.emits, Emit(flag="--headless", comment="a node after the first")))
    emit = replace(carry.emits[0], comment="nodes after the first need --headless too")
    return Carry("approximate", (emit,), reason="on nodes after the first add --headless: only the first serves HTTP")


def _split_address(setting: Setting) -> tuple[str, str] | None:
    """Host and port as words; bash text where the address follows something outside the script."""
    shell = symbolic_shell(setting)
    if shell is not None:
        together = re.fullmatch(r'(.+):(\d+|"\$\{?\w+\}?")', shell)
        if together:
            return together[1], together[2]
        variable = re.fullmatch(r'"\$\{?(\w+)\}?"', shell)
        if variable:
            return f'"${{{variable[1]}%:*}}"', f'"${{{variable[1]}##*:}}"'
        return None
    host, separator, port = str(setting.value).rpartition(":")
    return (host.strip("[]"), port) if separator and port.isdigit() else None


@reader("all2all")
def read_all2all(row: Row, context: ReadContext) -> Reading | None:
    """The all-to-all transport, with DeepEP's mode where it has one: `deepep low_latency`."""
    found = context.found(row)
    if not found:
        return None
    value = found[0].value
    if context.engine == "vllm":
        known = (n.canonical for n in names_of(row.side("vllm")) if n.native == value)
        return Reading(next(known, value), tuple(found))
    if value == "deepep":
        return Reading(f"deepep {context.value('--deepep-mode', 'auto')}", tuple(found))
    return Reading(value, tuple(found))


@writer("vllm_all2all")
def write_vllm_all2all(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """vLLM names transport and mode in one, and can't switch modes by phase."""
    place = context.place(row)
    if place is None:
        return without_place(row, setting, context)
    if setting.value == "none" and not context.same_engine:
        return Carry("built-in", reason="vLLM's default gathers and scatters, as SGLang's none does")
    wanted = "deepep low_latency" if setting.value == "deepep auto" else setting.value
    name = next((n for n in names_of(row.side("vllm")) if n.canonical == wanted and n.holds_in(context.release)), None)
    if name is None:
        return Carry("lost", reason=f"vLLM {context.release} has no {setting.text()} transport")
    comment = f"{setting.text()} in {context.origin}"
    emit = emit_at(place, name.native, comment=comment)
    if wanted != setting.value:
        reason = "vLLM uses one mode for both phases: low latency keeps decode fast, prefill-heavy loads want the other"
        return Carry("approximate", (emit,), reason=reason, instead="--all2all-backend deepep_high_throughput")
    return Carry(name.verdict, (emit,), reason=name.reason)


@writer("sglang_all2all")
def write_sglang_all2all(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """SGLang takes transport and DeepEP's mode apart."""
    place = context.place(row)
    if place is None:
        return without_place(row, setting, context)
    transport, _, mode = str(setting.value).partition(" ")
    if transport == "none":
        return Carry("built-in", reason="SGLang's default")
    flag = context.catalogue.by_name.get(place.flag or "")
    if flag is None or (flag.choices is not None and transport not in flag.choices):
        return Carry("lost", reason=f"SGLang {context.release} has no {transport} transport")
    emits = [emit_at(place, transport)]
    if mode:
        emits.append(Emit(flag="--deepep-mode", values=(mode,)))
    return Carry("converted", tuple(emits))


@writer("with_eplb")
def write_with_eplb(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """vLLM refuses these keys where load balancing is off."""
    if not context.same_engine and not context.value("parallelism.expert_load_balancing", False):
        return Carry("inert", reason="vLLM takes it only with --enable-eplb")
    return write_same(row, setting, context)

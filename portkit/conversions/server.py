"""Server settings whose spelling differs: adapters, endpoint lists, NUMA nodes, caches of inputs, prefill pauses."""

from __future__ import annotations

import json
from typing import Any

from portkit.conversions.generic import without_place
from portkit.conversions.reading import ReadContext, Reading
from portkit.conversions.registry import reader, writer
from portkit.conversions.writing import Carry, Emit, WriteContext, emit_at
from portkit.deployment.schema import Setting
from portkit.mapping.rows import Row

_MIB_PER_GIB = 1024
_NAMES = {"lora_name": "name", "lora_path": "path"}


@reader("adapters")
def read_adapters(row: Row, context: ReadContext) -> Reading | None:
    """LoRA adapters as a list of `{name, path}` with what else an item says.

    SGLang: `path`, `name=path` or JSON with lora_name, lora_path, pinned (0.5.12.post1
    server_args.py LoRAPathAction); vLLM: `name=path` or JSON with name, path, base_model_name.
    """
    found = context.found(row)
    if not found or not isinstance(found[0].value, list | dict):
        return Reading(found[0].value, tuple(found)) if found else None
    value = found[0].value
    items = [{"name": name, "path": path} for name, path in value.items()] if isinstance(value, dict) else value
    return Reading([_adapter(item) for item in items], tuple(found))


def _adapter(item: Any) -> Any:
    if isinstance(item, str):
        name, equals, path = item.partition("=")
        return {"name": name, "path": path} if equals else {"name": item, "path": item}
    if isinstance(item, dict):
        return {_NAMES.get(key, key): value for key, value in item.items()}
    return item


@writer("adapters")
def write_adapters(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """`name=path` for each adapter; what only the source's JSON says stays behind, by name."""
    place = context.place(row)
    if place is None or not setting.known:
        return without_place(row, setting, context)
    if not isinstance(setting.value, list) or not all(isinstance(a, dict) and "path" in a for a in setting.value):
        return Carry("lost", reason="the adapters are written in a form that isn't name=path or an object")
    words = [f"{a.get('name', a['path'])}={a['path']}" for a in setting.value]
    extra = sorted({key for a in setting.value for key in a} - {"name", "path"})
    emit = Emit(flag=place.flag, values=tuple(words))
    if extra:
        return Carry("approximate", (emit,), reason=f"names and paths only: {', '.join(extra)} is left out")
    return Carry("converted", (emit,))


@reader("comma_list")
def read_comma_list(row: Row, context: ReadContext) -> Reading | None:
    """A list, whether written as several words or as one with commas."""
    found = context.found(row)
    if not found:
        return None
    value = found[0].value
    return Reading(value.split(",") if isinstance(value, str) else value, tuple(found))


@writer("comma_list")
def write_comma_list(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """vLLM takes one word with commas, SGLang several."""
    place = context.place(row)
    if place is None or not setting.known:
        return without_place(row, setting, context)
    items = [str(item) for item in setting.value]
    words = [",".join(items)] if context.engine == "vllm" else items
    return Carry(row_verdict(row, context), (Emit(flag=place.flag, values=tuple(words)),), reason=_how_alike(row))


def row_verdict(row: Row, context: WriteContext) -> Any:
    """The verdict of a faithful copy of a row's value."""
    return "carried" if context.same_engine else "converted" if row.fidelity == "exact" else "approximate"


def _how_alike(row: Row) -> str:
    return row.why if row.fidelity != "exact" else ""


@writer("numa_nodes")
def write_numa(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """vLLM binds only with its switch beside the list (0.20.1 config/parallel.py numa_bind)."""
    place = context.place(row)
    if place is None or not isinstance(setting.value, list):
        return without_place(row, setting, context)
    emit = emit_at(place, setting.value)
    if context.engine == "vllm":
        return Carry("converted", (Emit(flag="--numa-bind"), emit), reason="vLLM binds CPUs and memory together")
    return Carry("converted", (emit,))


@reader("cache_gib")
def read_cache_gib(row: Row, context: ReadContext) -> Reading | None:
    """GiB: SGLang's figure is MiB, vLLM's GiB; vLLM's old switch means none."""
    found = context.found(row)
    if not found:
        return None
    value = found[0].value
    if value is True:
        return Reading(0, tuple(found))
    if context.engine == "sglang" and isinstance(value, int | float):
        return Reading(round(value / _MIB_PER_GIB, 4), tuple(found), f"{value} MiB / 1024")
    return Reading(value, tuple(found))


@writer("cache_gib")
def write_cache_gib(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """MiB = GiB x 1024; vLLM keeps one cache in every API server, SGLang one in all."""
    place = context.place(row)
    if place is None or not isinstance(setting.value, int | float):
        return without_place(row, setting, context)
    if place.means is not None:
        return Carry("lost", reason=f"{context.engine} {context.release} can only turn this cache off")
    value = round(setting.value * _MIB_PER_GIB) if context.engine == "sglang" else setting.value
    rule = f"{setting.value} GiB"
    return Carry("approximate", (emit_at(place, value, comment=rule),), reason="vLLM keeps one in every API server")


@reader("prefill_pause")
def read_pause(row: Row, context: ReadContext) -> Reading | None:
    """Decode rounds between two prefills: SGLang counts these, vLLM the interval from one to the next."""
    found = context.found(row)
    if not found:
        return None
    value = found[0].value
    if context.engine == "vllm" and isinstance(value, int):
        return Reading(value - 1, tuple(found), f"every {value} steps")
    return Reading(value, tuple(found))


@writer("prefill_pause")
def write_pause(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """An interval of n + 1 steps has n rounds of decode between two prefills."""
    place = context.place(row)
    if place is None or not isinstance(setting.value, int):
        return without_place(row, setting, context)
    value = setting.value + 1 if context.engine == "vllm" else setting.value
    rule = f"{setting.value} decode rounds between prefills"
    return Carry("converted", (emit_at(place, value, comment=rule),), rule=rule)


@writer("json_object")
def write_json(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """An object that both engines read alike, as one word."""
    place = context.place(row)
    if place is None or not isinstance(setting.value, dict):
        return without_place(row, setting, context)
    return Carry(
        row_verdict(row, context), (Emit(flag=place.flag, values=(json.dumps(setting.value),)),), reason=_how_alike(row)
    )


@reader("kv_events")
def read_kv_events(row: Row, context: ReadContext) -> Reading | None:
    """The object, which SGLang takes as text that it parses later."""
    found = context.found(row)
    if not found:
        return None
    value = found[0].value
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return Reading(found[0].value, tuple(found))
    return Reading(value, tuple(found))


@writer("kv_events")
def write_kv_events(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """vLLM publishes only with enable_kv_cache_events, which SGLang's flag means by itself.

    vLLM 0.20.1 config/kv_events.py, SGLang 0.5.12.post1 disaggregation/kv_events.py.
    """
    place = context.place(row)
    if place is None or not isinstance(setting.value, dict):
        return without_place(row, setting, context)
    document = {key: value for key, value in setting.value.items() if key != "enable_kv_cache_events"}
    if context.engine == "vllm":
        document = {"enable_kv_cache_events": True, **document}
    verdict = row_verdict(row, context)
    return Carry(verdict, (Emit(flag=place.flag, values=(json.dumps(document),)),), reason=_how_alike(row))


@reader("first_meaning")
def read_first_meaning(row: Row, context: ReadContext) -> Reading | None:
    """What the first of several switches that is on stands for."""
    found = [f for f in context.found(row) if f.value is not False]
    return Reading(found[0].place.means, tuple(found)) if found else None


@reader("disaggregation_role")
def read_role(row: Row, context: ReadContext) -> Reading | None:
    """The role by name; SGLang's `null` is no disaggregation."""
    from portkit.conversions.generic import canonical_of

    found = context.found(row)
    if not found or found[0].value == "null":
        return None
    return Reading(canonical_of(found[0], row.side(context.engine)), tuple(found))

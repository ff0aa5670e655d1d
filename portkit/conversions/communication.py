"""Collectives and the environment they read."""

from __future__ import annotations

import re

from packaging.version import Version

from portkit.conversions.generic import without_place, write_switch
from portkit.conversions.reading import ReadContext, Reading
from portkit.conversions.registry import reader, writer
from portkit.conversions.writing import Carry, Emit, WriteContext, variable_as_given
from portkit.deployment.schema import Setting
from portkit.mapping.alone import disposition
from portkit.mapping.rows import Row


@writer("same_variable")
def write_variable(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """A variable that libraries read, whatever the engine; of the engine's own, what the target still reads."""
    name = setting.setting.rsplit(".", 1)[1]
    own = name.startswith(("VLLM_", "SGLANG_", "SGL_"))
    copied = f"SGLANG_{name.removeprefix('SGL_')}"  # SGLang copies old names to the new ones, with a warning
    if name.startswith("SGL_") and copied in context.catalogue.variables:
        return Carry("converted", (variable_as_given(copied, setting),), reason=f"SGLang copies {name} to {copied}")
    if own and name not in context.catalogue.variables:
        reason = setting.provenance.detail or f"{context.engine} {context.release} doesn't read it"
        return Carry("inert" if setting.provenance.detail else "lost", reason=reason)
    now = context.catalogue.variables[name].replacement if own else None
    if now is not None and now in context.catalogue.variables:
        return Carry("converted", (variable_as_given(now, setting),), reason=f"{name} is {now} in {context.release}")
    return Carry("carried", (variable_as_given(name, setting),))


@writer("foreign_variable")
def write_foreign(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """A variable that only the source engine reads."""
    name = setting.setting.rsplit(".", 1)[1]
    if setting.provenance.detail:
        return Carry("inert", reason=setting.provenance.detail)
    known = disposition(context.source.engine, name, Version(context.source.release))
    if known is not None:
        return Carry(known.verdict, reason=known.reason)
    return Carry("lost", reason=f"only {context.source.engine} reads {name}")


@reader("nccl_set_by_sglang")
def read_nccl(row: Row, context: ReadContext) -> Reading | None:
    """A value the launch gives, or 0, which SGLang sets where nobody does.

    SGLang 0.5.12.post1 entrypoints/engine.py and 0.5.23 `_set_envs_and_config`: CUMEM 1 with
    --enable-symm-mem, NVLS 1 with it or --enable-nccl-nvls, else 0 if unset.
    """
    found = context.found(row)
    variable = row.side(context.engine).places[0].env or ""
    if context.engine != "sglang":
        return Reading(found[0].value, tuple(found)) if found else None
    symmetric = bool(context.value("--enable-symm-mem"))
    nvls = bool(context.value("--enable-nccl-nvls")) and "NVLS" in variable
    if symmetric or (nvls and not found):
        rule = "SGLang sets it for " + ("symmetric memory" if symmetric else "NVLS")
        return Reading("1", tuple(found), rule, "derived")
    if found:
        return Reading(found[0].value, tuple(found))
    return Reading("0", (), f"SGLang {context.release} sets it where nobody does")


@reader("connections_set_by_sglang")
def read_connections(row: Row, context: ReadContext) -> Reading | None:
    """SGLang overwrites CUDA_DEVICE_MAX_CONNECTIONS with 8 (0.5.9 to 0.5.23 entrypoints/engine.py)."""
    found = context.found(row)
    if context.engine != "sglang":
        return Reading(found[0].value, tuple(found)) if found else None
    rule = "SGLang sets it to 8 whatever the environment says"
    return Reading("8", tuple(found), rule)


@writer("stated_variable")
def write_stated(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """What somebody wrote is carried; what SGLang sets by itself is stated, to be uncommented."""
    name = row.side("vllm").places[0].env or ""
    if setting.explicit and setting.provenance.written and setting.value == setting.provenance.written[0].text:
        return Carry("carried", (variable_as_given(name, setting),))
    if setting.explicit:
        emit = Emit(env=name, values=(setting.text(),), comment=setting.provenance.detail)
        reason = f"{setting.provenance.detail}; the written value never took effect"
        return Carry("inert", (emit,), reason=reason)
    if setting.provenance.kind == "derived":
        emit = Emit(env=name, values=(setting.text(),), comment=setting.provenance.detail)
        return Carry("converted", (emit,), rule=setting.provenance.detail)
    emit = Emit(env=name, values=(setting.text(),), comment=setting.provenance.detail, commented=True)
    reason = f"{setting.provenance.detail}; vLLM leaves it to the library. Stated in the script, not set"
    return Carry("differs", (emit,), reason=reason)


@writer("sglang_variable")
def write_sglang_variable(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """A value given to vLLM, for SGLang, which keeps what the environment says where it reads it."""
    name = row.side("sglang").places[0].env or ""
    if name == "CUDA_DEVICE_MAX_CONNECTIONS":
        return Carry("lost", reason="SGLang overwrites it with 8")
    return Carry("carried", (variable_as_given(name, setting),))


@writer("visible_devices")
def write_visible(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """vLLM parses device numbers as integers (0.20.1 custom_all_reduce.py); UUIDs stop it."""
    name = row.side(context.engine).places[0].env or ""
    if context.engine == "vllm" and setting.known and re.search(r"(GPU|MIG)-", str(setting.value)):
        return Carry("unsafe", reason="vLLM reads device numbers, not UUIDs: write their indices")
    return Carry("carried", (variable_as_given(name, setting),))


@writer("symmetric_memory")
def write_symmetric(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """NCCL window memory: a switch on SGLang, three variables on vLLM."""
    place = context.place(row)
    if place is None or not setting.value:
        return without_place(row, setting, context) if place is None else Carry("built-in", reason="off by default")
    if context.engine == "sglang":
        return Carry("converted", (Emit(flag=place.flag),))
    rule = "SGLang's symmetric memory sets all three"
    names = ("VLLM_USE_NCCL_SYMM_MEM", "NCCL_CUMEM_ENABLE", "NCCL_NVLS_ENABLE")
    written = {w.option for s in context.source.settings.values() for w in s.provenance.written}
    emits = tuple(
        Emit(env=name, values=("1",), comment=rule) for name in names if name == place.env or name not in written
    )
    return Carry("approximate", emits, rule=rule)


@writer("p2p_check")
def write_p2p_check(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """Both trust the driver unless told; on vLLM through a variable that says skip."""
    place = context.place(row)
    if place is None:
        return without_place(row, setting, context)
    return write_switch(place, setting.value, row.side(context.engine), context)

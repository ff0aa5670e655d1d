"""Attention backends: two tables of names, and what each costs while speculating.

SGLang 0.5.12.post1 server_args.py `ATTENTION_BACKEND_CHOICES`; vLLM 0.20.1 and 0.33.0
v1/attention/backends/registry.py, platforms/cuda.py, and each backend's `_cudagraph_support`.
"""

from __future__ import annotations

from typing import Any

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from portkit.catalogue.load import load
from portkit.conversions.generic import names_of, without_place
from portkit.conversions.reading import ReadContext, Reading
from portkit.conversions.registry import reader, writer
from portkit.conversions.speculation import emitted_method
from portkit.conversions.writing import Carry, WriteContext, emit_at
from portkit.deployment.schema import Setting
from portkit.mapping.load import table
from portkit.mapping.rows import Place, Row

_DFLASH_BACKENDS = frozenset({"FLASH_ATTN", "FLEX_ATTENTION"})
_SINGLE_TOKEN_ALWAYS = frozenset({"CUTLASS_MLA", "LINEAR_ATTN"})
_FLASHINFER_FULL = Version("0.33.0")
"""First vLLM (of those read) whose FlashInfer keeps full graphs for several tokens below sm90."""


@reader("attention_backend")
def read_backend(row: Row, context: ReadContext) -> Reading | None:
    """The backend named, in SGLang's names; vLLM's names are in capitals and any case is taken."""
    found = context.found(row)
    if not found:
        return None
    value = found[0].value
    if not isinstance(value, str):
        return Reading(value, tuple(found))
    if context.engine == "sglang":
        return Reading(value, tuple(found))
    wanted = value.upper()
    entries = table("attention_backends")
    kind = "mla" if wanted.removesuffix("_VLLM_V1").endswith("MLA") or "MLA_SPARSE" in wanted else "mha"
    match = next((e for e in entries if e.get("vllm") == wanted and e["kind"] in (kind, "any")), None)
    return Reading(match["sglang"] if match else wanted, tuple(found))


@writer("vllm_attention_backend")
def write_vllm_backend(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """vLLM's backend of the same kind, unless it would lose decode graphs or not start."""
    place = context.place(row)
    if place is None or not setting.known:
        return without_place(row, setting, context)
    if context.same_engine:
        return _write_own(setting, place, context)
    decode = context.value("attention.decode_backend")
    wanted = decode or setting.value
    entry = backend_entry(wanted, context)
    if entry is None:
        return Carry("lost", reason=f"vLLM has no counterpart of {wanted}: its own choice is kept")
    name = entry.get("vllm")
    if name is None:
        return Carry(entry.get("verdict", "lost"), reason=entry["reason"])
    refusal = refused(name, context)
    if refusal:
        return Carry("unsafe", reason=refusal, instead="leave it unset: vLLM picks by GPU and model")
    comment = f"{wanted} in sglang"
    verdict = entry.get("verdict", "converted")
    return Carry(verdict, (emit_at(place, name, comment=comment),), reason=entry.get("reason", ""))


def _write_own(setting: Setting, place: Place, context: WriteContext) -> Carry:
    """A backend of vLLM's own, under the name that the target release has for it."""
    written = _as_written(setting)
    before = load("vllm", Version(context.source.release)).registries["attention_backend"]
    if written.upper() in {*before} - {*context.catalogue.registries["attention_backend"]}:
        entry = backend_entry(str(setting.value), context) or {}
        if "vllm" not in entry:
            return Carry("lost", reason=f"vLLM {context.release} has no backend {written}: its own choice is kept")
        return Carry("converted", (emit_at(place, entry["vllm"]),), reason=f"{written} in the source's release")
    refusal = refused(written.upper(), context)
    return Carry("unsafe" if refusal else "carried", (emit_at(place, written),), reason=refusal)


def _as_written(setting: Setting) -> str:
    written = setting.provenance.written
    return written[0].text if written and written[0].text else str(setting.value)


def backend_entry(sglang_name: str, context: WriteContext) -> dict[str, Any] | None:
    """The table's entry for one of SGLang's names, by the model's kind of attention and the release."""
    kinds = ("mla", "any") if context.facts.mla else ("mha", "any")
    fitting = [e for e in table("attention_backends") if e["sglang"] == sglang_name and e["kind"] in kinds]
    for entry in fitting:
        if context.release in SpecifierSet(entry.get("releases", ""), prereleases=True):
            return dict(entry)
    if not fitting:
        return None
    return {"reason": f"vLLM has {fitting[0]['vllm']} in releases {fitting[0]['releases']}", "verdict": "lost"}


def refused(name: str, context: WriteContext) -> str:
    """Why this backend is not written, or an empty text."""
    method = emitted_method(context)
    if method is None:
        return ""
    release = context.release
    if method == "dflash" and release < Version("0.24.0") and name not in _DFLASH_BACKENDS:
        return f"DFlash on vLLM {release} needs a non-causal backend: {name} would not start"
    if name == "FLASHINFER" and not _flashinfer_keeps_graphs(context):
        where = _arch(context)
        return (
            f"FLASHINFER on {where} decodes single tokens only in vLLM {release}: with speculation its graphs "
            "drop to PIECEWISE (1.4x at concurrency 1). FLASH_ATTN, vLLM's own choice, keeps full graphs"
        )
    if name in _SINGLE_TOKEN_ALWAYS:
        return f"{name} has no full decode graphs for several tokens per request: PIECEWISE with speculation"
    if name == "TRITON_MLA" and release < _FLASHINFER_FULL:
        return f"TRITON_MLA has no full graphs in vLLM {release}"
    return ""


def _flashinfer_keeps_graphs(context: WriteContext) -> bool:
    """Whether FlashInfer has full decode graphs for several tokens per request.

    vLLM 0.20.1: on sm100 only; 0.32.0: from sm90 on; 0.33.0: everywhere (v1/attention/backends/flashinfer.py
    `get_cudagraph_support`).
    """
    if context.release >= _FLASHINFER_FULL:
        return True
    capability = context.facts.compute_capability
    if capability is None:
        return False
    return capability[0] == 10 or (capability[0] >= 9 and context.release >= Version("0.32.0"))


def _arch(context: WriteContext) -> str:
    capability = context.facts.compute_capability
    return f"sm{capability[0]}{capability[1]}" if capability else "a GPU other than sm100"


@writer("decode_backend")
def write_decode_backend(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """vLLM has one backend for both phases: the decode one is what a port keeps."""
    if context.value("attention.backend") is not None:
        return Carry("converted", reason="decides --attention-backend: vLLM has one for both phases")
    from portkit.mapping.load import rows

    return write_vllm_backend(rows()["attention.backend"], setting, context)


@writer("prefill_backend")
def write_prefill_backend(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """vLLM has no separate prefill backend."""
    decode = context.value("attention.decode_backend") or context.value("attention.backend")
    if decode == setting.value:
        return Carry("built-in", reason="the same as for decode")
    return Carry("lost", reason="vLLM uses one backend for both phases; the decode one is carried")


@writer("draft_attention_backend")
def write_draft_backend(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """The draft's backend as a key of the speculative config, where the release has one."""
    place = context.place(row)
    if place is None:
        return without_place(row, setting, context)
    if emitted_method(context) is None:
        return Carry("inert", reason="no speculation is set up")
    if context.same_engine:
        return Carry("carried", (emit_at(place, _as_written(setting)),))
    entry = backend_entry(str(setting.value), context)
    if entry is None or "vllm" not in entry:
        return Carry("lost", reason=f"vLLM has no counterpart of {setting.text()}")
    return Carry("converted", (emit_at(place, entry["vllm"], comment=f"{setting.text()} in sglang"),))


@writer("sglang_attention_backend")
def write_sglang_backend(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """SGLang's name of the backend, where that release offers it."""
    place = context.place(row)
    if place is None or not setting.known:
        return without_place(row, setting, context)
    flag = context.catalogue.by_name.get(place.flag or "")
    if flag is not None and flag.choices is not None and setting.value not in flag.choices:
        return Carry("lost", reason=f"SGLang {context.release} has no backend like {setting.text()}")
    capability = context.facts.compute_capability
    if setting.value == "fa3" and not context.same_engine and capability is not None and capability[0] != 9:
        return Carry("built-in", reason=f"fa3 needs sm90: SGLang's own choice is kept on {_arch(context)}")
    known = {name.canonical for name in names_of(row.side("sglang"))} or None
    if known is not None and setting.value not in known:
        return Carry("lost", reason=f"SGLang has no backend like {setting.text()}")
    written = setting.provenance.written
    comment = f"{written[0].text} in vllm" if written else ""
    return Carry("converted", (emit_at(place, setting.value, comment=comment),))

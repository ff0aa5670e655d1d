"""Options of the processors of images, videos and audio.

SGLang (0.5.23 multimodal/processors/base_processor.py) has an object for each modality, which it
hands to the Hugging Face processor as `images_kwargs`, `videos_kwargs` and `audio_kwargs`. vLLM's
object is flat, for every modality that knows a key, and from 0.32.0 on may hold those three by name
(multimodal/processing/context.py).
"""

from __future__ import annotations

import json
from typing import Any

from packaging.version import Version

from portkit.conversions.generic import without_place
from portkit.conversions.reading import ReadContext, Reading
from portkit.conversions.registry import reader, writer
from portkit.conversions.writing import Carry, Emit, WriteContext
from portkit.deployment.schema import Setting
from portkit.mapping.rows import Row

SCOPES = {"image": "images_kwargs", "video": "videos_kwargs", "audio": "audio_kwargs"}
_SCOPES_BY_NAME = Version("0.32.0")
_ANY = "any"


@reader("processor_options")
def read_processor_options(row: Row, context: ReadContext) -> Reading | None:
    """Options by modality; vLLM's flat ones under `any`."""
    found = context.found(row)
    if not found:
        return None
    value = found[0].value
    if context.engine == "sglang" or not isinstance(value, dict):
        return Reading(value, tuple(found))
    options: dict[str, Any] = {m: value[scope] for m, scope in SCOPES.items() if scope in value}
    flat = {key: option for key, option in value.items() if key not in SCOPES.values()}
    return Reading({**options, _ANY: flat} if flat else options, tuple(found))


@writer("processor_options")
def write_processor_options(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """The same options in the other engine's shape; the processors themselves may differ in what they heed."""
    place = context.place(row)
    if place is None:
        return without_place(row, setting, context)
    if not isinstance(setting.value, dict) or not all(isinstance(v, dict) for v in setting.value.values()):
        return Carry("lost", reason=f"not an object of objects: {setting.text()}")
    shape = _for_sglang if context.engine == "sglang" else _for_vllm
    value, reason = shape(setting.value, context.release)
    emit = Emit(flag=place.flag, values=(json.dumps(value),))
    if context.same_engine and not reason:
        return Carry("carried", (emit,))
    return Carry("approximate", (emit,), reason=reason or "check the keys against what the model's processor takes")


def _for_sglang(options: dict[str, dict[str, Any]], release: Version) -> tuple[dict[str, Any], str]:
    shared = options.get(_ANY, {})
    if not shared:
        return options, ""
    modalities = [m for m in SCOPES if m in options] or ["image", "video"]
    value = {m: {**shared, **options.get(m, {})} for m in modalities}
    return value, f"vLLM gives {', '.join(shared)} to every modality that knows it: here to {' and '.join(modalities)}"


def _for_vllm(options: dict[str, dict[str, Any]], release: Version) -> tuple[dict[str, Any], str]:
    scoped = {SCOPES.get(m, m): chosen for m, chosen in options.items() if m != _ANY}
    if release >= _SCOPES_BY_NAME or not scoped:
        return {**options.get(_ANY, {}), **scoped}, ""
    flat: dict[str, Any] = {}
    for chosen in options.values():
        for key, option in chosen.items():
            flat.setdefault(key, option)
    return flat, f"vLLM {release} has one set of options for all modalities: {', '.join(flat)} now hold for each"

"""What is known of GPU and model beside the script: given, or guessed from names and labelled so."""

from __future__ import annotations

import difflib
import json
import re
from pathlib import Path
from typing import Any

from portkit.deployment.schema import Facts
from portkit.errors import PortkitError
from portkit.mapping.load import table

_GPU = re.compile(r"\s*(?P<name>[a-z0-9 ._-]*?)\s*(?:[x:*]\s*(?P<count>\d+))?\s*$", re.IGNORECASE)
_GPU_IN_TEXT = re.compile(
    r"\b(?:(?P<count>\d)\s*x\s*)?(?:nvidia\s+)?(?:rtx\s+)?"
    r"(?P<name>a6000|a100|h100|h200|h20|b200|b300|gb200|gh200|l40s|l40|l4|a10g|a10|a30|a40|t4|[345]090|pro ?6000)\b",
    re.IGNORECASE,
)
_CONFIG_LIMIT_BYTES = 4_000_000
_HYBRID_KEYS = ("layer_types", "layers_block_type", "hybrid_override_pattern", "full_attention_interval")


def gather_facts(text: str, model: str | None, *, gpu: str | None = None, model_config: str | None = None) -> Facts:
    """Facts from `--gpu` and `--model-config`, else guessed from the script's text and the model's name.

    Raises PortkitError for a GPU portkit doesn't know and for a config that can't be read.
    """
    facts: dict[str, Any] = {}
    sources: dict[str, str] = {}
    if gpu is not None:
        facts |= _gpu_facts(gpu)
        sources["gpu"] = "--gpu"
    else:
        guess = _gpu_in_text(text)
        if guess is not None:
            facts |= guess
            sources["gpu"] = "guessed from the script's text"
    if model_config is not None:
        facts |= _config_facts(model_config)
        sources["model"] = "--model-config"
    elif model is not None:
        guess = _model_by_name(model)
        if guess is not None:
            facts |= guess
            sources["model"] = f"guessed from the name {model}"
    return Facts(**facts, sources=sources)


def _gpu_facts(text: str) -> dict[str, Any]:
    match = _GPU.match(text)
    known = {str(entry["name"]): entry for entry in table("gpus")}
    name = re.sub(r"[\s_]|nvidia|^rtx(?=a\d)", "", (match["name"] if match else text).lower())
    entry = known.get(name) or known.get(name.replace("-", ""))
    if entry is None:
        near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
        raise PortkitError(
            f"portkit knows no GPU called {text!r}",
            hint=("did you mean " + " or ".join(near) + "? " if near else "")
            + "write a name and a count, as in a6000x2 or h100:8",
        )
    return _gpu_entry(entry, int(match["count"]) if match and match["count"] else None)


def _gpu_entry(entry: dict[str, Any], count: int | None) -> dict[str, Any]:
    return {
        "gpu": entry["name"],
        "gpu_count": count,
        "gpu_memory_mib": entry["memory_mib"],
        "compute_capability": tuple(entry["compute_capability"]),
        "nvlink": entry["nvlink"],
    }


def _gpu_in_text(text: str) -> dict[str, Any] | None:
    """The one kind of GPU that the text names; several kinds are no guess."""
    found = {re.sub(r"\s", "", m["name"].lower()): m for m in _GPU_IN_TEXT.finditer(text[:200_000])}
    if len(found) != 1:
        return None
    name, match = next(iter(found.items()))
    known = {str(entry["name"]): entry for entry in table("gpus")}
    entry = known.get(name) or known.get(f"rtx{name}")
    return _gpu_entry(entry, int(match["count"]) if match["count"] else None) if entry else None


def _model_by_name(model: str) -> dict[str, Any] | None:
    for entry in table("models"):
        if re.search(entry["pattern"], model, re.IGNORECASE):
            return {key: value for key, value in entry.items() if key != "pattern"}
    return None


def _config_facts(path: str) -> dict[str, Any]:
    try:
        data = Path(path).read_bytes()[: _CONFIG_LIMIT_BYTES + 1]
    except OSError as error:
        raise PortkitError(
            f"can't read the model's config {path}: {error.strerror}", hint="give the path of a config.json"
        ) from None
    try:
        config = json.loads(data) if len(data) <= _CONFIG_LIMIT_BYTES else None
    except (ValueError, RecursionError):
        config = None
    if not isinstance(config, dict):
        raise PortkitError(f"{path} is no model config", hint="give a model's config.json")
    nested = config.get("text_config")
    text: dict[str, Any] = nested if isinstance(nested, dict) else config
    architectures = config.get("architectures") or text.get("architectures") or [None]
    experts = next((text[k] for k in ("num_experts", "n_routed_experts", "num_local_experts") if text.get(k)), 0)
    layers = next(
        (text[k] for k in ("mtp_num_hidden_layers", "num_nextn_predict_layers", "num_mtp_layers") if text.get(k)),
        0,
    )
    return {
        "architecture": architectures[0],
        "hybrid": _is_hybrid(text),
        "moe": bool(experts) and experts != 1,
        "mla": text.get("kv_lora_rank") is not None,
        "mtp_layers": layers,
        "attention_heads": text.get("num_attention_heads"),
    }


def _is_hybrid(config: dict[str, Any]) -> bool:
    kinds = config.get("layer_types") or config.get("layers_block_type") or ()
    linear = any("linear" in str(kind) or "mamba" in str(kind) for kind in kinds)
    return linear or any(key in config for key in _HYBRID_KEYS[2:])

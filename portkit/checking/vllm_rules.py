"""Combinations of vLLM settings that don't start, or start without what was meant."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from portkit.checking.view import Hit, Rule, View
from portkit.defaults.limits import (
    vllm_default_max_num_batched_tokens,
    vllm_default_max_num_seqs,
    vllm_draft_slots,
)

_METHOD_BY_ITSELF = frozenset({"mtp", "deepseek_mtp", "suffix"})
"""Methods that know how many tokens to draft: from the checkpoint's layers, or from the tree's depth."""


@dataclass(frozen=True, slots=True)
class Speculation:
    """Speculation as the launch writes it; `tokens` is None where nobody says or only the shell knows."""

    method: str | None
    tokens: int | None
    parallel: bool
    dest: str
    open: bool


def speculation(view: View) -> Speculation | None:
    """Speculation by --speculative-config or its shortcuts; None without it."""
    for dest in ("speculative_config", "spec_method", "spec_tokens", "spec_model"):
        if view.given(dest):
            break
    else:
        return None
    method = view.value("speculative_config", "method") or view.value("spec_method")
    config = view.argument("speculative_config")
    read = config is None or isinstance(config.value, dict)
    tokens = view.integer("speculative_config.num_speculative_tokens", "spec_tokens")
    said = tokens is not None or view.given("spec_tokens")
    said = said or (config is not None and isinstance(config.value, dict) and "num_speculative_tokens" in config.value)
    parallel = bool(view.value("speculative_config", "parallel_drafting"))
    return Speculation(method if isinstance(method, str) else None, tokens, parallel, dest, not read or said)


def _sizes(view: View) -> tuple[list[int] | None, str, str]:
    for dest, key in (("cudagraph_capture_sizes", ""), ("compilation_config", "cudagraph_capture_sizes")):
        value = view.value(dest, key or None)
        if isinstance(value, list) and value and all(isinstance(item, int) for item in value):
            return value, dest, key
    return None, "", ""


def _maximum(view: View) -> tuple[int | None, str, str]:
    for dest, key in (
        ("max_cudagraph_capture_size", ""),
        ("compilation_config", "max_cudagraph_capture_size"),
    ):
        value = view.value(dest, key or None)
        if isinstance(value, int) and not isinstance(value, bool):
            return value, dest, key
    return None, "", ""


def _eager(view: View) -> bool:
    mode = view.value("compilation_config", "cudagraph_mode")
    return bool(view.value("enforce_eager")) or (isinstance(mode, str) and mode.upper() == "NONE")


def sizes_below_verify_width(view: View) -> Iterator[Hit]:
    """No size holds one request's verify step: there is nothing to capture, and the server stops."""
    found = speculation(view)
    if found is None or found.tokens is None or _eager(view):
        return
    width = found.tokens + 1
    sizes, dest, key = _sizes(view)
    largest = max(sizes) if sizes else None
    if largest is None:
        largest, dest, key = _maximum(view)
    if largest is not None and 0 < largest < width:
        message = f"no CUDA graph of up to {largest} tokens holds a verify step of {width} (1 + {found.tokens})"
        yield Hit(message, f"sizes are tokens: N requests need N x {width}", dest, key)


def maximum_and_list_disagree(view: View) -> Iterator[Hit]:
    """Both are given, and the list's largest isn't the maximum."""
    sizes, _, _ = _sizes(view)
    maximum, dest, key = _maximum(view)
    if sizes and maximum is not None and max(sizes) != maximum:
        message = f"the largest graph size is {maximum}, but the list ends at {max(sizes)}"
        yield Hit(message, "give the list alone: its last size is the maximum", dest, key)


def draft_budget(view: View) -> Iterator[Hit]:
    """Drafting reserves more token slots than a step has."""
    found = speculation(view)
    if found is None or found.tokens is None:
        return
    slots = vllm_draft_slots(view.release, found.method, found.tokens, parallel_drafting=found.parallel)
    seqs, budget = view.integer("max_num_seqs"), view.integer("max_num_batched_tokens")
    unknown = (seqs is None or budget is None) and view.facts.gpu_memory_mib is None
    if not slots or unknown or (view.given("max_num_seqs") and seqs is None):
        return
    if view.given("max_num_batched_tokens") and budget is None:
        return
    seqs = seqs if seqs is not None else vllm_default_max_num_seqs(view.facts)
    budget = budget if budget is not None else vllm_default_max_num_batched_tokens(view.release, view.facts)
    if seqs * slots >= budget:
        message = f"{seqs} sequences reserve {slots} draft slots each, {seqs * slots} of {budget} tokens a step"
        hint = f"raise --max-num-batched-tokens above {seqs * slots} or lower --max-num-seqs"
        yield Hit(message, hint, found.dest)


def mtp_divisor(view: View) -> Iterator[Hit]:
    """More tokens than MTP layers, and no multiple of them."""
    found, layers = speculation(view), view.facts.mtp_layers
    if found is None or found.tokens is None or not layers or found.method not in ("mtp", "deepseek_mtp"):
        return
    if found.tokens > layers and found.tokens % layers:
        message = f"{found.tokens} draft tokens are no multiple of the checkpoint's {layers} MTP layers"
        yield Hit(message, f"use a multiple of {layers}", found.dest, "num_speculative_tokens")


def draft_length_missing(view: View) -> Iterator[Hit]:
    """Methods without a length of their own need num_speculative_tokens."""
    found = speculation(view)
    if found is None or found.open or found.method is None or found.method in _METHOD_BY_ITSELF:
        return
    if found.method.endswith("_mtp"):
        return
    message = f"method {found.method} needs num_speculative_tokens"
    yield Hit(message, 'add "num_speculative_tokens": N to --speculative-config', found.dest)


def batch_below_sequences(view: View) -> Iterator[Hit]:
    """A step must have a token for every sequence."""
    tokens, seqs = view.integer("max_num_batched_tokens"), view.integer("max_num_seqs")
    if tokens is not None and seqs is not None and tokens < seqs:
        message = f"--max-num-batched-tokens {tokens} is less than --max-num-seqs {seqs}"
        yield Hit(message, f"raise it to at least {seqs}", "max_num_batched_tokens")


def batch_below_context(view: View) -> Iterator[Hit]:
    """Without chunked prefill a prompt must fit one step."""
    tokens, length = view.integer("max_num_batched_tokens"), view.integer("max_model_len")
    if tokens is None or length is None or view.value("enable_chunked_prefill") is not False:
        return
    if tokens < length:
        message = f"without chunked prefill a step of {tokens} tokens can't hold {length} of context"
        yield Hit(message, "leave chunked prefill on, or raise --max-num-batched-tokens", "max_num_batched_tokens")


def tool_choice_without_parser(view: View) -> Iterator[Hit]:
    """Automatic tool choice reads the model's calls with a parser."""
    if view.value("enable_auto_tool_choice") and not view.given("tool_call_parser"):
        yield Hit(
            "--enable-auto-tool-choice needs --tool-call-parser", "name the model's parser", "enable_auto_tool_choice"
        )


def parser_without_tool_choice(view: View) -> Iterator[Hit]:
    """A parser alone answers no request with tool_choice auto."""
    if view.given("tool_call_parser") and not view.given("enable_auto_tool_choice"):
        message = "requests with tool_choice auto are refused without --enable-auto-tool-choice"
        yield Hit(message, "add --enable-auto-tool-choice", "tool_call_parser")


def unregistered_name(view: View) -> Iterator[Hit]:
    """Names that the parser takes as text and a registry refuses at start."""
    registries = view.resolution.catalogue.registries
    plugged = {"tool_call_parser": "tool_parser_plugin", "reasoning_parser": "reasoning_parser_plugin"}
    for dest in ("tool_call_parser", "reasoning_parser", "quantization", "load_format"):
        value, known = view.value(dest), registries.get(dest, ())
        flag = view.resolution.catalogue.by_dest.get(dest)
        if not isinstance(value, str) or not known or value in known or (flag is not None and flag.choices):
            continue
        if view.given(plugged.get(dest, "")) or value.lower() in known:
            continue
        from difflib import get_close_matches

        near = get_close_matches(value.replace("-", "_"), known, n=3, cutoff=0.6)
        name = flag.name if flag is not None else dest
        hint = "did you mean " + " or ".join(near) + "?" if near else "see the release's list, or load it as a plugin"
        yield Hit(f"{name}: vLLM {view.release} registers no {value!r}", hint, dest)


def fp8_kv_with_dflash(view: View) -> Iterator[Hit]:
    """Below sm90 no backend has both fp8 KV and the drafter's non-causal attention."""
    found, capability = speculation(view), view.facts.compute_capability
    kv = view.value("kv_cache_dtype")
    if found is None or found.method != "dflash" or capability is None or not isinstance(kv, str):
        return
    if kv.startswith("fp8") and capability < (9, 0):
        arch = f"sm{capability[0]}{capability[1]}"
        yield Hit(
            f"no attention backend on {arch} does DFlash with an fp8 KV cache",
            "use a 16-bit KV cache",
            "kv_cache_dtype",
        )


def heads_do_not_divide(view: View) -> Iterator[Hit]:
    """Every GPU of a tensor-parallel group takes the same number of heads."""
    size, heads = view.integer("tensor_parallel_size"), view.facts.attention_heads
    if size and heads and heads % size:
        yield Hit(f"{heads} attention heads can't be divided over {size} GPUs", "use a divisor", "tensor_parallel_size")


def hybrid_without_limit(view: View) -> Iterator[Hit]:
    """Every running sequence of a hybrid model needs a block for its state."""
    if view.facts.hybrid and not view.given("max_num_seqs"):
        message = (
            f"vLLM {view.release} stops when its default of {vllm_default_max_num_seqs(view.facts)} sequences needs "
            "more state blocks than the GPU has room for"
        )
        yield Hit(message, "set --max-num-seqs for a hybrid model", "model_tag")


def sizes_without_graphs(view: View) -> Iterator[Hit]:
    """Sizes of graphs that are never captured."""
    if not view.value("enforce_eager"):
        return
    for found, dest, key in (_sizes(view), _maximum(view)):
        if found:
            yield Hit("--enforce-eager turns graphs off, so their sizes mean nothing", "drop one of the two", dest, key)


RULES = (
    Rule("PK503", "vllm", ">=0.11.1", sizes_below_verify_width, "0.20.1 config/compilation.py:1483, 0.33.0:1556"),
    Rule("PK504", "vllm", ">=0.11.1", maximum_and_list_disagree, "0.20.1 config/vllm.py:1550"),
    Rule("PK505", "vllm", ">=0.17.0", draft_budget, "0.20.1 config/vllm.py:1394, config/speculative.py:954"),
    Rule("PK506", "vllm", "", mtp_divisor, "0.20.1 config/speculative.py:663"),
    Rule("PK507", "vllm", "", draft_length_missing, "0.20.1 config/speculative.py:870"),
    Rule("PK509", "vllm", "", batch_below_sequences, "0.20.1 config/scheduler.py:273"),
    Rule("PK509", "vllm", "", batch_below_context, "0.20.1 config/scheduler.py:261"),
    Rule("PK502", "vllm", "", tool_choice_without_parser, "0.33.0 entrypoints/common/cli_args.py:553"),
    Rule("PK604", "vllm", "", parser_without_tool_choice, "0.33.0 renderers/online_renderer.py:278"),
    Rule("PK206", "vllm", "", unregistered_name, "0.33.0 entrypoints/common/cli_args.py:619"),
    Rule("PK511", "vllm", ">=0.20.0,<0.24.0", fp8_kv_with_dflash, "0.20.1 platforms/cuda.py, v1/attention/backends"),
    Rule("PK508", "vllm", "", heads_do_not_divide, "0.20.1 config/model.py verify_with_parallel_config"),
    Rule("PK605", "vllm", ">=0.20.0", hybrid_without_limit, "0.20.1 config/compilation.py:1436, 0.33.0:1526"),
    Rule("PK603", "vllm", "", sizes_without_graphs, "0.20.1 config/vllm.py"),
)

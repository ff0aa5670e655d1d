"""Batch limits that an engine chooses by GPU."""

from __future__ import annotations

from packaging.version import Version

from portkit.deployment.schema import Facts

SGLANG_SPECULATION_REQUESTS = 48
"""max_running_requests of SGLang when speculation is on and nobody says (0.5.11 to 0.5.23)."""


def _large(facts: Facts) -> bool:
    if facts.gpu_memory_mib is None or facts.gpu_memory_mib < 70 * 1024:
        return False
    return not (facts.gpu or "").lower().startswith("a100")


def vllm_default_max_num_seqs(facts: Facts) -> int:
    """Sequences per step of a vLLM server when nobody says; the smaller tier without a GPU.

    vLLM 0.20.1 and 0.33.0 engine/arg_utils.py `get_batch_defaults`: 1024 from 70 GiB (no A100), else 256.
    """
    return 1024 if _large(facts) else 256


def vllm_default_max_num_batched_tokens(release: Version, facts: Facts) -> int:
    """Tokens per step of a vLLM server when nobody says; the smaller tier without a GPU.

    vLLM 0.20.1 and 0.33.0 engine/arg_utils.py `get_batch_defaults`: 16384 from 160 GiB (0.30 on),
    8192 from 70 GiB (no A100; not compute capability 12.1 from 0.33 on), else 2048.
    """
    if facts.gpu_memory_mib is not None and facts.gpu_memory_mib >= 160 * 1024 and release >= Version("0.30.0"):
        return 16384
    if release >= Version("0.33.0") and facts.compute_capability == (12, 1):
        return 2048
    return 8192 if _large(facts) else 2048


def sglang_default_chunk(release: Version, gpu_memory_mib: int | None) -> int | None:
    """chunked_prefill_size of SGLang by GPU memory, in tokens, before DP attention divides it.

    SGLang 0.5.12.post1 server_args.py `_handle_gpu_memory_settings`; 0.5.23 arg_groups/memory_hook.py.
    """
    if gpu_memory_mib is None:
        return None
    gib = gpu_memory_mib / 1024
    if gib < 20:
        return 2048
    if gib < 35:
        return 4096 if release >= Version("0.5.20") else 2048
    if gib < 60:
        return 4096
    return 8192 if gib < 160 else 16384


def vllm_draft_slots(
    release: Version, method: str | None, draft_tokens: int, *, parallel_drafting: bool = False
) -> int:
    """Token slots per sequence that drafting takes from max_num_batched_tokens.

    vLLM 0.17.0 to 0.33.0 config/speculative.py `max_num_new_slots_for_drafting`. A draft model takes
    1, with parallel drafting k. DFlash, which always drafts in parallel: k - 1 to 0.27, k to 0.32,
    none from 0.33. Other methods: k - 1 with parallel drafting, else none.
    """
    if method is None or release < Version("0.17.0"):
        return 0
    if method == "draft_model":
        return draft_tokens if parallel_drafting else 1
    if method == "dspark" and release >= Version("0.33.0"):
        return 0
    if method == "dflash":
        if release >= Version("0.33.0"):
            return 0
        return draft_tokens if release >= Version("0.28.0") else max(0, draft_tokens - 1)
    return max(0, draft_tokens - 1) if parallel_drafting else 0

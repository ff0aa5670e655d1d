"""CUDA graph sizes that an engine chooses, and which batches they serve.

SGLang counts requests, vLLM tokens; q is tokens per request in one decode step (1, or 1 + draft
tokens). Checked against the engines' own resolutions in tests/defaults.
"""

from __future__ import annotations

from collections.abc import Iterable

from packaging.version import Version

_MIB_PER_GIB = 1024


def sglang_default_maximum(release: Version, gpu_memory_mib: int | None, tensor_parallel_size: int) -> int | None:
    """The largest decode batch SGLang captures by default, in requests; None without the GPU.

    SGLang 0.5.12.post1 server_args.py `_handle_gpu_memory_settings`; 0.5.23
    arg_groups/memory_hook.py (the 20 to 35 GiB tier grew). `tensor_parallel_size` is SGLang's total.
    """
    if gpu_memory_mib is None:
        return None
    gib = gpu_memory_mib / _MIB_PER_GIB
    small = tensor_parallel_size < 4
    if gib < 20:
        return 8
    if gib < 35:
        grown = release >= Version("0.5.20")
        return (48 if grown else 24) if small else (160 if grown else 80)
    if gib < 60:
        return 32 if small else 160
    if gib < 160:
        return 256 if small else 512
    return 512


def sglang_decode_batch_sizes(maximum: int, *, speculation: bool, padding: bool = True) -> list[int]:
    """The batch sizes SGLang captures up to a maximum, in requests.

    SGLang 0.5.12.post1 server_args.py `_generate_cuda_graph_batch_sizes`; 0.5.23
    arg_groups/cuda_graph_hook.py, the same lists.
    """
    if not padding:
        return list(range(1, maximum + 1))
    if speculation:
        sizes = [
            *range(1, 9),
            *range(10, 33, 2),
            *range(40, 65, 4),
            *range(72, 257, 8),
            *range(272, maximum + 1, 16),
        ]
    else:
        sizes = [
            1, 2, 4, 8, 12,
            *range(16, 257, 8),
            *range(272, 512, 16),
            *range(512, maximum + 1, 32),
        ]  # fmt: skip
    kept = [size for size in sizes if size <= maximum]
    return kept if maximum in kept else [*kept, maximum]


def vllm_capture_sizes(
    release: Version,
    *,
    max_num_seqs: int,
    tokens_per_request: int = 1,
    max_num_batched_tokens: int | None = None,
    blackwell: bool = False,
    maximum: int | None = None,
    every_small_size: bool = False,
) -> list[int]:
    """The sizes vLLM captures when no list is given, in tokens.

    `maximum` is an explicit `--max-cudagraph-capture-size`: only its stride grid is kept.
    `blackwell` is compute capability 10.x, `every_small_size` is `--performance-mode interactivity`.
    vLLM 0.20.1, 0.27.1 and 0.33.0 config/vllm.py `_set_cudagraph_sizes`; before 0.14 the request
    width was left out of the ceiling; from 0.30 decode sizes on the request grid are added.
    """
    q = tokens_per_request
    ceiling = 1024 if blackwell and release >= Version("0.30.0") else 512
    width = q if release >= Version("0.13.0") else 1
    cap = min(max_num_seqs * width * 2, ceiling) if maximum is None else maximum
    extra: set[int] = set()
    if maximum is None and release >= Version("0.30.0"):
        if q > 1:
            extra = {n * q for n in _request_grid(min(max_num_seqs, ceiling)) if n * q <= cap}
        elif max_num_seqs <= cap:
            extra = {max_num_seqs}
    if max_num_batched_tokens is not None:
        cap = min(cap, max_num_batched_tokens)
    head = range(1, min(cap, 32) + 1) if every_small_size else [n for n in (1, 2, 4) if n <= cap]
    sizes = {*head, *range(8, min(cap + 1, 256), 8), *range(256, cap + 1, 16)}
    if max_num_batched_tokens is not None and max_num_batched_tokens <= cap:
        sizes.add(max_num_batched_tokens)
    return sorted(sizes | {size for size in extra if size <= cap})


def _request_grid(maximum: int) -> set[int]:
    small = {n for n in (1, 2, 4) if n <= maximum}
    return {*small, *range(8, min(maximum + 1, 256), 8), *range(256, maximum + 1, 16), maximum}


def vllm_decode_batch_sizes(capture_sizes: Iterable[int], tokens_per_request: int, max_num_seqs: int) -> list[int]:
    """The batches, in requests, that full decode graphs of these token sizes hold.

    Each size is rounded up to a multiple of q, dropped above the largest size given and above
    q x max_num_seqs; a size of s tokens then holds s / q requests, and smaller batches pad up to it.
    vLLM 0.20.1 config/compilation.py `adjust_cudagraph_sizes_for_spec_decode` and
    v1/cudagraph_dispatcher.py; 0.33.0 v1/worker/gpu/cudagraph_utils.py.
    """
    q = tokens_per_request
    sizes = sorted(set(capture_sizes))
    if not sizes:
        return []
    rounded = {-(-size // q) * q for size in sizes}
    usable = {size for size in rounded if size <= sizes[-1] and size <= q * max_num_seqs}
    return sorted(size // q for size in usable)


def sglang_prefill_sizes(maximum_tokens: int) -> list[int]:
    """The prefill sizes SGLang captures up to a maximum, in tokens.

    SGLang 0.5.12.post1 server_args.py `_generate_piecewise_cuda_graph_tokens`; 0.5.23 the same.
    """
    sizes = [
        *range(4, 33, 4),
        *range(48, 257, 16),
        *range(288, 513, 32),
        *range(576, 1025, 64),
        *range(1280, 4097, 256),
        *range(4608, maximum_tokens + 1, 512),
    ]
    return [size for size in sizes if size <= maximum_tokens]

"""Combinations of SGLang settings that don't start, or start without what was meant."""

from __future__ import annotations

from collections.abc import Iterator

from packaging.version import Version

from portkit.checking.view import Hit, Rule, View

_OWN_DRAFT = ("Deepseek", "Glm4Moe", "GlmMoe", "Bailing", "Mistral", "Pixtral", "HYV3", "MiMo", "Qwen3Next", "Qwen3_5")
"""Architectures whose checkpoint has the draft layers; a launch of another one must name a draft model."""


def _algorithm(view: View) -> str:
    value = view.value("--speculative-algorithm")
    return value.upper() if isinstance(value, str) else ""


def _size(view: View, name: str) -> int | None:
    """A parallel size, 1 where it isn't given, None where only the shell knows it."""
    return view.integer(name) if view.given(name) else 1


def hybrid_speculation_and_prefix_cache(view: View) -> Iterator[Hit]:
    """The default state strategy can't roll drafts back under the prefix cache."""
    if not view.facts.hybrid or not _algorithm(view) or view.value("--disable-radix-cache"):
        return
    strategy = view.value("--mamba-scheduler-strategy")
    if strategy not in (None, "auto", "no_buffer"):
        return
    source = view.facts.sources.get("model", "")
    message = f"a hybrid model ({source or 'its config'}) can't speculate with the prefix cache on strategy no_buffer"
    yield Hit(message, "--mamba-scheduler-strategy extra_buffer, or --disable-radix-cache", "--speculative-algorithm")


def extra_buffer_without_prefix_cache(view: View) -> Iterator[Hit]:
    """The extra buffer serves the prefix cache alone."""
    if view.value("--mamba-scheduler-strategy") == "extra_buffer" and view.value("--disable-radix-cache"):
        message = "strategy extra_buffer is refused together with --disable-radix-cache"
        yield Hit(message, "drop one of them", "--mamba-scheduler-strategy")


def data_parallel_attention_divides(view: View) -> Iterator[Hit]:
    """The data-parallel groups lie inside tensor parallelism."""
    tp, dp = _size(view, "--tp-size"), _size(view, "--dp-size")
    if view.value("--enable-dp-attention") and tp and dp and dp > 1 and tp % dp:
        message = f"with DP attention --tp-size ({tp}) must be a multiple of --dp-size ({dp})"
        yield Hit(message, "dp is inside tp: 8 GPUs with dp 8 are --tp-size 8 --dp-size 8", "--dp-size")


def lm_head_without_dp_attention(view: View) -> Iterator[Hit]:
    """A flag of DP attention."""
    dp = _size(view, "--dp-size")
    if view.value("--enable-dp-lm-head") and dp and dp > 1 and not view.value("--enable-dp-attention"):
        yield Hit("--enable-dp-lm-head needs --enable-dp-attention", "add it, or drop this one", "--enable-dp-lm-head")


def nodes_divide(view: View) -> Iterator[Hit]:
    """Every node takes the same number of ranks."""
    tp, pp, nodes = _size(view, "--tp-size"), _size(view, "--pp-size"), _size(view, "--nnodes")
    if tp and pp and nodes and nodes > 1 and tp * pp % nodes:
        message = f"{tp * pp} ranks (tp x pp) can't be divided over {nodes} nodes"
        yield Hit(message, "use a multiple of the nodes", "--nnodes")


def chunk_and_pages(view: View) -> Iterator[Hit]:
    """A chunk is whole pages."""
    chunk, page = view.integer("--chunked-prefill-size"), view.integer("--page-size")
    if chunk is not None and page and chunk > 0 and chunk % page:
        message = f"--chunked-prefill-size {chunk} is no multiple of --page-size {page}"
        yield Hit(message, f"use {chunk // page * page or page}", "--chunked-prefill-size")


def hierarchical_cache_without_prefix_cache(view: View) -> Iterator[Hit]:
    """The host tier extends the prefix cache."""
    if view.value("--enable-hierarchical-cache") and view.value("--disable-radix-cache"):
        message = "--enable-hierarchical-cache and --disable-radix-cache exclude each other"
        yield Hit(message, "drop one of them", "--enable-hierarchical-cache")


def draft_shape_without_steps(view: View) -> Iterator[Hit]:
    """The tree's shape is chosen whole, or given whole."""
    if _algorithm(view) not in ("EAGLE", "EAGLE3", "STANDALONE", "NEXTN") or view.given("--speculative-num-steps"):
        return
    for name in ("--speculative-eagle-topk", "--speculative-num-draft-tokens"):
        if view.given(name):
            yield Hit(f"{name} without --speculative-num-steps stops SGLang", "give all three, or none", name)
            return


def chain_of_another_length(view: View) -> Iterator[Hit]:
    """A chain verifies its steps and the root; SGLang puts that right by itself."""
    steps, tokens = view.integer("--speculative-num-steps"), view.integer("--speculative-num-draft-tokens")
    chain = view.integer("--speculative-eagle-topk") == 1
    if _algorithm(view) not in ("EAGLE", "EAGLE3", "STANDALONE", "NEXTN") or not (chain and steps and tokens):
        return
    if tokens != steps + 1:
        message = f"with one branch SGLang takes {steps + 1} draft tokens (steps + 1), not {tokens}"
        yield Hit(message, f"write {steps + 1}", "--speculative-num-draft-tokens")


def draft_model_missing(view: View) -> Iterator[Hit]:
    """Methods that read another checkpoint."""
    method, architecture = _algorithm(view), view.facts.architecture or ""
    if view.given("--speculative-draft-model-path"):
        return
    known_without = architecture and not architecture.startswith(_OWN_DRAFT)
    if method in ("DFLASH", "STANDALONE") or (method == "EAGLE3" and known_without):
        yield Hit(f"{method} needs --speculative-draft-model-path", "name the draft model", "--speculative-algorithm")


def speculation_without_dp_attention(view: View) -> Iterator[Hit]:
    """Methods that don't know data-parallel ranks."""
    method, since = _algorithm(view), {"STANDALONE": "0.5.2", "NGRAM": "0.5.3", "DFLASH": "0.5.11"}
    if not view.value("--enable-dp-attention") or _size(view, "--dp-size") == 1:
        return
    if method in since and view.release >= Version(since[method]):
        message = f"{method} doesn't run with DP attention"
        yield Hit(message, "drop --enable-dp-attention, or draft with EAGLE", "--speculative-algorithm")


def wide_tree_on_pages(view: View) -> Iterator[Hit]:
    """A tree's branches share pages, which only some backends undo."""
    topk, page = view.integer("--speculative-eagle-topk"), view.integer("--page-size")
    backend = view.value("--attention-backend")
    method = _algorithm(view)
    if method not in ("EAGLE", "EAGLE3", "STANDALONE", "NGRAM") or not (topk and topk > 1):
        return
    if backend == "trtllm_mha" and method != "NGRAM":
        yield Hit(
            "trtllm_mha speculates with one branch only", "--speculative-eagle-topk 1", "--speculative-eagle-topk"
        )
    elif page and page > 1 and backend is not None and backend not in ("flashinfer", "fa3"):
        message = f"{topk} branches on pages of {page} are refused with backend {backend}"
        yield Hit(message, "--page-size 1, or --attention-backend flashinfer", "--speculative-eagle-topk")


def dflash_on_one_stage(view: View) -> Iterator[Hit]:
    """DFlash runs without pipeline parallelism."""
    pp = _size(view, "--pp-size")
    if _algorithm(view) == "DFLASH" and pp and pp > 1:
        yield Hit("DFLASH runs with --pp-size 1 only", "use tensor parallelism", "--pp-size")


RULES = (
    Rule(
        "PK510", "sglang", ">=0.5.10,<0.5.14", hybrid_speculation_and_prefix_cache, "0.5.12.post1 server_args.py:2560"
    ),
    Rule("PK510", "sglang", ">=0.5.10,<0.5.14", extra_buffer_without_prefix_cache, "0.5.12.post1 server_args.py:2511"),
    Rule("PK508", "sglang", "", data_parallel_attention_divides, "0.5.12.post1 server_args.py:3069"),
    Rule("PK502", "sglang", "", lm_head_without_dp_attention, "0.5.12.post1 server_args.py:3076"),
    Rule("PK508", "sglang", "", nodes_divide, "0.5.12.post1 server_args.py check_server_args"),
    Rule("PK501", "sglang", "", chunk_and_pages, "0.5.12.post1 server_args.py check_server_args"),
    Rule(
        "PK501", "sglang", ">=0.5.1.post3", hierarchical_cache_without_prefix_cache, "0.5.12.post1 server_args.py:4280"
    ),
    Rule("PK502", "sglang", "", draft_shape_without_steps, "0.5.12.post1 server_args.py:3808"),
    Rule("PK602", "sglang", "", chain_of_another_length, "0.5.12.post1 server_args.py:3830"),
    Rule("PK502", "sglang", "", draft_model_missing, "0.5.12.post1 server_args.py:3600"),
    Rule("PK501", "sglang", ">=0.5.2", speculation_without_dp_attention, "0.5.12.post1 server_args.py:3692, 3904"),
    Rule("PK511", "sglang", ">=0.5.2", wide_tree_on_pages, "0.5.12.post1 server_args.py:3823, 3840"),
    Rule("PK501", "sglang", ">=0.5.11", dflash_on_one_stage, "0.5.12.post1 server_args.py:3595"),
)

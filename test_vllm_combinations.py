"""vLLM launches that parse and then don't start, or start and disappoint.

The right answers are worked out from config/*.py and engine/arg_utils.py of each release.
"""

from __future__ import annotations

import pytest

from tests.checking.finding import config_json, findings, found


def speculating(method, tokens=None, **keys):
    import json

    config = {"method": method, **({"num_speculative_tokens": tokens} if tokens is not None else {}), **keys}
    return f"--speculative-config '{json.dumps(config)}'"


DFLASH = speculating("dflash", 15, model="d")
MTP = speculating("mtp", 3)
NGRAM = speculating("ngram", 3)
UNKNOWN_LAYERS = ("PK902", "num_speculative_tokens")

SPECULATION = [
    # a draft length
    ("vllm@0.20.1", speculating("ngram"), [("PK507", "method")]),
    ("vllm@0.8.5", speculating("ngram", prompt_lookup_max=4), [("PK507", "method")]),
    ("vllm@0.33.0", speculating("dflash", model="d"), [("PK507", "method")]),
    ("vllm@0.20.1", speculating("eagle3", model="d"), [("PK902", "method")]),
    ("vllm@0.20.1", speculating("suffix"), []),
    ("vllm@0.20.1", speculating("mtp"), []),
    ("vllm@0.33.0", "--spec-method ngram", [("PK507", "--spec-method ngram")]),
    ("vllm@0.33.0", "--spec-method ngram --spec-tokens 3", []),
    ("vllm@0.20.1", speculating("ngram", 0), [("PK205", "num_speculative_tokens")]),
    # a model, and a parallel size it can have
    ("vllm@0.20.1", speculating("eagle3", 3), [("PK502", "method")]),
    ("vllm@0.20.1", "-tp 4 " + speculating("eagle", 3, model="d", draft_tensor_parallel_size=2), [("PK303", "draft_tensor_parallel_size")]),
    ("vllm@0.20.1", "-tp 4 " + speculating("eagle", 3, model="d", draft_tensor_parallel_size=1), []),
    ("vllm@0.20.1", speculating("eagle", 3, model="d", tensor_parallel_size=1), [("PK303", "tensor_parallel_size")]),
    ("vllm@0.20.1", speculating("ngram", 3, prompt_lookup_min=5, prompt_lookup_max=2), [("PK303", "prompt_lookup_min")]),
    # synthetic acceptance
    ("vllm@0.20.1", speculating("ngram", 3, rejection_sample_method="synthetic"), [("PK502", "rejection_sample_method")]),
    ("vllm@0.20.1", speculating("ngram", 3, rejection_sample_method="synthetic", synthetic_acceptance_length=2.0), []),
    ("vllm@0.20.1", speculating("ngram", 3, synthetic_acceptance_length=2.0), [("PK502", "synthetic_acceptance_length")]),
    # the short flags beside the JSON
    ("vllm@0.33.0", f"--spec-tokens 4 {NGRAM}", [("PK501", "num_speculative_tokens")]),
    # asynchronous scheduling
    ("vllm@0.20.1", f"--async-scheduling {NGRAM}", [("PK501", "--async-scheduling")]),
    ("vllm@0.15.1", "--async-scheduling " + speculating("draft_model", 3, model="d"), [("PK501", "--async-scheduling")]),
    ("vllm@0.16.0", "--async-scheduling " + speculating("draft_model", 3, model="d"), []),
    ("vllm@0.20.1", f"--async-scheduling {MTP}", [UNKNOWN_LAYERS]),
    ("vllm@0.14.1", "--async-scheduling -pp 2", [("PK501", "--async-scheduling")]),
    ("vllm@0.15.0", "--async-scheduling -pp 2", []),
]

BUDGET = [  # DFlash reserves k - 1 tokens a sequence up to 0.27.1
    ("vllm@0.24.0", DFLASH, "h100", [("PK505", "num_speculative_tokens")]),
    ("vllm@0.24.0", DFLASH, "a6000", [("PK505", "num_speculative_tokens")]),
    ("vllm@0.24.0", DFLASH, None, [("PK505", "num_speculative_tokens")]),
    ("vllm@0.24.0", f"{DFLASH} --max-num-seqs 32", None, [("PK604", "num_speculative_tokens")][:0]),
    ("vllm@0.24.0", f"{DFLASH} --max-num-seqs 146 --max-num-batched-tokens 2048", None, [("PK604", "num_speculative_tokens")]),
    ("vllm@0.24.0", f"{DFLASH} --max-num-seqs 147 --max-num-batched-tokens 2048", None, [("PK604", "num_speculative_tokens"), ("PK505", "--max-num-batched-tokens 2048")]),
    ("vllm@0.24.0", f"{DFLASH} --max-num-seqs 200", None, [("PK604", "num_speculative_tokens"), ("PK902", "--max-num-seqs 200")]),
    ("vllm@0.24.0", f"{DFLASH} --max-num-seqs 200", "h100", [("PK604", "num_speculative_tokens")]),
    ("vllm@0.27.1", DFLASH, None, [("PK505", "num_speculative_tokens")]),
    ("vllm@0.28.0", DFLASH, None, []),
    ("vllm@0.33.0", DFLASH, None, []),
    ("vllm@0.20.1", f"{NGRAM} --max-num-seqs 16 --max-num-batched-tokens 16", None, []),
    ("vllm@0.20.1", speculating("draft_model", 3, model="d") + " --max-num-seqs 64 --max-num-batched-tokens 64", None, [("PK604", "num_speculative_tokens"), ("PK505", "--max-num-batched-tokens 64")]),
    ("vllm@0.20.1", f"{NGRAM} --enable-lora --max-num-seqs 64 --max-num-batched-tokens 128", None, [("PK604", "num_speculative_tokens"), ("PK505", "num_speculative_tokens")]),
]

BACKENDS = [
    ("vllm@0.20.1", f"{DFLASH} --max-num-seqs 8 --attention-backend TRITON_ATTN", "a6000", ["PK511", "PK601"]),
    ("vllm@0.20.1", f"{DFLASH} --max-num-seqs 8 --attention-backend flash_attn", "a6000", ["PK601"]),
    ("vllm@0.24.0", f"{DFLASH} --max-num-seqs 8 --attention-backend TRITON_ATTN", "a6000", []),
    ("vllm@0.20.1", f"{DFLASH} --max-num-seqs 8 --kv-cache-dtype fp8", "a6000", ["PK511", "PK601"]),
    ("vllm@0.20.1", f"{DFLASH} --max-num-seqs 8 --kv-cache-dtype fp8", "h100", ["PK601"]),
    ("vllm@0.24.0", f"{DFLASH} --max-num-seqs 8 --kv-cache-dtype fp8", "a6000", []),
    ("vllm@0.20.1", f"{MTP} --attention-backend FLASHINFER", "a6000", ["PK601", "PK902"]),
    ("vllm@0.33.0", f"{MTP} --attention-backend FLASHINFER", "a6000", ["PK902"]),
    ("vllm@0.20.1", "--attention-backend FLASHINFER", "a6000", []),
]

GRAPHS = [  # a request of a decode step takes q = 1 + k tokens
    ("vllm@0.33.0", f"--max-num-seqs 6 --max-cudagraph-capture-size 6 {MTP}", ["PK603", "PK902"]),
    ("vllm@0.33.0", "--max-num-seqs 6 --max-cudagraph-capture-size 42 " + speculating("mtp", 6), ["PK603", "PK902"]),
    ("vllm@0.33.0", "--max-num-seqs 6 --cudagraph-capture-sizes 7 14 21 28 35 42 " + speculating("mtp", 6), ["PK902"]),
    ("vllm@0.20.1", "--max-num-seqs 300 --max-cudagraph-capture-size 300", ["PK603"]),
    ("vllm@0.20.1", "--max-num-seqs 6 --max-cudagraph-capture-size 8 " + speculating("ngram", 15), ["PK503"]),
    ("vllm@0.30.0", "--max-num-seqs 6 --max-cudagraph-capture-size 8 " + speculating("ngram", 15), ["PK603"]),
    ("vllm@0.11.1", "--max-num-seqs 6 --max-cudagraph-capture-size 8 " + speculating("ngram", 15), []),
    ("vllm@0.20.1", "--max-cudagraph-capture-size 8 --enforce-eager " + speculating("ngram", 15), ["PK602"]),
    ("vllm@0.20.1", "-cc.cudagraph_capture_sizes+=4,8 " + speculating("ngram", 15), ["PK503"]),
    ("vllm@0.20.1", "--cudagraph-capture-sizes 1 2 4 8 --max-num-seqs 64", []),
    ("vllm@0.20.1", "--cudagraph-capture-sizes 1 2 4 --max-cudagraph-capture-size 8", ["PK504"]),
    ("vllm@0.20.1", "--cudagraph-capture-sizes 1 2 8 --max-cudagraph-capture-size 8", []),
    ("vllm@0.20.1", "--cudagraph-capture-sizes 1 2 64 --max-cudagraph-capture-size 64 --max-num-batched-tokens 32 --max-num-seqs 8", ["PK504"]),
    ("vllm@0.20.1", """--cudagraph-capture-sizes 1 2 --compilation-config '{"cudagraph_capture_sizes":[1,2]}'""", ["PK501"]),
    ("vllm@0.20.1", "--max-num-seqs 32 " + speculating("ngram", 16), ["PK604"]),
    ("vllm@0.12.0", "--max-num-seqs 32 " + speculating("ngram", 16), ["PK604"]),
    ("vllm@0.20.1", "--max-num-seqs 32", []),
    ("vllm@0.20.1", "-cc.cudagraph_mode=FULL_DECODE_ONLY " + MTP, ["PK603", "PK902"]),
    ("vllm@0.20.1", "-cc.cudagraph_mode=NONE --max-cudagraph-capture-size 2 " + NGRAM, []),
]

LIMITS = [
    ("vllm@0.20.1", "--max-num-batched-tokens 128 --max-num-seqs 256", [("PK509", "--max-num-batched-tokens 128")]),
    ("vllm@0.8.5", "--max-num-batched-tokens 128 --max-num-seqs 256", [("PK509", "--max-num-batched-tokens 128")]),
    ("vllm@0.20.1", "--max-num-batched-tokens $T --max-num-seqs 256", []),
    ("vllm@0.20.1", "--no-enable-chunked-prefill --max-num-batched-tokens 4096 --max-model-len 8192", [("PK509", "--max-num-batched-tokens 4096")]),
    ("vllm@0.20.1", "--max-num-batched-tokens 4096 --max-model-len 8192", []),
    ("vllm@0.20.1", "--long-prefill-token-threshold 9000 --max-model-len 8192", [("PK509", "--max-model-len 8192")]),
    ("vllm@0.20.1", "--max-long-partial-prefills 2", [("PK509", "--max-long-partial-prefills 2")]),
    ("vllm@0.20.1", "--max-num-partial-prefills 2 --no-enable-chunked-prefill", [("PK501", "--max-num-partial-prefills 2")]),
    ("vllm@0.20.1", "--enable-lora --max-loras 8 --max-cpu-loras 4", [("PK509", "--max-cpu-loras 4")]),
    ("vllm@0.20.1", "--attention-backend TRITON_ATTN -ac.backend=TRITON_ATTN", [("PK501", "backend")]),
    ("vllm@0.20.1", """--kv-transfer-config '{"kv_connector":"NixlConnector"}'""", [("PK502", "kv_connector")]),
    ("vllm@0.20.1", "--enable-auto-tool-choice", [("PK502", "--enable-auto-tool-choice")]),
    ("vllm@0.20.1", "--tool-call-parser hermes", [("PK601", "--tool-call-parser hermes")]),
    ("vllm@0.20.1", "--tool-call-parser hermes --enable-auto-tool-choice", []),
    ("vllm@0.20.1", "--enable-log-outputs", [("PK502", "--enable-log-outputs")]),
    ("vllm@0.20.1", "--enable-eplb -tp 2", [("PK502", "--enable-eplb")]),
    ("vllm@0.20.1", "--enable-eplb --enable-expert-parallel", [("PK502", "--enable-eplb")]),
    ("vllm@0.20.1", "--eplb-config.num_redundant_experts 4", [("PK502", "num_redundant_experts")]),
    ("vllm@0.20.1", "-tp 4 -dcp 3", [("PK508", "-dcp 3")]),
    ("vllm@0.20.1", "-dp 2 --data-parallel-size-local 4", [("PK509", "--data-parallel-size-local 4")]),
    ("vllm@0.20.1", "-dp 2 --data-parallel-rank 2", [("PK205", "--data-parallel-rank 2")]),
    ("vllm@0.20.1", "--data-parallel-external-lb", [("PK502", "--data-parallel-external-lb")]),
    ("vllm@0.33.0", "-dp 2 --data-parallel-external-lb --data-parallel-hybrid-lb", [("PK501", "--data-parallel-external-lb")]),
    ("vllm@0.20.1", "--ray-workers-use-nsight --distributed-executor-backend mp", [("PK502", "--ray-workers-use-nsight")]),
    ("vllm@0.20.1", "--numa-bind-nodes 0", [("PK502", "--numa-bind-nodes 0")]),
]


@pytest.mark.parametrize(("release", "text", "expected"), SPECULATION + LIMITS)
def test_finds(release, text, expected):
    assert found(release, text) == expected


@pytest.mark.parametrize(("release", "text", "gpu", "expected"), BUDGET)
def test_draft_budget(release, text, gpu, expected):
    assert sorted(found(release, text, gpu=gpu)) == sorted(expected)


@pytest.mark.parametrize(("release", "text", "gpu", "codes"), BACKENDS)
def test_backends(release, text, gpu, codes):
    assert sorted(code for code, _ in found(release, text, gpu=gpu)) == codes


@pytest.mark.parametrize(("release", "text", "codes"), GRAPHS)
def test_graphs(release, text, codes):
    assert sorted(code for code, _ in found(release, text)) == codes


def test_the_sizes_to_write_instead():
    [short, _] = findings("vllm@0.33.0", f"--max-num-seqs 6 --max-cudagraph-capture-size 6 {MTP}")
    assert short.advice == "write --cudagraph-capture-sizes 4 8 12 16 20 24"
    assert "cut to 4" in short.message


LAYERS = [  # mtp_num_hidden_layers, k, codes
    (1, 3, []),
    (2, 2, []),
    (2, 3, ["PK506"]),
    (2, 4, []),
    (4, 3, []),
    (0, 3, ["PK902"]),
]


@pytest.mark.parametrize(("layers", "tokens", "codes"), LAYERS)
def test_mtp_layers(tmp_path, layers, tokens, codes):
    config = config_json(tmp_path / "config.json", mtp_num_hidden_layers=layers)
    text = speculating("mtp", tokens)
    assert [code for code, _ in found("vllm@0.20.1", text, model_config=config)] == codes


def test_a_hybrid_model_without_a_number_of_sequences(tmp_path):
    config = config_json(tmp_path / "config.json", layer_types=["linear_attention", "full_attention"])
    assert found("vllm@0.20.1", "--port 1", model_config=config) == [("PK902", "vllm serve m --port 1")]
    assert found("vllm@0.20.1", "--max-num-seqs 48", model_config=config) == []
    assert found("vllm@0.19.1", "--port 1", model_config=config) == []

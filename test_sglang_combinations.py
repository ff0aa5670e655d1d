"""SGLang launches that parse and then don't start, or start and disappoint.

The right answers are worked out from server_args.py and arg_groups/*.py of each release.
"""

from __future__ import annotations

import pytest

from tests.checking.finding import config_json, findings, found

EAGLE = "--speculative-algorithm EAGLE --speculative-num-steps 3 --speculative-eagle-topk 1 --speculative-num-draft-tokens 4"

CASES = [
    # speculation
    ("sglang@0.5.9", "--speculative-algorithm EAGLE --speculative-num-draft-tokens 4", [("PK502", "--speculative-num-draft-tokens 4")]),
    ("sglang@0.4.10.post2", "--speculative-algorithm EAGLE3 --speculative-eagle-topk 1", [("PK502", "--speculative-eagle-topk 1")]),
    ("sglang@0.5.16", "--speculative-algorithm NEXTN --speculative-eagle-topk 1", [("PK502", "--speculative-eagle-topk 1")]),
    ("sglang@0.5.9", "--speculative-algorithm EAGLE", []),
    ("sglang@0.5.9", EAGLE, []),
    ("sglang@0.5.11", "--speculative-algorithm DFLASH", [("PK902", "--speculative-algorithm DFLASH"), ("PK502", "--speculative-algorithm DFLASH")]),
    ("sglang@0.5.16", "--speculative-algorithm DFLASH", [("PK502", "--speculative-algorithm DFLASH")]),
    ("sglang@0.5.16", "--speculative-algorithm DFLASH --speculative-draft-model-path d --pp-size 2", [("PK501", "--pp-size 2")]),
    ("sglang@0.5.16", "--speculative-algorithm DFLASH --speculative-draft-model-path d --speculative-num-draft-tokens 8 --speculative-dflash-block-size 16", [("PK501", "--speculative-num-draft-tokens 8")]),
    ("sglang@0.5.16", "--tp 8 --dp 8 --enable-dp-attention --speculative-algorithm DFLASH --speculative-draft-model-path d", [("PK501", "--enable-dp-attention")]),
    ("sglang@0.5.9", "--tp 8 --dp 8 --enable-dp-attention --speculative-algorithm STANDALONE --speculative-draft-model-path d", [("PK501", "--enable-dp-attention")]),
    ("sglang@0.5.23", "--tp 8 --attn-dp-size 8 --speculative-algorithm NGRAM", [("PK501", "--attn-dp-size 8")]),
    ("sglang@0.5.9", f"{EAGLE} --attention-backend flex_attention", [("PK511", "--attention-backend flex_attention")]),
    ("sglang@0.5.9", "--attention-backend trtllm_mha --speculative-algorithm EAGLE --speculative-num-steps 3 --speculative-eagle-topk 4 --speculative-num-draft-tokens 8", [("PK511", "--speculative-eagle-topk 4")]),
    ("sglang@0.5.9", "--attention-backend triton --page-size 16 --speculative-algorithm EAGLE --speculative-num-steps 3 --speculative-eagle-topk 4 --speculative-num-draft-tokens 8", [("PK511", "--speculative-eagle-topk 4")]),
    ("sglang@0.5.9", "--attention-backend flashinfer --page-size 16 --speculative-algorithm EAGLE --speculative-num-steps 3 --speculative-eagle-topk 4 --speculative-num-draft-tokens 8", []),
    ("sglang@0.5.9", f"{EAGLE} --pp-size 2", [("PK501", "--speculative-algorithm EAGLE")]),
    ("sglang@0.5.23", f"{EAGLE} --pp-size 2", []),
    ("sglang@0.5.9", f"{EAGLE} --enable-mixed-chunk", [("PK602", "--enable-mixed-chunk")]),
    ("sglang@0.5.18", f"{EAGLE} --enable-lora", [("PK501", "--enable-lora")]),
    ("sglang@0.5.19", f"{EAGLE} --enable-lora", []),
    ("sglang@0.5.18", "--speculative-algorithm NGRAM --enable-lora", []),
    # caches and adapters
    ("sglang@0.5.9", "--chunked-prefill-size 1000 --page-size 64", [("PK508", "--chunked-prefill-size 1000")]),
    ("sglang@0.5.9", "--chunked-prefill-size 1024 --page-size 64", []),
    ("sglang@0.5.9", "--chunked-prefill-size -1 --page-size 64", []),
    ("sglang@0.5.9", "--tp 8 --dp 8 --enable-dp-attention --chunked-prefill-size 2000 --page-size 64", [("PK508", "--chunked-prefill-size 2000")]),
    ("sglang@0.5.9", "--enable-hierarchical-cache --disable-radix-cache", [("PK501", "--disable-radix-cache")]),
    ("sglang@0.4.10.post2", "--enable-hierarchical-cache --disable-radix-cache", []),
    ("sglang@0.5.9", "--enable-priority-scheduling --schedule-policy lpm", [("PK501", "--schedule-policy lpm")]),
    ("sglang@0.5.9", "--enable-priority-scheduling --schedule-policy fcfs", []),
    ("sglang@0.5.12.post1", "--disable-cuda-graph-padding --enable-torch-compile", [("PK501", "--enable-torch-compile")]),
    ("sglang@0.5.11", "--disable-cuda-graph-padding --enable-torch-compile", []),
    ("sglang@0.5.9", "--encoder-only --language-only", [("PK501", "--language-only")]),
    ("sglang@0.5.9", "--lora-paths a=b --max-loaded-loras 4 --max-loras-per-batch 8", [("PK509", "--max-loaded-loras 4")]),
    ("sglang@0.5.9", "--lora-paths a=b --max-loaded-loras 4", [("PK509", "--max-loaded-loras 4")]),
    ("sglang@0.5.16", "--disaggregation-decode-enable-offload-kvcache --hicache-storage-backend file", [("PK502", "--disaggregation-decode-enable-offload-kvcache")]),
    ("sglang@0.5.16", "--disaggregation-mode decode --disaggregation-decode-enable-offload-kvcache", [("PK502", "--disaggregation-decode-enable-offload-kvcache")]),
    ("sglang@0.5.23", "--disaggregation-mode decode --mamba-radix-cache-strategy extra_buffer_lazy", [("PK501", "--mamba-radix-cache-strategy extra_buffer_lazy")]),
    ("sglang@0.5.16", "--retraction-policy priority", [("PK502", "--retraction-policy priority")]),
    # parallel sizes
    ("sglang@0.5.9", "--tp 8 --dp 3 --enable-dp-attention", [("PK508", "--dp 3")]),
    ("sglang@0.5.9", "--tp 8 --dp 4 --enable-dp-attention", []),
    ("sglang@0.5.23", "--tp 8 --attn-dp-size 3", [("PK508", "--attn-dp-size 3")]),
    ("sglang@0.5.1.post3", "--tp 8 --enable-dp-attention", [("PK502", "--enable-dp-attention")]),
    ("sglang@0.5.9", "--tp 8 --enable-dp-attention", [("PK602", "--enable-dp-attention")]),
    ("sglang@0.5.23", "--tp 8 --attn-dp-size 2 --dp-size 2", [("PK501", "--dp-size 2")]),
    ("sglang@0.5.9", "--tp 8 --nnodes 3 --node-rank 0 --dist-init-addr h:1", [("PK508", "--nnodes 3")]),
    ("sglang@0.5.9", "--tp 8 --nnodes 2 --node-rank 0 --dist-init-addr h:1", []),
    ("sglang@0.5.9", "--tp 8 --dp 2 --nnodes 2 --node-rank 0 --dist-init-addr h:1", [("PK501", "--dp 2")]),
    ("sglang@0.5.9", "--enable-dp-lm-head", [("PK502", "--enable-dp-lm-head")]),
    ("sglang@0.5.9", "--tp 8 --ep 4", [("PK508", "--ep 4")]),
    ("sglang@0.5.9", "--tp 8 --ep 4 --moe-dp-size 2", []),
    ("sglang@0.5.9", "--tp 8 --ep 4 --moe-a2a-backend deepep", []),
    ("sglang@0.5.9", "--tp 8 --enable-eplb", [("PK502", "--enable-eplb")]),
]


@pytest.mark.parametrize(("release", "text", "expected"), CASES)
def test_finds(release, text, expected):
    assert found(release, text) == expected


HYBRID = [  # release, flags, codes for a hybrid model, codes where the model isn't known
    ("sglang@0.5.12.post1", EAGLE, ["PK510"], ["PK902"]),
    ("sglang@0.5.10", f"{EAGLE} --mamba-scheduler-strategy no_buffer", ["PK510"], ["PK902"]),
    ("sglang@0.5.12.post1", f"{EAGLE} --mamba-scheduler-strategy extra_buffer", [], []),
    ("sglang@0.5.12.post1", f"{EAGLE} --disable-radix-cache", [], []),
    ("sglang@0.5.9", EAGLE, [], []),
    ("sglang@0.5.14", EAGLE, [], []),
    ("sglang@0.5.23", "--mamba-radix-cache-strategy no_buffer", ["PK510"], []),
    ("sglang@0.5.23", "--mamba-radix-cache-strategy no_buffer --disable-overlap-schedule", [], []),
    ("sglang@0.5.23", "--mamba-radix-cache-strategy no_buffer --disable-overlap-schedule --page-size 16", ["PK510"], []),
]


@pytest.mark.parametrize(("release", "text", "hybrid", "unknown"), HYBRID)
def test_hybrid_models(tmp_path, release, text, hybrid, unknown):
    config = config_json(tmp_path / "config.json", layer_types=["linear_attention", "full_attention"])
    assert [code for code, _ in found(release, text, model_config=config)] == hybrid
    assert [code for code, _ in found(release, text)] == unknown


def test_a_model_that_is_hybrid_by_its_name_alone():
    script = f"python -m sglang.launch_server --model-path Qwen/Qwen3.6-27B {EAGLE}"
    [finding] = findings("sglang@0.5.12.post1", script)
    assert finding.code == "PK601"
    assert "guessed from the name" in finding.advice

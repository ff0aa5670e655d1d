"""Our formulas against what the engines' own code decided on simulated GPUs.

vllm_resolved.json and sglang_resolved.json hold facts read from the engines: one case a line.
"""

import json
from pathlib import Path

import pytest
from packaging.version import Version

from portkit.defaults.graphs import (
    sglang_decode_batch_sizes,
    sglang_default_maximum,
    sglang_prefill_sizes,
    vllm_capture_sizes,
)
from portkit.defaults.limits import (
    sglang_default_chunk,
    vllm_default_max_num_batched_tokens,
    vllm_default_max_num_seqs,
)
from portkit.deployment.schema import Facts
from portkit.mapping.load import table

HERE = Path(__file__).parent
VLLM = json.loads((HERE / "vllm_resolved.json").read_text())
SGLANG = json.loads((HERE / "sglang_resolved.json").read_text())

DECIDED_ELSEWHERE = {
    "gpt-oss-120b": "the model's own hook forces a maximum of 1024",
}
SCALING = ("--performance-mode", "-dp")


def facts(case):
    name = case["gpu"].lower().replace("nvidia ", "")
    return Facts(gpu=name, gpu_memory_mib=int(case["memory_gib"] * 1024), compute_capability=tuple(case["cc"]))


def graphs_untouched(case):
    flags = " ".join(case["args"])
    return "--cudagraph-capture-sizes" not in flags and "--enforce-eager" not in flags


@pytest.mark.parametrize("case", VLLM, ids=lambda c: f"{c['release']}-{c['case']}-{c['context']}")
def test_vllm_capture_sizes(case):
    if not graphs_untouched(case):
        assert case["sizes"] in ([], [1, 2, 4, 8, 12, 16, 24, 32])
        return
    ours = vllm_capture_sizes(
        Version(case["release"]),
        max_num_seqs=case["seqs"],
        tokens_per_request=1 + case["k"],
        max_num_batched_tokens=case["tokens"],
        blackwell=case["cc"][0] == 10,
        maximum=1024 if any(name in case["model"] for name in DECIDED_ELSEWHERE) else None,
        every_small_size="interactivity" in case["args"],
    )
    assert ours == case["sizes"]


def limits_untouched(case):
    flags = " ".join(case["args"])
    named = ("--max-num-seqs", "--max-num-batched-tokens", "--no-enable-chunked-prefill", *SCALING)
    return case["context"] == "server" and not any(flag in flags for flag in named)


@pytest.mark.parametrize("case", [c for c in VLLM if limits_untouched(c)], ids=lambda c: f"{c['release']}-{c['case']}")
def test_vllm_limits(case):
    release = Version(case["release"])
    assert vllm_default_max_num_seqs(facts(case)) == case["seqs"]
    assert vllm_default_max_num_batched_tokens(release, facts(case)) == case["tokens"]


@pytest.mark.parametrize("case", SGLANG, ids=lambda c: f"{c['release']}-{c['gpu']}-{c['model']}-{len(c['args'])}")
def test_sglang_graphs_and_chunk(case):
    release, args = Version(case["release"]), case["args"]
    gpu = next(entry for entry in table("gpus") if entry["name"] == case["gpu"])
    total = int(args[args.index("--tp") + 1]) if "--tp" in args else 1
    ranks = int(args[args.index("--dp") + 1]) if "--dp" in args else 1
    chunk = sglang_default_chunk(release, gpu["memory_mib"])
    assert chunk == case["chunk"] * ranks
    if "--cuda-graph-bs" in args or "--cuda-graph-bs-decode" in args:
        assert case["bs"] == [1, 2, 4, 8]
        return
    maximum = sglang_default_maximum(release, gpu["memory_mib"], total)
    assert maximum == case["max_bs"]
    assert sglang_decode_batch_sizes(maximum, speculation="--speculative-algorithm" in args) == case["bs"]
    if "deepseek" not in case["model"] and case["prefill"]:
        assert sglang_prefill_sizes(chunk) == case["prefill"]

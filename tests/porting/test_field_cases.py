"""What goes wrong for people who port launches, with the right answers."""

import pytest

EAGLE3STEPS = (
    "--speculative-algorithm EAGLE --speculative-num-steps 3 --speculative-eagle-topk 1 "
    "--speculative-num-draft-tokens 4"
)
SGLANG = "sglang@0.5.12.post1"


def test_graph_maximum_in_requests_becomes_a_list_in_tokens(carry):
    """Six requests with three draft tokens are 24 tokens; never a scalar maximum."""
    command = f"--model-path /m/t --cuda-graph-max-bs 6 --max-running-requests 6 {EAGLE3STEPS}"
    exact = carry(SGLANG, command, "vllm@0.33.0", exact=True)
    assert exact.words("--cudagraph-capture-sizes") == ["4", "8", "12", "16", "20", "24"]
    assert exact.words("--max-cudagraph-capture-size") is None
    assert exact.words("--max-num-seqs") == ["6"]
    covering = carry(SGLANG, command, "vllm@0.33.0")
    assert covering["cuda_graphs.decode_batch_sizes"].verdict == "built-in"


def test_off_grid_width_is_listed(carry):
    """Seven tokens a step: an explicit 42 would be cut to 40, the list isn't."""
    spec = (
        "--speculative-algorithm EAGLE --speculative-num-steps 6 --speculative-eagle-topk 1 "
        "--speculative-num-draft-tokens 7"
    )
    command = f"--model-path /m/t --cuda-graph-max-bs 6 --max-running-requests 6 {spec}"
    exact = carry(SGLANG, command, "vllm@0.33.0", exact=True)
    assert exact.words("--cudagraph-capture-sizes") == ["7", "14", "21", "28", "35", "42"]


@pytest.mark.parametrize(
    ("release", "flags", "covered"),
    [
        ("0.20.1", "--max-num-seqs 32 --speculative-config {dflash16}", 30),
        ("0.33.0", "--max-num-seqs 32 --speculative-config {dflash16}", 30),
        ("0.20.1", "--max-num-seqs 256 --speculative-config {mtp3}", 128),
        ("0.33.0", "--max-num-seqs 256 --speculative-config {mtp3}", 128),
        ("0.33.0", "--max-num-seqs 6 --max-cudagraph-capture-size 42 --speculative-config {mtp6}", 5),
        ("0.20.1", "--max-num-seqs 6 --max-cudagraph-capture-size 6 --speculative-config {mtp3}", 1),
    ],
)
def test_coverage_of_vllm_launches(read, release, flags, covered):
    configs = {
        "dflash16": '\'{"method":"dflash","model":"/m/d","num_speculative_tokens":16}\'',
        "mtp3": '\'{"method":"mtp","num_speculative_tokens":3}\'',
        "mtp6": '\'{"method":"mtp","num_speculative_tokens":6}\'',
    }
    deployment, _, _ = read("vllm", release, "/m/t " + flags.format(**configs))
    assert deployment.value("cuda_graphs.decode_coverage") == covered


def test_speculation_caps_requests_at_48(carry):
    ported = carry(SGLANG, f"--model-path /m/t --tp 8 {EAGLE3STEPS}", "vllm@0.33.0", gpu="h200x8")
    assert ported.words("--max-num-seqs") == ["48"]
    assert ported.keys("--speculative-config") == {"method": "mtp", "num_speculative_tokens": 3}
    assert "cap of 48" in ported.script


@pytest.mark.parametrize(
    ("flags", "tokens"),
    [("--speculative-num-draft-tokens 16", 15), ("--speculative-dflash-block-size 8", 7)],
)
def test_dflash_block_holds_the_known_token(carry, flags, tokens):
    command = f"--model-path /m/t --speculative-algorithm DFLASH --speculative-draft-model-path /m/d {flags}"
    ported = carry(SGLANG, command, "vllm@0.33.0")
    expected = {"method": "dflash", "model": "/m/d", "num_speculative_tokens": tokens}
    assert ported.keys("--speculative-config") == expected


def test_dflash_without_a_width_is_not_guessed(carry):
    command = "--model-path /m/t --speculative-algorithm DFLASH --speculative-draft-model-path /m/draft-b16"
    ported = carry(SGLANG, command, "vllm@0.33.0")
    assert ported.keys("--speculative-config") == {}
    assert ported.verdict("speculation.method") == "unknown"
    assert "block size" in ported.port.entries[0].carry.reason or "block size" in str(
        [e.source for e in ported.port.entries if e.name == "speculation.draft_tokens"]
    )


def test_dflash_before_024_is_unsafe_and_mtp_stands_in(carry):
    command = (
        "--model-path Qwen/Qwen3.6-27B --speculative-algorithm DFLASH --speculative-draft-model-path /m/d "
        "--speculative-num-draft-tokens 16"
    )
    ported = carry(SGLANG, command, "vllm@0.20.1")
    assert ported.keys("--speculative-config") == {"method": "mtp", "num_speculative_tokens": 3}
    carried = ported["speculation.method"]
    assert carried.verdict == "unsafe"
    assert "one layer early" in carried.reason and "sliding-window" in carried.reason
    assert "--force speculation.method" in carried.instead and ">= 0.24" in carried.instead
    assert "--max-num-batched-tokens" not in ported.script or ported.words("--max-num-batched-tokens")
    forced = carry(SGLANG, command, "vllm@0.20.1", force=("speculation.method",))
    assert forced.keys("--speculative-config")["num_speculative_tokens"] == 15
    # 48 sequences x (16 verify tokens + 14 reserved slots) on top of the default budget, or it would not start
    assert int(forced.words("--max-num-batched-tokens")[0]) == 2048 + 48 * 30


def test_dflash_on_a_model_without_mtp(carry):
    command = (
        "--model-path meta-llama/Llama-3.1-8B --speculative-algorithm DFLASH --speculative-draft-model-path /m/d "
        "--speculative-num-draft-tokens 16"
    )
    ported = carry(SGLANG, command, "vllm@0.20.1")
    assert ported.keys("--speculative-config") == {}
    assert ported.verdict("speculation.method") == "unsafe"


def test_memory_fraction_is_never_copied(carry):
    command = "--model-path /m/t --mem-fraction-static 0.8 --chunked-prefill-size 4096"
    ported = carry(SGLANG, command, "vllm@0.20.1")
    assert ported.words("--gpu-memory-utilization") == ["0.92"]
    assert ported.verdict("memory.fraction") == "approximate"
    back = carry("vllm@0.20.1", "/m/t --gpu-memory-utilization 0.92", SGLANG)
    assert back.words("--mem-fraction-static") is None
    assert back.verdict("memory.fraction") == "approximate"


def test_hybrid_prefix_caching_is_said_aloud(carry):
    command = f"--model-path Qwen/Qwen3.6-27B --mamba-scheduler-strategy extra_buffer {EAGLE3STEPS}"
    for release in ("0.20.1", "0.33.0"):
        ported = carry(SGLANG, command, f"vllm@{release}")
        assert ported.words("--enable-prefix-caching") == []
        assert ported.words("--max-num-seqs") == ["48"]
    off = carry(SGLANG, f"{command} --disable-radix-cache", "vllm@0.20.1")
    assert off.words("--no-enable-prefix-caching") == []


@pytest.mark.parametrize(
    ("sglang", "release", "tool", "reasoning"),
    [
        ("--tool-call-parser deepseekv32 --reasoning-parser deepseek-v3", "0.33.0", "deepseek_v32", "deepseek_v3"),
        ("--tool-call-parser llama3 --reasoning-parser deepseek-r1", "0.20.1", "llama3_json", "deepseek_r1"),
        ("--tool-call-parser gpt-oss --reasoning-parser gpt-oss", "0.20.1", "openai", "openai_gptoss"),
        ("--tool-call-parser qwen25 --reasoning-parser qwen3", "0.20.1", "hermes", "qwen3"),
        ("--tool-call-parser glm45 --reasoning-parser glm45", "0.33.0", "glm45", "glm45"),
        ("--tool-call-parser kimi_k2 --reasoning-parser kimi_k2", "0.20.1", "kimi_k2", "kimi_k2"),
    ],
)
def test_parsers_have_their_own_names_and_a_second_switch(carry, sglang, release, tool, reasoning):
    ported = carry("sglang@0.5.23", f"--model-path /m/t {sglang}", f"vllm@{release}")
    assert ported.words("--tool-call-parser") == [tool]
    assert ported.words("--enable-auto-tool-choice") == []
    assert ported.words("--reasoning-parser") == [reasoning]


def test_dp_attention_counts_gpus_inside_tp(carry):
    ported = carry("sglang@0.5.12.post1", "--model-path /m/t --tp 8 --dp 8 --enable-dp-attention", "vllm@0.33.0")
    assert ported.words("--tensor-parallel-size") == ["1"]
    assert ported.words("--data-parallel-size") == ["8"]
    assert ported.words("--enable-expert-parallel") == []
    newer = carry("sglang@0.5.23", "--model-path /m/t --tp 8 --attn-dp-size 4 --ep 8", "vllm@0.33.0")
    assert (newer.words("--tensor-parallel-size"), newer.words("--data-parallel-size")) == (["2"], ["4"])
    assert newer.words("--enable-expert-parallel") == []


def test_dp_without_attention_multiplies(carry):
    ported = carry(SGLANG, "--model-path Qwen/Qwen3-8B --tp 2 --dp 4", "vllm@0.20.1")
    assert (ported.words("--tensor-parallel-size"), ported.words("--data-parallel-size")) == (["2"], ["4"])
    assert ported.words("--enable-expert-parallel") is None
    moe = carry(SGLANG, "--model-path Qwen/Qwen3-30B-A3B --tp 2 --dp 4", "vllm@0.20.1")
    assert moe.verdict("parallelism.data_parallel_size") == "approximate"


def test_partial_expert_parallelism_has_no_counterpart(carry):
    ported = carry(SGLANG, "--model-path /m/t --tp 8 --ep 4", "vllm@0.20.1")
    assert ported.words("--enable-expert-parallel") is None
    assert ported.verdict("parallelism.expert_parallel_size") == "lost"


def test_what_sglang_sets_in_the_environment_is_stated(carry):
    ported = carry(SGLANG, "--model-path /m/t --tp 2", "vllm@0.20.1")
    assert ported.variables() == {}
    for line in (
        "# export NCCL_CUMEM_ENABLE=0",
        "# export NCCL_NVLS_ENABLE=0",
        "# export CUDA_DEVICE_MAX_CONNECTIONS=8",
    ):
        assert line in ported.script
    written = carry(SGLANG, "--model-path /m/t", "vllm@0.20.1", environment={"NCCL_NVLS_ENABLE": "1"})
    assert written.variables() == {"NCCL_NVLS_ENABLE": "1"}
    switched = carry(SGLANG, "--model-path /m/t --enable-nccl-nvls", "vllm@0.20.1")
    assert switched.variables() == {"NCCL_NVLS_ENABLE": "1"}


def test_a_value_sglang_overwrites_never_took_effect(carry):
    ported = carry(SGLANG, "--model-path /m/t", "vllm@0.20.1", environment={"CUDA_DEVICE_MAX_CONNECTIONS": "1"})
    assert ported.verdict("communication.cuda_device_max_connections") == "inert"
    assert ported.variables() == {"CUDA_DEVICE_MAX_CONNECTIONS": "8"}


def test_library_variables_are_carried(carry):
    environment = {
        "NCCL_P2P_DISABLE": "1", "NCCL_IB_HCA": "mlx5_0", "GLOO_SOCKET_IFNAME": "eth0", "OMP_NUM_THREADS": "8",
        "HF_HOME": "/cache", "PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True", "CUDA_VISIBLE_DEVICES": "0,1",
        "TORCH_NCCL_ASYNC_ERROR_HANDLING": "1",
    }  # fmt: skip
    ported = carry(SGLANG, "--model-path /m/t", "vllm@0.20.1", environment=environment)
    assert ported.variables() == environment


def test_flashinfer_with_speculation_loses_graphs(carry):
    command = f"--model-path /m/t --attention-backend flashinfer {EAGLE3STEPS}"
    ported = carry(SGLANG, command, "vllm@0.20.1", gpu="a6000x2")
    assert ported.words("--attention-backend") is None
    assert ported.verdict("attention.backend") == "unsafe"
    assert "PIECEWISE" in ported["attention.backend"].reason
    later = carry(SGLANG, command, "vllm@0.33.0", gpu="a6000x2")
    assert later.words("--attention-backend") == ["FLASHINFER"]
    plain = carry(SGLANG, "--model-path /m/t --attention-backend flashinfer", "vllm@0.20.1", gpu="a6000x2")
    assert plain.words("--attention-backend") == ["FLASHINFER"]


def test_a_backend_nobody_wrote_is_not_forced(carry):
    assert carry(SGLANG, "--model-path /m/t", "vllm@0.20.1", gpu="h100").words("--attention-backend") is None


@pytest.mark.parametrize(
    ("flags", "model", "backend", "lost"),
    [
        (
            "--prefill-attention-backend fa3 --decode-attention-backend flashmla",
            "deepseek-ai/DeepSeek-V3",
            "FLASHMLA",
            True,
        ),
        ("--attention-backend triton", "/m/t", "TRITON_ATTN", False),
        ("--attention-backend triton", "deepseek-ai/DeepSeek-V3", "TRITON_MLA", False),
        ("--attention-backend fa3", "deepseek-ai/DeepSeek-V3", "FLASH_ATTN_MLA", False),
        ("--attention-backend fa3", "/m/t", "FLASH_ATTN", False),
        ("--attention-backend cutlass_mla", "deepseek-ai/DeepSeek-V3", "CUTLASS_MLA", False),
        ("--attention-backend aiter", "/m/t", "ROCM_AITER_FA", False),
    ],
)
def test_backend_names(carry, flags, model, backend, lost):
    ported = carry(SGLANG, f"--model-path {model} {flags}", "vllm@0.20.1")
    assert ported.words("--attention-backend") == [backend]
    assert (ported.verdict("attention.prefill_backend") == "lost") is lost


def test_fp8_kv_with_dflash_below_sm90_would_not_start(carry):
    command = (
        "--model-path /m/t --kv-cache-dtype fp8_e4m3 --speculative-algorithm DFLASH "
        "--speculative-draft-model-path /m/d --speculative-num-draft-tokens 16"
    )
    ported = carry(SGLANG, command, "vllm@0.20.1", gpu="a6000x2", force=("speculation.method",))
    assert ported.words("--kv-cache-dtype") is None
    assert ported.verdict("memory.kv_cache_dtype") == "unsafe"


def test_expert_transport_moved_to_a_flag(carry):
    ported = carry(SGLANG, "--model-path /m/t --tp 8 --moe-a2a-backend deepep --deepep-mode low_latency", "vllm@0.20.1")
    assert ported.words("--all2all-backend") == ["deepep_low_latency"]
    assert ported.words("--enable-expert-parallel") == []


def test_chunk_counts_decode_tokens_on_vllm(carry):
    command = f"--model-path /m/t --chunked-prefill-size 4096 --max-running-requests 32 {EAGLE3STEPS}"
    ported = carry(SGLANG, command, "vllm@0.20.1")
    assert ported.words("--max-num-batched-tokens") == [str(4096 + 32 * 4)]


@pytest.mark.parametrize(
    ("flags", "setting", "verdict"),
    [
        ("--num-continuous-decode-steps 4", "scheduling.continuous_decode_steps", "inert"),
        ("--enable-mixed-chunk", "scheduling.mixed_chunk", "built-in"),
        ("--schedule-policy lpm", "scheduling.policy", "lost"),
        ("--schedule-conservativeness 0.3", "scheduling.conservativeness", "lost"),
        ("--enable-torch-compile", "cuda_graphs.torch_compile", "built-in"),
        ("--enable-mscclpp", "communication.mscclpp", "lost"),
        ("--enable-flashinfer-allreduce-fusion", "communication.allreduce_fusion", "built-in"),
        ("--page-size 1", "memory.page_size", "approximate"),
        ("--cpu-offload-gb 8", "memory.cpu_offload_gib", "carried"),
        ("--offload-group-size -1", "memory.offload_group_size", "built-in"),
        ("--speculative-accept-threshold-single 1.0", "speculation.accept_threshold_single", "built-in"),
        ("--speculative-accept-threshold-acc 0.9", "speculation.accept_threshold_accumulated", "lost"),
        ("--crash-dump-folder /x", "--crash-dump-folder", "lost"),
    ],
)
def test_verdicts(carry, flags, setting, verdict):
    assert carry(SGLANG, f"--model-path /m/t {flags}", "vllm@0.20.1").verdict(setting) == verdict


def test_host_cache_is_gb_per_rank_against_gib_over_all(carry):
    command = "--model-path /m/t --tp 4 --enable-hierarchical-cache --hicache-size 64"
    ported = carry(SGLANG, command, "vllm@0.20.1")
    assert ported.words("--kv-offloading-size") == ["238.42"]


@pytest.mark.parametrize(
    ("model", "steps"), [("meta-llama/Llama-3.1-8B", 5), ("Qwen/Qwen3-8B", 3), ("/m/unheard-of", 3)]
)
def test_automatic_draft_length_is_written_out(carry, model, steps):
    command = f"--model-path {model} --speculative-algorithm EAGLE3 --speculative-draft-model-path /m/d"
    ported = carry(SGLANG, command, "vllm@0.20.1")
    assert ported.keys("--speculative-config")["num_speculative_tokens"] == steps
    assert ported.verdict("speculation.tree_width") == ("lost" if steps == 5 else None)


@pytest.mark.parametrize(
    ("algorithm", "release", "method"),
    [
        ("EAGLE3 --speculative-draft-model-path /m/d", "0.20.1", "eagle3"),
        ("EAGLE --speculative-draft-model-path /m/d", "0.20.1", "eagle"),
        ("EAGLE", "0.20.1", "mtp"),
        ("NEXTN", "0.20.1", "mtp"),
        ("STANDALONE --speculative-draft-model-path /m/d", "0.20.1", "draft_model"),
        ("NGRAM", "0.20.1", "ngram"),
    ],
)
def test_methods(carry, algorithm, release, method):
    ported = carry(SGLANG, f"--model-path Qwen/Qwen3-8B --speculative-algorithm {algorithm}", f"vllm@{release}")
    assert ported.keys("--speculative-config")["method"] == method


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ('{"method":"mtp","num_speculative_tokens":3}', {"--speculative-algorithm": ["EAGLE"], "--speculative-num-steps": ["3"], "--speculative-eagle-topk": ["1"], "--speculative-num-draft-tokens": ["4"]}),
        ('{"method":"dflash","model":"/m/d","num_speculative_tokens":15}', {"--speculative-algorithm": ["DFLASH"], "--speculative-num-draft-tokens": ["16"], "--speculative-num-steps": None, "--speculative-draft-model-path": ["/m/d"]}),
        ('{"method":"eagle3","model":"/m/d","num_speculative_tokens":5}', {"--speculative-algorithm": ["EAGLE3"], "--speculative-num-steps": ["5"], "--speculative-num-draft-tokens": ["6"]}),
        ('{"method":"ngram","num_speculative_tokens":4}', {"--speculative-algorithm": ["NGRAM"], "--speculative-num-draft-tokens": ["5"]}),
    ],
)  # fmt: skip
def test_methods_back_to_sglang(carry, config, expected):
    ported = carry("vllm@0.20.1", f"/m/t --speculative-config '{config}'", "sglang@0.5.23")
    assert {flag: ported.words(flag) for flag in expected} == expected


def hazards(carry, command, release, gpu=None, environment=None):
    """What is unsafe in a vLLM launch on its own release."""
    ported = carry(f"vllm@{release}", command, f"vllm@{release}", gpu=gpu, environment=environment)
    return {e.name: e.carry.reason for e in ported.port.entries if e.carry.verdict == "unsafe" and not e.carry.follows}


def test_hazards_of_a_vllm_launch(carry):
    dflash = '\'{"method":"dflash","model":"/m/d","num_speculative_tokens":16}\''
    found = hazards(carry, f"/m/t --speculative-config {dflash}", "0.20.1")
    assert "max_num_scheduled_tokens at -1792" in found["scheduling.prefill_chunk"]
    assert "one layer early" in found["speculation.method"]
    assert hazards(carry, f"/m/t --speculative-config {dflash}", "0.33.0") == {}
    assert "scheduling.prefill_chunk" not in hazards(
        carry, f"/m/t --max-num-seqs 16 --speculative-config {dflash}", "0.20.1"
    )
    mtp = '\'{"method":"mtp","num_speculative_tokens":2}\''
    command = f"/m/t --attention-backend FLASHINFER --speculative-config {mtp}"
    assert "PIECEWISE" in hazards(carry, command, "0.20.1", gpu="a6000x2")["attention.backend"]
    assert hazards(carry, command, "0.20.1", gpu="b200") == {}
    command = f"/m/t --kv-cache-dtype fp8 --max-num-seqs 16 --speculative-config {dflash}"
    assert "no backend" in hazards(carry, command, "0.20.1", gpu="a6000")["memory.kv_cache_dtype"]


@pytest.mark.parametrize(
    ("variable", "release", "now"),
    [
        ("VLLM_ATTENTION_BACKEND", "0.20.1", "it is --attention-backend now"),
        ("VLLM_ATTENTION_BACKEND", "0.33.0", "it is --attention-backend now"),
        ("VLLM_ALL2ALL_BACKEND", "0.20.1", "it is --all2all-backend now"),
        ("VLLM_USE_V1", "0.33.0", "doesn't read VLLM_USE_V1"),
    ],
)
def test_a_variable_no_longer_read_is_inert(carry, variable, release, now):
    ported = carry(f"vllm@{release}", "/m/t", "sglang@0.5.23", environment={variable: "x"})
    entry = next(e for e in ported.port.entries if variable in e.name)
    assert entry.carry.verdict == "inert" and now in entry.carry.reason


def test_hybrid_models_get_a_sequence_limit(carry):
    ported = carry(SGLANG, "--model-path Qwen/Qwen3.6-27B --tp 2", "vllm@0.20.1", gpu="h100:2")
    assert ported.words("--max-num-seqs") == ["256"]
    dense = carry(SGLANG, "--model-path Qwen/Qwen3-8B", "vllm@0.20.1", gpu="h100")
    assert dense.words("--max-num-seqs") is None


def test_mtp_tokens_fit_the_models_layers(carry, tmp_path):
    # mtp_layers is 1 for the models known by name: any number fits
    ported = carry(SGLANG, "--model-path deepseek-ai/DeepSeek-V3 --speculative-algorithm EAGLE", "vllm@0.20.1")
    assert ported.keys("--speculative-config") == {"method": "mtp", "num_speculative_tokens": 3}


def test_nodes(carry):
    command = "--model-path /m/t --tp 16 --nnodes 2 --node-rank {} --dist-init-addr 10.0.0.1:5000"
    first = carry(SGLANG, command.format(0), "vllm@0.20.1")
    assert (first.words("--nnodes"), first.words("--node-rank")) == (["2"], ["0"])
    assert (first.words("--master-addr"), first.words("--master-port")) == (["10.0.0.1"], ["5000"])
    assert first.words("--headless") is None
    assert carry(SGLANG, command.format(1), "vllm@0.20.1").words("--headless") == []
    back = carry("vllm@0.20.1", "/m/t -tp 16 --nnodes 2 --master-addr h --master-port 5", "sglang@0.5.23")
    assert back.words("--dist-init-addr") == ["h:5"]


def test_lengths_are_written_out_as_integers(carry):
    """32k is 32000 in both, 32K is 32768 in vLLM and an error in SGLang."""
    assert carry(SGLANG, "--model-path /m/t --context-length 32k", "vllm@0.20.1").words("--max-model-len") == ["32000"]
    back = carry("vllm@0.20.1", "/m/t --max-model-len 32K", SGLANG)
    assert back.words("--context-length") == ["32768"] and "32K in vllm" in back.script


@pytest.mark.parametrize(
    ("release", "flag"),
    [("0.5.12.post1", "--mamba-scheduler-strategy"), ("0.5.23", "--mamba-radix-cache-strategy")],
)
def test_a_hybrid_that_speculates_keeps_its_radix_cache_with_a_second_buffer(carry, release, flag):
    mtp = '\'{"method":"mtp","num_speculative_tokens":3}\''
    command = f"Qwen/Qwen3.6-27B --enable-prefix-caching --speculative-config {mtp}"
    assert carry("vllm@0.20.1", command, f"sglang@{release}").words(flag) == ["extra_buffer"]
    without = carry("vllm@0.20.1", command.replace("--enable", "--no-enable"), f"sglang@{release}")
    assert without.words(flag) is None and without.words("--disable-radix-cache") == []

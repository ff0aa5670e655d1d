"""vLLM's parser, fact by fact: what a command line means to a release."""

from __future__ import annotations

import pytest

from tests.catalogue.resolving import VLLM, outcome, resolved

MODE_NONE = {"compilation_config": {"cudagraph_mode": "NONE"}}
SPECULATION = {"speculative_config": {"method": "mtp", "num_speculative_tokens": 3}}

ACCEPTED = [
    # spellings
    ("--tensor_parallel_size 2", {"tensor_parallel_size": 2}),
    ("--tensor-parallel_size=2", {"tensor_parallel_size": 2}),
    ("-tp 2", {"tensor_parallel_size": 2}),
    ("-tp=2", {"tensor_parallel_size": 2}),
    ("-t 2", {"tensor_parallel_size": 2}),
    ("-n4", {"nnodes": 4}),
    ("--tensor-parallel 2", {"tensor_parallel_size": 2}),
    ("--gpu-memory-util=0.9", {"gpu_memory_utilization": 0.9}),
    ("--gpu_mem 0.5", {"gpu_memory_utilization": 0.5}),
    ("--max-num-se 5", {"max_num_seqs": 5}),
    ("--no-enable-pre", {"enable_prefix_caching": False}),
    ("--max-num-seqs 32 --max-num-seqs 48", {"max_num_seqs": 48}),
    # switches
    ("--no-enable-prefix-caching", {"enable_prefix_caching": False}),
    ("--no_enable_prefix_caching", {"enable_prefix_caching": False}),
    ("--no-enforce-eager", {"enforce_eager": False}),
    ("--enforce-eager", {"enforce_eager": True}),
    ("--disable-log-stats", {"disable_log_stats": True}),
    # numbers
    ("--max-model-len 32k", {"max_model_len": 32000}),
    ("--max-model-len 32K", {"max_model_len": 32768}),
    ("--max-model-len 1.5k", {"max_model_len": 1500}),
    ("--max-model-len auto", {"max_model_len": -1}),
    ("--max-model-len -1", {"max_model_len": -1}),
    ("--max-num-batched-tokens 8K", {"max_num_batched_tokens": 8192}),
    ("--max-num-batched-tokens -1", {"max_num_batched_tokens": -1}),
    ("--kv-cache-memory-bytes 25G", {"kv_cache_memory_bytes": 26843545600}),
    ("--gpu-memory-utilization 1.5", {"gpu_memory_utilization": 1.5}),
    # texts
    ("--quantization gguf", {"quantization": "gguf"}),
    ("--quantization=", {"quantization": None}),
    ("--quantization None", {"quantization": None}),
    ("-qfp8", {"quantization": "fp8"}),
    ("--attention-backend flash_attn", {"attention_backend": "flash_attn"}),
    ("--attention-backend NOPE", {"attention_backend": "NOPE"}),
    ("--moe-backend DEEP-GEMM", {"moe_backend": "deep_gemm"}),
    # lists
    ("--cudagraph-capture-sizes 1 2 4", {"cudagraph_capture_sizes": [1, 2, 4]}),
    ("--cudagraph-capture-sizes 1 2 --cudagraph-capture-sizes 8", {"cudagraph_capture_sizes": [8]}),
    ("--served-model-name a b", {"served_model_name": ["a", "b"]}),
    ("--api-key a b", {"api_key": ["a", "b"]}),
    ("--middleware a --middleware b", {"middleware": ["a", "b"]}),
    ("--allowed-origins '[\"*\"]'", {"allowed_origins": ["*"]}),
    (
        """--lora-modules a=b '{"name":"c","path":"d"}'""",
        {"lora_modules": [{"name": "a", "path": "b"}, {"name": "c", "path": "d"}]},
    ),
    ("--hf-token", {"hf_token": True}),
    ("--hf-token x", {"hf_token": "x"}),
    # JSON and dotted keys
    ("""-cc '{"cudagraph_mode":"NONE"}'""", MODE_NONE),
    ("-cc.cudagraph_mode=NONE", MODE_NONE),
    ("--compilation-config.cudagraph_mode NONE", MODE_NONE),
    ("--compilation_config.cudagraph_mode NONE", MODE_NONE),
    ("--compilation-con.cudagraph_mode=NONE", MODE_NONE),
    ("-ac.backend=FLASHINFER", {"attention_config": {"backend": "FLASHINFER"}}),
    (
        "-cc.pass_config.fuse_allreduce_rms=true -cc.mode 3",
        {"compilation_config": {"pass_config": {"fuse_allreduce_rms": True}, "mode": 3}},
    ),
    ("-cc.custom_ops+ +rms_norm", {"compilation_config": {"custom_ops": ["+rms_norm"]}}),
    (
        "-cc.custom_ops+=a,b -cc.custom_ops+ c",
        {"compilation_config": {"custom_ops": ["a", "b", "c"]}},
    ),
    (
        "-cc.cudagraph_capture_sizes+=1,2 -cc.cudagraph_capture_sizes+ 4",
        {"compilation_config": {"cudagraph_capture_sizes": [1, 2, 4]}},
    ),
    ("--speculative-config.method mtp --speculative-config.num_speculative_tokens 3", SPECULATION),
    ("""--speculative-config '{"method":"mtp","num_speculative_tokens":3}'""", SPECULATION),
    ("""-sc '{"method":"mtp","num_speculative_tokens":3}'""", SPECULATION),
    ("--hf-overrides.rope_scaling.factor 2.0", {"hf_overrides": {"rope_scaling": {"factor": 2.0}}}),
    ("--hf-overrides some.function", {"hf_overrides": "some.function"}),
    ("--limit-mm-per-prompt.image 2", {"limit_mm_per_prompt": {"image": 2}}),
    ("--kv-transfer-config.kv_port 80g", {"kv_transfer_config": {"kv_port": 80 * 10**9}}),
    (
        """--kv-transfer-config '{"kv_port": 8K, "kv_role": "8K"}'""",
        {"kv_transfer_config": {"kv_port": 8192, "kv_role": "8K"}},
    ),
    # dotted keys go last and replace, spelling by spelling
    ("""-cc '{"mode":3}' -cc.cudagraph_mode=NONE""", MODE_NONE),
    ("""-cc.cudagraph_mode=NONE -cc '{"mode":3}'""", MODE_NONE),
    ("--compilation-config.mode=3 -cc.cudagraph_mode=NONE", MODE_NONE),
    # the optimisation level
    ("-O3", {"optimization_level": "3"}),
    ("-O=1", {"optimization_level": "1"}),
    ("-O 0", {"optimization_level": "0"}),
    ("-O9", {"optimization_level": "9"}),
    ("-O.mode=3", {"optimization_level": ".mode=3"}),
]


@pytest.mark.parametrize("release", VLLM)
@pytest.mark.parametrize(("line", "values"), ACCEPTED)
def test_accepted(release: str, line: str, values: dict[str, object]) -> None:
    resolution = resolved("vllm", release, f"m {line}")
    if resolution.arguments.get("optimization_level"):
        values = {key: type(resolution.arguments[key].value)(value) for key, value in values.items()}
    assert outcome(resolution) == (values, [])


@pytest.mark.parametrize("release", VLLM)
@pytest.mark.parametrize(
    ("line", "kind", "words", "message"),
    [
        ("--tp 2", "unrecognized", ["--tp", "2"], "no option --tp; did you mean -tp or --tensor-parallel-size?"),
        ("-tp2", "unrecognized", ["-tp2"], "no option -tp2"),
        ("--swap-space 4", "unrecognized", ["--swap-space", "4"], "no option --swap-space"),
        ("--bogus a b --enforce-eager", "unrecognized", ["--bogus", "a", "b"], "no option --bogus"),
        ("--bogus=a b", "unrecognized", ["--bogus=a"], "no option --bogus"),
        ("--max-num 3", "ambiguous", ["--max-num", "3"], "--max-num could be "),
        ("--enable-prefix-caching false", "unexpected_value", ["false"], "--enable-prefix-caching takes no value"),
        (
            "--enable-prefix-caching=false",
            "unexpected_value",
            ["--enable-prefix-caching=false"],
            "--enable-prefix-caching takes no value",
        ),
        ("--max-num-seqs 1k", "invalid_value", ["--max-num-seqs", "1k"], "--max-num-seqs: '1k' is not a whole number"),
        ("--max-num-seqs None", "invalid_value", ["--max-num-seqs", "None"], "--max-num-seqs: 'None' is not"),
        ("--max-model-len None", "invalid_value", ["--max-model-len", "None"], "--max-model-len: 'None' is not"),
        ("--max-model-len 1.5K", "invalid_value", ["--max-model-len", "1.5K"], "--max-model-len: '1.5K': a capital"),
        ("--max-num-batched-tokens auto", "invalid_value", ["--max-num-batched-tokens", "auto"], ""),
        ("--cudagraph-capture-sizes 1,2,4", "invalid_value", ["--cudagraph-capture-sizes", "1,2,4"], ""),
        ("--cudagraph-capture-sizes [1,2]", "invalid_value", ["--cudagraph-capture-sizes", "[1,2]"], ""),
        ("--cudagraph-capture-sizes", "missing_value", ["--cudagraph-capture-sizes"], ""),
        ("--port --enforce-eager", "missing_value", ["--port"], "--port needs a value"),
        ("-cc.mode", "missing_value", ["-cc.mode"], "-cc.mode needs a value"),
        ("--limit-mm-per-prompt image=2", "invalid_value", ["--limit-mm-per-prompt", "image=2"], ""),
        ("""-cc '{"mode":'""", "invalid_value", ["-cc", '{"mode":'], "-cc: not valid JSON at character 9"),
        ("-cc 3", "invalid_value", ["-cc", "3"], "-cc: takes a JSON object"),
        ("""--speculative-config '{"a"'""", "invalid_value", ["--speculative-config", '{"a"'], ""),
        ("-cc.cudagraph-mode=FULL", "invalid_value", ["-cc.cudagraph-mode=FULL"], "did you mean cudagraph_mode"),
        (
            "--speculative-config.metod mtp",
            "invalid_value",
            ["--speculative-config.metod", "mtp"],
            "SpeculativeConfig has no key 'metod' in vllm",
        ),
        ("-cc.pass_config.fuse_x=1", "invalid_value", ["-cc.pass_config.fuse_x=1"], "no key 'pass_config.fuse_x'"),
        ("""-O '{"mode":3}'""", "unrecognized", ["-O", '{"mode":3}'], "no option -O"),
        ("-O.mode 3", "unrecognized", ["3"], ""),
        ("stray", "unrecognized", ["stray"], "stray belongs to no option"),
        ("-- stray", "ignored", ["--"], ""),
        ("--help", "refused", ["--help"], ""),
        ("--config=f.yaml", "ignored", ["--config=f.yaml"], "the engine never opens f.yaml"),
        ('--lora-modules \'{"name":"c"}\'', "invalid_value", ["--lora-modules", '{"name":"c"}'], ""),
    ],
)
def test_refused(release: str, line: str, kind: str, words: list[str], message: str) -> None:
    problem = resolved("vllm", release, f"m {line}").problems[0]
    assert (problem.kind, [word.text for word in problem.words]) == (kind, words)
    assert message in problem.message


@pytest.mark.parametrize(
    ("release", "line", "values", "kinds"),
    [
        ("0.20.1", "--kv-cache-dtype fp9", {}, ["invalid_value"]),
        ("0.33.0", "--kv-cache-dtype fp9", {"kv_cache_dtype": "fp9"}, []),
        ("0.20.1", "--spec-method mtp", {}, ["unrecognized"]),
        ("0.33.0", "--spec-method mtp", {"spec_method": "mtp"}, []),
        ("0.20.1", "--disable-prefix-caching", {}, ["unrecognized"]),
        ("0.33.0", "--disable-prefix-caching", {"enable_prefix_caching": False}, []),
        ("0.33.0", "--enable-custom-all-reduce", {"disable_custom_all_reduce": False}, []),
        ("0.33.0", "--no-disable-custom-all-reduce", {"disable_custom_all_reduce": False}, []),
        ("0.20.1", "--disable-log-requests", {}, ["unrecognized"]),
        ("0.33.0", "--disable-log-requests", {"enable_log_requests": False}, []),
        ("0.33.0", "--device-ids 0,1", {"device_ids": [0, 1]}, []),
        ("0.33.0", "--reasoning-parser NONE", {"reasoning_parser": ""}, []),
    ],
)
def test_releases_differ(release: str, line: str, values: dict[str, object], kinds: list[str]) -> None:
    assert outcome(resolved("vllm", release, f"m {line}")) == (values, kinds)


@pytest.mark.parametrize(
    ("entry", "line", "values", "kinds"),
    [
        ("vllm", "org/model", {"model_tag": "org/model"}, []),
        (
            "vllm",
            "--port 1 org/model --enforce-eager",
            {"port": 1, "model_tag": "org/model", "enforce_eager": True},
            [],
        ),
        ("vllm", "--enforce-eager org/model", {"model_tag": "org/model", "enforce_eager": True}, []),
        ("vllm", "-- org/model", {"model_tag": "org/model"}, ["ignored"]),
        ("vllm", "-tp 2 --model x", {"model_tag": "x", "tensor_parallel_size": 2}, []),
        ("vllm", "-tp 2 --model=x", {"model_tag": "x", "tensor_parallel_size": 2}, []),
        ("vllm", "p --model x", {"model_tag": "x"}, ["unrecognized"]),
        ("vllm", "--model", {}, ["missing_value"]),
        ("vllm", "", {}, []),
        ("vllm", "--served-model-name z", {"served_model_name": ["z"]}, ["refused"]),
        ("vllm", "--served-model-name z --model x", {"model_tag": "x", "served_model_name": ["z"]}, []),
        ("vllm", "--cuda-graph-bs 1 2 m2", {"model_tag": "m2"}, ["unrecognized"]),
        ("api_server", "--model x", {"model": "x"}, []),
        ("api_server", "x", {"model_tag": "x"}, []),
        ("api_server", "--served-model-name z", {"served_model_name": ["z"]}, []),
    ],
)
@pytest.mark.parametrize("release", VLLM)
def test_model(release: str, entry: str, line: str, values: dict[str, object], kinds: list[str]) -> None:
    assert outcome(resolved(entry, release, line)) == (values, kinds)


EAGER = {"enforce_eager": True}


@pytest.mark.parametrize(
    ("entry", "line", "text", "values", "kinds"),
    [
        ("vllm", "m --config f.yaml", "enforce-eager: true\nport: 80", EAGER | {"port": 80}, []),
        ("vllm", "m --port 1 --config f.yaml", "port: 80", {"port": 1}, []),
        ("vllm", "--config f.yaml", "model: y", {"model": "y"}, []),
        ("vllm", "--config f.yaml --model x", "model: y", {"model": "y", "model_tag": "x"}, []),
        ("vllm", "--config f.yaml", "port: 1", {"port": 1}, ["refused"]),
        ("vllm", "m --config f.yaml", "enable-prefix-caching: false", {}, ["ignored"]),
        (
            "vllm",
            "m --config f.yaml",
            "max_num_seqs: 8\nmax-model-len: 8k",
            {"max_num_seqs": 8, "max_model_len": 8000},
            [],
        ),
        ("vllm", "m --config f.yaml", "max-num-seqs: null", {}, ["invalid_value"]),
        ("vllm", "m --config f.yaml", "served-model-name: n", {"served_model_name": ["n"]}, []),
        ("vllm", "m --config f.yaml", "served-model-name: 1e5", {"served_model_name": ["1e5"]}, []),
        ("vllm", "m --config f.yaml", "quantization: null", {"quantization": None}, []),
        ("vllm", "m --config f.yaml", "enforce-eager: yes", EAGER, []),
        ("vllm", "m --config f.yaml", "bogus: 1", {}, ["unrecognized"]),
        ("vllm", "m --config f.yaml", "served-model-name: [a, b]", {"served_model_name": ["a", "b"]}, []),
        ("vllm", "m --config f.yaml", "middleware: [a, b]", {"middleware": ["a"]}, ["unrecognized"]),
        ("vllm", "m --config f.yaml", "compilation-config: {mode: 3}", {"compilation_config": {"mode": 3}}, []),
        ("vllm", "m --config f.yaml -cc.cudagraph_mode=NONE", "compilation-config: {mode: 3}", MODE_NONE, []),
        ("vllm", "m --config f.yaml", "port: [", {}, ["invalid_value"]),
        ("vllm", "m --config f.yaml", "- 1", {}, ["invalid_value"]),
        ("vllm", "m --config f.yaml", "1: 1", {}, ["invalid_value"]),
        ("vllm", "m --config f.yaml", "", {}, []),
        ("vllm", "m --config f.yaml", "port: 1\nport: 2", {"port": 2}, []),
        ("vllm", "m --config f.txt", "port: 1", {}, ["refused"]),
        ("vllm", "m --config f.yaml --config f.yaml", "port: 1", {"port": 1}, ["refused"]),
        ("vllm", "m --config", "", {}, ["missing_value"]),
        ("vllm", "m --config other.yaml", "port: 1", {}, ["opaque"]),
        ("vllm", 'm --config "$FILE"', "port: 1", {}, ["opaque"]),
        ("api_server", "--config f.yaml --port 1", "port: 2\nmodel: y", {"port": 1, "model": "y"}, []),
    ],
)
@pytest.mark.parametrize("release", VLLM)
def test_config_file(
    release: str, entry: str, line: str, text: str, values: dict[str, object], kinds: list[str]
) -> None:
    found, problems = outcome(resolved(entry, release, line, files={"f.yaml": text, "f.txt": text}))
    found.pop("config", None)
    assert (found, problems) == (values, kinds)


@pytest.mark.parametrize(
    ("release", "key", "values", "kinds"),
    [
        ("0.20.1", "enable-prefix-caching", {}, ["ignored"]),
        ("0.32.0", "enable-prefix-caching", {"enable_prefix_caching": False}, []),
        ("0.33.0", "enable-prefix-caching", {"enable_prefix_caching": False}, []),
        ("0.33.0", "enable_prefix_caching", {}, ["ignored"]),
    ],
)
def test_false_in_a_config_file_of_the_api_server(
    release: str, key: str, values: dict[str, object], kinds: list[str]
) -> None:
    found, problems = outcome(resolved("api_server", release, "--config f.yaml", files={"f.yaml": f"{key}: false"}))
    found.pop("config")
    assert (found, problems) == (values, kinds)


def test_aliases_cannot_blow_up_a_config_file() -> None:
    layers = "".join(f"k{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 9))
    resolution = resolved("vllm", "0.33.0", "m --config f.yaml", files={"f.yaml": f"k0: &a0 [x]\n{layers}"})
    assert outcome(resolution)[1] == ["invalid_value"]

"""SGLang's parser, fact by fact: what a command line means to a release."""

from __future__ import annotations

import pytest

from tests.catalogue.resolving import SGLANG, outcome, resolved

OLD, NEW = SGLANG


@pytest.mark.parametrize("release", SGLANG)
@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("--mem-frac 0.8", {"mem_fraction_static": 0.8}),
        ("--schedule-conservativeness=0.3", {"schedule_conservativeness": 0.3}),
        ("--context-length 32k", {"context_length": 32000}),
        ("--context-length 1.5k", {"context_length": 1500}),
        ("--context-length 32Ki", {"context_length": 32768}),
        ("--context-length 1M", {"context_length": 1000000}),
        ("--context-length -1", {"context_length": -1}),
        ("--disable-radix-cache", {"disable_radix_cache": True}),
        ("--lora-strict-loading", {"lora_strict_loading": True}),
        ("--no-lora-strict-loading", {"lora_strict_loading": False}),
        ("""--preferred-sampling-params '{"top_p": 0.9}'""", {"preferred_sampling_params": {"top_p": 0.9}}),
        ("--json-model-override-args '{broken'", {"json_model_override_args": "{broken"}),
        (
            """--lora-paths a=b c '{"lora_name":"x","lora_path":"y"}'""",
            {"lora_paths": ["a=b", "c", {"lora_name": "x", "lora_path": "y"}]},
        ),
        ("--speculative-algorithm MTP", {"speculative_algorithm": "MTP"}),
        ("--model-checksum", {"model_checksum": ""}),
    ],
)
def test_accepted(release: str, line: str, values: dict[str, object]) -> None:
    assert outcome(resolved("sglang", release, f"--model m {line}")) == (values, [])


@pytest.mark.parametrize(
    ("release", "line", "values", "kinds"),
    [
        (OLD, "--tp 2", {"tensor_parallel_size": 2}, []),
        (NEW, "--tp 2", {"tp_size": 2}, []),
        (OLD, "--ep 2", {"expert_parallel_size": 2}, []),
        (NEW, "--ep 2", {"ep_size": 2}, []),
        (NEW, "--tp=2 --dp 2 --dp 4", {"tp_size": 2, "dp_size": 4}, []),
        (OLD, "--cuda-graph-bs 1 2 4", {"cuda_graph_bs": [1, 2, 4]}, []),
        (NEW, "--cuda-graph-bs 1 2 4", {}, ["ambiguous"]),
        (NEW, "--cuda-graph-max-bs 8", {}, ["ambiguous"]),
        (NEW, "--cuda-graph-bs-decode 1 2 4", {"cuda_graph_bs_decode": [1, 2, 4]}, []),
        (NEW, "--cuda-graph-backend-decode tc_piecewise", {}, ["invalid_value"]),
        (NEW, "--disable-cuda-graph", {"disable_cuda_graph": True}, []),
        (NEW, "--monokernel-backend amd", {"enable_amd_monokernel": True}, []),
        (NEW, "--monokernel-backend nv", {}, ["invalid_value"]),
        (OLD, "--stream-output", {"incremental_streaming_output": True}, []),
        (OLD, "--hybrid-kvcache-ratio", {"hybrid_kvcache_ratio": True}, []),
        (OLD, "--hybrid-kvcache-ratio 0.5", {"hybrid_kvcache_ratio": True}, ["unexpected_value"]),
        (NEW, "--hybrid-kvcache-ratio", {}, ["unrecognized"]),
        (
            NEW,
            """--cuda-graph-config '{"decode": {"max_bs": 8}}'""",
            {"cuda_graph_config": {"decode": {"max_bs": 8}}},
            [],
        ),
    ],
)
def test_releases_differ(release: str, line: str, values: dict[str, object], kinds: list[str]) -> None:
    assert outcome(resolved("sglang", release, f"--model-path m {line}")) == (values, kinds)


@pytest.mark.parametrize("release", SGLANG)
@pytest.mark.parametrize(
    ("line", "kind", "words", "message"),
    [
        ("--model_path x", "unrecognized", ["--model_path", "x"], "did you mean --model-path"),
        ("--tensor_parallel_size 2", "unrecognized", ["--tensor_parallel_size", "2"], "--tensor-parallel-size"),
        ("--pp 2", "ambiguous", ["--pp", "2"], "--pp-async-batch-depth, --pp-max-micro-batch-size, --pp-size"),
        ("--disable-radix-cache false", "unexpected_value", ["false"], "--disable-radix-cache takes no value"),
        ("--disable-radix-cache=false", "unexpected_value", ["--disable-radix-cache=false"], "takes no value"),
        ("--no-disable-radix-cache", "unrecognized", ["--no-disable-radix-cache"], "--disable-radix-cache"),
        ("--max-total-tokens 32K", "invalid_value", ["--max-total-tokens", "32K"], "k, M, G, T and Ki, Mi, Gi, Ti"),
        ("--max-total-tokens 1.5Ki", "invalid_value", ["--max-total-tokens", "1.5Ki"], "takes whole numbers"),
        ("--kv-cache-dtype fp9", "invalid_value", ["--kv-cache-dtype", "fp9"], "'fp9' is not one of auto, "),
        ("--preferred-sampling-params {", "invalid_value", ["--preferred-sampling-params", "{"], "not valid JSON"),
        ("stray", "unrecognized", ["stray"], "stray belongs to no option"),
        ("--", "unrecognized", ["--"], ""),
        ("--enable-flashinfer-mla", "unrecognized", ["--enable-flashinfer-mla"], ""),
        ("--config=f.yaml", "ignored", ["--config=f.yaml"], "the engine never opens f.yaml"),
        ("""--lora-paths '{"lora_name":"x"}'""", "invalid_value", ["--lora-paths", '{"lora_name":"x"}'], "lora_path"),
    ],
)
def test_refused(release: str, line: str, kind: str, words: list[str], message: str) -> None:
    [problem] = resolved("sglang", release, f"--model-path m {line}").problems
    assert (problem.kind, [word.text for word in problem.words]) == (kind, words)
    assert message in problem.message


@pytest.mark.parametrize(
    ("release", "entry", "line", "values", "kinds"),
    [
        (OLD, "sglang", "", {}, ["missing_required"]),
        (NEW, "sglang", "x", {}, ["unrecognized", "missing_required"]),
        (NEW, "sglang serve", "x --dp-size 2", {"model_path": "x", "dp_size": 2}, []),
        (OLD, "sglang serve", "x", {}, ["unrecognized", "missing_required"]),
        (NEW, "sglang serve", "--dp-size 2 x", {"dp_size": 2}, ["unrecognized", "missing_required"]),
        (OLD, "sglang serve", "--model-type llm --model x", {"model_type": "llm", "model_path": "x"}, []),
        (NEW, "sglang serve", "--model-type=llm x", {"model_type": "llm", "model_path": "x"}, []),
        (OLD, "sglang serve", "--model x --model-type video", {"model_path": "x"}, ["invalid_value"]),
        (NEW, "sglang serve", "--model x --model-type video", {"model_path": "x", "model_type": "video"}, []),
        (NEW, "sglang serve", "--model x --model-type", {"model_path": "x"}, ["missing_value"]),
        (NEW, "sglang", "--model x --model-type llm", {"model_path": "x"}, ["unrecognized"]),
    ],
)
def test_model(release: str, entry: str, line: str, values: dict[str, object], kinds: list[str]) -> None:
    assert outcome(resolved(entry, release, line)) == (values, kinds)


@pytest.mark.parametrize(
    ("release", "text", "values", "kinds"),
    [
        (OLD, "tp-size: 2", {"tensor_parallel_size": 2}, []),
        (NEW, "tp: 2", {"tp_size": 2}, []),
        (NEW, "tp_size: 2", {}, ["unrecognized"]),
        (NEW, "disable-radix-cache: true", {"disable_radix_cache": True}, []),
        (NEW, "disable-radix-cache: false", {}, []),
        (NEW, "lora-strict-loading: true", {}, ["refused"]),
        (OLD, "lora-paths: [a]", {}, ["refused"]),
        (OLD, "incremental-streaming-output: true", {}, ["refused"]),
        (NEW, "incremental-streaming-output: true", {"incremental_streaming_output": True}, []),
        (NEW, "cuda-graph-bs-decode: [1, 2]", {"cuda_graph_bs_decode": [1, 2]}, []),
        (NEW, "cuda-graph-bs-decode: []", {}, []),
        (NEW, "max-running-requests: null", {}, ["invalid_value"]),
        (NEW, "trust-remote-code: true\ncontext-length: 8k", {"trust_remote_code": True, "context_length": 8000}, []),
        (OLD, "preferred-sampling-params: {a: 1}", {}, ["invalid_value"]),
        (NEW, "preferred-sampling-params: {a: 1}", {"preferred_sampling_params": {"a": 1}}, []),
        (NEW, "schedule-policy: true", {}, ["invalid_value"]),
        (NEW, "nothing", {}, ["invalid_value"]),
    ],
)
def test_config_file(release: str, text: str, values: dict[str, object], kinds: list[str]) -> None:
    found, problems = outcome(resolved("sglang", release, "--model-path m --config f.yaml", files={"f.yaml": text}))
    assert found.pop("config") == "f.yaml"
    assert (found, problems) == (values, kinds)


def test_the_command_line_overrides_the_config_file() -> None:
    resolution = resolved(
        "sglang", NEW, "--tp 4 --model-path m --config f.yaml", files={"f.yaml": "# sizes\ntp-size: 2\ndp-size: 2\n"}
    )
    assert resolution.arguments["tp_size"].value == 4
    [loser] = resolution.overridden
    assert (loser.value, loser.origin, loser.source.slice(loser.place)) == (2, "config file", "tp-size: 2")


def test_a_file_that_cannot_be_read_hides_what_is_required() -> None:
    [problem] = resolved("sglang", NEW, "--config f.yaml").problems
    assert problem.kind == "opaque"


@pytest.mark.parametrize(
    ("name", "listed"),
    [
        ("SGLANG_ENABLE_SPEC_V2", "SGLANG_ENABLE_SPEC_V2"),
        ("SGL_ENABLE_SPEC_V2", "SGLANG_ENABLE_SPEC_V2"),
        ("MY_OWN", None),
    ],
)
def test_environment(name: str, listed: str | None) -> None:
    set_by_launch = resolved("sglang", OLD, "--model-path m", environment={name: "1"}).environment[name]
    assert set_by_launch.name == name
    assert (set_by_launch.variable.name if set_by_launch.variable else None) == listed

"""Server, adapter, media and trace settings that have counterparts, each way."""

import json

import pytest

SGLANG, VLLM = "sglang@0.5.23", "vllm@0.33.0"
S, V = "--model-path /m/t ", "/m/t "

FLAGS = [
    # source, what it says, target, flag there, its words
    (SGLANG, S + "--log-level debug", VLLM, "--log-level", ["DEBUG"]),
    (VLLM, V + "--log-level WARNING", SGLANG, "--log-level", ["warning"]),
    (SGLANG, S + "--smg-grpc-mode", VLLM, "--grpc", []),
    ("sglang@0.5.10", S + "--grpc-mode", VLLM, "--grpc", []),
    (VLLM, V + "--grpc", SGLANG, "--smg-grpc-mode", []),
    (VLLM, V + "--grpc", "sglang@0.5.10", "--grpc-mode", []),
    (SGLANG, S + "--experts-shared-outer-loras", VLLM, "--enable-moe-shared-loras", []),
    (SGLANG, S + "--no-experts-shared-outer-loras", VLLM, "--no-enable-moe-shared-loras", []),
    (VLLM, V + "--enable-moe-shared-loras", SGLANG, "--experts-shared-outer-loras", []),
    (SGLANG, S + "--mm-processor-worker-num 4", VLLM, "--renderer-num-workers", ["4"]),
    (VLLM, V + "--renderer-num-workers 4", SGLANG, "--mm-processor-worker-num", ["4"]),
    (VLLM, V + "--otlp-traces-endpoint http://c:4317", SGLANG, "--enable-trace", []),
    ("sglang@0.4.10.post2", S + "--enable-triton-kernel-moe", "sglang@0.5.12.post1", "--moe-runner-backend", ["triton_kernel"]),
    ("sglang@0.4.10.post2", S + "--enable-flashinfer-cutlass-moe", VLLM, "--moe-backend", ["flashinfer_cutlass"]),
]  # fmt: skip

FROM_VARIABLES = [
    # source, variables, target, flag there, its words
    (VLLM, {"VLLM_ENABLE_RESPONSES_API_STORE": "1"}, SGLANG, "--enable-response-store", []),
    (SGLANG, {"DISABLE_OPENAPI_DOC": "1"}, VLLM, "--disable-fastapi-docs", []),
    (SGLANG, {"SGLANG_TOOL_STRICT_LEVEL": "2"}, VLLM, "--tool-strict-level", ["parameter"]),
    (SGLANG, {"SGLANG_RETURN_ORIGINAL_LOGPROB": "1"}, VLLM, "--logprobs-mode", ["raw_logprobs"]),
    ("sglang@0.5.3", {"RETURN_ORIGINAL_LOGPROB": "true"}, VLLM, "--logprobs-mode", ["raw_logprobs"]),
    (SGLANG, {"SGLANG_RETURN_ORIGINAL_LOGPROB": "0"}, VLLM, "--logprobs-mode", None),
    (VLLM, {"VLLM_USE_FASTOKENS": "1"}, SGLANG, "--tokenizer-backend", ["fastokens"]),
    (VLLM, {"VLLM_USE_FASTOKENS": "0"}, SGLANG, "--tokenizer-backend", None),
    ("vllm@0.17.1", {"VLLM_SLEEP_WHEN_IDLE": "1"}, SGLANG, "--sleep-on-idle", []),
    (VLLM, {"VLLM_MEDIA_LOADING_THREAD_COUNT": "16"}, SGLANG, "--mm-io-worker-num", ["16"]),
    (VLLM, {"VLLM_MAX_MEDIA_DOWNLOAD_SIZE_MB": "100"}, SGLANG, "--media-url-max-file-size-mb", ["100"]),
    (VLLM, {"VLLM_DEEPEP_V2_ALLOW_HYBRID_MODE": "0"}, SGLANG, "--deepep-v2-mode", ["direct"]),
    (VLLM, {"OTEL_SERVICE_NAME": "chat"}, SGLANG, "--otlp-service-name", ["chat"]),
]

VARIABLES = [
    # source, what it says, target, variable there, its value
    (SGLANG, S + "--enable-response-store", VLLM, "VLLM_ENABLE_RESPONSES_API_STORE", "1"),
    (VLLM, V + "--disable-fastapi-docs", SGLANG, "DISABLE_OPENAPI_DOC", "1"),
    (VLLM, V + "--tool-strict-level function", SGLANG, "SGLANG_TOOL_STRICT_LEVEL", "1"),
    (VLLM, V + "--logprobs-mode raw_logprobs", SGLANG, "SGLANG_RETURN_ORIGINAL_LOGPROB", "1"),
    (VLLM, V + "--logprobs-mode raw_logprobs", "sglang@0.5.3", "RETURN_ORIGINAL_LOGPROB", "1"),
    (VLLM, V + "--logprobs-mode processed_logprobs", SGLANG, "SGLANG_RETURN_ORIGINAL_LOGPROB", None),
    (SGLANG, S + "--tokenizer-backend fastokens", VLLM, "VLLM_USE_FASTOKENS", "1"),
    (SGLANG, S + "--tokenizer-backend huggingface", VLLM, "VLLM_USE_FASTOKENS", None),
    (SGLANG, S + "--sleep-on-idle", "vllm@0.17.1", "VLLM_SLEEP_WHEN_IDLE", "1"),
    (SGLANG, S + "--mm-io-worker-num 16", VLLM, "VLLM_MEDIA_LOADING_THREAD_COUNT", "16"),
    (SGLANG, S + "--media-url-max-file-size-mb 100", VLLM, "VLLM_MAX_MEDIA_DOWNLOAD_SIZE_MB", "100"),
    (SGLANG, S + "--deepep-v2-mode direct", VLLM, "VLLM_DEEPEP_V2_ALLOW_HYBRID_MODE", "0"),
    (SGLANG, S + "--otlp-service-name chat", VLLM, "OTEL_SERVICE_NAME", "chat"),
    (SGLANG, S + "--log-level debug", "vllm@0.20.1", "VLLM_LOGGING_LEVEL", "DEBUG"),
]

WITHOUT_EMIT = [
    # source, what it says, target, setting, verdict
    (SGLANG, S + "--sleep-on-idle", VLLM, "serving.idle_sleep", "built-in"),
    (SGLANG, S + "--mm-io-worker-num 0", VLLM, "multimodal.loading_threads", "built-in"),
    (SGLANG, S + "--smg-grpc-mode", "vllm@0.11.0", "serving.grpc_server", "lost"),
    (VLLM, V + "--logprobs-mode processed_logprobs", SGLANG, "serving.sampled_logprobs", "approximate"),
    (VLLM, V + "--logprobs-mode raw_logits", SGLANG, "serving.sampled_logprobs", "lost"),
    (SGLANG, S + "--bucket-inter-token-latency 0.01 0.1", "vllm@0.20.1", "observability.inter_token_buckets", "lost"),
    (VLLM, V + "--otlp-traces-endpoint http://c:4317", "sglang@0.4.10.post2", "observability.tracing", "lost"),
]


@pytest.mark.parametrize(("source", "command", "target", "flag", "words"), FLAGS)
def test_flags_become_flags(carry, source, command, target, flag, words):
    assert carry(source, command, target).words(flag) == words


@pytest.mark.parametrize(("source", "variables", "target", "flag", "words"), FROM_VARIABLES)
def test_variables_become_flags(carry, source, variables, target, flag, words):
    command = S if source.startswith("sglang") else V
    assert carry(source, command, target, environment=variables).words(flag) == words


@pytest.mark.parametrize(("source", "command", "target", "name", "value"), VARIABLES)
def test_flags_become_variables(carry, source, command, target, name, value):
    assert carry(source, command, target).variables().get(name) == value


@pytest.mark.parametrize(("source", "command", "target", "setting", "verdict"), WITHOUT_EMIT)
def test_what_has_no_place_says_why(carry, source, command, target, setting, verdict):
    outcome = carry(source, command, target)[setting]
    assert (outcome.verdict, outcome.emits) == (verdict, ())
    assert outcome.reason


BUCKETS = {
    "--bucket-time-to-first-token": "time_to_first_token",
    "--bucket-inter-token-latency": "inter_token_latency",
    "--bucket-e2e-request-latency": "request_latency",
}


@pytest.mark.parametrize(("flag", "family"), BUCKETS.items())
def test_histogram_bounds(carry, flag, family):
    there = carry(SGLANG, S + f"{flag} 0.1 0.5 2.0", VLLM)
    assert there.keys("--custom-histogram-buckets") == {family: [0.1, 0.5, 2.0]}
    back = carry(VLLM, [*V.split(), "--custom-histogram-buckets", json.dumps({family: [0.1, 0.5]})], SGLANG)
    assert back.words(flag) == ["0.1", "0.5"]


def test_graphs_without_adapters(carry):
    there = carry("sglang@0.5.12.post1", S + "--no-record-nolora-graph", VLLM)
    assert there.keys("--compilation-config")["cudagraph_specialize_lora"] is False
    command = [*V.split(), "--compilation-config", '{"cudagraph_specialize_lora": false}']
    assert carry(VLLM, command, "sglang@0.5.12.post1").words("--no-record-nolora-graph") == []


OPTIONS = [
    # source, its object, target, the object there
    (SGLANG, {"image": {"max_pixels": 9}}, VLLM, {"images_kwargs": {"max_pixels": 9}}),
    (SGLANG, {"image": {"max_pixels": 9}}, "vllm@0.20.1", {"max_pixels": 9}),
    (SGLANG, {"image": {"a": 1}, "video": {"fps": 2}}, VLLM, {"images_kwargs": {"a": 1}, "videos_kwargs": {"fps": 2}}),
    (VLLM, {"videos_kwargs": {"fps": 2}}, SGLANG, {"video": {"fps": 2}}),
    (VLLM, {"max_pixels": 9}, SGLANG, {"image": {"max_pixels": 9}, "video": {"max_pixels": 9}}),
    (VLLM, {"max_pixels": 9, "images_kwargs": {"a": 1}}, SGLANG, {"image": {"max_pixels": 9, "a": 1}}),
    (VLLM, {"max_pixels": 9}, "vllm@0.20.1", {"max_pixels": 9}),
]


@pytest.mark.parametrize(("source", "options", "target", "there"), OPTIONS)
def test_processor_options(carry, source, options, target, there):
    mine = ("--mm-process-config", S) if source.startswith("sglang") else ("--mm-processor-kwargs", V)
    flag = "--mm-process-config" if target.startswith("sglang") else "--mm-processor-kwargs"
    outcome = carry(source, [*mine[1].split(), mine[0], json.dumps(options)], target)
    assert json.loads(outcome.words(flag)[0]) == there


def test_a_switch_alone_traces_to_sglangs_own_collector(carry):
    ported = carry(SGLANG, S + "--enable-trace", VLLM)
    assert ported.words("--otlp-traces-endpoint") == ["localhost:4317"]


def test_a_switch_and_an_endpoint_are_one_endpoint(carry):
    ported = carry(SGLANG, S + "--enable-trace --otlp-traces-endpoint c:4317", VLLM)
    assert ported.words("--otlp-traces-endpoint") == ["c:4317"]
    assert ported["observability.tracing"].verdict == "built-in"


def test_an_endpoint_without_its_switch_traces_nothing(carry):
    ported = carry(SGLANG, S + "--otlp-traces-endpoint c:4317", VLLM)
    assert ported.words("--otlp-traces-endpoint") is None
    assert ported["observability.otlp_endpoint"].verdict == "inert"

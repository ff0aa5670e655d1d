"""Variables that a script sets, against what a release reads."""

from __future__ import annotations

import pytest

from tests.checking.finding import findings, found

VLLM = "vllm serve m"
SGLANG = "python -m sglang.launch_server --model-path m"

# release, script, [(code, what is underlined)], a part of the advice
VARIABLES = [
    ("vllm@0.14.1", f"VLLM_ATTENTION_BACKEND=FLASHINFER {VLLM}", [], ""),
    ("vllm@0.15.1", f"VLLM_ATTENTION_BACKEND=FLASHINFER {VLLM}", [("PK402", "FLASHINFER")], "--attention-backend"),
    ("vllm@0.33.0", f"export VLLM_ATTENTION_BACKEND=FLASHINFER\n{VLLM}", [("PK402", "FLASHINFER")], "--attention-backend"),
    ("vllm@0.33.0", f"export VLLM_FLASH_ATTN_VERSION=3\n{VLLM}", [("PK402", "3")], "flash_attn_version"),
    ("vllm@0.33.0", f"export VLLM_USE_V1=1\n{VLLM}", [("PK402", "1")], "V1 is the only engine"),
    ("vllm@0.17.1", f"export VLLM_ALL2ALL_BACKEND=deepep_low_latency\n{VLLM}", [("PK402", "deepep_low_latency")], "--all2all-backend"),
    ("vllm@0.33.0", f"export VLLM_TORCH_PROFILER_DIR=/tmp\n{VLLM}", [("PK402", "/tmp")], "--profiler-config torch_profiler_dir"),
    ("vllm@0.24.0", f"export VLLM_USE_FLASHINFER_MOE_FP8=1\n{VLLM}", [("PK402", "1")], "--moe-backend"),
    ("vllm@0.33.0", f"export VLLM_ATTENTION_BACKENDS=x\n{VLLM}", [("PK401", "x")], "remove it"),
    ("vllm@0.33.0", f"export VLLM_LOGING_LEVEL=DEBUG\n{VLLM}", [("PK401", "DEBUG")], "did you mean VLLM_LOGGING_LEVEL"),
    ("vllm@0.33.0", f"export VLLM_IMAGE=a/b:c\ndocker pull $VLLM_IMAGE\n{VLLM}", [], ""),
    ("vllm@0.14.1", f"export VLLM_USE_BREAKABLE_CUDAGRAPH=1\n{VLLM}", [("PK403", "1")], "vLLM >= 0.24.0"),
    ("vllm@0.20.1", f"export SGLANG_TORCH_PROFILER_DIR=/tmp\n{VLLM}", [("PK405", "/tmp")], "unless something else"),
    ("sglang@0.5.9", f"export VLLM_USE_V1=1\n{SGLANG}", [("PK405", "1")], "unless something else"),
    ("vllm@0.20.1", f"export VLLM_PORT=tcp://10.0.0.7:8000\n{VLLM}", [("PK406", "tcp://10.0.0.7:8000")], "enableServiceLinks: false"),
    ("vllm@0.9.2", f"VLLM_PORT=tcp://10.0.0.7:8000 {VLLM}", [("PK406", "tcp://10.0.0.7:8000")], "enableServiceLinks: false"),
    ("vllm@0.20.1", f"export VLLM_PORT=8000\n{VLLM}", [], ""),
    ("vllm@0.20.1", f"export VLLM_PORT=$PORT\n{VLLM}", [], ""),
    ("vllm@0.20.1", f"export VLLM_MAX_AUDIO_CLIP_FILESIZE_MB=lots\n{VLLM}", [("PK406", "lots")], "whole number"),
    ("sglang@0.5.12.post1", f"export CUDA_DEVICE_MAX_CONNECTIONS=1\n{SGLANG}", [("PK407", "1")], "remove it"),
    ("sglang@0.5.12.post1", f"export CUDA_DEVICE_MAX_CONNECTIONS=8\n{SGLANG}", [], ""),
    ("sglang@0.5.3", f"export CUDA_DEVICE_MAX_CONNECTIONS=8\n{SGLANG}", [("PK407", "8")], "remove it"),
    ("vllm@0.20.1", f"export CUDA_DEVICE_MAX_CONNECTIONS=1\n{VLLM}", [], ""),
    ("vllm@0.20.1", f"export TORCHINDUCTOR_COMPILE_THREADS=8\n{VLLM}", [("PK407", "8")], "remove it"),
    ("sglang@0.5.23", f"export SGLANG_ENABLE_SPEC_V2=1\n{SGLANG}", [("PK402", "1")], "the only one"),
    ("sglang@0.5.12.post1", f"export SGLANG_ENABLE_SPEC_V2=1\n{SGLANG}", [], ""),
    ("sglang@0.5.9", f"export SGL_ENABLE_JIT_DEEPGEMM=0\n{SGLANG}", [("PK404", "0")], "SGLANG_ENABLE_JIT_DEEPGEMM"),
    ("sglang@0.5.23", f"export NCCL_P2P_LEVEL=PHB OMP_NUM_THREADS=8\n{SGLANG}", [], ""),
]


@pytest.mark.parametrize(("release", "script", "expected", "advice"), VARIABLES)
def test_variables(release, script, expected, advice):
    assert found(release, script) == expected
    assert all(advice in finding.advice for finding in findings(release, script))


@pytest.mark.parametrize(
    ("release", "how"), [("0.15.1", "says nothing"), ("0.16.0", "says nothing"), ("0.17.0", "only warns"), ("0.33.0", "only warns")]
)
def test_whether_vllm_warns_of_a_variable_it_ignores(release, how):
    [finding] = findings(f"vllm@{release}", f"VLLM_ATTENTION_BACKEND=x {VLLM}")
    assert how in finding.message

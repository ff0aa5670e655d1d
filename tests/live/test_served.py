"""A ported script starts a real vLLM on the CPU, which answers and has taken the settings."""

from __future__ import annotations

import ast
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tools"))
import engines  # noqa: E402

pytestmark = pytest.mark.live

TARGET = f"vllm@{engines.INSTALLED_VLLM}"
START_SECONDS = 600  # the first start on a machine compiles
# What running on a CPU and without a network needs besides the script.
MACHINE = {"VLLM_CPU_KVCACHE_SPACE": "1", "HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1"}


# A script, and what vLLM must say it runs with: its command line as it read it, and its configuration.
CASES = {
    "sglang-tiny.sh": (
        {
            "max_model_len": 512,
            "max_num_seqs": 8,
            "max_num_batched_tokens": 256 + 8,
            "cudagraph_capture_sizes": [1, 2, 4, 8],
            "load_format": "dummy",
            "dtype": "bfloat16",
        },
        ["max_seq_len=512", "enable_prefix_caching=True"],
    ),
    "sglang-tiny-ngram.sh": (
        {
            "max_num_batched_tokens": 256 + 8 * 4,
            "cudagraph_capture_sizes": [4, 8, 16, 32],  # tokens: four for each request
            "speculative_config": {"method": "ngram", "num_speculative_tokens": 3},
            "enable_prefix_caching": False,
            "stream_interval": 2,
        },
        ["SpeculativeConfig(method='ngram', model=None, num_spec_tokens=3)", "enable_prefix_caching=False"],
    ),
}


@pytest.mark.parametrize(("script", "arguments", "configuration"), [(name, *told) for name, told in CASES.items()])
def test_the_port_serves(script: str, arguments: dict[str, object], configuration: list[str], tmp_path: Path) -> None:
    if not engines.ready("vllm"):
        pytest.fail("vLLM isn't prepared: run python tools/engines.py all", pytrace=False)
    binaries = engines.environment("vllm") / "bin"
    model, launch, log = tmp_path / "model", tmp_path / "launch.sh", tmp_path / "log"
    subprocess.run([binaries / "python", HERE / "tiny_model.py", model], check=True)
    port = _free_port()
    launch.write_text(_ported(HERE / script), encoding="utf-8")
    environment = {**os.environ, **MACHINE, "PATH": f"{binaries}:{os.environ['PATH']}"}
    environment |= {"MODEL": str(model), "PORT": str(port)}
    with _started(launch, environment, log) as server:
        _wait_for_health(port, server, log)
        prompt = {"model": "tiny", "prompt": "w5 w6 w7", "max_tokens": 8, "ignore_eos": True}
        answer = json.loads(_fetch(port, "/v1/completions", prompt))
    assert answer["usage"]["completion_tokens"] == 8
    assert answer["choices"][0]["text"].strip()
    said = log.read_text(encoding="utf-8")
    (taken,) = re.findall(r"non-default args: (\{.*\})", said)
    given = ast.literal_eval(taken)
    assert {name: given.get(name) for name in arguments} == arguments
    for setting in configuration:
        assert setting in said
    assert "Unknown vLLM environment variable" not in said


def _ported(script: Path) -> str:
    command = [sys.executable, "-m", "portkit", "port", str(script), "--to", TARGET, "--graphs", "exact"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@contextmanager
def _started(script: Path, environment: dict[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a script in a process group of its own, which is ended with all it started."""
    with log.open("wb") as out:
        server = subprocess.Popen(
            ["bash", script], env=environment, stdout=out, stderr=subprocess.STDOUT, start_new_session=True
        )
    try:
        yield server
    finally:
        for stop in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(server.pid, stop)
                server.wait(timeout=30)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                continue


def _wait_for_health(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + START_SECONDS
    while server.poll() is None and time.monotonic() < end:
        try:
            _fetch(port, "/health")
            return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(1)
    why = "didn't answer in time" if server.poll() is None else f"ended with {server.returncode}"
    pytest.fail(f"the server {why}:\n{log.read_text(encoding='utf-8')[-4000:]}", pytrace=False)


def _fetch(port: int, path: str, body: dict[str, object] | None = None) -> bytes:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as response:
        content: bytes = response.read()
    return content


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])

"""The examples: every report and script they give, as files beside them.

`.venv/bin/python -m pytest --update-golden` writes them anew.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = [
    # folder, GPU, release of vLLM, release of SGLang
    ("qwen3.6-27b-a6000", "a6000x2", "0.20.1", "0.5.12.post1"),
    ("deepseek-v3-8xh200", "h200:8", "0.33.0", "0.5.12.post1"),
    ("llama-3.1-8b", "l40s", "0.33.0", "0.5.23"),
]


def portkit(*arguments):
    environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}
    command = [sys.executable, "-m", "portkit", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment)


@pytest.mark.parametrize(("name", "gpu", "vllm", "sglang"), EXAMPLES, ids=[e[0] for e in EXAMPLES])
def test_example(golden, name, gpu, vllm, sglang):
    folder = ROOT / "examples" / name
    scripts = [f"examples/{name}/{engine}.sh" for engine in ("sglang", "vllm")]
    table = portkit("diff", *scripts, "--gpu", gpu)
    assert table.returncode == 1 and table.stdout, table.stderr
    golden(folder / "diff.txt", table.stdout)
    golden(folder / "diff.json", portkit("diff", *scripts, "--gpu", gpu, "--format", "json").stdout)
    forth = portkit("port", scripts[0], "--to", f"vllm@{vllm}", "--gpu", gpu)
    golden(folder / f"port.vllm-{vllm}.sh", forth.stdout)
    golden(folder / f"port.vllm-{vllm}.account.txt", forth.stderr)
    back = portkit("port", scripts[1], "--to", f"sglang@{sglang}", "--gpu", gpu)
    golden(folder / f"port.sglang-{sglang}.sh", back.stdout)
    assert forth.returncode == back.returncode == 0


@pytest.mark.parametrize(
    ("script", "target"), [("vllm-0.11.0.sh", "vllm@0.33.0"), ("sglang-0.5.12.sh", "sglang@0.5.23")]
)
def test_upgrade(golden, script, target):
    folder = ROOT / "examples/upgrades"
    name = target.replace("@", "-")
    checked = portkit("check", f"examples/upgrades/{script}", "--from", target)
    golden(folder / f"check.{name}.txt", checked.stdout)
    ported = portkit("port", f"examples/upgrades/{script}", "--to", target, "--gpu", "h100x2")
    golden(folder / f"{name}.sh", ported.stdout)
    golden(folder / f"{name}.account.txt", ported.stderr)
    again = portkit("check", str(folder / f"{name}.sh"), "--from", target)
    assert (checked.returncode, ported.returncode, again.returncode) == (1, 0, 0), again.stdout


def test_exact_graphs_of_the_born_from_example(golden):
    folder = ROOT / "examples/qwen3.6-27b-a6000"
    script = portkit("port", str(folder / "sglang.sh"), "--to", "vllm@0.20.1", "--gpu", "a6000x2", "--graphs", "exact")
    assert "--cudagraph-capture-sizes 4 8 16 32 48 64 96 128\n" in script.stdout


def test_born_from_diff_names_what_matters():
    document = json.loads((ROOT / "examples/qwen3.6-27b-a6000/diff.json").read_text())
    lines = {line["setting"]: line for line in document["settings"]}
    coverage = lines["cuda_graphs.decode_coverage"]
    assert (coverage["a"]["value"], coverage["b"]["value"], coverage["verdict"]) == (32, 2, "lost")
    assert lines["speculation.method"]["verdict"] == "unsafe"
    assert (lines["speculation.draft_tokens"]["a"]["value"], lines["speculation.draft_tokens"]["b"]["value"]) == (3, 15)
    assert lines["memory.prefix_caching"]["verdict"] == "lost"
    assert lines["memory.fraction"]["verdict"] == "approximate"
    assert lines["attention.backend"]["difference"] == "changed"
    for variable in ("NCCL_P2P_LEVEL", "NCCL_IB_DISABLE", "NCCL_MIN_NCHANNELS"):
        assert lines[f"communication.nccl.{variable}"]["verdict"] == "lost"
    assert lines["communication.nccl_cumem"]["a"]["value"] == "0"
    assert document["settings"][0]["verdict"] in ("lost", "unsafe")

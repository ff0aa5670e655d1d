"""Rendered scripts, run in bash with a stub in the engine's place: what arrives is what portkit says."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

BASH = shutil.which("bash") or "bash"
HOSTILE = [
    "a b",
    "it's",
    'say "x"',
    "$HOME",
    "`id`",
    "$(id)",
    "a\nb",
    "ünï",
    "-x",
    "a\\b",
    "*",
    "~",
    "#c",
    "!!",
    "a;b",
    "",
]
STUB = """#!{python}
import json, os, sys
with open(os.environ["RECORD"], "w") as file:
    json.dump({{"argv": sys.argv[1:], "env": dict(os.environ)}}, file)
"""


@pytest.fixture(scope="module")
def received(tmp_path_factory):
    """Runs a script with recording stubs first on PATH; gives argv and environment."""
    folder = tmp_path_factory.mktemp("stubs")
    for name in ("vllm", "python3", "sglang"):
        stub = folder / name
        stub.write_text(STUB.format(python=sys.executable))
        stub.chmod(0o755)

    def run(script, **variables):
        record = folder / "record.json"
        environment = {"PATH": f"{folder}:{os.defpath}", "RECORD": str(record), **variables}
        done = subprocess.run([BASH, "-c", script], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        recorded = json.loads(record.read_text())
        return recorded["argv"], recorded["env"]

    return run


TEXT = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), min_size=1, max_size=12),
)


@settings(max_examples=40, deadline=None)
@given(name=TEXT, template=TEXT, value=TEXT)
def test_hostile_values_arrive(carry, received, name, template, value):
    flags = [f"--served-model-name={name}", f"--chat-template={template}", f"--speculative-draft-model-path={value}"]
    spec = ["--speculative-algorithm", "EAGLE3", "--speculative-num-steps", "3", "--speculative-eagle-topk", "1"]
    ported = carry(
        "sglang@0.5.23", ["--model-path", "/m/t", *flags, *spec], "vllm@0.33.0", environment={"NCCL_X": value}
    )
    argv, environment = received(ported.script)
    assert argv[:2] == ["serve", "/m/t"]
    assert argv[argv.index("--served-model-name") + 1] == name
    assert argv[argv.index("--chat-template") + 1] == template
    assert json.loads(argv[argv.index("--speculative-config") + 1])["model"] == value
    assert environment["NCCL_X"] == value


def test_back_to_sglang(carry, received):
    ported = carry("vllm@0.20.1", ["/m/t", "--served-model-name", "a b", "--max-num-seqs", "8"], "sglang@0.5.23")
    argv, _ = received(ported.script)
    assert argv[:2] == ["-m", "sglang.launch_server"]
    assert argv[argv.index("--served-model-name") + 1] == "a b"


SYMBOLIC = """
MODEL=${MODEL:-/m/a b}
python3 -m sglang.launch_server --model-path "$MODEL" --tp ${TP:-2} --port $PORT --served-model-name "x-$NAME" \\
  --speculative-algorithm EAGLE3 --speculative-num-steps 3 --speculative-eagle-topk 1 \\
  --speculative-draft-model-path "${DRAFT:-/m/d \\"q\\"}"
"""


def test_variables_still_rule_the_port(received, tmp_path):
    from portkit.conversions.writing import PortOptions
    from portkit.pipeline import Request, load_deployment
    from portkit.porting.port import port
    from portkit.porting.render import render_script
    from portkit.releases import choose_target

    script = tmp_path / "s.sh"
    script.write_text(SYMBOLIC)
    loaded = load_deployment(Request(str(script), "sglang@0.5.23"))
    ported = port(loaded.deployment, choose_target("vllm@0.33.0").catalogue, PortOptions())
    text = render_script(ported, loaded.launch)
    argv, _ = received(text, PORT="1", NAME="n")
    assert argv[1] == "/m/a b" and argv[argv.index("--tensor-parallel-size") + 1] == "2"
    assert argv[argv.index("--speculative-config.model") + 1] == '/m/d "q"'
    argv, _ = received(text, PORT="9", NAME="$(id)", TP="8", MODEL="/other m", DRAFT="it's")
    assert argv[1] == "/other m" and argv[argv.index("--tensor-parallel-size") + 1] == "8"
    assert argv[argv.index("--port") + 1] == "9" and argv[argv.index("--served-model-name") + 1] == "x-$(id)"
    assert argv[argv.index("--speculative-config.model") + 1] == "it's"

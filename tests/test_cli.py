"""The command line: exit codes, messages, and nothing on stdout when there is trouble."""

import json
import os
import subprocess
import sys

import pytest

ENVIRONMENT = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}


def portkit(*arguments, cwd, stdin=None):
    command = [sys.executable, "-m", "portkit", *arguments]
    return subprocess.run(command, cwd=cwd, input=stdin, capture_output=True, text=True, env=ENVIRONMENT)


FILES = {
    "none.sh": "echo hi\n",
    "lmdeploy.sh": "lmdeploy serve api_server m\n",
    "quote.sh": 'echo ok\nMODEL="abc\nvllm serve $MODEL\n',
    "choice.sh": "vllm serve m --kv-cache-dtype fp9\n",
    "number.sh": "vllm serve m --max-num-seqs 1k\n",
    "renamed.sh": "python -m sglang.launch_server --model-path m --cuda-graph-max-bs 8\n",
    "ok.sh": "vllm serve m --max-num-seqs 32\n",
    "sglang.sh": "python -m sglang.launch_server --model-path m --tp 2\n",
    "two.sh": "vllm serve a --port 1 &\nvllm serve b --port 2\n",
    "no-model.sh": "python -m sglang.launch_server --tp 2\n",
    "fi.sh": "if true; then vllm serve m\n",
}

TROUBLE = [
    (["none.sh", "--to", "vllm"], ["none.sh", "no SGLang or vLLM launch", "vllm serve"]),
    (["lmdeploy.sh", "--to", "vllm"], ["lmdeploy.sh:1:1", "LMDeploy", "^^^^^^^^"]),
    (["missing.sh", "--to", "vllm"], ["can't read missing.sh"]),
    (["folder", "--to", "vllm"], ["folder is a directory"]),
    (["binary", "--to", "vllm"], ["binary is a binary file"]),
    (["latin", "--to", "vllm"], ["latin: line 2 is not UTF-8"]),
    (["quote.sh", "--to", "sglang"], ["quote.sh:2:7: unclosed quote", "      ^"]),
    (["fi.sh", "--to", "sglang"], ["fi.sh:1:1", "if without its fi"]),
    (["choice.sh", "--from", "vllm@0.20.1", "--to", "sglang"], ["choice.sh:1:14", "fp9", "did you mean fp8"]),
    (["number.sh", "--from", "vllm@0.20.1", "--to", "sglang"], ["number.sh:1:14", "1k", "0.20.1 would refuse"]),
    (["renamed.sh", "--from", "sglang@0.5.23", "--to", "vllm"], ["--cuda-graph-max-bs-decode", "would refuse"]),
    (["no-model.sh", "--to", "vllm"], ["--model-path"]),
    (["ok.sh", "--to", "vllm@0.19.5"], ["no catalogue of vllm 0.19.5", "0.19.1 and 0.20.0"]),
    (["ok.sh", "--to", "vllm@banana"], ["banana"]),
    (["ok.sh", "--from", "vllm@0.20.1", "--to", "vllm@0.20.1"], ["nothing to port"]),
    (["ok.sh", "--to", "vlm"], ["unknown engine", "did you mean vllm"]),
    (["ok.sh", "--from", "sglang", "--to", "vllm"], ["of vllm, not of sglang"]),
    (["ok.sh", "--to", "sglang", "--gpu", "banana"], ["no GPU called 'banana'"]),
    (["ok.sh", "--to", "sglang", "--launch", "3"], ["no launch '3'"]),
    (["ok.sh", "--to", "sglang", "--force", "speculation.methd"], ["did you mean speculation.method"]),
    (["ok.sh", "--to", "sglang", "--set", "A"], ["NAME=VALUE"]),
    (["ok.sh", "--to", "sglang", "--model-config", "none.json"], ["none.json"]),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("scripts")
    for name, text in FILES.items():
        (path / name).write_text(text)
    (path / "folder").mkdir()
    (path / "binary").write_bytes(b"\x7fELF\0\0vllm serve m")
    (path / "latin").write_bytes(b"vllm serve m\n# caf\xe9\n")
    return path


@pytest.mark.parametrize(("arguments", "said"), TROUBLE, ids=lambda value: " ".join(value))
def test_trouble_is_one_message(folder, arguments, said):
    result = portkit("port", *arguments, cwd=folder)
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith("portkit: error: ") and "Traceback" not in result.stderr
    for text in said:
        assert text in result.stderr


def test_several_launches_are_named(folder):
    first = portkit("port", "two.sh", "--to", "sglang", cwd=folder)
    assert "took launch 1 of 2 (vllm line 1)" in first.stderr and "--port 1" in first.stdout
    second = portkit("port", "two.sh", "--to", "sglang", "--launch", "2", cwd=folder)
    assert "took launch 2 of 2" in second.stderr and "--port 2" in second.stdout


def test_standard_input_and_the_other_direction(folder):
    result = portkit("port", "-", "--to", "vllm@0.20.1", cwd=folder, stdin=FILES["sglang.sh"])
    assert result.returncode == 0
    assert "--tensor-parallel-size 2" in result.stdout and "ported to vllm 0.20.1" in result.stderr
    back = portkit("port", "ok.sh", "--from", "vllm@0.20.1", "--to", "sglang@0.5.23", cwd=folder)
    assert "--max-running-requests 32" in back.stdout and "sglang.launch_server" in back.stdout


def test_strict_fails_on_loss(folder):
    text = "python -m sglang.launch_server --model-path m --schedule-policy lpm\n"
    assert portkit("port", "-", "--to", "vllm", "--strict", cwd=folder, stdin=text).returncode == 1
    assert portkit("port", "-", "--to", "vllm", cwd=folder, stdin=text).returncode == 0


def test_a_variable_given_with_set(folder):
    text = 'vllm serve m -tp "$TP"\n'
    result = portkit("port", "-", "--to", "sglang", "--set", "TP=4", cwd=folder, stdin=text)
    assert '--tp-size "${TP:-4}"' in result.stdout


def test_diff_exits_with_0_1_or_2(folder):
    assert portkit("diff", "ok.sh", "ok.sh", cwd=folder).returncode == 0
    assert portkit("diff", "ok.sh", "sglang.sh", cwd=folder).returncode == 1
    assert portkit("diff", "ok.sh", "none.sh", cwd=folder).returncode == 2


def test_diff_json_is_versioned(folder):
    result = portkit("diff", "sglang.sh", "ok.sh", "--format", "json", cwd=folder)
    document = json.loads(result.stdout)
    assert document["schema"] == "portkit.diff/1"
    assert document["a"]["engine"] == "sglang" and document["b"]["engine"] == "vllm"
    assert sum(document["counts"].values()) == len(document["settings"])


SECRET = "sk-very-secret"


@pytest.mark.parametrize("form", [["--format", "table", "--all"], ["--format", "json"]])
def test_secrets_are_in_no_report(folder, form):
    script = folder / "secret.sh"
    script.write_text(
        f"export HF_TOKEN={SECRET}\npython -m sglang.launch_server --model-path m --api-key {SECRET} "
        f"--admin-api-key {SECRET}\n"
    )
    result = portkit("diff", "secret.sh", "ok.sh", *form, cwd=folder)
    assert SECRET not in result.stdout + result.stderr and "********" in result.stdout
    shown = portkit("show", "secret.sh", cwd=folder)
    assert SECRET not in shown.stdout + shown.stderr
    (folder / "broken.sh").write_text(f"HF_TOKEN={SECRET} vllm serve m --api-key {SECRET} --kv-cache-dtype fp9\n")
    refused = portkit("port", "broken.sh", "--from", "vllm@0.20.1", "--to", "sglang", cwd=folder)
    assert refused.returncode == 2 and "fp9" in refused.stderr and SECRET not in refused.stderr
    ported = portkit("port", "secret.sh", "--to", "vllm@0.20.1", cwd=folder)
    assert SECRET in ported.stdout and SECRET not in ported.stderr


@pytest.mark.parametrize("columns", ["80", "140"])
def test_tables_fit_their_width(folder, columns):
    environment = {**ENVIRONMENT, "COLUMNS": columns}
    command = [sys.executable, "-m", "portkit", "diff", "sglang.sh", "ok.sh", "--all"]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment)
    assert result.stdout and max(map(len, result.stdout.splitlines())) <= int(columns)


def test_show_tells_where_values_come_from(folder):
    result = portkit("show", "ok.sh", "--format", "json", cwd=folder)
    setting = json.loads(result.stdout)["settings"]["scheduling.max_running_requests"]
    assert setting["value"] == 32 and setting["provenance"]["kind"] == "explicit"
    written = setting["provenance"]["written"][0]
    assert (written["option"], written["line"], written["column"]) == ("--max-num-seqs", 1, 14)


def test_version_names_the_releases(folder):
    result = portkit("--version", cwd=folder)
    sglang, vllm = result.stdout.splitlines()[1:]
    assert sglang.startswith("sglang: 0.4.10.post2, 0.5.1.post3, ") and sglang.endswith(", 0.5.22, 0.5.23")
    assert vllm.startswith("vllm: 0.8.5, 0.9.1, ") and vllm.endswith(", 0.32.0, 0.33.0")


@pytest.mark.parametrize(
    ("named", "read_as"),
    [
        ([], ("0.5.23", "0.33.0")),
        (["--from", "vllm@0.20.1"], ("0.5.23", "0.20.1")),
        (["--from", "vllm@0.20.1", "--from", "sglang@0.5.12"], ("0.5.12", "0.20.1")),
    ],
)
def test_diff_takes_releases_by_engine(folder, named, read_as):
    result = portkit("diff", "sglang.sh", "ok.sh", *named, "--format", "json", cwd=folder)
    document = json.loads(result.stdout)
    assert (document["a"]["release"], document["b"]["release"]) == read_as


def test_diff_of_two_releases_of_one_engine(folder):
    result = portkit(
        "diff", "ok.sh", "ok.sh", "--from", "vllm@0.20.1", "--from", "vllm@0.33.0", "--format", "json", cwd=folder
    )
    document = json.loads(result.stdout)
    assert (document["a"]["release"], document["b"]["release"]) == ("0.20.1", "0.33.0")
    unused = portkit("diff", "ok.sh", "ok.sh", "--from", "sglang", cwd=folder)
    assert unused.returncode == 2 and "neither launch is of sglang" in unused.stderr


def test_releases(folder):
    assert "vllm: 0.8.5, 0.9.1, " in portkit("releases", cwd=folder).stdout
    told = portkit("releases", "renamed.sh", cwd=folder).stdout.splitlines()
    assert told[0].startswith("renamed.sh is read as sglang 0.5.19: the newest catalogued release that accepts")
    assert told[1:] == [
        "sglang 0.4.10.post2 to 0.5.19: accepts it",
        "sglang 0.5.20 to 0.5.23: refuses it: --cuda-graph-max-bs could be --cuda-graph-max-bs-decode, "
        "--cuda-graph-max-bs-prefill",
    ]

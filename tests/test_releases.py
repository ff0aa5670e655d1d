"""Which release a script is read by, and why."""

import pytest

from portkit.errors import PortkitError, underlined
from portkit.frontends.shell import read_script
from portkit.releases import choose_release, choose_target
from portkit.source import SourceText, Span

SGLANG = "python -m sglang.launch_server --model-path m"


NEWEST = "the newest catalogued release that accepts the launch"
MAX_BS = f"{SGLANG} --cuda-graph-max-bs 8"
VLLM = "vllm serve m"


@pytest.mark.parametrize(
    ("text", "release", "reason"),
    [
        # Images
        (
            f"# image: lmsysorg/sglang:v0.5.11-cu130\n{SGLANG}",
            "0.5.11",
            "image lmsysorg/sglang:v0.5.11-cu130 in line 1",
        ),
        (f"IMAGE=vllm/vllm-openai:v0.20.1\n{VLLM}", "0.20.1", "image vllm/vllm-openai:v0.20.1 in line 1"),
        (f"IMAGE=ghcr.io:5000/me/vllm/vllm-openai:v0.11.0\n{VLLM}", "0.11.0", "vllm-openai:v0.11.0 in line 1"),
        (f"IMAGE=lmsysorg/sglang:v0.5.12.post1-cu129-arm64\n{SGLANG}", "0.5.12.post1", "sglang:v0.5.12.post1-cu129"),
        (f"IMAGE=rocm/vllm:rocm6.4.1_vllm_0.9.1_20250702\n{VLLM}", "0.9.1", "image rocm/vllm:rocm6.4.1_vllm_0.9.1"),
        (f"IMAGE=vllm/vllm-openai:v0.20.1@sha256:0123456789abcdef\n{VLLM}", "0.20.1", "vllm-openai:v0.20.1 in"),
        (
            f"IMAGE=vllm/vllm-openai@sha256:0123456789abcdef\n{VLLM}",
            "0.33.0",
            f"{NEWEST}; image vllm/vllm-openai@sha256",
        ),
        (f"IMAGE=vllm/vllm-openai:nightly-5a1b\n{VLLM}", "0.33.0", "vllm-openai:nightly-5a1b in line 1 names none"),
        (f"IMAGE=lmsysorg/sglang:latest\n{MAX_BS}", "0.5.19", f"{NEWEST}; image lmsysorg/sglang:latest in line 1"),
        (f"IMAGE=nvcr.io/nvidia/vllm:25.09-py3\n{VLLM}", "0.33.0", NEWEST),
        (f"TAG=v0.5.11\nIMAGE=lmsysorg/sglang:${{TAG}}-cu130\n{SGLANG}", "0.5.11", "sglang:v0.5.11-cu130 in line 2"),
        (f"IMAGE=vllm/vllm-openai:${{TAG:-v0.18.1}}\n{VLLM}", "0.18.1", "vllm-openai:v0.18.1 in line 1"),
        # Packages, wheels, checkouts
        (f"pip install 'sglang[all]==0.5.12.post1'\n{SGLANG}", "0.5.12.post1", "sglang[all]==0.5.12.post1 in line 1"),
        (f"uv pip install vllm==0.20.1 --torch-backend=auto\n{VLLM}", "0.20.1", "vllm==0.20.1 in line 1"),
        (f"uv run --with vllm==0.20.1 {VLLM}", "0.20.1", "vllm==0.20.1 in line 1"),
        (f"pip install 'vllm>=0.10,<0.12'\n{VLLM}", "0.11.2", "vllm>=0.10,<0.12 in line 1: the newest that accepts"),
        (f"pip install 'sglang>=0.5.10'\n{MAX_BS}", "0.5.19", "sglang>=0.5.10 in line 1: the newest that accepts"),
        (f"pip install 'sglang>=0.5.20'\n{MAX_BS}", "0.5.19", f"{NEWEST}; sglang>=0.5.20 in line 1 doesn't fit"),
        (f"pip install 'vllm~=0.11.0'\n{VLLM}", "0.11.2", "vllm~=0.11.0 in line 1"),
        (f"pip install https://x/vllm-0.11.0+cu129-cp38-abi3-manylinux1_x86_64.whl\n{VLLM}", "0.11.0", "whl in line 1"),
        (f"git clone -b v0.5.12 https://example.org/sgl-project/sglang.git\n{SGLANG}", "0.5.12", "-b v0.5.12"),
        (f"cd vllm && git checkout v0.19.1\n{VLLM}", "0.19.1", "checkout v0.19.1 in line 1"),
        (f"pip install git+https://example.org/vllm-project/vllm.git@v0.16.0\n{VLLM}", "0.16.0", "@v0.16.0 in line 1"),
        (f"VLLM_VERSION=0.17.1\npip install vllm==$VLLM_VERSION\n{VLLM}", "0.17.1", "vllm==0.17.1 in line 2"),
        (f"export SGLANG_TAG=v0.5.9\n{SGLANG}", "0.5.9", "SGLANG_TAG=v0.5.9 in line 1"),
        (f"pip install -r requirements.txt\n{VLLM}", "0.15.1", "vllm==0.15.1 in requirements.txt line 2"),
        # Words fit only a launch that the release accepts
        (f"# SGLang 0.5.12\n{SGLANG}", "0.5.12", "SGLang 0.5.12 in line 1"),
        (f"# needs vLLM version: v0.20.2\n{VLLM}", "0.20.2", "vLLM version: v0.20.2 in line 1"),
        (f"# was on SGLang 0.5.22\n{MAX_BS}", "0.5.19", f"{NEWEST}; SGLang 0.5.22 in line 1 doesn't fit the launch"),
        ("/opt/venvs/vllm-0.11.0/bin/vllm serve m", "0.11.0", "vllm-0.11.0 in line 1"),
        # Several: the last before the launch
        (f"# vllm/vllm-openai:v0.11.0\npip install vllm==0.20.1\n{VLLM}", "0.20.1", "vllm==0.20.1 in line 2"),
        (f"pip install vllm==0.11.0\npip install vllm==0.20.1\n{VLLM}", "0.20.1", "line 2; but vllm==0.11.0 in line 1"),
        # Releases without a catalogue of their own
        (f"pip install sglang==0.5.13.post9\n{SGLANG}", "0.5.13.post1", "no catalogue of sglang 0.5.13.post9: read as"),
        (f"pip install sglang==0.5.0\n{SGLANG}", "0.5.1.post3", "no catalogue of sglang 0.5.0: read as 0.5.1.post3"),
        (f"pip install vllm==9.0\n{VLLM}", "0.33.0", "no catalogue of vllm 9.0: read as 0.33.0"),
        # Nothing said, or of other things
        (SGLANG, "0.5.23", NEWEST),
        (MAX_BS, "0.5.19", NEWEST),
        (f"{MAX_BS} --no-such-flag", "0.5.19", "refuses least"),
        (f"{VLLM} --max-num-partial-prefills 2", "0.26.0", NEWEST),
        (f"pip install vllm-router==0.1.0 vllm_ascend==0.11.0\n{VLLM}", "0.33.0", NEWEST),
        (f"ls /data/vllm/v0.11.0\n{VLLM}", "0.33.0", NEWEST),
        (f"PYTHONPATH=/src/vllm:/x\n{VLLM}", "0.33.0", NEWEST),
        (f"pip install sglang==0.5.11\n{VLLM}", "0.33.0", NEWEST),
    ],
)
def test_release_of_a_script(text, release, reason):
    launch = read_script(SourceText("s.sh", text + "\n"), {})[0]
    files = {"requirements.txt": "torch\nvllm==0.15.1  # not 0.16\n"}
    chosen = choose_release(launch, None, files.get)
    assert str(chosen.catalogue.release) == release, chosen.reason
    assert reason in chosen.reason


@pytest.mark.parametrize(
    ("asked", "release", "reason"),
    [
        ("sglang@0.5.11", "0.5.11", "as asked"),
        ("sglang@0.5.13.post2", "0.5.13.post1", "no catalogue of sglang 0.5.13.post2"),
        ("sglang@latest", "0.5.23", "as asked"),
        ("sglang", "0.5.12", "image lmsysorg/sglang:v0.5.12 in line 1"),
    ],
)
def test_release_that_is_asked_for(asked, release, reason):
    launch = read_script(SourceText("s.sh", f"# lmsysorg/sglang:v0.5.12\n{SGLANG}\n"), {})[0]
    chosen = choose_release(launch, asked)
    assert str(chosen.catalogue.release) == release
    assert reason in chosen.reason


@pytest.mark.parametrize(
    ("text", "release"), [("vllm@0.20.1", "0.20.1"), ("sglang@latest", "0.5.23"), ("vllm", "0.33.0")]
)
def test_target(text, release):
    assert str(choose_target(text).catalogue.release) == release


@pytest.mark.parametrize("text", ["vllm@0.1.0", "sglang@nope", "tgi@3"])
def test_target_without_a_catalogue(text):
    with pytest.raises(PortkitError):
        choose_target(text)


@pytest.mark.parametrize("before", [0, 20, 70, 200])
@pytest.mark.parametrize("after", [0, 200])
def test_carets_stand_under_the_words(before, after):
    text = "x" * before + "--flag" + "y" * after
    line, carets = underlined(SourceText("s", text), Span(before, before + 6))
    marked = [char for char, mark in zip(line, carets, strict=False) if mark == "^"]
    assert "".join(marked) == "--flag"

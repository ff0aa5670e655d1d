"""Which release a script is read by, and why."""

import pytest

from portkit.errors import PortkitError, underlined
from portkit.frontends.shell import read_script
from portkit.releases import choose_release, choose_target
from portkit.source import SourceText, Span

SGLANG = "python -m sglang.launch_server --model-path m"


@pytest.mark.parametrize(
    ("text", "asked", "release", "reason"),
    [
        (SGLANG, "sglang@0.5.11", "0.5.11", "as asked"),
        (SGLANG, "sglang@0.5.12", "0.5.12.post1", "no catalogue of sglang 0.5.12"),
        (SGLANG, "sglang", "0.5.23", "newest catalogued release that accepts"),
        (SGLANG, None, "0.5.23", "newest catalogued release that accepts"),
        (f"{SGLANG} --cuda-graph-max-bs 8", None, "0.5.12.post1", "newest catalogued release that accepts"),
        (f"{SGLANG} --cuda-graph-max-bs 8 --enable-ep-moe", None, "0.5.12.post1", "refuses least"),
        (f"# image: lmsysorg/sglang:v0.5.11-cu130\n{SGLANG}", None, "0.5.11", "the script names 0.5.11"),
        (f"pip install 'sglang[all]==0.5.12.post1'\n{SGLANG}", None, "0.5.12.post1", "the script names"),
        (f"# SGLang 0.5.12\n{SGLANG}", None, "0.5.12.post1", "the script names 0.5.12"),
        (f"pip install sglang==0.5.15\n{SGLANG}", None, "0.5.23", "has no catalogue"),
        ("vllm serve m --max-num-partial-prefills 2", None, "0.20.1", "newest catalogued release that accepts"),
        ("pip install vllm==0.20.1\nvllm serve m", None, "0.20.1", "the script names 0.20.1"),
    ],
)
def test_release_of_a_script(text, asked, release, reason):
    launch = read_script(SourceText("s.sh", text + "\n"), {})[0]
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

"""Whatever the input, a message or a result: never a traceback, never a half-written script."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from portkit.conversions.writing import PortOptions
from portkit.diffing.compare import compare
from portkit.errors import PortkitError
from portkit.pipeline import Request, load_deployment
from portkit.porting.port import port
from portkit.porting.render import render_script
from portkit.releases import choose_target
from portkit.report.document import comparison_document, deployment_document

ROOT = Path(__file__).parent.parent
SEEDS = [path.read_bytes() for path in sorted((ROOT / "examples").glob("*/*.sh"))]
FRAGMENTS = [
    b'"', b"'", b"`", b"$(", b"${", b"}", b")", b"((", b"))", b"[[", b"]]", b"\\\n", b"<<EOF\n", b"EOF\n", b";;", b"&", b"|",
    b"\0", b"\xff\xfe", b"--tp", b"--tp 2", b"=", b"--speculative-config '{", b"'{\"a\":", b"$@", b"${A[@]}", b"if ", b"fi\n",
    b"--cuda-graph-bs ", b"-1", b"1e9", b"999999999999999999999", b"--max-num-seqs 0", b"\r\n", "\u2028".encode(), b"case x in",
]  # fmt: skip


def through(path, data):
    """The whole way of `port`, `diff` and `show`, for input that may be anything."""
    path.write_bytes(data)
    try:
        loaded = load_deployment(Request(str(path)))
        target = "sglang" if loaded.deployment.engine == "vllm" else "vllm"
        catalogue = choose_target(target).catalogue
        for exact in (False, True):
            render_script(port(loaded.deployment, catalogue, PortOptions(exact)), loaded.launch)
        own = loaded.resolution.catalogue
        comparison_document(compare(loaded.deployment, loaded.deployment, own, own))
        deployment_document(loaded.deployment)
    except PortkitError as error:
        assert str(error)


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz") / "script.sh"


@settings(max_examples=150, deadline=None)
@given(data=st.binary(max_size=400))
def test_bytes(script, data):
    through(script, data)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_mutated_scripts(script, data):
    text = bytearray(data.draw(st.sampled_from(SEEDS)))
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(text)))
        if data.draw(st.booleans()):
            text[at:at] = data.draw(st.sampled_from(FRAGMENTS))
        else:
            del text[at : at + data.draw(st.integers(1, 30))]
    through(script, bytes(text))


@settings(max_examples=100, deadline=None)
@given(
    words=st.lists(
        st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=12), max_size=8
    )
)
def test_any_words_after_a_launch(script, words):
    import shlex

    for launch in ("vllm serve m", "python -m sglang.launch_server --model-path m"):
        through(script, f"{launch} {shlex.join(words)}\n".encode())

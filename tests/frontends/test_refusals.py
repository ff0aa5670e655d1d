"""What isn't a launch script: PortkitError with the place, whatever the text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from portkit.errors import PortkitError
from portkit.frontends.shell import read_script
from portkit.source import SourceText

CORPUS = [path.read_bytes().decode() for path in sorted((Path(__file__).parent / "corpus").glob("*.sh"))]
LAUNCH = "\nvllm serve m\n"
DEPTH = 10_000

quick = settings(max_examples=150, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo hi\n", "launch.sh: no SGLang or vLLM launch found"),
        ("", "launch.sh: no SGLang or vLLM launch found"),
        (
            'A=1\nvllm serve "m --port 1\n',
            'launch.sh:2:12: unclosed quote\n2 | vllm serve "m --port 1\n  |            ^',
        ),
        ("vllm serve 'it's'\n", "launch.sh:1:17: unclosed quote\n1 | vllm serve 'it's'\n  |                 ^"),
        ("cd x\ntrtllm-serve m\n", "launch.sh:2:1: this starts TensorRT-LLM"),
        ("A=1\nif [ $A ]; then\n vllm serve m\n", "launch.sh:2:1: if without its fi"),
    ],
)
def test_refusals_name_their_place(script: str, message: str) -> None:
    with pytest.raises(PortkitError) as caught:
        read_script(SourceText("launch.sh", script), {})
    assert message in str(caught.value)


def reads_or_refuses(text: str) -> None:
    source = SourceText("launch.sh", text)
    try:
        launches = read_script(source, {})
    except PortkitError as error:
        spans = [error.span] if error.span else []
        assert str(error)
    else:
        spans = [span for launch in launches for span in (launch.span, *(word.span for word in launch.argv))]
    assert all(0 <= span.start <= span.end <= len(text) for span in spans)


@quick
@given(st.binary(max_size=300).map(lambda data: data.decode("utf-8", "replace")))
def test_any_text(text: str) -> None:
    reads_or_refuses(text + LAUNCH)


@quick
@given(st.text(alphabet="ab$(){}[]'\"`\\\n;&|<>#=-+:/*?!~@% \t1", max_size=60))
def test_any_punctuation(text: str) -> None:
    reads_or_refuses(text + LAUNCH)
    reads_or_refuses("vllm serve " + text)


@quick
@given(st.data())
def test_mutated_scripts(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(CORPUS))
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 8)))
        text = (
            text[:start]
            + data.draw(st.sampled_from(("", "'", '"', "$(", "${", "}", ")", "((", "\n", "fi", "é")))
            + text[end:]
        )
    reads_or_refuses(text)


@pytest.mark.parametrize(
    "script",
    [
        'x "' * DEPTH, "(" * DEPTH, "x $(" * DEPTH, "x ${a:-" * DEPTH, "if a; then " * DEPTH, "{ " * DEPTH, "`" * DEPTH,
        "x " + "${a:-" * DEPTH + "}" * DEPTH, "x " + "$(e " * DEPTH + ")" * DEPTH, "x " + '"$(e ' * DEPTH + ')"' * DEPTH,
        "x $((" + "(" * DEPTH + "1" + ")" * DEPTH + "))", "if a; then " * DEPTH + "b\n" + "fi;" * DEPTH, "! " * DEPTH,
        "a && " * DEPTH + "b", "a | " * DEPTH + "b", "[[ " + "( " * DEPTH + "a" + " )" * DEPTH + " ]]",
    ],
    ids=lambda script: script[:8],
)  # fmt: skip
def test_nesting_is_bounded(script: str) -> None:
    reads_or_refuses(script + LAUNCH)


@pytest.mark.parametrize(
    "script",
    [
        "for i in $(seq 1 1000); do for j in $(seq 1 1000); do x=$i; done; done",
        "for ((i = 0; i < 1000000; i++)); do x=$i; done",
        "while true; do x=1; done",
        "f() { f; f; }; f",
        "for i in {1..100000000}; do x; done",
        "A=x\n" + 'A="$A $A"\n' * 200,
        "".join(f'if [ "$X{i}" ]; then A="$A {i}"; fi\n' for i in range(70)),
        "".join(f"[ -f f{i} ] && A=x{i}\n" for i in range(1000)),
        'A="' + "a" * 3900 + '"\nx ${A##*b*c*d*} ${A//a*b/} ${A%%a*a*a*a*a*b}',
        "echo hello world\n" * 20_000,
    ],
    ids=lambda script: script[:16].replace("\n", " "),
)
def test_work_is_bounded_and_what_follows_is_still_found(script: str) -> None:
    launches = read_script(SourceText("launch.sh", script + LAUNCH), {})
    assert {word.text for launch in launches for word in launch.argv} == {"m"}


def test_every_element_of_a_long_array_arrives() -> None:
    elements = [f"--flag-{number}" for number in range(10_000)]
    script = "A=(\n" + "".join(f"  {element} # why\n" for element in elements) + ')\nvllm serve "${A[@]}"'
    (launch,) = read_script(SourceText("launch.sh", script), {})
    assert [word.text for word in launch.argv] == elements
    assert [launch.source.slice(word.span) for word in launch.argv] == elements

"""What holds for both engines: values nobody knows, places, and nothing lost."""

from __future__ import annotations

import shlex
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portkit.catalogue.resolution import Resolution
from portkit.catalogue.resolve import accepts, resolve
from portkit.source import Span
from tests.catalogue.resolving import SGLANG, VLLM, as_release, catalogue, launch, outcome, resolved

NEW_VLLM, NEW_SGLANG = VLLM[1], SGLANG[1]


@pytest.mark.parametrize(
    ("words", "values", "kinds"),
    [
        (["--port", "$PORT"], {"port": "<$PORT>"}, []),
        (["--port=$PORT"], {"port": "<$PORT>"}, []),
        (["--port", "${PORT:-80}"], {"port": 80}, []),
        (["--port", "${PORT:-x}"], {}, ["invalid_value"]),
        (["--port", "$(free port=1 --now)"], {"port": "<$(free port=1 --now)>"}, []),
        (["--kv-cache-dtype", "fp8_$KIND"], {"kv_cache_dtype": "<fp8_$KIND>"}, []),
        (["--served-model-name", "a", '"$B"'], {"served_model_name": ["a", "<$B>"]}, []),
        (["--cudagraph-capture-sizes", "$SIZES"], {"cudagraph_capture_sizes": ["<$SIZES>"]}, []),
        (["--cudagraph-capture-sizes", "1", "$MORE"], {"cudagraph_capture_sizes": [1]}, ["opaque"]),
        (["--enforce-eager", "$EXTRA"], {"enforce_eager": True}, ["opaque"]),
        (["--port", "1", "$EXTRA", "x", "--enforce-eager"], {"port": 1, "enforce_eager": True}, ["opaque"]),
        (["--port", "1", '"$EXTRA"'], {"port": 1}, ["unrecognized"]),
        (["--no-$WHAT"], {}, ["opaque"]),
        (["--bogus", "$X"], {}, ["unrecognized"]),
        (["-O$LEVEL"], {"optimization_level": "<$LEVEL>"}, []),
        (["-cc.cudagraph_mode=$MODE"], {"compilation_config": {"cudagraph_mode": "<$MODE>"}}, []),
        (["-cc", '{"mode": $MODE}'], {"compilation_config": {"mode": "<$MODE>"}}, []),
        (["-cc", '{"backend": "x-$B", "mode": 3}'], {"compilation_config": {"backend": "<x-$B>", "mode": 3}}, []),
        (["-cc", "{$PAIRS}"], {"compilation_config": "<{$PAIRS}>"}, []),
        (["-cc", '{"$KEY": 1}'], {"compilation_config": {"$KEY": 1}}, []),
        (["-cc", "$JSON"], {"compilation_config": "<$JSON>"}, []),
        (["--lora-modules", "a=$DIR"], {"lora_modules": [{"name": "a", "path": "<$DIR>"}]}, []),
        (["--config", "$FILE"], {"config": "<$FILE>"}, ["opaque"]),
    ],
)
def test_unknown_words(words: list[str], values: dict[str, object], kinds: list[str]) -> None:
    resolution = resolve(launch("vllm", ["m", *words]), catalogue("vllm", NEW_VLLM))
    assert outcome(resolution) == (values, kinds)


@pytest.mark.parametrize(
    ("entry", "words", "values", "kinds"),
    [
        ("vllm", ["$MODEL", "--port", "1"], {"model_tag": "<$MODEL>", "port": 1}, []),
        ("vllm", ["--model", "$MODEL"], {"model_tag": "<$MODEL>"}, []),
        ("vllm", ["m", "$ARGS"], {}, ["opaque"]),
        ("sglang serve", ["$MODEL"], {"model_path": "<$MODEL>"}, []),
        ("sglang", ["$ARGS"], {}, ["opaque"]),
        ("sglang", ["--model", "$MODEL", "$ARGS"], {"model_path": "<$MODEL>"}, ["opaque"]),
    ],
)
def test_unknown_model(entry: str, words: list[str], values: dict[str, object], kinds: list[str]) -> None:
    made = launch(entry, words)
    assert outcome(resolve(made, catalogue(made.engine, {"vllm": NEW_VLLM, "sglang": NEW_SGLANG}[made.engine]))) == (
        values,
        kinds,
    )


@pytest.mark.parametrize(
    ("line", "dest", "option", "place", "words", "abbreviated"),
    [
        ("--max_num_seqs 2", "max_num_seqs", "--max_num_seqs", "--max_num_seqs\n2", ["2"], False),
        ("--port=80", "port", "--port", "--port=80", ["80"], False),
        ("--tensor-p=2", "tensor_parallel_size", "--tensor-p", "--tensor-p=2", ["2"], True),
        ("-n4", "nnodes", "-n4", "-n4", ["4"], False),
        ("-O3", "optimization_level", "-O", "-O3", ["3"], False),
        ("-cc.mode=3", "compilation_config", "-cc", "-cc.mode=3", ["-cc.mode=3"], False),
        ("-cc.mode 3", "compilation_config", "-cc", "-cc.mode\n3", ["-cc.mode", "3"], False),
        (
            "-cc.mode=3 --port 1 -cc.backend x", "compilation_config", "-cc", "-cc.mode=3",
            ["-cc.mode=3", "-cc.backend", "x"], False,
        ),
        ("--model x", "model_tag", "--model", "--model\nx", ["x"], False),
        ("x", "model_tag", "", "x", ["x"], False),
        ("--no-enforce-eager", "enforce_eager", "--no-enforce-eager", "--no-enforce-eager", [], False),
    ],
)  # fmt: skip
def test_places(line: str, dest: str, option: str, place: str, words: list[str], abbreviated: bool) -> None:
    argument = resolved("vllm", NEW_VLLM, line).arguments[dest]
    assert argument.option == option
    assert argument.source.slice(argument.place) == place
    assert [word.text for word in argument.words] == words
    assert argument.abbreviated is abbreviated


def test_the_value_of_one_word_keeps_its_expression() -> None:
    argument = resolve(launch("vllm", ["--port=${PORT:-80}"]), catalogue("vllm", NEW_VLLM)).arguments["port"]
    assert (argument.value, argument.symbolic, argument.words[0].shell()) == (80, True, '"${PORT:-80}"')
    assert argument.source.slice(argument.words[0].span) == "${PORT:-80}"


def test_earlier_values_are_overridden_in_order() -> None:
    resolution = resolved("vllm", NEW_VLLM, "m --port 1 --port 2 --port=3")
    assert resolution.arguments["port"].value == 3
    assert [argument.value for argument in resolution.overridden] == [1, 2]


@pytest.mark.parametrize(
    ("line", "accepted"),
    [("m", True), ("m --config=f.yaml", True), ("m $X", True), ("m --bogus", False), ("m --port x", False)],
)
def test_accepts(line: str, accepted: bool) -> None:
    resolution = resolve(launch("vllm", line.split()), catalogue("vllm", NEW_VLLM))
    assert accepts(resolution) is accepted


@pytest.mark.parametrize(
    ("entry", "release", "line", "values", "kinds"),
    [
        ("vllm", "0.11.0", "--model x", {"model_tag": "x"}, ["refused"]),
        ("vllm", "0.11.0", "--model=x", {"model": "x"}, []),
        ("vllm", "0.11.2.post2", "--model x", {"model_tag": "x"}, []),
        ("vllm", "0.11.2.post2", "m -O3", {}, ["unrecognized"]),  # --compilation-config's own spelling there
        ("vllm", "0.16.0", "--served-model-name a", {"served_model_name": ["a"]}, []),
        ("vllm", "0.17.1", "--served-model-name a", {"served_model_name": ["a"]}, ["refused"]),
        ("vllm", "0.19.1", "m --hf-overrides.n 8k", {"hf_overrides": {"n": "8k"}}, []),
        ("vllm", "0.20.1", "m --hf-overrides.n 8k", {"hf_overrides": {"n": 8000}}, []),
        ("vllm", "0.19.1", "m -cc '{\"mode\": 8k}'", {}, ["invalid_value"]),
        ("vllm", "0.15.1", "m -cc.mode 1 --config f.yaml", {"compilation_config": {"mode": 1}}, ["invalid_value"]),
        ("sglang serve", "0.5.15.post1", "m", {}, ["unrecognized", "missing_required"]),
        ("sglang serve", "0.5.16", "m", {}, []),
        ("sglang serve", "0.5.17", "m --model-type x", {}, ["invalid_value"]),
        ("sglang serve", "0.5.18", "m --model-type x", {"model_type": "x"}, []),
    ],
)
def test_rules_change_by_release(
    entry: str, release: str, line: str, values: dict[str, object], kinds: list[str]
) -> None:
    made = launch(entry, shlex.split(line), files={"f.yaml": "compilation-config: {mode: 3}"})
    known = as_release(catalogue(made.engine, NEW_VLLM if made.engine == "vllm" else NEW_SGLANG), release)
    found, problems = outcome(resolve(made, known))
    found.pop("config", None)
    assert (found, problems) == (values, kinds)


def test_a_choice_of_few_is_listed_with_the_nearest() -> None:
    [problem] = resolved("sglang", NEW_SGLANG, "--model m --tokenizer-mode slo").problems
    assert problem.message == "--tokenizer-mode: 'slo' is not one of auto, slow; did you mean slow?"
    assert problem.suggestions == ("slow",)


@pytest.mark.parametrize("text", ["[" * 5000, '{"a":' * 5000, "9" * 5000, "-" * 5000, "--" + "a." * 5000 + "b=1"])
def test_hostile_values_are_problems(text: str) -> None:
    resolution = resolve(launch("vllm", ["m", "--hf-overrides", text, text]), catalogue("vllm", NEW_VLLM))
    assert resolution.problems


FRAGMENTS = [
    "m", "x", "1", "8k", "-1", "-0.5", "--", "-", "", "$X", "a$X", '"$X"', "${X:-1}", "--port", "--port=1", "--po",
    "--port=$X", "--$X", "--$X=1", "--model", "--model=y", "--model-path", "--tp", "-tp", "-tp=2", "-t", "-n4", "-O",
    "-O3", "-O.x", "-O=", "--config", "--config=f.yaml", "f.yaml", "-cc.a=1", "-cc.a.b", "-cc.l+", "-cc", '{"mode":3}',
    "{$X}",
    "--enforce-eager", "--no-enforce-eager", "--enforce-eager=1", "--bogus", "--bogus.a", "--bogus=1", "--max-num",
    "--served-model-name", "--cuda-graph-bs", "--cudagraph-capture-sizes", "--middleware", "--help", "--lora-paths",
    "--lora-modules", "--model-type", "--model-type=llm", "--disable-radix-cache", "--hf-token", ".", "-.",
    "--.", "--=",
]  # fmt: skip
ENGINES = [("vllm", VLLM[0]), ("vllm", VLLM[1]), ("api_server", VLLM[1])]
ENGINES += [("sglang", SGLANG[0]), ("sglang", SGLANG[1]), ("sglang serve", SGLANG[1])]
WORDS = st.lists(st.sampled_from(FRAGMENTS) | st.text("-=.$X{}[]\"',:+ ab1\U00100000", max_size=8), max_size=8)


@given(st.sampled_from(ENGINES), WORDS, st.sampled_from([None, "port: 1", "a: [", "model: y\nbogus: {a: 1}"]))
def test_every_word_is_accounted_for(entry: tuple[str, str], words: list[str], text: str | None) -> None:
    made = launch(entry[0], words)
    resolution = resolve(made, catalogue(made.engine, entry[1]), {"f.yaml": text}.get)
    covered = [Span(*span) for span in _spans(resolution)]
    lost = [
        word.text
        for word in made.argv
        if not any(span.start <= word.span.start and word.span.end <= span.end for span in covered)
    ]
    assert lost == []


def _spans(resolution: Resolution) -> list[tuple[int, int]]:
    source = resolution.launch.source
    items: list[Any] = [*resolution.arguments.values(), *resolution.overridden, *resolution.problems]
    places = [item.place for item in items if item.source is source and getattr(item, "kind", "") != "missing_required"]
    spans = [word.span for item in items for word in item.words]
    return [(span.start, span.end) for span in (*places, *spans)]

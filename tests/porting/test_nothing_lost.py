"""Nothing disappears, and what is mapped survives a round trip through its own engine."""

import json
import shlex

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from portkit.catalogue.load import known_releases, load
from portkit.catalogue.resolve import resolve
from portkit.conversions.writing import PortOptions
from portkit.frontends.shell import read_script
from portkit.mapping.load import rows
from portkit.porting.port import port
from portkit.porting.render import render_script
from portkit.source import SourceText

RELEASES = [(engine, release) for engine in ("sglang", "vllm") for release in known_releases(engine)]
OTHER = {"sglang": "vllm@0.33.0", "vllm": "sglang@0.5.23"}
BASE = {"sglang": ["--model-path", "/m/t"], "vllm": ["/m/t"]}
SPECULATION = {
    "sglang": "--speculative-algorithm EAGLE3 --speculative-draft-model-path /m/d --speculative-num-steps 3 "
    "--speculative-eagle-topk 1 --speculative-num-draft-tokens 4",
    "vllm": '--speculative-config \'{"method": "eagle3", "model": "/m/d", "num_speculative_tokens": 3}\'',
}
PLAIN = {"int": "2", "float": "0.5", "human_int": "4096", "human_int_or_auto": "4096", "json": "{}"}
SAMPLES = {
    "--piecewise-cuda-graph-max-tokens": "64",
    "--cuda-graph-max-bs-prefill": "64",
    "--cudagraph-capture-sizes": "8",
    "--max-cudagraph-capture-size": "64",
    "--max-num-batched-tokens": "8192",
    "--max-num-seqs": "64",
    "--mamba-scheduler-strategy": "no_buffer",  # the older name has no choices, the newer one has
}
SPECIAL = {
    "--config": None,  # reads a file
    "--model-path": None, "--model": None, "model_tag": None,  # in every launch already
}  # fmt: skip


def sample(flag):
    """A value the release's parser takes for a flag, as words; None where that takes more than a word."""
    if flag.name in SPECIAL or flag.refused or not flag.names:
        return None
    if flag.action in ("store_true", "store_false", "boolean_optional", "store_const") or flag.nargs == 0:
        return [flag.name]
    if flag.name in SAMPLES:
        return [flag.name, SAMPLES[flag.name]]
    if flag.choices:
        value = str(next((c for c in flag.choices if c != flag.default), flag.choices[0]))
    elif flag.config_class is not None or flag.type in ("json", "json_or_str", "union_dict_and_str"):
        value = "{}"
    else:
        value = PLAIN.get(flag.type, "x" if flag.type == "str" else "1")
    return [flag.name, value]


def written_options(deployment):
    return {w.option for s in deployment.settings.values() for w in s.provenance.written} | {
        item.name for item in deployment.unmapped
    }


@pytest.mark.parametrize(("engine", "release"), RELEASES, ids=lambda value: str(value))
def test_every_flag_of_a_release_is_in_the_account(read, engine, release):
    target_engine, target_release = OTHER[engine].split("@")
    catalogue = load(target_engine, next(r for r in known_releases(target_engine) if str(r) == target_release))
    for flag in load(engine, release).flags:
        words = sample(flag)
        if words is None:
            continue
        deployment, _, resolution = read(engine, str(release), [*BASE[engine], *words])
        if any(p.kind not in ("opaque", "ignored") for p in resolution.problems):
            continue
        if words[-1] == "{}":
            continue  # an empty document has no keys to account for
        assert flag.name in written_options(deployment), flag.name
        entries = port(deployment, catalogue, PortOptions()).entries
        named = {e.name for e in entries} | {
            w.option for e in entries if e.setting for w in e.setting.provenance.written
        }
        assert flag.name in named, flag.name


@pytest.mark.parametrize(("engine", "release"), RELEASES, ids=lambda value: str(value))
def test_every_known_key_of_a_json_flag_is_in_the_account(read, engine, release):
    catalogue = load(engine, release)
    for flag in catalogue.flags:
        fields = catalogue.config_classes.get(flag.config_class or "", {})
        if not fields:
            continue
        document = dict.fromkeys(fields, 1)
        deployment, _, _ = read(engine, str(release), [*BASE[engine], flag.name, json.dumps(document)])
        told = {w.option for s in deployment.settings.values() for w in s.provenance.written}
        told |= {item.name for item in deployment.unmapped}
        text = " ".join(told)
        for name in fields:
            assert f"{flag.name} {name}" in told or flag.name in told or name in text, (flag.name, name)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_unknown_flags_and_variables_are_kept_by_name(carry, data):
    name = data.draw(st.from_regex(r"--[a-z]{4,9}(-[a-z]{3,8}){1,3}", fullmatch=True))
    variable = data.draw(st.from_regex(r"(SGLANG|VLLM|NCCL|MY)_[A-Z]{3,12}", fullmatch=True))
    ported = carry("sglang@0.5.23", ["--model-path", "/m/t", name, "7"], "vllm@0.33.0", environment={variable: "9"})
    shown = [f"{e.name} {e.source}" for e in ported.port.entries]
    shown += [w.option for e in ported.port.entries if e.setting for w in e.setting.provenance.written]
    assert any(name in text for text in shown)
    assert any(variable in text for text in shown)


def again(read, deployment, launch, engine, release):
    """Write a document for its own engine and release, and read that back."""
    catalogue = load(engine, release)
    result = port(deployment, catalogue, PortOptions(graphs_exact=True, force=frozenset(["speculation.method"])))
    script = render_script(result, launch)
    lines = script.split("args=(", 1)[1].split("\n)\n", 1)
    words = [w for line in lines[0].splitlines() for w in shlex.split(line, comments=True)]
    command = shlex.split(lines[1])
    model = [command[command.index("serve") + 1]] if engine == "vllm" else []
    exports = [line.split("=", 1) for line in script.splitlines() if line.startswith("export ")]
    environment = {name.removeprefix("export "): shlex.split(value)[0] for name, value in exports}
    return read(engine, str(release), [*model, *words], environment)[0]


READ_ONLY_CHANGES = {
    "speculation.tree_width": "SGLang's writer spells out a chain of one branch",
    "parallelism.data_parallel_attention": "means nothing with one rank",
    "parallelism.expert_parallel_size": "vLLM's switch means nothing with one rank",
}


@pytest.mark.parametrize(("engine", "release"), RELEASES, ids=lambda value: str(value))
def test_round_trip_keeps_every_mapped_setting(read, engine, release):
    catalogue = load(engine, release)
    mapped = {p.flag for row in rows().values() for p in row.side(engine).places if p.flag and p.holds_in(release)}
    failures = []
    for flag in catalogue.flags:
        words = sample(flag)
        if words is None or not mapped & {*flag.names, flag.dest} or words[-1] == "{}":
            continue
        extra = shlex.split(SPECULATION[engine]) if "spec" in flag.name else []
        if flag.name.startswith(("--speculative-algorithm", "--spec-")):
            continue  # the shortcuts and the method are in the launch already
        deployment, launch, resolution = read(engine, str(release), [*BASE[engine], *extra, *words])
        if any(p.kind not in ("opaque", "ignored") for p in resolution.problems):
            continue
        back = again(read, deployment, launch, engine, release)
        for name, setting in deployment.settings.items():
            if not setting.explicit or name in READ_ONLY_CHANGES:
                continue
            other = back.settings.get(name)
            if other is None or other.value != setting.value:
                failures.append((flag.name, name, setting.value, other and other.value))
    assert failures == [], "\n".join(map(str, failures))


def mapped_samples(engine, release):
    mapped = {p.flag for row in rows().values() for p in row.side(engine).places if p.flag and p.holds_in(release)}
    skipped = ("--speculative-algorithm", "--spec-", "--enforce-eager", "--optimization-level")
    found = []
    for flag in load(engine, release).flags:
        words = sample(flag)
        if words and mapped & {*flag.names, flag.dest} and words[-1] != "{}" and not flag.name.startswith(skipped):
            found.append(words)
    return found


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_round_trip_of_flags_together(read, data):
    engine, release = data.draw(st.sampled_from(RELEASES))
    chosen = data.draw(st.lists(st.sampled_from(mapped_samples(engine, release)), max_size=8, unique_by=lambda w: w[0]))
    speculative = any("spec" in flag[0] for flag in chosen) or data.draw(st.booleans())
    words = [*BASE[engine], *(shlex.split(SPECULATION[engine]) if speculative else [])]
    words += [word for flag in chosen for word in flag]
    deployment, launch, resolution = read(engine, str(release), words)
    if any(p.kind not in ("opaque", "ignored") for p in resolution.problems):
        return
    back = again(read, deployment, launch, engine, release)
    for name, setting in deployment.settings.items():
        if setting.explicit and name not in READ_ONLY_CHANGES:
            assert name in back.settings, (name, words)
            assert back.settings[name].value == setting.value, (name, words)


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_another_release_of_the_engine_accepts_the_port(read, data):
    engine = data.draw(st.sampled_from(("sglang", "vllm")))
    before, after = (data.draw(st.sampled_from(known_releases(engine))) for _ in range(2))
    usable = [flag for flag in load(engine, before).flags if (sample(flag) or ["{}"])[-1] != "{}"]
    chosen = data.draw(st.lists(st.sampled_from(usable), max_size=8, unique_by=lambda flag: flag.dest))
    words = [*BASE[engine], *(word for flag in chosen for word in sample(flag))]
    deployment, launch, resolution = read(engine, str(before), words)
    if any(p.kind not in ("opaque", "ignored") for p in resolution.problems):
        return
    result = port(deployment, load(engine, after), PortOptions())
    named = {e.name for e in result.entries} | {
        w.option for e in result.entries if e.setting for w in e.setting.provenance.written
    }
    assert {flag.name for flag in chosen} <= named
    script = render_script(result, launch)
    (again,) = read_script(SourceText("new.sh", script), {})
    refused = [p for p in resolve(again, load(engine, after)).problems if p.kind not in ("opaque", "ignored")]
    assert refused == [], (before, after, words, [p.message for p in refused])

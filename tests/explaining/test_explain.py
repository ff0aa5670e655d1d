"""What `portkit explain` knows: names as people write them, histories, and what old spellings do later."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from portkit.catalogue.load import known_releases, load
from portkit.errors import PortkitError
from portkit.explaining.explanation import explain
from portkit.explaining.lifetime import Lifetime
from portkit.explaining.subject import ENGINES, find_subjects
from portkit.mapping.load import rows
from portkit.report.explanation_document import explanation_document

REFERENCE = Path(__file__).parents[1] / "catalogue" / "reference" / "sglang_flag_history.json"
HISTORY = json.loads(REFERENCE.read_text(encoding="utf-8"))
RELEASES: list[str] = HISTORY["releases"]
# The reference's word for a parser's type function -> the catalogues'.
TYPES = {"human_readable_int": "human_int", "json.loads": "json", "json_list_type": "json"}


def life(name: str, engine: Any) -> Lifetime:
    (found,) = explain(name, [engine]).lives
    return found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("--cuda-graph-max-bs", ["sglang flag --cuda-graph-max-bs"]),
        ("cuda-graph-max-bs", ["sglang flag --cuda-graph-max-bs"]),
        ("cuda_graph_max_bs", ["sglang flag --cuda-graph-max-bs"]),
        ("--cuda_graph_max_bs", ["sglang flag --cuda-graph-max-bs"]),
        ("--cuda-graph-max-bs=8", ["sglang flag --cuda-graph-max-bs"]),
        ("--attention-backend", ["sglang flag --attention-backend", "vllm flag --attention-backend"]),
        ("tp", ["sglang flag --tp", "vllm flag -tp"]),
        ("-cc", ["vllm flag -cc"]),
        ("-O", ["vllm flag -O"]),
        ("VLLM_ATTENTION_BACKEND", ["vllm variable VLLM_ATTENTION_BACKEND"]),
        ("NCCL_P2P_LEVEL", ["sglang variable NCCL_P2P_LEVEL", "vllm variable NCCL_P2P_LEVEL"]),
        ("speculative-config.method", ["vllm key --speculative-config.method"]),
        ("speculative_config.method", ["vllm key --speculative-config.method"]),
        ("-sc.method", ["vllm key -sc.method"]),
        ("compilation-config.pass_config.enable_sp", ["vllm key --compilation-config.pass_config.enable_sp"]),
        ("cuda-graph-config.decode.bs", ["sglang key --cuda-graph-config.decode.bs"]),
        ("--no-enable-prefix-caching", ["vllm flag --no-enable-prefix-caching"]),
        ("cuda_graphs.mode", []),
    ],
)
def test_names(text: str, found: list[str]) -> None:
    assert [f"{subject.engine} {subject.kind} {subject}" for subject in find_subjects(text)] == found


@pytest.mark.parametrize(
    ("text", "engines", "message", "hint"),
    [
        ("--nope", ENGINES, "no flag, key, variable or setting is called --nope", "give a flag"),
        ("", ENGINES, "no flag, key, variable or setting is called", "give a flag"),
        ("vllm_use_v1", ENGINES, "is called vllm_use_v1", "did you mean VLLM_USE_V1?"),
        ("--max-num-seq5", ENGINES, "is called --max-num-seq5", "--max-num-seqs"),
        ("cuda_graphs.mod", ENGINES, "is called cuda_graphs.mod", "did you mean cuda_graphs.mode"),
        ("speculative-config.num_spec_tokens", ENGINES, "has no key num_spec_tokens", "num_speculative_tokens"),
        (
            "cuda-graph-config.x",
            ENGINES,
            "--cuda-graph-config of sglang has no key x in any release",
            "its keys are those of CudaGraphConfig",
        ),
        ("mm-process-config.x", ENGINES, "keys of --mm-process-config of sglang are not catalogued", None),
        ("--swap-space", ("sglang",), "sglang has no --swap-space in any catalogued release; vllm has it", None),
    ],
)
def test_unknown_names(text: str, engines: Any, message: str, hint: str | None) -> None:
    with pytest.raises(PortkitError) as refused:
        explain(text, engines)
    assert message in refused.value.message
    assert (hint is None) == (refused.value.hint is None) and (hint or "") in (refused.value.hint or "")


@pytest.mark.parametrize(
    ("engine", "name", "known"),
    [
        ("sglang", "--cuda-graph-max-bs", "0.4.10.post2 to 0.5.19"),
        ("sglang", "--disable-cuda-graph", "0.4.10.post2 to 0.5.23"),
        ("sglang", "--hierarchical-sparse-attention-extra-config", "0.5.8 to 0.5.9, 0.5.12 to 0.5.23"),
        ("vllm", "--swap-space", "0.8.5 to 0.17.1"),
        ("vllm", "--disable-log-requests", "0.8.5 to 0.16.0, 0.33.0"),
        ("vllm", "VLLM_ATTENTION_BACKEND", "0.8.5 to 0.14.1"),
        ("vllm", "-O", "0.8.5 to 0.11.2"),
        ("vllm", "-cc", "0.12.0 to 0.33.0"),
        ("vllm", "compilation-config.level", "0.9.1 to 0.17.1"),
        ("vllm", "compilation-config.mode", "0.11.1 to 0.33.0"),
        ("vllm", "--grpc", "0.18.0 to 0.33.0"),
        ("sglang", "--tp", ""),
    ],
)
def test_known(engine: Any, name: str, known: str) -> None:
    """As it stood when 0.5.23 and 0.33.0 were the newest: later releases may go on with the last run."""
    found = [(run.first, run.last) for run in life(name, engine).known]
    told = [tuple(map(Version, (part.split(" to ") * 2)[:2])) for part in known.split(", ") if part]
    assert [first for first, _ in found] == [first for first, _ in told]
    for (_, last), (_, expected) in zip(found, told, strict=True):
        assert last == expected or (last > expected and expected in (Version("0.5.23"), Version("0.33.0")))


@pytest.mark.parametrize(
    ("engine", "name", "release", "kind", "names"),
    [
        ("sglang", "--cuda-graph-max-bs", "0.5.20", "ambiguous", "--cuda-graph-max-bs-decode --cuda-graph-max-bs-prefill"),
        ("sglang", "--cuda-graph-max-bs", "0.5.23", "ambiguous", "--cuda-graph-max-bs-decode --cuda-graph-max-bs-prefill"),
        ("sglang", "--stream-output", "0.5.20", "unrecognized", ""),
        ("sglang", "--nsa-prefill", "0.5.4", "abbreviation", "--nsa-prefill-backend"),
        ("sglang", "--nsa-prefill", "0.5.9", "ambiguous", "--nsa-prefill-backend --nsa-prefill-cp-mode"),
        ("sglang", "--nsa-prefill", "0.5.20", "unrecognized", ""),
        ("sglang", "--tp", "0.5.23", "abbreviation", "--tp-size"),
        ("vllm", "--swap-space", "0.18.0", "unrecognized", ""),
        ("vllm", "--guided-decoding-backend", "0.12.0", "unrecognized", ""),
        ("vllm", "-O", "0.12.0", "rewritten", "--optimization-level"),
        ("vllm", "compilation-config.level", "0.18.0", "refused", ""),
        ("vllm", "VLLM_ATTENTION_BACKEND", "0.16.0", "unread", ""),
        ("vllm", "VLLM_ATTENTION_BACKEND", "0.17.0", "warned", ""),
        ("sglang", "SGL_ENABLE_JIT_DEEPGEMM", "0.5.23", "copied", "SGLANG_ENABLE_JIT_DEEPGEMM"),
    ],
)  # fmt: skip
def test_what_an_old_spelling_does_later(engine: Any, name: str, release: str, kind: str, names: str) -> None:
    found = [o for run, o in life(name, engine).otherwise if run.first <= Version(release) <= run.last]
    assert [(outcome.kind, " ".join(outcome.names)) for outcome in found] == [(kind, names)]


@pytest.mark.parametrize(
    ("engine", "name", "since", "replacement", "ignored", "refused"),
    [
        ("sglang", "--cuda-graph-max-bs", "0.5.14", "--cuda-graph-max-bs-decode", False, False),
        ("sglang", "--enable-ep-moe", "0.4.10.post2", "--ep-size", False, False),
        ("sglang", "--enable-piecewise-cuda-graph", "0.5.10", "--enforce-piecewise-cuda-graph", True, False),
        ("sglang", "--enable-dp-attention", "0.5.22", "--attn-dp-size <dp-size>", False, False),
        ("vllm", "--disable-cascade-attn", "0.32.0", None, True, False),
        ("vllm", "--log-config-file", "0.31.0", "--logging-config", False, False),
    ],
)
def test_deprecated(engine: Any, name: str, since: str, replacement: str | None, ignored: bool, refused: bool) -> None:
    run, deprecation = life(name, engine).deprecated[0]
    assert str(run.first) == since
    assert (deprecation.replacement, deprecation.ignored, deprecation.refused) == (replacement, ignored, refused)


@pytest.mark.parametrize(
    ("engine", "name", "kin"),
    [
        ("sglang", "--cuda-graph-max-bs", "--cuda-graph-max-bs-decode"),
        ("sglang", "--cuda-graph-max-bs-decode", "--cuda-graph-max-bs"),
        ("sglang", "--stream-output", "--incremental-streaming-output"),
        ("sglang", "--nsa-prefill-backend", "--dsa-prefill-backend"),
        ("vllm", "-O", "--compilation-config"),
    ],
)
def test_renamed(engine: Any, name: str, kin: str) -> None:
    assert kin in life(name, engine).same_place


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        ("--cuda-graph-max-bs", "cuda_graphs.decode_batch_sizes"),
        ("--tensor-parallel-size", "parallelism.tensor_parallel_size"),
        ("-tp", "parallelism.tensor_parallel_size"),
        ("--no-enable-prefix-caching", "memory.prefix_caching"),
        ("VLLM_ATTENTION_BACKEND", "attention.backend"),
        ("speculative-config.num_speculative_tokens", "speculation.draft_tokens"),
        ("-sc.num_speculative_tokens", "speculation.draft_tokens"),
        ("cuda-graph-config.decode.bs", "cuda_graphs.decode_batch_sizes"),
        ("NCCL_P2P_LEVEL", "communication.nccl.*"),
        ("cuda_graphs.mode", "cuda_graphs.mode"),
    ],
)
def test_settings(name: str, setting: str) -> None:
    assert setting in [found.row.setting for found in explain(name).settings]


def test_a_setting_has_its_places_by_release() -> None:
    document = explanation_document(explain("attention.backend"))
    (setting,) = document["settings"]
    places = {place["env"] or place["flag"]: place["known"] for place in setting["engines"]["vllm"]["places"]}
    assert places["VLLM_ATTENTION_BACKEND"] == [{"first": "0.8.5", "last": "0.14.1"}]
    assert places["--attention-backend"][0]["first"] == "0.13.0"
    assert setting["carried"] == {"to_sglang": "approximate", "to_vllm": "approximate"}


def test_every_row_has_places_in_both_engines_or_a_reason() -> None:
    for name, row in rows().items():
        (setting,) = explain(name).settings
        for side in setting.sides:
            assert bool(side.uses) == bool(row.side(side.engine).places), f"{name} on {side.engine}"


@pytest.mark.parametrize("name", sorted(HISTORY["flags"]))
def test_history_of_sglang_flags(name: str) -> None:
    """The document answers as the history that another program put together from 26 of these releases."""
    told = HISTORY["flags"][name]
    (document,) = explanation_document(explain(name, ["sglang"]))["engines"]
    having = [release for release in RELEASES if _within(release, document["known"])]
    expected = [r for r in _from_to(told.get("first"), told.get("last")) if r not in told.get("gaps", ())]
    deprecated = [release for release in RELEASES if _within(release, document["deprecated"])]
    replacements = [period["replacement"] for period in document["deprecated"] if period["replacement"]]
    assert having == expected
    assert next(iter(deprecated), None) == told.get("deprecated_since")
    assert next(reversed(replacements), None) == told.get("replacement")
    assert (document["gone_in"][-1] if told.get("last") else None) in _until(told.get("last"), told.get("removed_in"))
    for field in ("dest", "type", "default", "action"):
        theirs = {change["at"]: change["new"] for change in told.get("changes", ()) if change["field"] == field}
        assert _changes_at(document["changes"], field) == {at: TYPES.get(str(now), now) for at, now in theirs.items()}
    assert _choices(document["changes"]) == {
        change["at"]: (_listed(change["added"]), _listed(change["removed"]))
        for change in told.get("changes", ())
        if change["field"] == "choices"
    }


def _within(release: str, periods: list[dict[str, Any]]) -> bool:
    return any(Version(p["first"]) <= Version(release) <= Version(p["last"]) for p in periods)


def _from_to(first: str | None, last: str | None) -> list[str]:
    start = RELEASES.index(first) if first else 0
    return RELEASES[start : RELEASES.index(last) + 1 if last else None]


def _until(last: str | None, removed: str | None) -> list[str | None]:
    """The releases that may be the first without a flag: the reference knows only some of ours."""
    if last is None or removed is None:
        return [None]
    return [str(r) for r in known_releases("sglang") if Version(last) < r <= Version(removed)]


def _at(release: str) -> str:
    """The first of the reference's releases that shows what a release of ours changed."""
    return next(known for known in RELEASES if Version(known) >= Version(release))


def _changes_at(changes: list[dict[str, Any]], field: str) -> dict[str, Any]:
    return {_at(change["release"]): change["now"] for change in changes if change["field"] == field}


def _choices(changes: list[dict[str, Any]]) -> dict[str, tuple[Any, Any]]:
    """What the choices gained and lost between the reference's releases."""
    steps: dict[str, list[Any]] = {}
    for change in changes:
        if change["field"] == "choices":
            at = _at(change["release"])
            steps.setdefault(at, [change["was"], None])[1] = change["now"]
    return {at: _gained_and_lost(was, now) for at, (was, now) in steps.items() if was != now}


def _gained_and_lost(was: list[Any] | None, now: list[Any] | None) -> tuple[Any, Any]:
    added = None if now is None else sorted(set(now) - set(was or ()))
    removed = None if was is None else sorted(set(was) - set(now or ()))
    return added, removed


def _listed(values: Any) -> list[Any] | None:
    """The reference says in words that all values were allowed."""
    return sorted(values) if isinstance(values, list) else None


@pytest.mark.parametrize("engine", ENGINES)
def test_every_name_of_a_release_is_explained(engine: Any) -> None:
    releases = known_releases(engine)
    for release in (releases[0], releases[len(releases) // 2], releases[-1]):
        catalogue = load(engine, release)
        for name in [*list(catalogue.by_name)[::7], *list(catalogue.variables)[::7]]:
            found = life(name, engine)
            assert any(run.first <= release <= run.last for run in found.known), name
            for before, after in pairwise(found.known):
                assert before.last < after.first


@given(st.text(max_size=30) | st.from_regex(r"(--?)?[a-z_-]{0,20}(\.[a-z_]{0,10})?(=.*)?", fullmatch=True))
def test_any_text_is_explained_or_refused(text: str) -> None:
    try:
        explanation = explain(text)
    except PortkitError as refused:
        assert refused.message
        return
    assert explanation.lives or explanation.settings
    json.dumps(explanation_document(explanation))

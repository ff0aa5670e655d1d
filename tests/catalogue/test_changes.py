"""What a release changed over the one before, against what is known of real releases."""

from __future__ import annotations

import sys
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from packaging.version import Version

from portkit.catalogue.changes import Changes, catalogue_changes
from portkit.catalogue.load import known_releases, load

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
from catalogues.report import report, touched_rows, without_row


@cache
def changes(engine: Any, old: str, new: str) -> Changes:
    return catalogue_changes(load(engine, Version(old)), load(engine, Version(new)))


VLLM_12 = ("vllm", "0.11.2", "0.12.0")
SGLANG_20 = ("sglang", "0.5.19", "0.5.20")

COUNTS = [
    # engine, old, new, option strings added and removed
    ("sglang", "0.5.14", "0.5.15.post1", 18, 0),
    ("sglang", "0.5.18", "0.5.19", 15, 0),
    ("sglang", "0.5.19", "0.5.20", 15, 23),
    ("sglang", "0.5.20", "0.5.21", 21, 2),
    ("sglang", "0.5.22", "0.5.23", 16, 1),
    ("sglang", "0.5.12", "0.5.12.post1", 0, 0),
]


@pytest.mark.parametrize(("engine", "old", "new", "added", "removed"), COUNTS)
def test_counts(engine: Any, old: str, new: str, added: int, removed: int) -> None:
    found = changes(engine, old, new)
    assert (len(found.added), len(found.removed)) == (added, removed)


@pytest.mark.parametrize(
    ("step", "name"),
    [
        (VLLM_12, "--optimization-level"),
        (VLLM_12, "-cc"),
        (("vllm", "0.12.0", "0.13.0"), "--attention-backend"),
        (("vllm", "0.12.0", "0.13.0"), "-ac"),
        (("vllm", "0.32.0", "0.33.0"), "--disable-log-requests"),
        (SGLANG_20, "--uno-lora-path"),
    ],
)
def test_added(step: tuple[str, str, str], name: str) -> None:
    assert name in changes(*step).added


@pytest.mark.parametrize(
    ("step", "name", "same_dest", "replacement"),
    [
        (VLLM_12, "--guided-decoding-backend", (), None),
        (VLLM_12, "-O", ("--compilation-config",), None),
        (("vllm", "0.12.0", "0.13.0"), "--cuda-graph-sizes", (), "--cudagraph-capture-sizes"),
        (("vllm", "0.12.0", "0.13.0"), "--task", (), None),
        (("vllm", "0.17.1", "0.18.0"), "--swap-space", (), None),
        (SGLANG_20, "--cuda-graph-max-bs", ("--cuda-graph-max-bs-decode",), "--cuda-graph-max-bs-decode"),
        (SGLANG_20, "--cuda-graph-bs", ("--cuda-graph-bs-decode",), "--cuda-graph-bs-decode"),
        (SGLANG_20, "--stream-output", ("--incremental-streaming-output",), "--incremental-streaming-output"),
        (SGLANG_20, "--enable-prefill-context-parallel", (), "--enable-prefill-cp"),
        (SGLANG_20, "--disable-piecewise-cuda-graph", ("--cuda-graph-backend-prefill",), "--cuda-graph-backend-prefill=disabled"),
        (("sglang", "0.5.13.post1", "0.5.14"), "--hybrid-kvcache-ratio", (), "--swa-full-tokens-ratio"),
        (("sglang", "0.5.17", "0.5.18"), "--torchao-config", (), None),
    ],
)  # fmt: skip
def test_removed(step: tuple[str, str, str], name: str, same_dest: tuple[str, ...], replacement: str | None) -> None:
    gone = changes(*step).removed[name]
    assert (gone.same_dest, gone.replacement) == (same_dest, replacement)


@pytest.mark.parametrize(
    ("step", "name", "field", "was", "now"),
    [
        (VLLM_12, "--seed", "default", None, 0),
        (("vllm", "0.19.1", "0.20.0"), "--gpu-memory-utilization", "default", 0.9, 0.92),
        (("vllm", "0.31.0", "0.32.0"), "--allowed-origins", "default", ["*"], []),
        (("vllm", "0.31.0", "0.32.0"), "--disable-cascade-attn", "ignored", False, True),
        (SGLANG_20, "--swa-full-tokens-ratio", "default", 0.8, None),
        (SGLANG_20, "--mamba-full-memory-ratio", "default", 0.9, None),
        (("sglang", "0.5.13.post1", "0.5.14"), "--hicache-mem-layout", "default", "layer_first", "page_first"),
        (("sglang", "0.5.13.post1", "0.5.14"), "--tp-size", "dest", "tensor_parallel_size", "tp_size"),
        (("sglang", "0.5.13.post1", "0.5.14"), "--disable-cuda-graph", "deprecated", False, True),
        (("sglang", "0.5.9", "0.5.10"), "--context-length", "type", "int", "human_int"),
    ],
)
def test_changed(step: tuple[str, str, str], name: str, field: str, was: Any, now: Any) -> None:
    found = load(step[0], Version(step[2])).by_name[name].name  # type: ignore[arg-type]
    assert (was, now) in [(c.was, c.now) for c in changes(*step).flags[found] if c.field == field]


@pytest.mark.parametrize(
    ("step", "name", "added", "removed"),
    [
        (SGLANG_20, "--attention-backend", {"qsa"}, {"cutlass_mla", "dual_chunk_flash_attn"}),
        (SGLANG_20, "--schedule-policy", {"hrrn"}, set()),
        (("sglang", "0.5.20", "0.5.21"), "--kv-cache-dtype", set(), {"fp4_e2m1"}),
        (("vllm", "0.23.0", "0.24.0"), "--all2all-backend", {"deepep_v2"}, set()),
        (("vllm", "0.32.0", "0.33.0"), "--spec-method", None, {"medusa", "mlp_speculator"}),
    ],
)
def test_choices(step: tuple[str, str, str], name: str, added: set[str] | None, removed: set[str]) -> None:
    choices = next(change for change in changes(*step).flags[name] if change.field == "choices")
    assert (added is None or set(choices.added) == added) and removed <= set(choices.removed)


@pytest.mark.parametrize(
    ("step", "variable", "what"),
    [
        (("vllm", "0.14.1", "0.15.0"), "VLLM_ATTENTION_BACKEND", "removed_variables"),
        (("vllm", "0.10.2", "0.11.0"), "VLLM_ALLREDUCE_USE_SYMM_MEM", "variables"),
        (("vllm", "0.28.0", "0.29.0"), "VLLM_ALLREDUCE_USE_FLASHINFER", "variables"),
        (("vllm", "0.11.0", "0.11.1"), "VLLM_USE_V1", "removed_variables"),
        (VLLM_12, "VLLM_USE_V2_MODEL_RUNNER", "added_variables"),
        (VLLM_12, "CompilationConfig.use_inductor", "removed_keys"),
        (VLLM_12, "PassConfig.fuse_allreduce_rms", "added_keys"),
        (("vllm", "0.17.1", "0.18.0"), "CompilationConfig.level", "removed_keys"),
        (VLLM_12, "SpeculativeConfig.quantization", "keys"),
    ],
)
def test_variables_and_keys(step: tuple[str, str, str], variable: str, what: str) -> None:
    assert variable in getattr(changes(*step), what)


@pytest.mark.parametrize("engine", ["sglang", "vllm"])
def test_a_release_changes_nothing_over_itself(engine: Any) -> None:
    for release in known_releases(engine):
        assert not catalogue_changes(load(engine, release), load(engine, release))


@pytest.mark.parametrize("engine", ["sglang", "vllm"])
def test_changes_forward_and_back_are_each_others_opposite(engine: Any) -> None:
    for old, new in pairwise(known_releases(engine)):
        forward, back = changes(engine, str(old), str(new)), changes(engine, str(new), str(old))
        assert (set(forward.added), set(forward.removed)) == (set(back.removed), set(back.added))
        assert (set(forward.added_keys), set(forward.keys)) == (set(back.removed_keys), set(back.keys))
        assert set(forward.variables) == set(back.variables)


@pytest.mark.parametrize(
    ("step", "setting", "said"),
    [
        (SGLANG_20, "cuda_graphs.decode_batch_sizes", "place `--cuda-graph-max-bs`: gone; renamed by dest"),
        (SGLANG_20, "attention.backend", "choices + `qsa` - `cutlass_mla dual_chunk_flash_attn`"),
        (VLLM_12, "model.seed", "default unset → `0`"),
        (("vllm", "0.14.1", "0.15.0"), "attention.backend", "place `VLLM_ATTENTION_BACKEND`: gone"),
        (("vllm", "0.17.1", "0.18.0"), "cuda_graphs.compilation_mode", "place `--compilation-config level`: gone"),
    ],
)
def test_rows_touched(step: tuple[str, str, str], setting: str, said: str) -> None:
    lines = [line for line in touched_rows(changes(*step)) if line.startswith(f"`{setting}`")]
    assert any(said in line for line in lines), lines


def test_a_row_that_outlives_its_flag_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from catalogues import report as module

    from portkit.mapping.load import rows
    from portkit.mapping.rows import Place, Side

    row = rows()["memory.swa_ratio"]
    stale = type(row)(**{**vars(row), "sglang": Side(places=(Place(flag="--stream-output"),))})
    monkeypatch.setattr(module, "rows", lambda: {"memory.swa_ratio": stale})
    (line,) = touched_rows(changes(*SGLANG_20))
    assert "**the row still has it there: end its `releases` below 0.5.20**" in line


def test_new_flags_without_a_row() -> None:
    lines = list(without_row(changes(*VLLM_12)))
    assert any(line.startswith("`--kv-cache-metrics`") for line in lines)
    assert not any("-cc" in line or "--optimization-level" in line for line in lines)


def test_report_says_every_option_string() -> None:
    found = changes(*SGLANG_20)
    text = report(found.old, found.new)
    assert text.startswith("## sglang 0.5.20: what changed since 0.5.19\n")
    assert all(f"`{name}`" in text for name in (*found.added, *found.removed, *found.flags))


def test_report_of_releases_that_agree() -> None:
    old, new = (load("sglang", Version(release)) for release in ("0.5.12", "0.5.12.post1"))
    assert report(old, new).endswith("No flag, variable or key of a config object differs.\n")

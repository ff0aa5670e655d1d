"""Histories that other programs put together from the same parsers, against the catalogues."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from packaging.version import Version

from portkit.catalogue.changes import flag_changes
from portkit.catalogue.load import load

REFERENCE = Path(__file__).with_name("reference")
SGLANG = json.loads((REFERENCE / "sglang_flag_history.json").read_text(encoding="utf-8"))
SGLANG_RELEASES: list[str] = SGLANG["releases"]
SGLANG_CATALOGUES = {release: load("sglang", Version(release)) for release in SGLANG_RELEASES}

# vLLM's reference used these releases; wheels for CPUs were released again as .postN.
VLLM_RELEASES = [
    "0.9.2.post2", "0.10.0", "0.10.1.1", "0.10.2.post2", "0.11.0", "0.11.2.post2", "0.12.0.post2", "0.13.0", "0.14.1",
    "0.15.1", "0.16.0", "0.17.1", "0.18.1", "0.19.1", "0.20.1", "0.21.0", "0.22.1", "0.23.0", "0.24.0", "0.25.1",
    "0.26.0", "0.27.1", "0.28.0", "0.29.0", "0.30.0", "0.31.0", "0.32.0", "0.33.0",
]  # fmt: skip
VLLM_CATALOGUES = {release: load("vllm", Version(Version(release).base_version)) for release in VLLM_RELEASES}

# The reference's word for a parser's type function -> ours; see test_generated.py.
TYPES = {"human_readable_int": "human_int", "json.loads": "json", "json_list_type": "json"}
COMPARED = ("dest", "default", "choices", "type", "action")

SERVE_ONLY = "added by `vllm serve` to the parser of the server, which is all that the reference read"
DIRECT = "read past the registry, which is all that the reference read"
# Name -> (releases that have it here and not in the reference, why).
VLLM_DIFFERENCES = {
    "--grpc": (["0.18.1", "0.19.1"], SERVE_ONLY),
    "VLLM_BATCH_INVARIANT": (
        VLLM_RELEASES[VLLM_RELEASES.index("0.11.2.post2") : VLLM_RELEASES.index("0.19.1")],
        DIRECT,
    ),
    "VLLM_CPU_CI_ENV": (VLLM_RELEASES[: VLLM_RELEASES.index("0.29.0")], DIRECT),
    "VLLM_ELASTIC_EP_SCALE_UP_LAUNCH": (VLLM_RELEASES[1 : VLLM_RELEASES.index("0.17.1")], DIRECT),
}
# Variables that the reference doesn't have at all.
VLLM_DIRECT = {
    "VLLM_CONTIGUOUS_PA", "VLLM_CPU_SIM_MULTI_NUMA", "VLLM_DELAYED_SAMPLING", "VLLM_DIST_IDENT",
    "VLLM_FUN_AUDIOCHAT_DEBUG", "VLLM_FUN_AUDIOCHAT_DUMP_PATH", "VLLM_GC_THR_MULTIPLIER", "VLLM_GRAPH_DECODE_STRATEGY",
    "VLLM_GRAPH_PROMPT_RATIO", "VLLM_GRAPH_PROMPT_STRATEGY", "VLLM_GRAPH_RESERVED_MEM",
    "VLLM_HPU_LOG_STEP_CPU_FALLBACKS", "VLLM_HPU_LOG_STEP_CPU_FALLBACKS_ALL", "VLLM_HPU_LOG_STEP_GRAPH_COMPILATION",
    "VLLM_HPU_LOG_STEP_GRAPH_COMPILATION_ALL", "VLLM_MINIMAX_M3_MSA_CUTLASS_MIN_BATCH",
    "VLLM_MORIIO_TRANSFER_TIMEOUT_S", "VLLM_NEURON_FRAMEWORK", "VLLM_OMP_NUM_THREADS_SET_BY_VLLM",
    "VLLM_PRECOMPILED_WHEEL_LOCATION", "VLLM_PROMPT_USE_FUSEDSDPA", "VLLM_PT_PROFILE", "VLLM_REGIONAL_COMPILATION",
    "VLLM_SKIP_WARMUP", "VLLM_SNAPSHOT_TIMEOUT_S", "VLLM_TEST_ENABLE_ARTIFICIAL_PREEMPT", "VLLM_USE_FAKE_HPU",
}  # fmt: skip


def test_sglang_has_the_same_option_strings() -> None:
    ours = {name for catalogue in SGLANG_CATALOGUES.values() for name in catalogue.by_name}
    assert len(ours) == 632
    assert ours == set(SGLANG["flags"])


@pytest.mark.parametrize("name", sorted(SGLANG["flags"]))
def test_sglang_flag(name: str) -> None:
    """First, last, gaps, removal, deprecation, replacement, dests and every change of a flag."""
    forms = {release: c.by_name[name] for release, c in SGLANG_CATALOGUES.items() if name in c.by_name}
    told = SGLANG["flags"][name]
    having, deprecated = list(forms), [release for release, form in forms.items() if form.deprecated]
    replacements = [form.replacement for form in forms.values() if form.replacement]
    first, last = SGLANG_RELEASES.index(having[0]), SGLANG_RELEASES.index(having[-1])
    assert {
        "first": having[0],
        "last": having[-1],
        "removed_in": next(iter(SGLANG_RELEASES[last + 1 :]), None),
        "gaps": [release for release in SGLANG_RELEASES[first:last] if release not in forms],
        "deprecated_since": next(iter(deprecated), None),
        "replacement": next(reversed(replacements), None),
        "dests": sorted({form.dest for form in forms.values()}),
        "changes": sorted(_ours(forms), key=str),
    } == {
        "first": told.get("first", SGLANG_RELEASES[0]),
        "last": told.get("last", SGLANG_RELEASES[-1]),
        "removed_in": told.get("removed_in"),
        "gaps": told.get("gaps", []),
        "deprecated_since": told.get("deprecated_since"),
        "replacement": told.get("replacement"),
        "dests": sorted(told["dests"]),
        "changes": sorted(map(_theirs, told.get("changes", [])), key=str),
    }


def _ours(forms: dict[str, Any]) -> list[tuple[Any, ...]]:
    found = []
    for was, now in pairwise(forms):
        for change in flag_changes(forms[was], forms[now]):
            if change.field == "choices":
                added = _unrestricted(change.now) or sorted(change.added)
                removed = _unrestricted(change.was) or sorted(change.removed)
                found.append((now, "choices", added, removed))
            elif change.field == "nargs":  # the reference doesn't say that a deprecated switch takes 0 values
                if (change.was or None) != (change.now or None):
                    found.append((now, "nargs", change.was or None, change.now or None))
            elif change.field in COMPARED:
                found.append((now, change.field, change.was, change.now))
    return found


def _theirs(change: dict[str, Any]) -> tuple[Any, ...]:
    if change["field"] == "choices":
        lists = [v if isinstance(v, list) else "unrestricted" for v in (change["added"], change["removed"])]
        return change["at"], "choices", *lists
    was, now = change["old"], change["new"]
    if change["field"] == "type":
        was, now = TYPES.get(was, was), TYPES.get(now, now)
    return change["at"], change["field"], was, now


def _unrestricted(choices: Any) -> str | None:
    return "unrestricted" if choices is None else None


@pytest.mark.parametrize(("file", "kind"), [("vllm_flag_lifetimes", "by_name"), ("vllm_env_lifetimes", "variables")])
def test_vllm_lifetimes(file: str, kind: str) -> None:
    told = json.loads((REFERENCE / f"{file}.json").read_text(encoding="utf-8"))
    ours: dict[str, list[str]] = {}
    for release, catalogue in VLLM_CATALOGUES.items():
        for name in getattr(catalogue, kind):
            ours.setdefault(name, []).append(release)
    assert set(told) <= set(ours)
    assert set(ours) - set(told) == (VLLM_DIRECT if kind == "variables" else set())
    beyond = {}
    for name, intervals in told.items():
        theirs = [r for first, last in intervals for r in _between(first, last)]
        assert set(theirs) <= set(ours[name]), name
        if more := [release for release in ours[name] if release not in theirs]:
            beyond[name] = more
    listed = {name: releases for name, (releases, _) in VLLM_DIFFERENCES.items()}
    assert beyond == {name: releases for name, releases in listed.items() if name in told}


def _between(first: str, last: str) -> list[str]:
    return VLLM_RELEASES[VLLM_RELEASES.index(first) : VLLM_RELEASES.index(last) + 1]

"""What the committed catalogues say, against other readings of the same releases."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from packaging.version import Version

from portkit.catalogue.load import known_releases, load
from portkit.catalogue.model import Catalogue, Flag
from portkit.data import data_root

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
from catalogues import form

ENGINES = ("sglang", "vllm")
RELEASES = [(engine, release) for engine in ENGINES for release in known_releases(engine)]
REFERENCES = [
    ("sglang", Version("0.5.12.post1")),
    ("sglang", Version("0.5.23")),
    ("vllm", Version("0.20.1")),
    ("vllm", Version("0.33.0")),
]

# The reference's word for a parser's type function -> (what the catalogue may say, why).
TYPES: dict[tuple[str, str], tuple[set[str], str]] = {
    ("sglang", "human_readable_int"): ({"human_int"}, "one word for both engines' functions"),
    ("sglang", "json.loads"): ({"json"}, "one word for whatever parses JSON"),
    ("sglang", "json_list_type"): ({"json"}, "one word for whatever parses JSON"),
    ("sglang", "parse_cuda_graph_config_arg"): ({"json"}, "parses JSON, then checks the keys"),
    ("sglang", "nullable_str"): ({"str"}, "what makes it nullable is said by `nullable`"),
    ("vllm", "None"): ({"str", "bool"}, "argparse has no function for plain text and switches"),
    ("vllm", "_optional_type"): (
        {"str", "int", "float", "json", "human_int"},
        "the wrapper hides the function inside; it is said by `nullable`",
    ),
    ("vllm", "_parse_type"): ({"json"}, "the wrapper hides json.loads inside"),
    ("vllm", "loads"): ({"json"}, "one word for whatever parses JSON"),
    ("vllm", "parse_dataclass"): ({"json"}, "one word for whatever parses JSON"),
    ("vllm", "human_readable_int"): ({"human_int"}, "one word for both engines' functions"),
    ("vllm", "human_readable_int_or_auto"): ({"human_int_or_auto"}, "shorter"),
    ("vllm", "<lambda>"): ({"lower_dash_to_underscore", "comma_list"}, "named by what it does"),
}

OBJECT = "the reference prints the config object; one made without arguments is written {}"
PRINTED = "the reference prints what isn't JSON"
NO_DEFAULT = "argparse's mark for setting nothing"
BOTH = ("0.20.1", "0.33.0")
# (flag, attribute) -> (vLLM releases, what the catalogue says there, why the reference differs).
DIFFERENCES: dict[tuple[str, str], tuple[tuple[str, ...], Any, str]] = {
    ("--compilation-config", "default"): (BOTH, {}, OBJECT),
    ("--attention-config", "default"): (BOTH, {}, OBJECT),
    ("--kernel-config", "default"): (BOTH, {}, OBJECT),
    ("--structured-outputs-config", "default"): (BOTH, {}, OBJECT),
    ("--profiler-config", "default"): (BOTH, {}, OBJECT),
    ("--ir-op-priority", "default"): (BOTH, {}, OBJECT),
    ("--eplb-config", "default"): (BOTH, {}, OBJECT),
    ("--fault-tolerance-config", "default"): (("0.33.0",), {}, OBJECT),
    ("--ec-manager-config", "default"): (("0.33.0",), {}, OBJECT),
    ("--aux-output-config", "default"): (("0.33.0",), {}, OBJECT),
    ("--watchdog-config", "default"): (("0.33.0",), {}, OBJECT),
    ("--mamba-backend", "default"): (BOTH, "triton", PRINTED),
    ("--cpu-offload-params", "default"): (BOTH, [], PRINTED),
    ("--offload-params", "default"): (BOTH, [], PRINTED),
    ("--logging-config", "default"): (("0.33.0",), None, NO_DEFAULT),
    ("--log-level", "default"): (("0.33.0",), None, NO_DEFAULT),
    ("--log-config-file", "default"): (("0.33.0",), None, NO_DEFAULT),
    ("--mm-processor-device", "choices"): (
        ("0.33.0",),
        ["auto", "cpu", "cuda"],
        "the device of the machine is a choice; the reference was read on a CPU, the catalogue as on a GPU",
    ),
}


def reference(engine: str, release: Version) -> dict[str, Any]:
    path = Path(__file__).with_name("reference") / f"{engine}-{release}.json"
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document


def spellings(flag: Flag) -> set[str]:
    """The option strings that help shows, as the reference has them."""
    return {*flag.names, *flag.negatives} - set(flag.hidden)


def texts(values: Any) -> list[str] | None:
    """Choices as text, which is how the vLLM reference has them."""
    return None if values is None else [str(value) for value in values]


@pytest.mark.parametrize(("engine", "release"), REFERENCES)
def test_same_flags_as_the_reference(engine: Any, release: Version) -> None:
    ours = {flag.dest if not flag.names else min(spellings(flag)): flag for flag in load(engine, release).flags}
    rows = {min(row["names"], default=row["dest"]): row for row in reference(engine, release)["flags"]}
    assert {name: (spellings(flag), flag.dest) for name, flag in ours.items()} == {
        name: (set(row["names"]), row["dest"]) for name, row in rows.items()
    }


@pytest.mark.parametrize(("engine", "release"), REFERENCES)
def test_same_choices_and_defaults_as_the_reference(engine: Any, release: Version) -> None:
    catalogue = load(engine, release)
    found: dict[tuple[str, str], Any] = {}
    for row in reference(engine, release)["flags"]:
        flag = of(catalogue, row)
        if row.get("default") != flag.default:
            found[flag.name, "default"] = flag.default
        if texts(row.get("choices")) != texts(flag.choices):
            found[flag.name, "choices"] = texts(flag.choices)
    explained = {
        key: value for key, (releases, value, _) in DIFFERENCES.items() if engine == "vllm" and str(release) in releases
    }
    assert found == explained


@pytest.mark.parametrize("engine", ENGINES)
def test_types_of_the_reference(engine: Any) -> None:
    """Each of the reference's type words means what the table says, and every entry is needed."""
    seen: dict[tuple[str, str], set[str]] = {}
    for _, release in (pair for pair in REFERENCES if pair[0] == engine):
        catalogue = load(engine, release)
        for row in reference(engine, release)["flags"]:
            flag, word = of(catalogue, row), str(row.get("type"))
            assert flag.nullable == (word in ("_optional_type", "nullable_str")), flag.name
            if word != flag.type:
                seen.setdefault((engine, word), set()).add(flag.type)
            elif (engine, word) in TYPES:
                pytest.fail(f"{flag.name} keeps the reference's word {word}")
    assert seen == {key: types for key, (types, _) in TYPES.items() if key[0] == engine}


def of(catalogue: Catalogue, row: dict[str, Any]) -> Flag:
    return catalogue.by_name[row["names"][0]] if row["names"] else catalogue.by_dest[row["dest"]]


@pytest.mark.parametrize(
    ("engine", "release", "beyond"),
    [
        (
            "sglang",
            "0.5.12.post1",  # old names the registry only renames
            {
                "SGLANG_CUTEDSL_MOE_NVFP4_DISPATCH",
                "SGLANG_ENABLE_THINKING",
                "SGLANG_FORWARD_TIMEOUT_MS",
                "SGLANG_GC_LOG",
                "SGLANG_QUEUED_TIMEOUT_MS",
                "SGLANG_REASONING_EFFORT",
                "SGLANG_USE_JIT_ALL_REDUCE",
                "SGL_DISABLE_TP_MEMORY_INBALANCE_CHECK",
            },
        ),
        (
            "sglang",
            "0.5.23",  # the same
            {
                "SGLANG_AITER_MLA_DCP_DECODE_BACKEND",
                "SGLANG_EPLB_ROCM_P2P_BATCH_CHUNK_SIZE",
                "SGLANG_FLASHINFER_MNNVL_CUTEDSL_AR_FUSION",
                "SGLANG_OPT_SWA_RELEASE_LEAF_LOCK_AFTER_WINDOW",
                "SGLANG_USE_TRITON_ROUTER_SUM",
            },
        ),
        (
            "vllm",
            "0.20.1",  # read past the registry
            {
                "VLLM_CPU_CI_ENV",
                "VLLM_CPU_SIM_MULTI_NUMA",
                "VLLM_DIST_IDENT",
                "VLLM_PRECOMPILED_WHEEL_LOCATION",
            },
        ),
        (
            "vllm",
            "0.33.0",  # the same
            {
                "VLLM_CPU_SIM_MULTI_NUMA",
                "VLLM_DIST_IDENT",
                "VLLM_MINIMAX_M3_MSA_CUTLASS_MIN_BATCH",
                "VLLM_MORIIO_TRANSFER_TIMEOUT_S",
                "VLLM_OMP_NUM_THREADS_SET_BY_VLLM",
                "VLLM_PRECOMPILED_WHEEL_LOCATION",
                "VLLM_SNAPSHOT_TIMEOUT_S",
            },
        ),
    ],
)
def test_variables_of_the_reference(engine: Any, release: str, beyond: set[str]) -> None:
    ours = set(load(engine, Version(release)).variables)
    theirs = set(reference(engine, Version(release))["variables"])
    assert (theirs - ours, ours - theirs) == (set(), beyond)


@pytest.mark.parametrize(
    ("engine", "release", "flags", "variables"),
    [
        ("sglang", "0.5.11", 374, 329),
        ("sglang", "0.5.12.post1", 387, 382),
        ("sglang", "0.5.23", 531, 870),
        ("vllm", "0.20.1", 240, 254),
        ("vllm", "0.32.0", 317, 322),
        ("vllm", "0.33.0", 321, 325),
    ],
)
def test_counts(engine: Any, release: str, flags: int, variables: int) -> None:
    catalogue = load(engine, Version(release))
    assert (len(catalogue.flags), len(catalogue.variables)) == (flags, variables)


# Those that the list below speaks of; all others are in test_histories.py.
COUNTED = {"sglang": ("0.5.11", "0.5.12.post1", "0.5.23"), "vllm": ("0.20.1", "0.32.0", "0.33.0")}


@pytest.mark.parametrize(
    ("engine", "name", "releases"),
    [
        ("sglang", "--cuda-graph-bs", "0.5.11 0.5.12.post1"),
        ("sglang", "--cuda-graph-bs-decode", "0.5.23"),
        ("sglang", "--cuda-graph-max-bs", "0.5.11 0.5.12.post1"),
        ("sglang", "--disable-cuda-graph", "0.5.11 0.5.12.post1 0.5.23"),
        ("sglang", "--stream-output", "0.5.11 0.5.12.post1"),
        ("sglang", "--attn-dp-size", "0.5.23"),
        ("sglang", "--enable-dp-attention", "0.5.11 0.5.12.post1 0.5.23"),
        ("sglang", "--nsa-prefill-backend", "0.5.11 0.5.12.post1"),
        ("sglang", "--dsa-prefill-backend", "0.5.23"),
        ("sglang", "--speculative-dflash-draft-window-size", "0.5.11 0.5.12.post1"),
        ("sglang", "--speculative-draft-window-size", "0.5.12.post1 0.5.23"),
        ("sglang", "--torchao-config", "0.5.11 0.5.12.post1"),
        ("sglang", "--enable-double-sparsity", ""),
        ("sglang", "--enable-flashinfer-mla", ""),
        ("sglang", "--speculative-draft-model", "0.5.11 0.5.12.post1 0.5.23"),
        ("sglang", "--no-lora-strict-loading", "0.5.11 0.5.12.post1 0.5.23"),
        ("sglang", "--no-disable-cuda-graph", ""),
        ("vllm", "--swap-space", ""),
        ("vllm", "--spec-method", "0.32.0 0.33.0"),
        ("vllm", "-sc", "0.20.1 0.32.0 0.33.0"),
        ("vllm", "--calculate-kv-scales", "0.20.1"),
        ("vllm", "--device-memory-utilization", "0.32.0 0.33.0"),
        ("vllm", "--no-enable-prefix-caching", "0.20.1 0.32.0 0.33.0"),
        ("vllm", "--disable-prefix-caching", "0.33.0"),
        ("vllm", "--enable-custom-all-reduce", "0.33.0"),
        ("vllm", "--disable-log-requests", "0.33.0"),
    ],
)
def test_releases_that_accept_a_flag(engine: Any, name: str, releases: str) -> None:
    found = [str(release) for release in known_releases(engine) if name in load(engine, release).by_name]
    assert [release for release in found if release in COUNTED[engine]] == releases.split()


@pytest.mark.parametrize(
    ("engine", "release", "name", "attribute", "value"),
    [
        ("sglang", "0.5.11", "--tp-size", "dest", "tensor_parallel_size"),
        ("sglang", "0.5.23", "--tp-size", "dest", "tp_size"),
        ("sglang", "0.5.11", "--hicache-mem-layout", "default", "layer_first"),
        ("sglang", "0.5.23", "--hicache-mem-layout", "default", "page_first"),
        ("sglang", "0.5.12.post1", "--hicache-ratio", "default", 2.0),
        ("sglang", "0.5.23", "--hicache-ratio", "default", None),
        ("sglang", "0.5.12.post1", "--swa-full-tokens-ratio", "default", 0.8),
        ("sglang", "0.5.23", "--swa-full-tokens-ratio", "default", None),
        ("sglang", "0.5.12.post1", "--speculative-algorithm", "choices", None),
        ("sglang", "0.5.23", "--context-length", "type", "human_int"),
        ("sglang", "0.5.23", "--model", "required", True),
        ("sglang", "0.5.12.post1", "--disable-cuda-graph", "deprecated", False),
        ("sglang", "0.5.23", "--disable-cuda-graph", "deprecated", True),
        ("sglang", "0.5.12.post1", "--enable-piecewise-cuda-graph", "ignored", True),
        ("sglang", "0.5.12.post1", "--stream-output", "replacement", "--incremental-streaming-output"),
        ("sglang", "0.5.12.post1", "--stream-output", "ignored", False),
        ("sglang", "0.5.23", "--monokernel-backend", "const", True),
        ("vllm", "0.20.1", "--gpu-memory-utilization", "default", 0.92),
        ("vllm", "0.20.1", "--allowed-origins", "default", ["*"]),
        ("vllm", "0.32.0", "--allowed-origins", "default", []),
        ("vllm", "0.33.0", "--kv-cache-dtype", "choices", None),
        ("vllm", "0.33.0", "--max-model-len", "type", "human_int_or_auto"),
        ("vllm", "0.33.0", "--max-num-seqs", "nullable", False),
        ("vllm", "0.33.0", "--quantization", "nullable", True),
        ("vllm", "0.20.1", "--disable-cascade-attn", "ignored", False),
        ("vllm", "0.33.0", "--disable-cascade-attn", "ignored", True),
        ("vllm", "0.33.0", "--log-config-file", "replacement", "--logging-config"),
        ("vllm", "0.20.1", "--speculative-config", "config_class", "SpeculativeConfig"),
        ("vllm", "0.20.1", "--compilation-config", "names", ("--compilation-config", "-cc")),
        (
            "vllm",
            "0.33.0",
            "--enable-expert-parallel",
            "negatives",
            ("--disable-expert-parallel", "--no-enable-expert-parallel"),
        ),
        ("vllm", "0.33.0", "--enable-expert-parallel", "hidden", ("--no-enable-expert-parallel",)),
    ],
)
def test_flag(engine: Any, release: str, name: str, attribute: str, value: Any) -> None:
    assert getattr(load(engine, Version(release)).by_name[name], attribute) == value


def test_attention_backends_come_and_go() -> None:
    older, newer = (
        set(load("sglang", Version(release)).by_name["--attention-backend"].choices or ())
        for release in ("0.5.11", "0.5.23")
    )
    assert {"cutlass_mla", "dual_chunk_flash_attn"} <= older - newer
    assert {"tokenspeed_mla", "dsv4", "cutedsl_mla", "dsa", "hpc_ops", "qsa"} <= newer - older


def test_dflash_is_a_choice_where_the_parser_has_choices() -> None:
    choices = load("sglang", Version("0.5.11")).by_name["--speculative-algorithm"].choices
    assert choices is not None
    assert set(choices) == {"DFLASH", "EAGLE", "EAGLE3", "NEXTN", "STANDALONE", "NGRAM"}


@pytest.mark.parametrize(
    ("engine", "release", "name", "type", "default", "replacement"),
    [
        ("sglang", "0.5.12.post1", "SGLANG_CACHE_DIR", "str", "~/.cache/sglang", None),
        ("sglang", "0.5.12.post1", "SGLANG_QUEUED_TIMEOUT_MS", "str", None, "SGLANG_REQ_WAITING_TIMEOUT"),
        (
            "sglang",
            "0.5.12.post1",
            "SGLANG_USE_JIT_ALL_REDUCE",
            "str",
            None,
            "SGLANG_OPT_USE_CUSTOM_ALL_REDUCE_V2",
        ),
        (
            "sglang",
            "0.5.23",
            "SGLANG_SCHEDULER_DECREASE_PREFILL_IDLE",
            "bool",
            False,
            "--enable-prefill-delayer",
        ),
        ("vllm", "0.20.1", "VLLM_ALLREDUCE_USE_SYMM_MEM", "bool", True, None),
        ("vllm", "0.20.1", "VLLM_ALLREDUCE_USE_FLASHINFER", "bool", False, None),
        ("vllm", "0.33.0", "VLLM_ALLREDUCE_USE_FLASHINFER", "bool", True, None),
        ("vllm", "0.33.0", "VLLM_CACHE_ROOT", "str", "~/.cache/vllm", None),
    ],
)
def test_variable(engine: Any, release: str, name: str, type: str, default: Any, replacement: str | None) -> None:
    variable = load(engine, Version(release)).variables[name]
    assert (variable.type, variable.default, variable.replacement) == (type, default, replacement)


@pytest.mark.parametrize(
    ("release", "config_class", "keys"),
    [
        ("0.20.1", "SpeculativeConfig", {"method", "model", "num_speculative_tokens"}),
        ("0.20.1", "CompilationConfig", {"mode", "cudagraph_mode", "cudagraph_capture_sizes", "pass_config"}),
        ("0.20.1", "PassConfig", {"fuse_allreduce_rms", "enable_sp"}),
        ("0.20.1", "AttentionConfig", {"backend", "flash_attn_version"}),
        ("0.20.1", "KVTransferConfig", {"kv_connector", "kv_role"}),
        ("0.33.0", "EPLBConfig", {"window_size", "num_redundant_experts"}),
        ("0.33.0", "StructuredOutputsConfig", {"backend", "reasoning_parser"}),
        ("0.33.0", "KernelConfig", {"moe_backend"}),
    ],
)
def test_config_class(release: str, config_class: str, keys: set[str]) -> None:
    assert keys <= set(load("vllm", Version(release)).config_classes[config_class])


@pytest.mark.parametrize(("engine", "release"), RELEASES)
def test_files_are_in_their_canonical_form(engine: str, release: Version) -> None:
    text = (data_root() / "mappings" / "releases" / engine / f"{release}.json").read_text(encoding="utf-8")
    assert form.text(json.loads(text)) == text


# Defaults that the engines' own parsers would refuse if they were written.
NO_CHOICE = {
    ("sglang", "--flashinfer-mxfp4-moe-precision"): ("default",),
    ("vllm", "--reasoning-parser"): ("",),
}


@pytest.mark.parametrize(("engine", "release"), RELEASES)
def test_catalogues_hold_together(engine: Any, release: Version) -> None:
    catalogue = load(engine, release)
    listed = [name for flag in catalogue.flags for name in (*flag.names, *flag.negatives)]
    assert len(listed) == len(set(listed)), "an option string belongs to one flag"
    for flag in catalogue.flags:
        assert catalogue.by_dest[flag.dest].dest == flag.dest
        assert set(flag.hidden) <= set(flag.negatives)
        if flag.choices and flag.default is not None and not flag.nargs:
            assert flag.default in (*flag.choices, False, *NO_CHOICE.get((engine, flag.name), ()))
        assert flag.config_class is None or flag.type == "json"
        assert flag.config_class is None or catalogue.config_classes[flag.config_class]
    current = [flag for flag in catalogue.flags if not flag.deprecated]
    assert all(not catalogue.by_dest[flag.dest].deprecated for flag in current)

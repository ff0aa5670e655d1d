"""Every row against the catalogues, and every flag of the six areas against the rows."""

import pytest
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from portkit.catalogue.load import known_releases, load
from portkit.conversions import READERS, WRITERS, load_all
from portkit.conversions.generic import names_of
from portkit.mapping.load import rows, table
from portkit.mapping.rows import AREAS
from portkit.verdicts import IMPACTS, VERDICTS

load_all()
ENGINES = ("sglang", "vllm")
RELEASES = [(engine, release) for engine in ENGINES for release in known_releases(engine)]


@pytest.mark.parametrize("row", rows().values(), ids=lambda row: row.setting)
def test_row_is_complete(row):
    assert row.area in dict(AREAS)
    assert row.impact in IMPACTS
    assert row.effect and row.why.endswith(".") and row.title
    for engine in ENGINES:
        side = row.side(engine)
        assert side.read in READERS and side.write in WRITERS
        for entry in side.names.values() if isinstance(side.names, dict) else side.names or ():
            if isinstance(entry, dict):
                assert entry.get("verdict", "converted") in VERDICTS
    written = [row.side(engine) for engine in ENGINES if row.side(engine).places]
    assert written or row.setting == "cuda_graphs.decode_coverage"


@pytest.mark.parametrize("row", rows().values(), ids=lambda row: row.setting)
@pytest.mark.parametrize("engine", ENGINES)
def test_no_silent_gap(row, engine):
    """A side without a place says why, or a conversion answers for it."""
    side = row.side(engine)
    assert side.places or side.absent or side.builtin or side.ignored or side.write not in ("same",)


@pytest.mark.parametrize(("engine", "release"), RELEASES, ids=lambda value: str(value))
def test_places_exist_in_the_stated_releases(engine, release):
    catalogue = load(engine, release)
    for row in rows().values():
        for place in row.side(engine).places:
            if place.flag is None or not place.holds_in(release):
                continue
            flag = catalogue.by_name.get(place.flag) or catalogue.by_dest.get(place.flag)
            assert flag is not None, f"{row.setting}: {engine} {release} has no {place.flag}"
            if place.key is not None and flag.config_class in catalogue.config_classes:
                fields = catalogue.config_classes[flag.config_class]
                assert place.key.split(".")[0] in fields, f"{row.setting}: {place}"


@pytest.mark.parametrize(("engine", "release"), RELEASES, ids=lambda value: str(value))
def test_no_place_is_left_out_where_the_flag_exists(engine, release):
    """A range that ends too early or begins too late would make portkit blind to a flag."""
    catalogue = load(engine, release)
    for row in rows().values():
        for place in row.side(engine).places:
            if place.flag is None or place.key is not None or place.holds_in(release):
                continue
            assert place.flag not in catalogue.by_name, f"{row.setting}: {engine} {release} has {place.flag}"


@pytest.mark.parametrize(("engine", "release"), RELEASES, ids=lambda value: str(value))
def test_names_are_choices_of_the_flag(engine, release):
    catalogue = load(engine, release)
    for row in rows().values():
        side = row.side(engine)
        place = side.place(release)
        flag = catalogue.by_name.get(place.flag) if place and place.flag and not place.key else None
        if flag is None or not flag.choices or not side.names:
            continue

        for name in names_of(side):
            if name.holds_in(release):
                assert name.native in flag.choices, f"{row.setting}: {engine} {release} {name.native}"


SIX_AREAS = {
    "sglang": (
        "--cuda-graph", "--disable-cuda-graph", "--piecewise-cuda-graph", "--enable-torch-compile", "--torch-compile",
        "--tp-size", "--pp-size", "--dp-size", "--ep-size", "--enable-dp-attention", "--nnodes", "--node-rank",
        "--dist-init-addr", "--enable-nccl-nvls", "--enable-symm-mem", "--disable-custom-all-reduce", "--enable-mscclpp",
        "--enable-torch-symm-mem", "--enable-p2p-check", "--mem-fraction-static", "--kv-cache-dtype", "--page-size",
        "--cpu-offload-gb", "--offload-", "--speculative-", "--attention-backend", "--prefill-attention-backend",
        "--decode-attention-backend", "--max-total-tokens", "--disable-radix-cache",
    ),
    "vllm": (
        "--cudagraph-capture-sizes", "--max-cudagraph-capture-size", "--enforce-eager", "--optimization-level",
        "--tensor-parallel-size", "--pipeline-parallel-size", "--data-parallel-size", "--enable-expert-parallel",
        "--nnodes", "--node-rank", "--master-addr", "--master-port", "--disable-custom-all-reduce",
        "--gpu-memory-utilization", "--kv-cache-memory-bytes", "--kv-cache-dtype", "--block-size", "--cpu-offload-gb",
        "--spec-", "--attention-backend", "--enable-prefix-caching", "--num-gpu-blocks-override",
    ),
}  # fmt: skip

WITHOUT_ROW = {
    "--data-parallel-size-local": "node-local ranks follow from nodes; part of multi-node targets",
    "--kv-cache-dtype-skip-layers": "vLLM only, per-layer KV precision",
    "--offload-backend": "vLLM only, chooses between its two mechanisms",
    "--offload-params": "vLLM only, names of offloaded parameters",
    "--speculative-config": "taken apart key by key",
}


@pytest.mark.parametrize(("engine", "release"), RELEASES, ids=lambda value: str(value))
def test_the_six_areas_have_a_row_for_every_flag(engine, release):
    claimed = {place.flag for row in rows().values() for place in row.side(engine).places if place.holds_in(release)}
    missing = []
    for flag in load(engine, release).flags:
        named = [name for name in flag.names if name.startswith(SIX_AREAS[engine])]
        if named and not claimed & {*flag.names, flag.dest} and flag.name not in WITHOUT_ROW:
            missing.append(flag.name)
    assert missing == []


def test_ranges_are_specifiers():
    for row in rows().values():
        for engine in ENGINES:
            for place in row.side(engine).places:
                place.holds_in(Version("0.20.1"))


VLLM = [release for engine, release in RELEASES if engine == "vllm"]
REGISTERED = {
    "serving.tool_call_parser": "tool_call_parser",
    "serving.reasoning_parser": "reasoning_parser",
    "model.quantization": "quantization",
    "model.load_format": "load_format",
    "speculation.method": "speculative_config.method",
}


@pytest.mark.parametrize("release", VLLM, ids=str)
@pytest.mark.parametrize("setting", REGISTERED)
def test_vllm_names_are_in_its_registries(setting, release):
    """Names that vLLM's parser doesn't check but its registries do."""
    written = {name.native for name in names_of(rows()[setting].vllm) if name.holds_in(release)}
    assert written <= set(load("vllm", release).registries[REGISTERED[setting]])


@pytest.mark.parametrize("release", VLLM, ids=str)
def test_vllm_attention_backends_are_in_its_registry(release):
    written = {
        entry["vllm"]
        for entry in table("attention_backends")
        if "vllm" in entry and release in SpecifierSet(entry.get("releases", ""), prereleases=True)
    }
    assert written <= set(load("vllm", release).registries["attention_backend"])

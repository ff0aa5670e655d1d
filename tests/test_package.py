"""The wheel, installed in a clean environment, run from another folder."""

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def run(*command, cwd, env=None):
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The portkit command of a new environment that has the built wheel and nothing of this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    built = run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "-o", str(folder), str(ROOT), cwd=folder)
    assert built.returncode == 0, built.stdout + built.stderr
    wheel = next(folder.glob("*.whl"))
    venv.create(folder / "venv", with_pip=True)
    scripts = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    done = run(str(scripts / "python"), "-m", "pip", "install", "-q", str(wheel), cwd=folder)
    assert done.returncode == 0, done.stderr
    return scripts / "portkit"


def test_the_wheel_is_small_and_has_its_data(installed):
    wheel = next(installed.parent.parent.parent.glob("*.whl"))
    assert wheel.stat().st_size < 3_000_000
    listed = run(sys.executable, "-m", "zipfile", "-l", str(wheel), cwd=wheel.parent).stdout
    for name in ("portkit/py.typed", "_data/mappings/cuda_graphs.yaml", "_data/templates/vllm/serve.sh.j2", "LICENSE"):
        assert name in listed


def test_it_runs_from_another_folder(installed, tmp_path):
    (tmp_path / "sglang.sh").write_text("python -m sglang.launch_server --model-path m --tp 2 --cuda-graph-max-bs 8\n")
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    ported = run(str(installed), "port", "sglang.sh", "--to", "vllm@0.20.1", cwd=tmp_path, env=environment)
    assert ported.returncode == 0, ported.stderr
    assert "--tensor-parallel-size 2" in ported.stdout
    # the second run reads the rows compiled by the first
    again = run(str(installed), "port", "sglang.sh", "--to", "vllm@0.20.1", cwd=tmp_path, env=environment)
    assert again.stdout == ported.stdout
    assert list((tmp_path / "cache" / "portkit").glob("rows-*.json"))


def test_it_runs_without_a_home(installed, tmp_path):
    (tmp_path / "vllm.sh").write_text("vllm serve m\n")
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}
    shown = run(str(installed), "show", "vllm.sh", cwd=tmp_path, env=environment)
    assert shown.returncode == 0, shown.stderr

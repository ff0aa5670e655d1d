"""Runs scripts in real bash with stubs that record what a launch receives.

The stubs of `python`, `vllm` and the like stand first on PATH and start nothing; `sleep`, `curl` and
`kill` do nothing. The environment is empty but for what a test gives.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_RECORDED = ("python", "python3", "vllm", "sglang")
_QUIET = ("sleep", "curl", "nvidia-smi", "pkill", "git", "pip", "module", "ray", "wget", "ss", "lsof")
_REAL = (
    "env", "nohup", "stdbuf", "taskset", "timeout", "nice", "setsid", "cat", "mkdir", "tee", "seq", "basename",
    "dirname", "tr", "date", "rm", "bash", "sh", "cut", "sed", "grep", "wc", "head", "true", "false", "touch",
)  # fmt: skip
_SKIPS_OPTIONS = """#!/bin/bash
shift_next=" -C -N -m -i -p -n "
while [[ $# -gt 0 ]]; do
  case "$1" in
    -*) if [[ $shift_next == *" $1 "* ]]; then shift; fi; shift ;;
    *) break ;;
  esac
done
exec "$@"
"""
_UV = """#!/bin/bash
while [[ "$1" != python* && "$1" != vllm && "$1" != sglang ]]; do
  if [[ "$1" == --with || "$1" == -n ]]; then shift; fi
  shift
done
exec "$@"
"""
_RECORDER = """#!{python} -IS
import json, os, sys
record = {{"argv": [os.fsencode(a).decode("utf-8", "surrogateescape") for a in [os.path.basename(sys.argv[0]), *sys.argv[1:]]],
          "environment": {{k: v for k, v in os.environ.items()}}}}
with open({log!r}, "a") as log:
    log.write(json.dumps(record) + "\\n")
"""
_OWN = {"PWD", "SHLVL", "_", "OLDPWD", "PATH", "BASH_ENV", "LC_ALL", "LC_CTYPE", "LD_PRELOAD", "_STDBUF_O", "_STDBUF_E"}
_PRELUDE = "unset BASH_ENV\nkill() { :; }\nwait() { :; }\n"


@dataclass(frozen=True)
class Received:
    """One start of a recorded command: its words and the variables it was given."""

    argv: tuple[str, ...]
    environment: tuple[tuple[str, str], ...]


class Bash:
    """Real bash in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bin = folder / "bin"
        self.log = folder / "log.jsonl"
        self.bin.mkdir(parents=True)
        recorder = _RECORDER.format(python=sys.executable, log=str(self.log))
        for name in _RECORDED:
            self._stub(name, recorder)
        for name in _QUIET:
            self._stub(name, "#!/bin/bash\nexit 0\n")
        for name in ("numactl", "ionice"):
            self._stub(name, _SKIPS_OPTIONS)
        for name in ("uv", "conda"):
            self._stub(name, _UV)
        for name in _REAL:
            found = shutil.which(name)
            assert found is not None, f"{name} is needed to run scripts"
            (self.bin / name).symlink_to(found)
        (folder / "prelude").write_text(_PRELUDE)
        self.shell = shutil.which("bash") or "/bin/bash"

    def _stub(self, name: str, text: str) -> None:
        path = self.bin / name
        path.write_text(text)
        path.chmod(0o755)

    def launches(self, script: str, outside: Mapping[str, str] | None = None) -> list[Received]:
        """What the recorded commands of a script received, background ones waited for."""
        self.log.write_text("")
        work = self.folder / "work"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        (work / "launch.sh").write_bytes(script.encode("utf-8", "surrogateescape"))
        self._run(["launch.sh"], work, outside or {})
        records = [json.loads(line) for line in self.log.read_text().splitlines()]
        given = set(outside or {})
        return [
            Received(
                tuple(record["argv"]),
                tuple(sorted((k, v) for k, v in record["environment"].items() if k not in _OWN | given)),
            )
            for record in records
        ]

    def words(self, words: list[str], outside: Mapping[str, str]) -> list[str]:
        """What bash makes of words written in shell form."""
        script = "printf '%s\\0' x " + " ".join(words)
        output = self._run(["-c", script], self.folder, outside)
        return output.split("\0")[1:-1]

    def _run(self, arguments: list[str], folder: Path, outside: Mapping[str, str]) -> str:
        read_end, write_end = os.pipe()
        environment = {"PATH": str(self.bin), "BASH_ENV": str(self.folder / "prelude"), "LC_ALL": "C.UTF-8", **outside}
        try:
            done = subprocess.run(
                [self.shell, *arguments],
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                pass_fds=[write_end],
                timeout=20,
                check=False,
            )
        finally:
            os.close(write_end)
            while os.read(read_end, 4096):
                pass
            os.close(read_end)
        return done.stdout.decode("utf-8", "surrogateescape")

"""Condenses catalogues and histories made by other programs into what the tests compare.

    python tests/catalogue/reference/make.py FOLDER

FOLDER holds `<engine>-<release>.json` or the histories named below. Of the histories, SGLang's was
put together from 26 releases' parsers, vLLM's from 28 releases' parsers and variable registries. For SGLang they came from an independent program around the
same parser; for vLLM from the parser of an installed engine with its real dependencies, on a CPU.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

_KEYS = {"flags": "names", "dest": "dest", "type": "type", "default": "default", "choices": "choices"}
_LONGEST = 60  # of a default that is text: enough to tell a printed object by


def condensed(document: dict[str, Any]) -> str:
    """One flag a line, then the variables' names, five a line."""
    flags = []
    for row in document["flags"]:
        if row["dest"] == "help":
            continue
        facts = {ours: row[theirs] for theirs, ours in _KEYS.items() if row[theirs] is not None}
        if isinstance(facts.get("default"), str):
            facts["default"] = facts["default"][:_LONGEST]
        flags.append(json.dumps(facts))
    listed = [row for key in ("envs", "env", "env_direct_reads") for row in document.get(key, [])]
    names = sorted(json.dumps(row if isinstance(row, str) else row["name"]) for row in listed)
    lines = [", ".join(names[start : start + 5]) for start in range(0, len(names), 5)]
    return '{\n"flags": [\n' + ",\n".join(flags) + '\n],\n"variables": [\n' + ",\n".join(lines) + "\n]\n}\n"


def history(document: dict[str, Any]) -> str:
    """SGLang's: the releases, then one option string a line with what is told of it."""
    flags = (f"{json.dumps(name)}: {json.dumps(facts)}" for name, facts in sorted(document["flags"].items()))
    return f'{{\n"releases": {json.dumps(document["versions"])},\n"flags": {{\n' + ",\n".join(flags) + "\n}\n}\n"


def lifetimes(document: dict[str, Any]) -> str:
    """vLLM's: one name a line with the first and last release of each interval."""
    lines = (f"{json.dumps(name)}: {json.dumps(intervals)}" for name, intervals in sorted(document.items()))
    return "{\n" + ",\n".join(lines) + "\n}\n"


HISTORIES = {
    "sglang_flag_history.json": history,
    "vllm_flag_lifetimes.json": lifetimes,
    "vllm_env_lifetimes.json": lifetimes,
}
_CATALOGUE = re.compile(r"(sglang|vllm)-\d.*\.json")

if __name__ == "__main__":
    for path in sorted(Path(sys.argv[1]).glob("*.json")):
        make = HISTORIES.get(path.name) or (condensed if _CATALOGUE.fullmatch(path.name) else None)
        if make is not None:
            Path(__file__).with_name(path.name).write_text(make(json.loads(path.read_text())), encoding="utf-8")

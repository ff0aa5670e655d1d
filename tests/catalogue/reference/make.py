"""Condenses catalogues made by another program into what the tests compare.

    python tests/catalogue/reference/make.py FOLDER

FOLDER holds `<engine>-<release>.json`. For SGLang they came from an independent program around the
same parser; for vLLM from the parser of an installed engine with its real dependencies, on a CPU.
"""

from __future__ import annotations

import json
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


if __name__ == "__main__":
    for path in sorted(Path(sys.argv[1]).glob("*.json")):
        Path(__file__).with_name(path.name).write_text(condensed(json.loads(path.read_text())), encoding="utf-8")

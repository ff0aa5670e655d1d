"""Reading mappings/*.yaml, once: YAML for people, a compiled copy for the program.

ruamel.yaml is pure Python and takes most of a second over all rows, so the parsed rows are kept as
JSON in the user's cache folder, named by a digest of the YAML they came from.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from portkit.data import data_root
from portkit.mapping.rows import AREAS, Place, Row, Side


@cache
def rows() -> Mapping[str, Row]:
    """All rows by setting, areas in reading order and rows in file order."""
    return {record["setting"]: _row(record) for record in records("rows", [f"{a}.yaml" for a, _ in AREAS])}


@cache
def table(name: str) -> Any:
    """A table that rows refer to, such as `gpus`: mappings/tables/<name>.yaml, as plain data."""
    return records(name, [f"tables/{name}.yaml"])


def _row(record: dict[str, Any]) -> Row:
    return Row(
        setting=record["setting"],
        title=record["title"],
        unit=record.get("unit", "none"),
        why=" ".join(record["why"].split()),
        impact=record.get("impact", "low"),
        effect=tuple(record.get("effect", ())),
        fidelity=record.get("fidelity", "exact"),
        sglang=_side(record.get("sglang", {})),
        vllm=_side(record.get("vllm", {})),
        evidence=tuple(record.get("evidence", ())),
        compare=record.get("compare", True),
        comparable=record.get("comparable", True),
        better=record.get("better", ""),
        worst=record.get("worst"),
    )


def _side(record: dict[str, Any]) -> Side:
    values = {key: value for key, value in record.items() if key != "places"}
    for text in ("absent", "builtin", "ignored"):
        if values.get(text):
            values[text] = " ".join(values[text].split())
    return Side(places=tuple(Place(**place) for place in record.get("places", ())), **values)


def records(name: str, files: list[str]) -> Any:
    """The parsed content of files under mappings/: their lists joined, or the one document."""
    folder = data_root() / "mappings"
    texts = [(folder / file).read_bytes() for file in files]
    digest = hashlib.sha256(b"\0".join(texts)).hexdigest()[:20]
    compiled = _cache_folder() / f"{name}-{digest}.json"
    try:
        return json.loads(compiled.read_bytes())
    except (OSError, ValueError):
        records = _parse(texts)
        _keep(compiled, records)
        return records


def _parse(texts: list[bytes]) -> Any:
    from ruamel.yaml import YAML

    documents = [YAML(typ="safe", pure=True).load(text) for text in texts]
    if all(isinstance(document, list) for document in documents):
        return [record for document in documents for record in document]
    return documents[0]


def _cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(base) if base else Path("~/.cache").expanduser()) / "portkit"


def _keep(path: Path, records: Any) -> None:
    """Write the compiled copy whole or not at all; a read-only home only costs time."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as file:
            json.dump(records, file)
        Path(file.name).replace(path)
    except OSError:
        return

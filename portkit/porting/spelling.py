"""How a release's parser wants the words that a writer gives."""

from __future__ import annotations

import json
from dataclasses import replace

from portkit.catalogue.model import Catalogue
from portkit.conversions.writing import Emit


def spelled(emit: Emit, catalogue: Catalogue) -> Emit:
    """A list as one JSON word, where the release's flag parses JSON instead of taking several words."""
    flag = catalogue.by_name.get(emit.flag or "")
    if flag is None or flag.type != "json" or flag.nargs is not None or emit.key is not None or emit.shell is not None:
        return emit
    if not emit.values or emit.values[0].startswith(("[", "{")):
        return emit
    return replace(emit, values=(json.dumps([_number(value) for value in emit.values]),))


def _number(word: str) -> int | str:
    return int(word) if word.isdigit() else word

"""How a release's parser wants the words that a writer gives, and which it refuses."""

from __future__ import annotations

import json
from dataclasses import replace

from portkit.catalogue.argparse_rules import arity
from portkit.catalogue.model import Catalogue
from portkit.catalogue.tokens import StandIns
from portkit.catalogue.values import BadValue, convert
from portkit.conversions.writing import Emit


def spelled(emit: Emit, catalogue: Catalogue) -> Emit:
    """A list as one JSON word, where the release's flag parses JSON instead of taking several words."""
    flag = catalogue.by_name.get(emit.flag or "")
    if flag is None or flag.type != "json" or flag.nargs is not None or emit.key is not None or emit.shell is not None:
        return emit
    if not emit.values or emit.values[0].startswith(("[", "{")):
        return emit
    return replace(emit, values=(json.dumps([_number(value) for value in emit.values]),))


def refusal(emit: Emit, catalogue: Catalogue) -> str:
    """What the release's parser has against a flag and its known values; empty where it takes them."""
    if not emit.flag or emit.commented:
        return ""
    release = f"{catalogue.engine} {catalogue.release}"
    flag = catalogue.by_name.get(emit.flag)
    if flag is None or flag.refused:
        return f"{release} has no {emit.flag}"
    if emit.key is not None:
        fields = catalogue.config_classes.get(flag.config_class or "", {})
        known = not fields or emit.key.split(".")[0] in fields
        return "" if known else f"{emit.flag} has no key {emit.key} in {release}"
    if emit.shell is not None or arity(flag) == (0, 0):
        return ""
    for value in spelled(emit, catalogue).values:
        try:
            convert(flag, value, catalogue, StandIns())
        except BadValue as error:
            return f"{emit.flag} in {release}: {error.message}"
    return ""


def _number(word: str) -> int | str:
    return int(word) if word.isdigit() else word

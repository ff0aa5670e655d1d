"""What a flag of other releases is called in one release."""

from __future__ import annotations

import re

from portkit.catalogue.history import History, last_form
from portkit.catalogue.load import load
from portkit.catalogue.model import Catalogue
from portkit.mapping.load import rows

_OPTION = re.compile(r"--[a-z0-9][a-z0-9-]*")


def successor(name: str, history: History, catalogue: Catalogue) -> str:
    """The flag, key or variable that a release has in the place of a flag it hasn't; empty where there is none.

    Looked for in the flag's own words of deprecation, by its dest, and in the mapping rows.
    """
    if not history.before:
        for flag in load(catalogue.engine, history.after[0]).flags:
            if flag.name in catalogue.by_name and name in _OPTION.findall(flag.replacement or ""):
                return flag.name
    old = last_form(catalogue.engine, history, name)
    for option in _OPTION.findall((old.replacement if old is not None else None) or ""):
        if option in catalogue.by_name:
            return str(option)
    same = catalogue.by_dest.get(old.dest) if old is not None else None
    if same is not None and same.names:
        return same.name
    for row in rows().values():
        side = row.side(catalogue.engine)
        if any(place.flag == name for place in side.places):
            now = side.place(catalogue.release)
            if now is not None and now.flag != name and (now.flag is None or now.flag in catalogue.by_name):
                return str(now)
    return ""

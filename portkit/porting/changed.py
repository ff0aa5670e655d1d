"""Defaults that changed between two releases of one engine, where nobody wrote the setting.

What changed and what to do about it is data: mappings/tables/changed_defaults.yaml. Defaults that a
parser declares are read from the catalogues.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from packaging.version import Version

from portkit.catalogue.load import load
from portkit.catalogue.model import Catalogue, Flag
from portkit.conversions.writing import Carry, Emit
from portkit.deployment.schema import Deployment
from portkit.mapping.load import rows, table


@dataclass(frozen=True, slots=True)
class Changed:
    """One default that differs: the flag, key or variable, what becomes of it, and how much it matters."""

    name: str
    title: str
    area: str
    old: str
    carry: Carry
    impact: str


def changed_defaults(source: Deployment, target: Catalogue) -> Iterator[Changed]:
    """What a launch that leaves a setting alone would get differently from the target's release."""
    before = load(source.engine, Version(source.release))
    low, high = sorted((before.release, target.release))
    upgrade = target.release > before.release
    given = _given(source, before)
    changes: dict[str, list[dict[str, Any]]] = {}
    for entry in table("changed_defaults"):
        if entry["engine"] == source.engine and low < Version(entry["at"]) <= high and entry["keep"] != "same":
            changes.setdefault(_name(entry), []).append(entry)
    for name, entries in changes.items():
        if name.partition(" ")[0] in given:
            continue
        entry = entries[-1 if upgrade else 0]
        old, new = _values(entries, before, target, upgrade=upgrade)
        holds = _holds(entry.get("when", {}), source, given)
        if old == new or holds is False or not _both_have(entry, before, target):
            continue
        yield _changed(entry, old, new, target, certain=holds is True)


def _name(entry: dict[str, Any]) -> str:
    return str(entry.get("env") or f"{entry['flag']} {entry.get('key', '')}".strip())


def _given(source: Deployment, catalogue: Catalogue) -> set[str]:
    """Flags by canonical name, and variables, that the launch writes."""
    names = {w.option for s in source.settings.values() for w in s.provenance.written}
    names |= {item.name for item in source.unmapped}
    found = set()
    for name in names:
        option = name.split()[0].split(".")[0] if name else ""
        flag = catalogue.by_name.get(option.replace("_", "-") if option.startswith("--") else option)
        if flag is None:
            meant = {f.name for spelling, f in catalogue.by_name.items() if option and spelling.startswith(option)}
            found.add(meant.pop() if len(meant) == 1 else option)
        else:
            found.add(flag.name)
    return found


def _values(entries: list[dict[str, Any]], before: Catalogue, target: Catalogue, *, upgrade: bool) -> tuple[Any, Any]:
    first, last = entries[0], entries[-1]
    if "old" in first:
        return (first["old"], last["new"]) if upgrade else (last["new"], first["old"])
    flags = [catalogue.by_name.get(first["flag"]) for catalogue in (before, target)]
    old, new = (flag.default if flag is not None else None for flag in flags)
    return old, new


def _both_have(entry: dict[str, Any], before: Catalogue, target: Catalogue) -> bool:
    if "env" in entry:
        return entry["env"] in before.variables and entry["env"] in target.variables
    return entry["flag"] in before.by_name and entry["flag"] in target.by_name


def _holds(when: dict[str, Any], source: Deployment, given: set[str]) -> bool | None:
    """Whether a change concerns this launch; None where a fact isn't known."""
    answers: list[bool | None] = []
    if "given" in when:
        answers.append(bool(given & set(when["given"])))
    if "hybrid" in when:
        answers.append(source.facts.hybrid)
    if "speculation" in when:
        answers.append(source.value("speculation.method") is not None)
    if "gpu_gib" in when:
        low, high = when["gpu_gib"]
        memory = source.facts.gpu_memory_mib
        answers.append(None if memory is None else low * 1024 <= memory < high * 1024)
    return False if False in answers else None if None in answers else True


def _changed(entry: dict[str, Any], old: Any, new: Any, target: Catalogue, *, certain: bool) -> Changed:
    row = next((r for r in rows().values() for p in r.side(target.engine).places if _is_place(p, entry)), None)
    emit = _emit(entry, old, target) if entry["keep"] == "write" and certain else None
    reason = f"nobody wrote it; the default is {_text(new)} in {target.release}, was {_text(old)}: {entry['why']}"
    if not certain:
        fact = "--gpu" if "gpu_gib" in entry["when"] else "--model-config"
        reason += f" Whether that concerns this launch isn't known without {fact}"
    carry = Carry("converted" if emit else "differs", (emit,) if emit else (), reason=reason)
    area = row.area if row is not None else "unmapped"
    return Changed(_name(entry), row.title if row else _name(entry), area, _text(old), carry, entry["impact"])


def _is_place(place: Any, entry: dict[str, Any]) -> bool:
    return (place.env, place.flag, place.key) == (entry.get("env"), entry.get("flag"), entry.get("key"))


def _emit(entry: dict[str, Any], old: Any, target: Catalogue) -> Emit | None:
    """The old default written out; None where the target can't say it."""
    comment = "the source release's default"
    if "env" in entry:
        return Emit(env=entry["env"], values=(str(old),), comment=comment)
    if old is None:
        return None
    flag = target.by_name[entry["flag"]]
    if "negative" in entry:
        return Emit(flag=flag.name if old == "yes" else entry["negative"], comment=comment)
    if flag.choices and str(old) not in map(str, flag.choices):
        return None
    return Emit(flag=flag.name, values=_words(flag, old), comment=comment)


def _words(flag: Flag, value: Any) -> tuple[str, ...]:
    if flag.type == "json" or isinstance(value, dict):
        return (json.dumps(value),)
    return tuple(map(str, value)) if isinstance(value, list) else (str(value),)


def _text(value: Any) -> str:
    return "unset" if value is None else json.dumps(value) if isinstance(value, list | dict) else str(value)

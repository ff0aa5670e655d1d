"""Conversions that need nothing but the value: the same value, a switch, a table of names."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from portkit.catalogue.resolution import Unknown
from portkit.conversions.reading import Found, ReadContext, Reading
from portkit.conversions.registry import reader, writer
from portkit.conversions.writing import Carry, Emit, WriteContext, as_given, emit_at, symbolic_shell
from portkit.deployment.schema import Setting, text_of
from portkit.mapping.rows import Place, Row, Side
from portkit.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class Name:
    """One engine's name for a canonical value, the releases that know it, and how well it fits."""

    native: str
    canonical: Any
    releases: str = ""
    verdict: Verdict = "converted"
    reason: str = ""
    read_only: bool = False

    def holds_in(self, release: Version) -> bool:
        """Whether that release takes the name in a launch written for it."""
        if self.read_only:
            return False
        return not self.releases or release in SpecifierSet(self.releases, prereleases=True)


def names_of(side: Side) -> Iterator[Name]:
    """A side's name table: `native: canonical`, `native: {is: canonical, ...}` or a list of those."""
    entries = side.names or {}
    pairs = [(entry["name"], entry) for entry in entries] if isinstance(entries, list) else list(entries.items())
    for native, entry in pairs:
        if isinstance(entry, dict):
            yield Name(
                native,
                entry["is"],
                entry.get("releases", ""),
                entry.get("verdict", "converted"),
                entry.get("reason", ""),
                entry.get("read_only", False),
            )
        else:
            yield Name(native, entry)


def canonical_of(found: Found, side: Side) -> Any:
    """What a place's value stands for: through the switch's meaning, then the table of names."""
    value = found.value
    if found.place.means is not None:
        if value is True:
            value = found.place.means
        elif value is False and isinstance(found.place.means, bool):
            value = not found.place.means
    if side.names and isinstance(value, str):
        return next((n.canonical for n in names_of(side) if n.native.lower() == value.lower()), value)
    return value


@reader("same")
def read_same(row: Row, context: ReadContext) -> Reading | None:
    """The first place of the row that the launch fills."""
    found = context.found(row)
    if not found:
        return None
    return Reading(canonical_of(found[0], row.side(context.engine)), tuple(found))


@reader("one_or_more")
def read_one_or_more(row: Row, context: ReadContext) -> Reading | None:
    """Several values as a list, one as itself."""
    found = context.found(row)
    if not found:
        return None
    value = found[0].value
    return Reading(value[0] if isinstance(value, list) and len(value) == 1 else value, tuple(found))


@reader("flagged")
def read_flagged(row: Row, context: ReadContext) -> Reading | None:
    """A variable read as a truth value: `1`, `true`, `yes` and `y` are true."""
    found = context.found(row)
    if not found:
        return None
    value = found[0].value
    if isinstance(value, str):
        truth = value.strip().lower() in ("1", "true", "yes", "y")
        value = found[0].place.means is not False if truth else found[0].place.means is False
        return Reading(value, tuple(found))
    return Reading(canonical_of(found[0], row.side(context.engine)), tuple(found))


@writer("same")
def write_same(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """The value at the target's own place, through its switch or its table of names."""
    side = row.side(context.engine)
    place = place_for(side, setting.value, context)
    if place is None:
        return without_place(row, setting, context)
    if not setting.known:
        return Carry("carried", (as_given(place, setting),))
    if isinstance(place.means, str) and place.means == setting.value:
        return Carry("carried" if context.same_engine else "converted", (Emit(flag=place.flag),))
    if place.means is not None or isinstance(setting.value, bool):
        return write_switch(place, setting.value, side, context)
    if side.names is not None:
        return _write_name(row, place, setting, context)
    return Carry("carried", (as_given(place, setting),))


def place_for(side: Side, value: Any, context: WriteContext) -> Place | None:
    """Where a value is written: a switch that stands for just this value, else the row's first place."""
    places = [place for place in side.places if place.holds_in(context.release) and not place.read_only]
    first = places[0] if places else None
    if first is None or not isinstance(first.means, str):
        return first
    return next((place for place in places if place.means == value or place.means is None), first)


def without_place(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """A setting that this release of the target has no place for."""
    side = row.side(context.engine)
    if side.builtin:
        return Carry("built-in", reason=side.builtin)
    if side.ignored:
        return Carry("inert", reason=side.ignored)
    if side.absent:
        return Carry("lost", reason=side.absent)
    where = ", ".join(f"{p} in {p.releases}" for p in side.places if p.releases)
    return Carry(
        "lost",
        reason=f"{context.engine} {context.release} has no place for it" + (f" ({where})" if where else ""),
    )


def write_switch(place: Place, value: Any, side: Side, context: WriteContext) -> Carry:
    """A truth value as a switch, its negative, a JSON key, or nothing where that is the default."""
    if place.key is not None:
        return Carry("carried", (Emit(flag=place.flag, key=place.key, json_value=value),))
    if place.env is not None:
        stands = value == (True if place.means is None else place.means)
        return Carry("converted", (Emit(env=place.env, values=("1" if stands else "0",)),))
    flag = context.catalogue.by_name[place.flag or ""]
    on = value == (True if place.means is None else place.means)
    verdict: Verdict = "carried" if place.means is None or place.means is True else "converted"
    if on:
        return Carry(verdict, (Emit(flag=place.flag),))
    if flag.negatives:
        negative = next((n for n in flag.negatives if n.startswith("--no-")), flag.negatives[0])
        return Carry(verdict, (Emit(flag=negative),))
    return Carry("built-in", reason=side.builtin or f"{place.flag} is off unless given")


def _write_name(row: Row, place: Place, setting: Setting, context: WriteContext) -> Carry:
    side = row.side(context.engine)
    if isinstance(setting.value, list | dict):
        return Carry("carried", (emit_at(place, setting.value),))
    candidates = [name for name in names_of(side) if name.canonical == setting.value]
    chosen = next((name for name in candidates if name.holds_in(context.release)), None)
    if chosen is None:
        return _unnamed(row, place, setting, context, candidates)
    native_source = setting.provenance.written[0].text if setting.provenance.written else ""
    same = chosen.native == native_source
    verdict: Verdict = "carried" if same and chosen.verdict == "converted" else chosen.verdict
    if verdict in ("lost", "built-in", "inert"):
        return Carry(verdict, reason=chosen.reason)
    comment = "" if same else f"{native_source or setting.text()} in {context.origin}"
    return Carry(verdict, (emit_at(place, chosen.native, comment=comment),), reason=chosen.reason)


def _unnamed(row: Row, place: Place, setting: Setting, context: WriteContext, later: list[Name]) -> Carry:
    value = setting.text()
    if context.same_engine:
        return Carry("carried", (emit_at(place, value, shell=symbolic_shell(setting)),))
    if later:
        known = ", ".join(f"{name.native} ({name.releases})" for name in later)
        return Carry("lost", reason=f"{context.engine} {context.release} has no {value}; others: {known}")
    choices = context.catalogue.by_name[place.flag].choices if place.flag and not place.key else None
    if choices is not None and value in choices:
        return Carry("carried", (emit_at(place, value),))
    if choices is None and not any(True for _ in names_of(row.side(context.source.engine))):
        return Carry("carried", (emit_at(place, value),))
    reason = row.side(context.engine).absent or f"{context.engine} has no counterpart of {row.title} {value}"
    return Carry("lost", reason=reason)


@reader("nothing")
def read_nothing(row: Row, context: ReadContext) -> Reading | None:
    """A side that has no spelling of its own: another row reads the flag."""
    return None


@writer("default_on")
def write_default_on(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """A switch the target has on by default: only off needs saying."""
    if setting.value:
        return Carry("built-in", reason=row.side(context.engine).builtin or "on by default")
    return write_same(row, setting, context)


@writer("left_out")
def write_left_out(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """A setting the target takes from somewhere else, or does by itself."""
    side = row.side(context.engine)
    return Carry("built-in", reason=side.builtin or "")


@reader("json_text")
def read_json_text(row: Row, context: ReadContext) -> Reading | None:
    """A JSON document given as text."""
    found = context.found(row)
    if not found:
        return None
    value = found[0].value
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            value = Unknown(value)
    return Reading(value, tuple(found))


@writer("json_text")
def write_json_text(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """A JSON document as one word."""
    place = context.place(row)
    if place is None:
        return without_place(row, setting, context)
    text = json.dumps(setting.value) if setting.known else str(setting.expression)
    return Carry("carried", (Emit(flag=place.flag, values=(text,), shell=_shell(setting)),))


def _shell(setting: Setting) -> tuple[str, ...] | None:
    shell = symbolic_shell(setting)
    return None if shell is None else (shell,)


@writer("list")
def write_list(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """Several words after one flag."""
    place = context.place(row)
    if place is None:
        return without_place(row, setting, context)
    values = setting.value if isinstance(setting.value, list) else [setting.value]
    return Carry("carried", (emit_at(place, values),))


@writer("first_of_list")
def write_first(row: Row, setting: Setting, context: WriteContext) -> Carry:
    """The first of several values, where the target takes one."""
    place = context.place(row)
    if place is None:
        return without_place(row, setting, context)
    values = setting.value if isinstance(setting.value, list) else [setting.value]
    if len(values) > 1:
        reason = f"one value only: {text_of(values[1:])} left out"
        return Carry("approximate", (emit_at(place, values[0]),), reason=reason)
    return Carry("carried", (emit_at(place, values[0], shell=symbolic_shell(setting)),))

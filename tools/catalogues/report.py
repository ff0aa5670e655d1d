"""What a release changed, as Markdown for the body of a pull request."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from portkit.catalogue.changes import Change, Changes, Gone, catalogue_changes
from portkit.catalogue.config_objects import type_of_key
from portkit.catalogue.model import Catalogue, Flag
from portkit.mapping.load import rows
from portkit.mapping.rows import Place

_SHOWN = 12  # of the choices, before they are only counted
_LITERAL = re.compile(r"Literal\[[^\]]*\]")
_FIELDS = {"nargs": "number of values", "const": "value stored", "config_class": "config object"}


def report(old: Catalogue, new: Catalogue) -> str:
    """The differences, the rows they touch, and the new flags that no row knows."""
    changes = catalogue_changes(old, new)
    title = f"## {new.engine} {new.release}: what changed since {old.release}"
    if not changes:
        return f"{title}\n\nNo flag, variable or key of a config object differs.\n"
    sections = [
        ("Flags added", _added(changes)),
        ("Flags removed", _removed(changes)),
        ("Flags changed", _lines(changes.flags)),
        ("Keys of config objects", _keys(changes)),
        ("Variables", _variables(changes)),
        ("Mapping rows touched", touched_rows(changes)),
        ("New flags without a row", without_row(changes)),
    ]
    blocks = [title]
    for heading, lines in sections:
        found = [f"- {line}" for line in lines]
        blocks.append(f"### {heading} ({len(found)})\n\n" + ("\n".join(found) or "None."))
    return "\n\n".join(blocks) + "\n"


def touched_rows(changes: Changes) -> Iterator[str]:
    """Rows with a place on something that the newer release changed or hasn't, and what happened to it."""
    for setting, row in rows().items():
        for place in row.side(changes.new.engine).places:
            happened = list(_happened(place, changes))
            if happened:
                yield f"`{setting}`, place `{place}`: {'; '.join(happened)}"


def without_row(changes: Changes) -> Iterator[str]:
    """Flags of the newer release alone, under none of whose spellings a row has a place."""
    known = {place.flag for row in rows().values() for place in row.side(changes.new.engine).places}
    for flag in _flags(changes.added):
        if not known.intersection(_spellings(flag)) and not _old_spellings(flag, changes.old):
            yield f"`{flag.name}`: {_describe(flag)}"


def _happened(place: Place, changes: Changes) -> Iterator[str]:
    old, new = changes.old, changes.new
    if place.env is not None:
        had, has = place.env in old.variables, place.env in new.variables
        found: tuple[Change, ...] = changes.variables.get(place.env, ())
    elif place.key is not None and place.flag is not None:
        was, now = (type_of_key(catalogue, place.flag, place.key) for catalogue in (old, new))
        had, has = was is not None, now is not None
        found = (Change("type", was, now),) if had and has and was != now else ()
    else:
        flag = new.by_name.get(place.flag or "")
        had, has = place.flag in old.by_name, flag is not None
        found = changes.flags.get(flag.name, ()) if flag is not None else ()
    if had and not has:
        yield "gone" + _successor(changes.removed.get(place.flag or ""))
        if place.holds_in(new.release):
            yield f"**the row still has it there: end its `releases` below {new.release}**"
    elif has and not had:
        yield "new" + ("" if place.holds_in(new.release) else f"; **the row says not in {new.release}**")
    yield from map(change_text, found)


def _added(changes: Changes) -> Iterator[str]:
    """New flags with what they take, and new spellings of old ones."""
    for flag in _flags(changes.added):
        names = [name for name in _spellings(flag) if name in changes.added]
        listed = _quoted(names)
        before = _old_spellings(flag, changes.old)
        if before:
            word = "the opposite" if set(names) <= {*flag.negatives} else "another spelling"
            yield f"{listed}: {word} of `{before[0]}`"
        else:
            yield f"{listed}: {_describe(flag)}"


def _removed(changes: Changes) -> Iterator[str]:
    fresh = [flag.name for flag in _flags(changes.added) if not _old_spellings(flag, changes.old)]
    for name, gone in changes.removed.items():
        state = " (deprecated before)" if gone.flag.deprecated else ""
        near = [] if gone.same_dest or gone.replacement else difflib.get_close_matches(name, fresh, n=1, cutoff=0.75)
        hint = f"; a new flag with a similar name: `{near[0]}`" if near else ""
        yield f"`{name}`{state}{_successor(gone)}{hint}"


def _successor(gone: Gone | None) -> str:
    """What there is instead of an option string: by dest, and by what the older release said."""
    if gone is None:
        return ""
    parts = []
    kept = [name for name in gone.same_dest if name in gone.flag.names]
    renamed = [name for name in gone.same_dest if name not in kept]
    if kept:
        parts.append(f"{_quoted(kept)} stays")
    if renamed:
        stored = f" (it stored {_value(gone.flag.const)})" if gone.flag.const is not None else ""
        parts.append(f"renamed by dest `{gone.flag.dest}`: {_quoted(renamed)}{stored}")
    if gone.replacement and gone.replacement not in gone.same_dest:
        parts.append(f"the older release said to use `{gone.replacement}`")
    return "; " + "; ".join(parts) if parts else ""


def _keys(changes: Changes) -> Iterator[str]:
    yield from (f"added `{name}`: {kind}" for name, kind in changes.added_keys.items())
    yield from (f"removed `{name}` (was {kind})" for name, kind in changes.removed_keys.items())
    yield from (f"`{name}`: {change_text(change)}" for name, change in changes.keys.items())


def _variables(changes: Changes) -> Iterator[str]:
    for name, variable in changes.added_variables.items():
        default = "no default" if variable.default is None else f"default {_value(variable.default)}"
        yield f"added `{name}`: {variable.type}, {default}"
    for name, variable in changes.removed_variables.items():
        yield f"removed `{name}`" + (f"; replaced by `{variable.replacement}`" if variable.replacement else "")
    yield from _lines(changes.variables)


def _lines(changed: Mapping[str, tuple[Change, ...]]) -> Iterator[str]:
    return (f"`{name}`: {'; '.join(map(change_text, found))}" for name, found in changed.items())


def change_text(change: Change) -> str:
    """One change in words."""
    name = _FIELDS.get(change.field, change.field)
    if change.field in ("deprecated", "ignored", "refused"):
        return change.field if change.now else f"no longer {change.field}"
    if change.field == "choices" and change.was is not None and change.now is not None:
        return f"choices {_gained_and_lost(change)}"
    if change.field == "choices":
        return "any value" if change.now is None else f"choices now {_listed(change.now)}"
    if change.field == "type" and (members := _members(change)):
        return f"values {members}"
    was, now = _value(change.was), _value(change.now)
    if was == now:  # the same text as another type
        was, now = (f"{text} ({type(value).__name__})" for text, value in ((was, change.was), (now, change.now)))
    return f"{name} {was} → {now}"


def _members(change: Change) -> str:
    """What a type text's only Literal gained and lost; empty where more than that differs."""
    texts = (str(change.was), str(change.now))
    if not all(text.count("Literal[") == 1 for text in texts) or len({_LITERAL.sub("", text) for text in texts}) > 1:
        return ""
    was, now = (tuple(re.findall(r"'([^']*)'", text)) for text in texts)
    return _gained_and_lost(Change("values", was, now))


def _gained_and_lost(change: Change) -> str:
    parts = [f"{word} {_listed(values)}" for word, values in (("+", change.added), ("-", change.removed)) if values]
    return " ".join(parts)


def _describe(flag: Flag) -> str:
    parts = [flag.type if flag.action == "store" else flag.action]
    if flag.nargs is not None:
        parts.append(f"{_value(flag.nargs)} values")
    if flag.choices:
        parts.append(f"choices {_listed(flag.choices)}")
    if flag.config_class:
        parts.append(f"keys of {flag.config_class}")
    if flag.type != "bool":
        parts.append("no default" if flag.default is None else f"default {_value(flag.default)}")
    if flag.deprecated:
        parts.append("deprecated" + (f", use `{flag.replacement}`" if flag.replacement else ""))
    return ", ".join(parts)


def _listed(values: Iterable[Any]) -> str:
    shown = [str(value) for value in values]
    rest = f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
    return f"`{' '.join(shown[:_SHOWN])}`{rest}"


def _value(value: Any) -> str:
    return "unset" if value is None else f"`{value if isinstance(value, str) else json.dumps(value)}`"


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _flags(names: Mapping[str, Flag]) -> list[Flag]:
    """The flags behind option strings, each once."""
    return list({id(flag): flag for flag in names.values()}.values())


def _spellings(flag: Flag) -> tuple[str, ...]:
    return (*flag.names, *flag.negatives, *flag.hidden)


def _old_spellings(flag: Flag, old: Catalogue) -> list[str]:
    return [name for name in _spellings(flag) if name in old.by_name]

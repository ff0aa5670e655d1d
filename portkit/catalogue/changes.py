"""What differs between two releases of one engine: flags, variables and keys of config objects."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from portkit.catalogue.model import Catalogue, Flag, Variable

FLAG_FIELDS = (
    "dest", "type", "default", "choices", "nargs", "action", "const", "required", "nullable", "config_class",
    "deprecated", "replacement", "ignored", "refused",
)  # fmt: skip
VARIABLE_FIELDS = ("type", "default", "replacement")


@dataclass(frozen=True, slots=True)
class Change:
    """One attribute that isn't what it was. `was` and `now` are plain values; choices are tuples."""

    field: str
    was: Any
    now: Any

    @property
    def added(self) -> list[Any]:
        """What a sequence gained."""
        return [value for value in self.now or () if value not in (self.was or ())]

    @property
    def removed(self) -> list[Any]:
        """What a sequence lost."""
        return [value for value in self.was or () if value not in (self.now or ())]


@dataclass(frozen=True, slots=True)
class Gone:
    """An option string that a release no longer has: what it was, and what there is instead.

    `same_dest` are the option strings that store into the same place now; `replacement` is what the
    older release named, if the newer one has it.
    """

    flag: Flag
    same_dest: tuple[str, ...]
    replacement: str | None


@dataclass(frozen=True, slots=True)
class Changes:
    """Everything that differs between two catalogues, by name, sorted.

    `added` and `removed` have option strings of flags that are new or gone altogether or in part;
    `flags` has what changed about a flag of both, by its spelling in the newer release. Keys of
    config objects are named `Class.key`, with their type texts.
    """

    old: Catalogue
    new: Catalogue
    added: Mapping[str, Flag]
    removed: Mapping[str, Gone]
    flags: Mapping[str, tuple[Change, ...]]
    added_variables: Mapping[str, Variable]
    removed_variables: Mapping[str, Variable]
    variables: Mapping[str, tuple[Change, ...]]
    added_keys: Mapping[str, str]
    removed_keys: Mapping[str, str]
    keys: Mapping[str, Change]

    def __bool__(self) -> bool:
        return any(getattr(self, name) for name in self.__slots__[2:])


def catalogue_changes(old: Catalogue, new: Catalogue) -> Changes:
    """What a release changed over another one of the same engine."""
    was, now = _keys(old), _keys(new)
    variables = {
        n: _differences(old.variables[n], v, VARIABLE_FIELDS) for n, v in new.variables.items() if n in old.variables
    }
    return Changes(
        old=old,
        new=new,
        added=_only(new.by_name, old.by_name),
        removed={name: gone(flag, new) for name, flag in _only(old.by_name, new.by_name).items()},
        flags=_changed_flags(old, new),
        added_variables=_only(new.variables, old.variables),
        removed_variables=_only(old.variables, new.variables),
        variables={name: variables[name] for name in sorted(variables) if variables[name]},
        added_keys=_only(now, was),
        removed_keys=_only(was, now),
        keys={
            name: Change("type", was[name], now[name]) for name in sorted(was) if now.get(name, was[name]) != was[name]
        },
    )


def flag_changes(was: Flag, now: Flag) -> tuple[Change, ...]:
    """What differs between two releases' forms of a flag, apart from its spellings."""
    return _differences(was, now, FLAG_FIELDS)


def variable_changes(was: Variable, now: Variable) -> tuple[Change, ...]:
    """What differs between two releases' forms of a variable."""
    return _differences(was, now, VARIABLE_FIELDS)


def gone(flag: Flag, new: Catalogue) -> Gone:
    """What a release has instead of a flag of an older one."""
    heirs = [other for other in new.flags if other.dest == flag.dest and not other.deprecated]
    replacement = flag.replacement if flag.replacement and _has(new, flag.replacement) else None
    return Gone(flag, tuple(heir.name for heir in heirs), replacement)


def _has(catalogue: Catalogue, replacement: str) -> bool:
    """Whether a release has what a message names: `--x`, `--x=value`, `--x-{a,b}=value` or a variable."""
    name, brace, _ = re.split(r"[= <]", replacement, maxsplit=1)[0].partition("{")
    if brace:
        return any(option.startswith(name) for option in catalogue.by_name)
    return name in catalogue.by_name or name in catalogue.variables


def _changed_flags(old: Catalogue, new: Catalogue) -> dict[str, tuple[Change, ...]]:
    found = {}
    for flag in new.flags:
        before = _counterpart(flag, old)
        if before is not None and (changes := flag_changes(before, flag)):
            found[flag.name] = changes
    return dict(sorted(found.items()))


def _counterpart(flag: Flag, old: Catalogue) -> Flag | None:
    """The flag of the older release that had the same spelling, the first one that it had."""
    if not flag.names:
        return old.by_dest.get(flag.dest)
    return next((old.by_name[name] for name in (flag.name, *flag.names) if name in old.by_name), None)


def _differences(was: object, now: object, fields: Sequence[str]) -> tuple[Change, ...]:
    pairs = ((field, attrgetter(field)) for field in fields)
    return tuple(Change(field, get(was), get(now)) for field, get in pairs if not _same(field, get(was), get(now)))


def _same(field: str, was: Any, now: Any) -> bool:
    """Equality that tells True from 1; the order of choices means nothing."""
    if field == "choices" and was is not None and now is not None:
        return set(was) == set(now)
    return type(was) is type(now) and bool(was == now)


def _keys(catalogue: Catalogue) -> dict[str, str]:
    classes = catalogue.config_classes
    return {f"{name}.{key}": kind for name, fields in classes.items() for key, kind in fields.items()}


def _only(names: Mapping[str, Any], others: Mapping[str, Any]) -> dict[str, Any]:
    return {name: names[name] for name in sorted(names) if name not in others}

"""What becomes of every setting of a deployment on a target release."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from packaging.version import Version

from portkit.catalogue.history import flag_history
from portkit.catalogue.load import load
from portkit.catalogue.model import Catalogue
from portkit.conversions import WRITERS, load_all
from portkit.conversions.writing import Carry, Emit, PortOptions, WriteContext
from portkit.deployment.schema import Deployment, Setting, Unmapped
from portkit.mapping.alone import disposition
from portkit.mapping.load import rows
from portkit.mapping.rows import Row
from portkit.mapping.successor import successor
from portkit.porting.changed import changed_defaults
from portkit.porting.spelling import refusal, spelled
from portkit.porting.verbatim import alike, verbatim


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the account: a setting, or a flag by name where no row knows it.

    `default` marks a default that changed between two releases, which nobody wrote: `told`, or
    `quiet` where it hardly matters.
    """

    name: str
    area: str
    title: str
    source: str
    carry: Carry
    row: Row | None = None
    setting: Setting | None = None
    default: Literal["", "told", "quiet"] = ""

    @property
    def explicit(self) -> bool:
        """Whether somebody wrote it."""
        return not self.default and (self.setting is None or self.setting.explicit)


@dataclass(frozen=True, slots=True)
class Port:
    """The account of a port, in reading order, and what there is to render."""

    source: Deployment
    catalogue: Catalogue
    entries: tuple[Entry, ...]

    def emits(self) -> Iterator[tuple[Entry, Emit]]:
        """Everything to render, with the setting it comes from."""
        for entry in self.entries:
            for emit in entry.carry.emits:
                yield entry, spelled(emit, self.catalogue)


def port(source: Deployment, catalogue: Catalogue, options: PortOptions) -> Port:
    """Carry every setting; settings nobody wrote appear where the target's default would differ."""
    load_all()
    return Port(source, catalogue, tuple(_Writer(source, catalogue, options).entries()))


def left_behind(port: Port) -> list[Entry]:
    """What somebody wrote and the target doesn't get."""
    lossy = ("lost", "unsafe", "unknown")
    return [e for e in port.entries if e.explicit and e.carry.verdict in lossy and not _active(e.carry)]


def _active(carry: Carry) -> bool:
    return any(not emit.commented for emit in carry.emits)


def row_of(setting: str) -> Row:
    """The row of a setting; members of a family of variables share the family's."""
    known = rows()
    return known[setting] if setting in known else known[f"{setting.rpartition('.')[0]}.*"]


class _Writer:
    """Writes settings on demand, each once, so that writers may ask for one another's results."""

    def __init__(self, source: Deployment, catalogue: Catalogue, options: PortOptions) -> None:
        self.source = source
        self.done: dict[str, Carry | None] = {}
        self.context = WriteContext(source, catalogue, source.facts, options, self._carried)

    def entries(self) -> Iterator[Entry]:
        for name, setting in self.source.settings.items():
            carry = self._carried(name)
            row = row_of(name)
            if carry is not None:
                title = row.title if row.setting == name else name.rpartition(".")[2]
                yield Entry(name, row.area, title, setting.text(), carry, row, setting)
        for item in self.source.unmapped:
            yield Entry(item.name, "unmapped", item.name, item.text, self._unmapped(item))
        if self.context.same_engine and self.source.release != str(self.context.release):
            for change in changed_defaults(self.source, self.context.catalogue):
                told: Literal["told", "quiet"] = "told" if change.impact in ("high", "medium") else "quiet"
                yield Entry(change.name, change.area, change.title, change.old, change.carry, default=told)

    def _unmapped(self, item: Unmapped) -> Carry:
        """A flag without a row: within one engine it stays what it is where the target has it."""
        if self.context.same_engine and item.value is not None and not item.command:
            return self._key(item)
        if not self.context.same_engine or not item.command:
            known = disposition(self.source.engine, item.name, Version(self.source.release))
            if known is None:
                return Carry("unknown", reason=item.reason)
            return Carry(known.verdict, reason=known.reason)
        option, *values = item.command
        if item.name not in self.context.catalogue.by_name:
            return self._gone(item)
        before = load(self.context.engine, Version(self.source.release)).by_name[item.name]
        text = item.written.text
        plain = Emit(flag=item.name, values=tuple(text.split()) if before.nargs in ("+", "*") else (text,))
        checked = bool(values) and before.action != "append" and not item.written.symbolic
        refused = refusal(plain, self.context.catalogue) if checked else ""
        if refused or not alike(before, self.context.catalogue.by_name[item.name]):
            return Carry("lost", reason=refused or f"{item.name} takes other words in {self.context.release}")
        return Carry("carried", (Emit(flag=option, values=(item.text,) if values else (), shell=tuple(values)),))

    def _key(self, item: Unmapped) -> Carry:
        """A key inside a JSON flag: as it is, where the target's config object has it."""
        option, _, key = item.name.partition(" ")
        target = self.context.catalogue
        flag = target.by_name.get(option)
        fields = target.config_classes.get((flag.config_class if flag is not None else None) or "", {})
        if flag is None or (fields and key.split(".")[0] not in fields):
            return Carry("lost", reason=f"{target.engine} {target.release} has no {item.name}")
        return Carry("carried", (Emit(flag=option, key=key, json_value=item.value),))

    def _gone(self, item: Unmapped) -> Carry:
        """A flag that the target release hasn't: under its new name where that takes the same words."""
        target = self.context.catalogue
        history = flag_history(target, item.name)
        now = successor(item.name, history, target)
        old, new = load(target.engine, Version(self.source.release)).by_name.get(item.name), target.by_name.get(now)
        if old is not None and old.ignored:
            return Carry("inert", reason=f"{target.engine} {self.source.release} already drops it")
        if old is not None and new is not None and alike(old, new):
            values = item.command[1:]
            emit = Emit(flag=now, values=(item.text,) if values else (), shell=tuple(values))
            return Carry("converted", (emit,), reason=f"{item.name} is {now} in {target.release}")
        reason = f"{target.engine} {target.release} has no {item.name} ({history.text})"
        return Carry("lost", reason=reason, instead=now)

    def _carried(self, name: str) -> Carry | None:
        if name not in self.done:
            self.done[name] = None  # a cycle reads as not carried
            setting = self.source.settings.get(name)
            if setting is not None:
                self.done[name] = self._write(setting)
        return self.done[name]

    def _write(self, setting: Setting) -> Carry:
        """A setting's carry; lost where it would have the target's parser refuse the script."""
        carry = self._written(setting)
        refused = next(filter(None, (refusal(emit, self.context.catalogue) for emit in carry.emits)), "")
        return Carry("lost", reason=refused) if refused else carry

    def _written(self, setting: Setting) -> Carry:
        row = row_of(setting.setting)
        carry = WRITERS[row.side(self.context.engine).write](row, setting, self.context)
        if self.context.same_engine and not setting.explicit:
            unsafe = carry.verdict == "unsafe"
            return Carry("unsafe" if unsafe else "built-in", reason=carry.reason if unsafe else "nobody wrote it")
        if self.context.same_engine and carry.verdict != "unsafe":
            weak = carry.verdict not in ("carried", "converted")
            kept = verbatim(setting, self.context, deprecated=weak)
            return carry if kept is None else Carry("carried", kept)
        return carry

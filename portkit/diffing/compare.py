"""Two canonical documents side by side, each difference with a verdict and what would mend it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from packaging.version import Version

from portkit.catalogue.model import Catalogue
from portkit.conversions.writing import Carry, Emit, PortOptions
from portkit.deployment.schema import Deployment, Provenance, Setting, Unmapped, text_of
from portkit.mapping.alone import disposition
from portkit.mapping.load import rows
from portkit.mapping.rows import Row
from portkit.porting.port import Entry, port, row_of
from portkit.verdicts import IMPACTS, VERDICTS, Impact, Verdict

Difference = Literal["none", "changed", "only_a", "only_b"]

MATTERS: frozenset[Verdict] = frozenset({"lost", "unsafe", "unknown", "differs", "approximate"})
"""Verdicts that make `portkit diff` exit with 1, unless the setting has no bearing on serving."""


@dataclass(frozen=True, slots=True)
class Line:
    """One setting of both sides.

    `a` and `b` are None where that side doesn't have it. `fix` is what would carry A's value to B.
    """

    setting: str
    title: str
    area: str
    unit: str
    impact: Impact
    difference: Difference
    verdict: Verdict
    a: Setting | Unmapped | None
    b: Setting | Unmapped | None
    why: str
    reason: str = ""
    fix: str = ""

    @property
    def matters(self) -> bool:
        """Whether a reviewer should look at it."""
        return self.verdict in MATTERS and (self.impact != "none" or self.verdict == "unknown")


@dataclass(frozen=True, slots=True)
class Comparison:
    """All settings of two deployments, what B lost first, by likely effect on speed."""

    a: Deployment
    b: Deployment
    lines: tuple[Line, ...]

    @property
    def counts(self) -> dict[Verdict, int]:
        """How many settings have each verdict, in the vocabulary's order, without zeros."""
        counted = Counter(line.verdict for line in self.lines)
        return {verdict: counted[verdict] for verdict in VERDICTS if counted[verdict]}

    @property
    def differs(self) -> bool:
        """Whether anything that matters differs."""
        return any(line.matters for line in self.lines)


def compare(a: Deployment, b: Deployment, catalogue_a: Catalogue, catalogue_b: Catalogue) -> Comparison:
    """Compare two deployments; each side's catalogue says what it could take."""
    lines = [*_setting_lines(a, b, catalogue_a, catalogue_b), *_unmapped_lines(a, b)]
    return Comparison(a, b, tuple(sorted(lines, key=_rank)))


def _rank(line: Line) -> tuple[int, int, int]:
    """What B lost or runs unsafely first, by likely effect on speed; then verdict by verdict."""
    urgent = line.verdict in ("lost", "unsafe")
    group = 0 if urgent else VERDICTS.index(line.verdict)
    return group, IMPACTS.index(line.impact), -VERDICTS.index(line.verdict)


def changed_settings(a: Deployment, b: Deployment) -> set[str]:
    """The settings whose values differ, by deepdiff over the two documents."""
    from deepdiff import DeepDiff

    left, right = ({name: s.value if s.known else s.expression for name, s in d.settings.items()} for d in (a, b))
    difference = DeepDiff(left, right, view="tree", ignore_numeric_type_changes=True)
    return {str(change.path(output_format="list")[0]) for changes in difference.values() for change in changes}


def _setting_lines(a: Deployment, b: Deployment, catalogue_a: Catalogue, catalogue_b: Catalogue) -> Iterator[Line]:
    a, b = _with_static_defaults(a, b), _with_static_defaults(b, a)
    changed = changed_settings(a, b)
    onto_b = _carries(a, catalogue_b)
    onto_a = _carries(b, catalogue_a)
    broken = {name: c for name, c in _carries(b, catalogue_b).items() if c.verdict == "unsafe" and not c.follows}
    names = dict.fromkeys([*rows(), *a.settings, *b.settings])
    for name in names:
        left, right = a.settings.get(name), b.settings.get(name)
        if (left is None and right is None) or not row_of(name).compare:
            continue
        yield _line(
            name,
            left,
            right,
            name in changed,
            onto_b.get(name),
            onto_a.get(name),
            broken.get(name),
            a.engine == b.engine,
        )


def _with_static_defaults(deployment: Deployment, other: Deployment) -> Deployment:
    """The document with what its engine has when nobody says, for settings that the other side has.

    Only where that is one value for all releases, GPUs and models.
    """
    settings = dict(deployment.settings)
    for name, row in rows().items():
        default = row.side(deployment.engine).default
        if default is not None and name not in settings and name in other.settings:
            source = Provenance(kind="default", detail=f"default of {deployment.engine}")
            settings[name] = Setting(setting=name, unit=row.unit, value=default, provenance=source)
    return deployment.model_copy(update={"settings": settings})


def _carries(source: Deployment, catalogue: Catalogue) -> dict[str, Carry]:
    entries: tuple[Entry, ...] = port(source, catalogue, PortOptions()).entries
    return {entry.name: entry.carry for entry in entries}


def _line(
    name: str,
    a: Setting | None,
    b: Setting | None,
    changed: bool,
    onto_b: Carry | None,
    onto_a: Carry | None,
    broken: Carry | None,
    same_engine: bool,
) -> Line:
    row = row_of(name)
    verdict, difference, reason = _judge(row, a, b, changed, onto_b, onto_a, same_engine)
    if broken is not None:
        verdict, reason = "unsafe", broken.reason
    fix = _fix(onto_b) if verdict in ("lost", "differs", "approximate") and onto_b is not None else ""
    return Line(
        setting=name,
        title=row.title if row.setting == name else name.rpartition(".")[2],
        area=row.area,
        unit=row.unit,
        impact=row.impact,
        difference=difference,
        verdict=verdict,
        a=a,
        b=b,
        why=row.why,
        reason=reason,
        fix=fix,
    )


def _judge(
    row: Row,
    a: Setting | None,
    b: Setting | None,
    changed: bool,
    onto_b: Carry | None,
    onto_a: Carry | None,
    same_engine: bool,
) -> tuple[Verdict, Difference, str]:
    if a is None:
        assert b is not None
        return _only_b(b, onto_a)
    if b is None:
        return _only_a(a, onto_b)
    if not a.known or not b.known:
        same = a.expression == b.expression
        unknown = " and ".join(str(s.expression) for s in (a, b) if not s.known)
        return ("same", "none", "") if same else ("unknown", "changed", f"not known: {unknown}")
    if not row.comparable and not same_engine:
        return "approximate", "changed", "the engines' numbers mean different things"
    if not changed:
        return "same", "none", ""
    if _worse(row, a.value, b.value):
        return "lost", "changed", ""
    if a.explicit and b.provenance.kind == "default" and not row.better:
        return "lost", "changed", ""
    unsafe = onto_b is not None and onto_b.verdict == "unsafe" and not onto_b.follows
    return "differs", "changed", onto_b.reason if unsafe and onto_b else ""


def _only_a(a: Setting, onto_b: Carry | None) -> tuple[Verdict, Difference, str]:
    if onto_b is None:
        return "lost", "only_a", ""
    if onto_b.verdict in ("built-in", "inert", "unsafe", "unknown"):
        return onto_b.verdict, "only_a", onto_b.reason
    if not a.explicit:
        return "differs", "only_a", ""
    return "lost", "only_a", onto_b.reason


def _only_b(b: Setting, onto_a: Carry | None) -> tuple[Verdict, Difference, str]:
    if not b.explicit or (onto_a is not None and onto_a.verdict in ("built-in", "inert")):
        return "built-in", "only_b", onto_a.reason if onto_a else "B's default"
    return "differs", "only_b", "only B sets it"


def _worse(row: Row, a: Any, b: Any) -> bool:
    """Whether B has less of what serves speed."""
    if row.worst is not None and b == row.worst:
        return True
    if not row.better or not all(isinstance(value, bool | int | float) for value in (a, b)):
        return False
    return bool(b < a) if row.better == "more" else bool(b > a)


def _fix(carry: Carry) -> str:
    parts = [emit_text(emit) for emit in carry.emits if not emit.commented]
    if not parts and carry.verdict == "built-in" and carry.reason:
        return f"B's own default ({carry.reason})"
    return "  ".join(parts) or carry.instead


def emit_text(emit: Emit) -> str:
    """What a port would write, for people."""
    if emit.env is not None:
        return f"{emit.env}={' '.join(emit.values)}"
    if emit.key is not None:
        return f"{emit.flag}.{emit.key} {text_of(emit.json_value)}"
    values = list(emit.values)
    if len(values) > 12:
        values = [*values[:6], "...", *values[-3:]]
    return " ".join([emit.flag or "model", *values])


def _unmapped_lines(a: Deployment, b: Deployment) -> Iterator[Line]:
    left = {item.name: item for item in a.unmapped}
    right = {item.name: item for item in b.unmapped}
    for name in dict.fromkeys([*left, *right]):
        one, other = left.get(name), right.get(name)
        present = one or other
        assert present is not None
        same = one is not None and other is not None and one.text == other.text
        difference: Difference = "none" if same else "changed" if one and other else "only_a" if one else "only_b"
        owner = a if one is not None else b
        known = disposition(owner.engine, name, Version(owner.release)) if a.engine != b.engine else None
        yield Line(
            setting=name,
            title=name,
            area="unmapped",
            unit="none",
            impact=known.impact if known else "low",
            difference=difference,
            verdict="same" if same and a.engine == b.engine else known.verdict if known else "unknown",
            a=one,
            b=other,
            why=known.why if known else "",
            reason=known.reason if known else present.reason,
        )

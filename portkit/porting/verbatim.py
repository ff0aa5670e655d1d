"""Within one engine, what the target release takes just as it is written stays as it is written."""

from __future__ import annotations

from packaging.version import Version

from portkit.catalogue.load import load
from portkit.catalogue.model import Catalogue, Flag
from portkit.conversions.writing import Emit, WriteContext
from portkit.deployment.schema import Setting, Written


def verbatim(setting: Setting, context: WriteContext, *, deprecated: bool = False) -> tuple[Emit, ...] | None:
    """The words of a setting for a release of its own engine; None where the release wants others.

    It wants others where a flag is gone or of another shape, where a value isn't among its choices, for
    keys inside JSON objects, which are written anew, and, unless `deprecated` is set, where the flag is.
    """
    before = load(context.engine, Version(context.source.release))
    emits = [_kept(written, before, context.catalogue) for written in setting.provenance.written]
    if not deprecated and any(emit is not None and _is_deprecated(emit, context.catalogue) for emit in emits):
        return None
    if not emits or any(emit is None for emit in emits):
        return None
    return tuple(emit for emit in emits if emit is not None)


def _kept(written: Written, before: Catalogue, target: Catalogue) -> Emit | None:
    if not written.option:
        return None
    if not written.option.startswith("-"):
        own = written.option.startswith(("VLLM_", "SGLANG_", "SGL_"))
        variable = target.variables.get(written.option)
        if own and (variable is None or variable.replacement):
            return None
        return Emit(env=written.option, values=(written.text,), shell=(written.shell,) if written.symbolic else None)
    name = spelled_out(written.option, before)
    old, new = before.by_name.get(name), target.by_name.get(name)
    if old is None or new is None or new.refused or not alike(old, new):
        return None
    if _is_switch(old):
        return Emit(flag=name)
    words = written.text.split() if old.nargs in ("+", "*") else [written.text]
    known = new.choices or target.registries.get(new.dest)
    if known and not written.symbolic and any(word not in map(str, known) for word in words):
        return None
    return Emit(flag=name, values=tuple(words), shell=(written.shell,) if written.symbolic else None)


def _is_deprecated(emit: Emit, target: Catalogue) -> bool:
    return emit.flag is not None and target.by_name[emit.flag].deprecated


def spelled_out(option: str, catalogue: Catalogue) -> str:
    """An option in full: abbreviations, short forms and underscores undone; negatives stay negatives."""
    dashed = option.replace("_", "-") if option.startswith("--") and catalogue.engine == "vllm" else option
    flag = catalogue.by_name.get(dashed)
    if flag is None:
        meant = sorted((name for name in catalogue.by_name if name.startswith(dashed)), key=len)
        return meant[0] if len({id(catalogue.by_name[name]) for name in meant}) == 1 else dashed
    return dashed if dashed.startswith("--") else flag.name


def _is_switch(flag: Flag) -> bool:
    return flag.nargs == 0 or flag.action in ("store_true", "store_false", "boolean_optional", "store_const")


def alike(old: Flag, new: Flag) -> bool:
    """Whether the same words parse to the same thing."""
    if _is_switch(old) or _is_switch(new):
        return _is_switch(old) and _is_switch(new)
    return (old.type, old.nargs) == (new.type, new.nargs)

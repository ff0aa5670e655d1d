"""Flags and their values: what the release's parser refuses, drops, or will not know for long."""

from __future__ import annotations

import re
from collections.abc import Iterator

from packaging.version import Version

from portkit.catalogue.history import flag_history, key_history, last_form
from portkit.catalogue.load import known_releases, load
from portkit.catalogue.model import Catalogue
from portkit.catalogue.resolution import Argument, Problem, Resolution
from portkit.checking.findings import Finding, argument_span, key_span, option_span, value_span
from portkit.launch import EngineName
from portkit.mapping.load import rows
from portkit.mapping.successor import successor
from portkit.source import Span

_NAMES = {"vllm": "vLLM", "sglang": "SGLang"}
_CODES = {
    "missing_value": "PK203",
    "unexpected_value": "PK204",
    "missing_required": "PK110",
    "opaque": "PK901",
    "ignored": "PK902",
}
_OPTION = re.compile(r"--[a-z0-9][a-z0-9-]*")


def flag_findings(resolution: Resolution) -> Iterator[Finding]:
    """What is to be said about the command line, word for word."""
    for problem in resolution.problems:
        yield _problem(problem, resolution)
    for argument in (*resolution.arguments.values(), *resolution.overridden):
        yield from _argument(argument, resolution.catalogue)
    for earlier in resolution.overridden:
        yield from _overridden(earlier, resolution)


def _problem(problem: Problem, resolution: Resolution) -> Finding:
    catalogue = resolution.catalogue
    where = problem.place or resolution.launch.span
    if problem.kind in ("unrecognized", "ambiguous"):
        return _unknown(problem, where, catalogue)
    if problem.kind == "invalid_value":
        return _bad_value(problem, where, catalogue)
    if problem.kind == "refused":
        known = problem.subject and problem.subject in catalogue.by_name
        code, span = ("PK108", option_span(problem) or where) if known else ("PK205", where)
        return Finding(code, problem.message, problem.source, span, _did_you_mean(problem))
    return Finding(_CODES[problem.kind], problem.message, problem.source, where, _did_you_mean(problem))


def _unknown(problem: Problem, where: Span, catalogue: Catalogue) -> Finding:
    name = problem.subject
    if not name:
        return Finding("PK109", problem.message, problem.source, where)
    span = option_span(problem) or where
    release = f"{_NAMES[catalogue.engine]} {catalogue.release}"
    history = flag_history(catalogue, name)
    if not history:
        if problem.kind == "ambiguous":
            return Finding("PK105", f"{release}: {problem.message}", problem.source, span, "write the flag in full")
        message = f"{release} has no option {name}, nor has any catalogued release"
        return Finding("PK101", message, problem.source, span, _other_engine(name, catalogue) or _did_you_mean(problem))
    now = successor(name, history, catalogue)
    ambiguous = f", and as an abbreviation it is ambiguous ({', '.join(problem.suggestions)})"
    message = f"{release} has no option {name}: {history.text}" + ambiguous * (problem.kind == "ambiguous")
    if not history.before:
        hint = f"in {catalogue.release} it is {now}" if now else f"use {release.split()[0]} >= {history.after[0]}"
        return Finding("PK104", message, problem.source, span, hint)
    if now:
        return Finding("PK103", message, problem.source, span, f"write {now}")
    old = last_form(catalogue.engine, history, name)
    hint = f"instead: {old.replacement}" if old is not None and old.replacement else "remove it"
    near = _did_you_mean(problem)
    return Finding("PK102", message, problem.source, span, f"{hint}; {near}" if near else hint)


def _other_engine(name: str, catalogue: Catalogue) -> str:
    """What an option of the other engine, perhaps abbreviated, is called in this one."""
    other: EngineName = "sglang" if catalogue.engine == "vllm" else "vllm"
    newest = load(other, known_releases(other)[-1])
    meant = {flag.name for spelling, flag in newest.by_name.items() if spelling.startswith(name)}
    exact = newest.by_name.get(name)
    names = {exact.name} if exact is not None else meant
    if len(names) != 1:
        return ""
    [full] = names
    aliases = set(newest.by_name[full].names)
    for row in rows().values():
        if any(place.flag in aliases and place.key is None for place in row.side(other).places):
            now = row.side(catalogue.engine).place(catalogue.release)
            if now is not None:
                return f"it is {_NAMES[other]}'s; {_NAMES[catalogue.engine]}'s {row.title} is {now}"
    return f"it is {_NAMES[other]}'s"


def _bad_value(problem: Problem, where: Span, catalogue: Catalogue) -> Finding:
    if problem.key:
        return _bad_key(problem, where, catalogue)
    flag = catalogue.by_name.get(problem.subject)
    code = "PK201" if flag is not None and flag.choices is not None else "PK202"
    hint = _did_you_mean(problem)
    if code == "PK201" and flag is not None:
        hint = _choice_elsewhere(flag.name, problem, catalogue) or hint
    return Finding(code, problem.message, problem.source, value_span(problem) or where, hint)


def _choice_elsewhere(name: str, problem: Problem, catalogue: Catalogue) -> str:
    """The releases that take a choice which this one doesn't."""
    words = {word.text.partition("=")[2] or word.text for word in problem.words}
    having: list[Version] = []
    for release in known_releases(catalogue.engine):
        flag = load(catalogue.engine, release).by_name.get(name)
        if flag is not None and words & set(map(str, flag.choices or ())):
            having.append(release)
    near = _did_you_mean(problem)
    if not having or catalogue.release in having:
        return near
    text = f"{_NAMES[catalogue.engine]} takes it in {having[0]}" + (f" to {having[-1]}" if len(having) > 1 else "")
    return f"{text}; {near}" if near else text


def _bad_key(problem: Problem, where: Span, catalogue: Catalogue) -> Finding:
    flag = catalogue.by_name.get(problem.subject)
    span = key_span(where, problem.source, problem.key)
    class_name = (flag.config_class if flag is not None else None) or ""
    history = key_history(catalogue, class_name, problem.key)
    if not history:
        return Finding("PK301", problem.message, problem.source, span, _did_you_mean(problem))
    message = f"{problem.subject} has no key {problem.key!r} in {_NAMES[catalogue.engine]} {catalogue.release}"
    now = _key_successor(problem.subject, problem.key, catalogue)
    hint = f"write {now}" if now else _did_you_mean(problem)
    return Finding("PK302", f"{message}: {history.text}", problem.source, span, hint)


def _key_successor(option: str, key: str, catalogue: Catalogue) -> str:
    for row in rows().values():
        side = row.side(catalogue.engine)
        if any(place.flag == option and place.key == key for place in side.places):
            now = side.place(catalogue.release)
            return str(now) if now is not None and now.key != key else ""
    return ""


def _argument(argument: Argument, catalogue: Catalogue) -> Iterator[Finding]:
    flag = argument.flag
    spelled = argument.option or flag.name
    release = f"{_NAMES[catalogue.engine]} {catalogue.release}"
    instead = f"use {flag.replacement}" if flag.replacement else "remove it"
    if flag.ignored:
        yield Finding(
            "PK107", f"{release} accepts {spelled} and drops it", argument.source, argument_span(argument), instead
        )
    elif flag.deprecated:
        message = f"{spelled} is deprecated in {release}"
        yield Finding("PK106", message, argument.source, argument_span(argument), instead)
    if argument.abbreviated and argument.option.startswith("-"):
        message = f"{argument.option} is short for {flag.name}"
        hint = "write it in full: a new flag can make an abbreviation ambiguous"
        if argument.option not in ("--tp", "--dp"):  # everybody's spelling in SGLang
            yield Finding("PK112", message, argument.source, argument_span(argument), hint)


def _overridden(earlier: Argument, resolution: Resolution) -> Iterator[Finding]:
    last = resolution.arguments.get(earlier.flag.dest)
    if earlier.origin == "config file" or last is None:
        return
    span = argument_span(earlier)
    if isinstance(earlier.value, dict) and isinstance(last.value, dict):
        lost = sorted(set(map(str, earlier.value)) - set(map(str, last.value)))
        if lost:
            message = f"{earlier.option} is given again later, which replaces it whole: lost are {', '.join(lost)}"
            yield Finding("PK304", message, earlier.source, span, "put every key into one object, in one spelling")
            return
    yield Finding(
        "PK111", f"{earlier.option or earlier.flag.name} is given again later, which wins", earlier.source, span
    )


def _did_you_mean(problem: Problem) -> str:
    if not problem.suggestions or problem.kind == "ambiguous" or "did you mean" in problem.message:
        return ""
    return "did you mean " + " or ".join(problem.suggestions[:3]) + "?"

"""Findings of `portkit check`: for people, for programs, for GitHub, and as SARIF."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from portkit import __version__
from portkit.checking.codes import CHECKS, LEVELS, Level
from portkit.checking.findings import Finding
from portkit.errors import underlined

if TYPE_CHECKING:
    from rich.console import Console

_STYLES: dict[Level, str] = {"error": "bold red", "warning": "yellow", "note": "cyan"}
_SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


@dataclass(frozen=True, slots=True)
class Checked:
    """One launch's findings. `launch` is its label, `release` and `reason` what it was read by."""

    launch: str
    engine: str
    release: str
    reason: str
    findings: tuple[Finding, ...]


def failing(checked: Iterable[Checked]) -> bool:
    """Whether anything is worse than a note."""
    return any(finding.level != "note" for launch in checked for finding in launch.findings)


def print_findings(checked: list[Checked], out: Console) -> None:
    """Each finding with its line underlined and what to do, then the counts."""
    from rich.text import Text

    for launch in checked:
        out.print(f"{launch.launch}: read as {launch.engine} {launch.release} ({launch.reason})")
        for finding in launch.findings:
            line, column, _, _ = finding.position
            out.print()
            head = Text(f"{finding.source.name}:{line}:{column}: ")
            head.append(f"{finding.level} {finding.code}", _STYLES[finding.level])
            out.print(head.append(f" {finding.message}"))
            for text in underlined(finding.source, finding.span, max(40, out.width - 8)):
                out.print(f"  {text}", no_wrap=True, crop=False)
            if finding.hint:
                out.print(f"  = {finding.hint}")
        out.print(("\n" if launch.findings else "") + counted(launch.findings))


def counted(findings: Iterable[Finding]) -> str:
    """`2 errors, 1 note`, or that nothing was found."""
    counts = Counter(finding.level for finding in findings)
    parts = [f"{counts[level]} {level}{'s' * (counts[level] != 1)}" for level in LEVELS if counts[level]]
    return ", ".join(parts) or "nothing found"


def findings_document(checked: list[Checked]) -> dict[str, Any]:
    """All of it as plain data; docs/json.md describes it."""
    return {"schema": "portkit.check/1", "portkit": __version__, "launches": [_launch(launch) for launch in checked]}


def _launch(launch: Checked) -> dict[str, Any]:
    return {
        "launch": launch.launch,
        "engine": launch.engine,
        "release": launch.release,
        "release_reason": launch.reason,
        "findings": [_finding(finding) for finding in launch.findings],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    line, column, end_line, end_column = finding.position
    return {
        "code": finding.code,
        "name": finding.name,
        "level": finding.level,
        "message": finding.message,
        "hint": finding.hint,
        "file": finding.source.name,
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
    }


def github_lines(checked: list[Checked]) -> Iterator[str]:
    """Workflow commands, which GitHub shows beside the lines of a pull request."""
    for launch in checked:
        for finding in launch.findings:
            line, column, end_line, end_column = finding.position
            place = {"file": finding.source.name, "line": line, "col": column, "endLine": end_line}
            if end_line == line:  # GitHub takes an end column on the first line only
                place["endColumn"] = end_column
            place["title"] = f"{finding.code} {finding.name}"
            level = "notice" if finding.level == "note" else finding.level
            properties = ",".join(f"{key}={_property(str(value))}" for key, value in place.items())
            yield f"::{level} {properties}::{_data('. '.join(filter(None, (finding.message, finding.hint))))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def sarif_document(checked: list[Checked]) -> dict[str, Any]:
    """A SARIF 2.1.0 log of one run, with the rules that found something."""
    findings = [finding for launch in checked for finding in launch.findings]
    codes = sorted({finding.code for finding in findings})
    driver = {
        "name": "portkit",
        "version": __version__,
        "rules": [
            {
                "id": code,
                "name": "".join(word.capitalize() for word in CHECKS[code].name.split("-")),
                "shortDescription": {"text": CHECKS[code].summary},
                "defaultConfiguration": {"level": CHECKS[code].level},
            }
            for code in codes
        ],
    }
    results = [_result(finding, codes.index(finding.code)) for finding in findings]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(finding: Finding, index: int) -> dict[str, Any]:
    line, column, end_line, end_column = finding.position
    region = {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}
    location = {"artifactLocation": {"uri": _uri(finding.source.name)}, "region": region}
    return {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": finding.level,
        "message": {"text": ". ".join(filter(None, (finding.message, finding.hint)))},
        "locations": [{"physicalLocation": location}],
    }


def _uri(name: str) -> str:
    from urllib.parse import quote

    return quote(name.replace("\\", "/"), safe="/:")

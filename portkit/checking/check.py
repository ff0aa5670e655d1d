"""Everything that is wrong with a launch on its own release."""

from __future__ import annotations

from collections.abc import Iterator

from portkit.catalogue.resolution import Resolution
from portkit.checking import sglang_rules, vllm_rules
from portkit.checking.findings import Finding, in_order
from portkit.checking.flags import flag_findings
from portkit.checking.objects import object_findings
from portkit.checking.variables import variable_findings
from portkit.checking.view import View
from portkit.deployment.schema import Facts
from portkit.source import Span


def check(resolution: Resolution, facts: Facts) -> list[Finding]:
    """Findings in the order of their places: flags, values, keys, variables, combinations."""
    view = View(resolution, facts)
    rules = (*sglang_rules.RULES, *vllm_rules.RULES)
    found = [
        *flag_findings(resolution),
        *object_findings(resolution),
        *variable_findings(resolution),
        *(finding for rule in rules for finding in rule.findings(view)),
    ]
    if all(finding.level != "error" for finding in found):
        found.extend(_unsafe(resolution, facts))
    return in_order(found)


def _unsafe(resolution: Resolution, facts: Facts) -> Iterator[Finding]:
    """What a port onto the launch's own release calls unsafe; asked only of a launch that starts."""
    from portkit.conversions.writing import PortOptions
    from portkit.dialects.read import read_deployment
    from portkit.porting.port import port

    launch = resolution.launch
    for entry in port(read_deployment(resolution, facts, ""), resolution.catalogue, PortOptions()).entries:
        if entry.carry.verdict != "unsafe" or entry.carry.follows:
            continue
        written = entry.setting.provenance.written if entry.setting is not None else ()
        source = launch.source if not written or written[0].file == launch.source.name else None
        if source is not None:
            span = Span(written[0].start, written[0].end) if written else launch.span
            yield Finding("PK601", entry.carry.reason, source, span, entry.carry.instead)

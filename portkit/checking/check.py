"""Everything that is wrong with a launch on its own release."""

from __future__ import annotations

from portkit.catalogue.resolution import Resolution
from portkit.checking import sglang_rules, vllm_rules
from portkit.checking.findings import Finding, in_order
from portkit.checking.flags import flag_findings
from portkit.checking.objects import object_findings
from portkit.checking.variables import variable_findings
from portkit.checking.view import View
from portkit.deployment.schema import Facts


def check(resolution: Resolution, facts: Facts) -> list[Finding]:
    """Findings in the order of their places: flags, values, keys, variables, combinations."""
    view = View(resolution, facts)
    rules = (*sglang_rules.RULES, *vllm_rules.RULES)
    return in_order(
        [
            *flag_findings(resolution),
            *object_findings(resolution),
            *variable_findings(resolution),
            *(finding for rule in rules for finding in rule.findings(view)),
        ]
    )

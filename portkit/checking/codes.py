"""Every check by its code, which never changes its meaning; docs/checks.md explains each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["error", "warning", "note"]
LEVELS: tuple[Level, ...] = ("error", "warning", "note")


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that is looked for.

    `level`: error, the engine refuses to start; warning, it starts without doing what was written;
    note, good to know, and no reason to fail. `summary` is one line for people.
    """

    code: str
    name: str
    level: Level
    summary: str


_TABLE: tuple[Check, ...] = (
    Check("PK101", "unknown-flag", "error", "no catalogued release has the flag"),
    Check("PK102", "removed-flag", "error", "the flag is gone, without a successor"),
    Check("PK103", "renamed-flag", "error", "the flag has another name now"),
    Check("PK104", "later-flag", "error", "the flag comes with a later release"),
    Check("PK105", "ambiguous-flag", "error", "the abbreviation fits several flags"),
    Check("PK106", "deprecated-flag", "warning", "the flag works, and will be gone"),
    Check("PK107", "ignored-flag", "warning", "the flag is accepted and dropped"),
    Check("PK108", "refused-flag", "error", "the release knows the flag only to stop"),
    Check("PK109", "stray-word", "error", "a word that belongs to no flag"),
    Check("PK110", "missing-flag", "error", "a required flag isn't there"),
    Check("PK111", "repeated-flag", "note", "the last of several uses wins"),
    Check("PK112", "abbreviated-flag", "note", "an abbreviation that a later release may find ambiguous"),
    Check("PK201", "bad-choice", "error", "not one of the values the flag takes"),
    Check("PK202", "bad-value", "error", "the value has the wrong type"),
    Check("PK203", "missing-value", "error", "the flag needs a value"),
    Check("PK204", "surplus-value", "error", "the flag takes no value"),
    Check("PK205", "refused-value", "error", "the value parses, and stops the engine at start"),
    Check("PK206", "unregistered-name", "error", "a registry refuses the name at start"),
    Check("PK301", "unknown-key", "error", "the config object has no such key in any catalogued release"),
    Check("PK302", "key-of-other-release", "error", "the config object has the key in other releases only"),
    Check("PK303", "bad-key-value", "error", "the config object refuses the value of a key"),
    Check("PK304", "object-replaced", "warning", "a config object given twice is replaced, not merged"),
    Check("PK401", "unknown-variable", "warning", "no catalogued release reads the variable"),
    Check("PK402", "removed-variable", "warning", "the release doesn't read the variable any more"),
    Check("PK403", "later-variable", "warning", "a later release is the first to read the variable"),
    Check("PK404", "deprecated-variable", "warning", "the variable is read, under a name that will be gone"),
    Check("PK405", "foreign-variable", "note", "the variable is the other engine's"),
    Check("PK406", "bad-variable-value", "error", "the engine can't read the variable's value"),
    Check("PK407", "overwritten-variable", "warning", "the engine overwrites the variable"),
    Check("PK501", "exclusive-settings", "error", "two settings exclude each other"),
    Check("PK502", "needs-another-setting", "error", "a setting needs another one"),
    Check("PK503", "graph-sizes-below-verify-width", "error", "no CUDA graph holds one request's verify step"),
    Check("PK504", "graph-maximum-and-list-disagree", "error", "the largest graph size and the list disagree"),
    Check("PK505", "draft-budget", "error", "drafting leaves no tokens to schedule"),
    Check("PK506", "mtp-divisor", "error", "the draft length is no multiple of the MTP layers"),
    Check("PK507", "draft-length-missing", "error", "speculation without a number of draft tokens"),
    Check("PK508", "sizes-do-not-divide", "error", "parallel sizes don't divide"),
    Check("PK509", "batch-below-sequences", "error", "fewer tokens a step than sequences"),
    Check(
        "PK510", "hybrid-speculation-cache", "error", "speculation, prefix cache and state strategy don't go together"
    ),
    Check("PK511", "backend-cannot", "error", "no attention backend can do this"),
    Check("PK601", "unsafe-setting", "warning", "it starts, and is slower or wrong"),
    Check("PK602", "value-overruled", "warning", "the engine sets another value than the one written"),
    Check("PK603", "graphs-lost", "warning", "decode steps run without CUDA graphs"),
    Check("PK604", "half-set-feature", "warning", "another flag is needed before it does anything"),
    Check("PK605", "hybrid-without-sequence-limit", "note", "a default that hybrid models may not have room for"),
    Check("PK901", "unreadable-part", "note", "only the shell knows these words"),
    Check("PK902", "unread-setting", "warning", "the engine never reads what is written"),
)

CHECKS: dict[str, Check] = {check.code: check for check in _TABLE}

"""Reading a launch by one release's own rules: which flag takes effect with which value.

Errors of the command line are recorded, not raised: a comparison needs the rest of the launch too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from packaging.version import Version

from portkit.catalogue import sglang_rules, vllm_rules
from portkit.catalogue.argparse_rules import HELP, Occurrence, arity, divide, option_table
from portkit.catalogue.config_objects import coerced, unknown_keys
from portkit.catalogue.model import Catalogue, Variable
from portkit.catalogue.reading import ReadFile, Reading, place
from portkit.catalogue.resolution import Argument, EnvironmentValue, Resolution
from portkit.catalogue.tokens import Token, all_words
from portkit.catalogue.values import BadValue, convert, lora_modules, lora_paths
from portkit.launch import Launch

_PREPARE = {"sglang": sglang_rules.prepare, "vllm": vllm_rules.prepare}
_CONSTANTS = ("store_const", "DeprecatedStoreConstAction")
_ITEMS: dict[str, Callable[[str], Any]] = {"LoRAPathAction": lora_paths, "LoRAParserAction": lora_modules}
_HARMLESS = ("opaque", "ignored")
_SGL_RENAMED = Version("0.5.3.post3")


def resolve(launch: Launch, catalogue: Catalogue, read_file: ReadFile | None = None) -> Resolution:
    """What a launch means to a release.

    Every word of the command line ends in an argument, among the overridden ones, or in a problem.
    `read_file` gives the text of a `--config` file by its path, or None; files that the script
    itself writes come first. Raises nothing for what the engine would refuse.
    """
    reading = Reading(Resolution(launch, catalogue), option_table(catalogue), read_file)
    tokens = [reading.stand_ins.token(word, launch.source) for word in launch.argv]
    tokens = _PREPARE[catalogue.engine](tokens, reading)
    occurrences, opaque = divide(tokens, reading.table, reading.report)
    for occurrence in occurrences:
        _take(occurrence, reading)
    if not (opaque or reading.incomplete):
        _check_required(occurrences, reading)
    for name, word in launch.environment.items():
        reading.resolution.environment[name] = EnvironmentValue(name, word, _variable(name, catalogue))
    return reading.resolution


def accepts(resolution: Resolution) -> bool:
    """Whether the release would start with this command line, as far as anyone can tell from the text."""
    return all(problem.kind in _HARMLESS for problem in resolution.problems)


def _take(occurrence: Occurrence, reading: Reading) -> None:
    flag = occurrence.flag
    covered = _covered(occurrence)
    if flag is HELP:
        reading.report("refused", f"{occurrence.name} prints the help and ends", covered)
        return
    if flag.refused:
        instead = f"; use {flag.replacement}" if flag.replacement else ""
        reading.report("refused", f"{occurrence.name} stops this release{instead}", covered, (), occurrence.name)
        return
    try:
        value = _value(occurrence, reading)
    except BadValue as error:
        message = f"{_label(occurrence)}: {error.message}"
        reading.report("invalid_value", message, covered, error.suggestions, _label(occurrence))
        return
    if flag.config_class is not None:
        value = coerced(value, flag.config_class, reading.catalogue)
        for wrong in unknown_keys(value, flag.config_class, reading.catalogue, reading.stand_ins):
            message = f"{_label(occurrence)}: {wrong.message}"
            reading.report("invalid_value", message, covered, wrong.suggestions, _label(occurrence), wrong.key)
    _inert_config(occurrence, covered, reading)
    _store(occurrence, value, covered, reading)


def _value(occurrence: Occurrence, reading: Reading) -> Any:
    flag = occurrence.flag
    values = [_typed(occurrence, token.text, reading) for token in occurrence.values]
    if flag.action in _CONSTANTS:
        return flag.const
    if arity(flag) == (0, 0):
        if flag.action == "boolean_optional":
            return occurrence.name not in flag.negatives
        return flag.const if flag.const is not None else flag.action != "store_false"
    if flag.nargs is None:
        return values[0]
    if flag.nargs == "?":
        return values[0] if values else flag.const
    return values


def _typed(occurrence: Occurrence, text: str, reading: Reading) -> Any:
    flag = occurrence.flag
    if flag.action in _ITEMS:
        return reading.stand_ins.reveal(_ITEMS[flag.action](text))
    return convert(flag, text, reading.catalogue, reading.stand_ins)


def _store(occurrence: Occurrence, value: Any, covered: Sequence[Token], reading: Reading) -> None:
    flag, option = occurrence.flag, occurrence.option
    words = all_words(occurrence.values)
    if flag.action == "append":
        earlier = reading.resolution.arguments.pop(flag.dest, None)
        value = [*(earlier.value if earlier is not None else ()), value]
        words = (*(earlier.words if earlier is not None else ()), *all_words(covered))
    reading.store(
        Argument(
            flag=flag,
            value=value,
            option="" if option is None else option.spelled.partition("=")[0],
            words=words,
            place=place(covered),
            source=covered[0].source,
            origin=covered[0].origin,
            abbreviated=occurrence.abbreviated,
        )
    )


def _inert_config(occurrence: Occurrence, covered: Sequence[Token], reading: Reading) -> None:
    """`--config` that reaches the parser wasn't spelled as the two words that the engines look for."""
    if occurrence.flag.name == "--config" and occurrence.values:
        path = occurrence.values[0].spelled or occurrence.values[0].text
        message = f"the engine never opens {path}: it looks for --config and the path as two words"
        reading.report("ignored", message, covered, ("--config",))


def _check_required(occurrences: Sequence[Occurrence], reading: Reading) -> None:
    given = {occurrence.flag.dest for occurrence in occurrences}
    for flag in reading.table.required:
        if flag.dest not in given:
            reading.report("missing_required", f"{' or '.join(flag.names)} is required", [], (), flag.name)


def _covered(occurrence: Occurrence) -> list[Token]:
    option = occurrence.option
    if option is None:
        return list(occurrence.values)
    return [option, *(value for value in occurrence.values if not value.within(option))]


def _label(occurrence: Occurrence) -> str:
    return occurrence.name or occurrence.flag.dest


def _variable(name: str, catalogue: Catalogue) -> Variable | None:
    """The variable a name sets; SGLang copies `SGL_X` to `SGLANG_X` when it is imported."""
    known = catalogue.variables.get(name)
    if known is None and catalogue.engine == "sglang" and catalogue.release >= _SGL_RENAMED:
        known = catalogue.variables.get("SGLANG_" + name.removeprefix("SGL_"))
    return known

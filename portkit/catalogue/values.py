"""Texts into typed values, as the functions behind an engine's `type=` read them."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

from packaging.version import Version

from portkit.catalogue.model import Catalogue, Flag
from portkit.catalogue.resolution import Unknown
from portkit.catalogue.tokens import STAND_IN, StandIns
from portkit.launch import EngineName

MAX_DEPTH = 60  # of nested JSON and YAML; real configurations have four or five levels
_FEW = 14
_SUFFIXES_IN_JSON = Version("0.20.0")  # of vLLM, whose flags alone have config classes
_JSON_TYPES = ("json", "union_dict_and_str")
_BRACED = re.compile(r"\s*\{.*\}\s*\Z", re.DOTALL)
_STRING = re.compile(r'("(?:[^"\\]|\\.)*")', re.DOTALL)
_SUFFIXED = re.compile(r"\b\d+(?:\.\d+)?[kKmMgGtT]\b")
_BARE_UNKNOWN = re.compile(r'[^\s,:\[\]{}"]*[\U00100000-\U0010fffd][^\s,:\[\]{}"]*')
_VLLM_HUMAN = re.compile(r"(\d+(?:\.\d+)?)([kKmMgGtT])\Z")
_SGLANG_HUMAN = re.compile(r"(\d+(?:\.\d+)?)(Ki|Mi|Gi|Ti|k|M|G|T)\Z")
_POWERS = {"k": 1, "m": 2, "g": 3, "t": 4}


class BadValue(ValueError):
    """A text that the engine's parser refuses; `suggestions` are near ones that it takes.

    `key` is the dotted path of the key it is about, inside a config object.
    """

    def __init__(self, message: str, suggestions: Iterable[str] = (), key: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.suggestions = tuple(suggestions)
        self.key = key


def vllm_human_int(text: str) -> int:
    """Tokens as vLLM counts them: `8k` is 8000, `8K` is 8192. Raises BadValue."""
    found = _VLLM_HUMAN.match(text.strip())
    if not found:
        return _whole(text)
    number, suffix = found.groups()
    power = _POWERS[suffix.lower()]
    if suffix.islower():
        try:
            return int(float(number) * 1000**power)
        except OverflowError:
            raise BadValue(f"{text!r} is too large") from None
    if "." in number:
        raise BadValue(f"{text!r}: a capital suffix takes whole numbers", [number + suffix.lower()])
    return int(number) << 10 * power


def sglang_human_int(text: str) -> int:
    """Tokens as SGLang counts them: `8k` is 8000, `8Ki` is 8192, case matters. Raises BadValue."""
    found = _SGLANG_HUMAN.match(text.strip())
    if not found:
        try:
            return _whole(text)
        except BadValue as error:
            raise BadValue(f"{error.message} (suffixes are k, M, G, T and Ki, Mi, Gi, Ti)") from None
    number, suffix = found.groups()
    power = _POWERS[suffix[0].lower()]
    if len(suffix) == 1:
        return int(Decimal(number) * 1000**power)
    if "." in number:
        raise BadValue(f"{text!r}: {suffix} takes whole numbers", [number + suffix[0]])
    return int(number) << 10 * power


def parse_json(text: str, *, suffixes: bool = False) -> Any:
    """JSON in which unknown parts may stand for values or lie inside strings. Raises BadValue.

    Strings of the result still hold stand-ins (`StandIns.reveal` turns them into `Unknown`); a text
    whose shape depends on an unknown part comes back whole. `suffixes`: bare `80m` and `8K` are numbers.
    """
    pieces = _STRING.split(text)
    for index in range(0, len(pieces), 2):
        if suffixes:
            pieces[index] = _SUFFIXED.sub(lambda found: str(vllm_human_int(found[0])), pieces[index])
        if not pieces[index].isascii():
            pieces[index] = _BARE_UNKNOWN.sub(lambda found: json.dumps(found[0], ensure_ascii=False), pieces[index])
    _check_depth(pieces[::2])
    try:
        return json.loads("".join(pieces))
    except ValueError as error:
        if STAND_IN.search(text):
            return text
        where = f" at character {error.pos + 1}" if isinstance(error, json.JSONDecodeError) else ""
        raise BadValue(f"not valid JSON{where}: {getattr(error, 'msg', error)}") from None


def convert(flag: Flag, text: str, catalogue: Catalogue, stand_ins: StandIns) -> Any:
    """One value of a flag, typed. Raises BadValue; what isn't known stays `Unknown`, unchecked."""
    if flag.nullable and text in ("", "None"):
        value = None
    elif flag.type in _JSON_TYPES:
        value = _json_value(flag, text, catalogue, stand_ins)
    elif not text.isascii() and STAND_IN.search(text):
        return Unknown(stand_ins.show(text))
    else:
        value = _reader(flag.type, catalogue.engine)(text)
    if flag.choices is not None and value not in flag.choices:
        raise not_a_choice(text, [str(choice) for choice in flag.choices if choice is not None])
    return value


def not_a_choice(text: str, choices: list[str]) -> BadValue:
    """The refusal of a value that is none of the legal ones, naming them or the nearest."""
    near = difflib.get_close_matches(text.lower(), choices, n=3, cutoff=0.55)
    legal = ", ".join(choices) if len(choices) <= _FEW else f"its {len(choices)} choices"
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return BadValue(f"{text!r} is not one of {legal}{hint}", near)


def lora_paths(text: str) -> Any:
    """An item of SGLang's `--lora-paths`: a path, name=path, or a JSON object. Raises BadValue."""
    text = text.strip()
    if not (text.startswith("{") and text.endswith("}")):
        return text
    value = parse_json(text)
    if isinstance(value, dict) and not {"lora_name", "lora_path"} <= value.keys():
        raise BadValue("an adapter in JSON needs the keys lora_name and lora_path")
    return value


def lora_modules(text: str) -> Any:
    """An item of vLLM's `--lora-modules`, name=path or a JSON object, as its keys. Raises BadValue."""
    if "=" in text and "," not in text:
        name, _, path = text.partition("=")
        return {"name": name, "path": path}
    value = parse_json(text)
    if isinstance(value, dict) and not {"name", "path"} <= value.keys():
        raise BadValue("an adapter in JSON needs the keys name and path")
    return value


def _json_value(flag: Flag, text: str, catalogue: Catalogue, stand_ins: StandIns) -> Any:
    if flag.type == "union_dict_and_str" and not _BRACED.match(text):
        return stand_ins.reveal(text)
    suffixes = flag.config_class is not None and catalogue.release >= _SUFFIXES_IN_JSON
    value = stand_ins.reveal(parse_json(text, suffixes=suffixes))
    if flag.config_class is not None and not isinstance(value, dict | Unknown):
        raise BadValue(f"takes a JSON object, not {stand_ins.show(text)!r}")
    return value


def _check_depth(outside_strings: list[str]) -> None:
    depth = 0
    for bracket in re.findall(r"[\[\]{}]", "".join(outside_strings)):
        depth += 1 if bracket in "[{" else -1
        if depth > MAX_DEPTH:
            raise BadValue(f"JSON nested more than {MAX_DEPTH} levels deep")


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise BadValue(f"{text!r} is not a whole number") from None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise BadValue(f"{text!r} is not a number") from None


def _vllm_human_int_or_auto(text: str) -> int:
    return -1 if text.strip().lower() in ("-1", "auto") else vllm_human_int(text)


def _comma_list(text: str) -> list[int | str]:
    parts = [part.strip() for part in text.split(",")]
    return [int(part) if part.isdecimal() else part for part in parts]


def _lower_dash_to_underscore(text: str) -> str:
    return text.lower().replace("-", "_")


def _reasoning_parser(text: str) -> str:
    return "" if text.lower() == "none" else text


_READERS: dict[str, Callable[[str], Any]] = {
    "int": _whole,
    "float": _number,
    "human_int_or_auto": _vllm_human_int_or_auto,
    "comma_list": _comma_list,
    "lower_dash_to_underscore": _lower_dash_to_underscore,
    "parse_reasoning_parser": _reasoning_parser,
}
_HUMAN_INTS = {"vllm": vllm_human_int, "sglang": sglang_human_int}


def _reader(type_name: str, engine: EngineName) -> Callable[[str], Any]:
    if type_name == "human_int":
        return _HUMAN_INTS[engine]
    return _READERS.get(type_name, str)

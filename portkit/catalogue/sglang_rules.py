"""What SGLang does to its command line before argparse sees it."""

from __future__ import annotations

import json
from collections.abc import Iterator

from packaging.version import Version

from portkit.catalogue.argparse_rules import arity
from portkit.catalogue.config_file import Entry
from portkit.catalogue.config_option import take_config
from portkit.catalogue.model import Catalogue, Flag
from portkit.catalogue.reading import Reading
from portkit.catalogue.tokens import STAND_IN, Token
from portkit.catalogue.values import not_a_choice

MODEL_TYPE = Flag(("--model-type",), "model_type")  # taken by `sglang serve` itself
_MODEL_TYPES = ("auto", "llm", "diffusion")

_CONFIG_FILE = Version("0.5.3.post3")
_JSON_IN_CONFIG = Version("0.5.14")  # before, mappings were written as Python
_POSITIONAL_MODEL = Version("0.5.16")
_PLUGIN_MODEL_TYPES = Version("0.5.18")
_CONFIG_KEYS_BY_SPELLING = Version("0.5.23")  # before, by dest


def prepare(tokens: list[Token], reading: Reading) -> list[Token]:
    """The tokens as argparse gets them: the backend selector out, the config file in front."""
    if reading.serve:
        tokens = _model_type(tokens, reading)
        tokens = _positional_model(tokens, reading)
    if reading.catalogue.release < _CONFIG_FILE:
        return tokens
    return _config(tokens, reading)


def _model_type(tokens: list[Token], reading: Reading) -> list[Token]:
    kept: list[Token] = []
    rest = iter(tokens)
    for token in rest:
        if token.text == "--model-type":
            value = next(rest, None)
        elif token.text.startswith("--model-type="):
            value = token.cut(len("--model-type="))
        else:
            kept.append(token)
            continue
        if value is None or not value.text:
            reading.report("missing_value", "--model-type needs a value", [token, *([value] if value else [])])
            continue
        _check_model_type(token, value, reading)
    return kept


def _check_model_type(option: Token, value: Token, reading: Reading) -> None:
    known = value.text in _MODEL_TYPES or STAND_IN.search(value.text)
    if not known and reading.catalogue.release < _PLUGIN_MODEL_TYPES:
        error = not_a_choice(value.text, list(_MODEL_TYPES))
        covered = [option] if value.words == option.words else [option, value]
        reading.report("invalid_value", f"--model-type: {error.message}", covered, error.suggestions)
        return
    reading.keep(MODEL_TYPE, reading.stand_ins.reveal(value.text), option, [value])


def _positional_model(tokens: list[Token], reading: Reading) -> list[Token]:
    named = reading.catalogue.by_dest.get("model_path")
    if reading.catalogue.release < _POSITIONAL_MODEL or named is None:
        return tokens
    if not tokens or tokens[0].text.startswith("-"):
        return tokens
    model = tokens[0]
    option = Token(named.name, model.place, model.source, spelled="")
    value = Token(model.text, model.place, model.source, model.words, model.spelled)
    return [option, value, *tokens[1:]]


def _config(tokens: list[Token], reading: Reading) -> list[Token]:
    config = take_config(tokens, reading)
    if isinstance(config, list):
        return config
    return [token for entry in config.entries for token in _entry_tokens(entry, reading)] + config.rest


def _entry_tokens(entry: Entry, reading: Reading) -> Iterator[Token]:
    by_spelling = reading.catalogue.release >= _CONFIG_KEYS_BY_SPELLING
    meant = _meant(entry.key, reading.catalogue, by_spelling)
    switch = any(flag.action == "store_true" for flag in meant)
    option = entry.option(f"--{entry.key}")
    value = entry.value
    if not _allowed(meant, by_spelling):
        reading.report("refused", f"{meant[0].name} can't be set in a config file", [option])
    elif isinstance(value, bool) and switch:
        if value:  # false is what it is without the key
            yield option
    elif isinstance(value, bool):
        yield from (option, entry.argument(str(value).lower()))
    elif isinstance(value, list):
        if value:
            yield option
            yield from (entry.argument(str(item)) for item in value)
    elif isinstance(value, dict) and reading.catalogue.release >= _JSON_IN_CONFIG:
        yield from (option, entry.argument(json.dumps(value, ensure_ascii=False, default=str)))
    else:
        yield from (option, entry.argument(str(value)))


def _meant(key: str, catalogue: Catalogue, by_spelling: bool) -> list[Flag]:
    """The flags whose rules the engine applies to a key: by dest, in newer releases by any spelling too."""
    dest = key.replace("-", "_")
    return [
        flag
        for flag in catalogue.flags
        if dest == flag.dest or (by_spelling and any(_as_dest(name) == dest for name in flag.names))
    ]


def _as_dest(name: str) -> str:
    return name[2:].replace("-", "_") if name.startswith("--") else ""


def _allowed(meant: list[Flag], by_spelling: bool) -> bool:
    """Whether a file may set them. Where flags share a dest, older releases want all of them to be plain ones."""
    plain = [
        flag.name == "--config" or flag.action in ("store", "store_true") or (by_spelling and arity(flag) == (1, 1))
        for flag in meant
    ]
    return not plain or (any(plain) if by_spelling else all(plain))

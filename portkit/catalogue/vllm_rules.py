"""What vLLM does to its command line before argparse sees it, in the order it does it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from packaging.version import Version

from portkit.catalogue.config_file import Entry
from portkit.catalogue.config_option import take_config
from portkit.catalogue.reading import Reading
from portkit.catalogue.tokens import STAND_IN, StandIns, Token, all_words
from portkit.catalogue.values import MAX_DEPTH, BadValue, parse_json, vllm_human_int

_MODEL = re.compile(r"--model(=.+)?\Z", re.DOTALL)
_CONFIG = re.compile(r"--config(=.+)?\Z", re.DOTALL)
_SERVED_NAME = re.compile(r"--served[-_]model[-_]name(=.+)?\Z", re.DOTALL)

# The first release whose parser was seen to do so, the minor release before it not doing it.
_MODEL_MOVED = Version("0.11.2")
_O_IS_OPTIMIZATION_LEVEL = Version("0.12.0")
_MAPPINGS_IN_CONFIG = Version("0.16.0")
_SERVED_NAME_NEEDS_MODEL = Version("0.17.0")
_DOTTED_HUMAN_INTS = Version("0.20.0")
_NEGATIVES_IN_CONFIG = Version("0.29.0")


def prepare(tokens: list[Token], reading: Reading) -> list[Token]:
    """The tokens as argparse gets them."""
    if reading.serve:
        tokens = _model_first(tokens, reading)
    tokens = _config(tokens, reading)
    tokens = list(_normalised(tokens, reading))
    return _gathered(tokens, reading)


def _model_first(tokens: list[Token], reading: Reading) -> list[Token]:
    """`vllm serve` turns `--model X` into its first positional."""
    release = reading.catalogue.release
    index = next((i for i, token in enumerate(tokens) if _MODEL.match(token.text)), None)
    if index is not None and (release >= _MODEL_MOVED or tokens[index].text == "--model"):
        option, rest = tokens[index], tokens[index + 1 :]
        if option.text != "--model":
            value: Token | None = option.cut(len("--model="))
        else:
            value, rest = (rest[0], rest[1:]) if rest else (None, [])
        tokens = [*tokens[:index], *rest]
        if value is None or value.text.startswith("-"):
            reading.report("missing_value", "--model needs a value", [option])
        elif release < _MODEL_MOVED:
            reading.report("refused", "vllm serve takes the model as its first word, not by --model", [option, value])
        if value is not None:
            moved = value if value.text.startswith("-") else _moved(value, option)
            tokens.insert(0, moved)
    served = [token for token in tokens if _SERVED_NAME.match(token.text)]
    modelless = bool(served) and tokens[0].text.startswith("-")
    configured = any(_CONFIG.match(token.text) for token in tokens)
    if modelless and not configured and release >= _SERVED_NAME_NEEDS_MODEL:
        message = "--served-model-name needs the model as first word of vllm serve"
        reading.report("refused", message, served[:1])
    return tokens


def _moved(value: Token, option: Token) -> Token:
    return Token(value.text, value.place, value.source, value.words, value.spelled, option=option)


def _config(tokens: list[Token], reading: Reading) -> list[Token]:
    """The file's settings stand behind a model that comes first, and before everything else."""
    config = take_config(tokens, reading)
    if isinstance(config, list):
        return config
    from_file = [token for entry in config.entries for token in _entry_tokens(entry, reading)]
    model_first = config.index > 0 and not tokens[0].text.startswith("-")
    modelless = not model_first and all(token.text != "--model" for token in from_file)
    if reading.serve and modelless and not reading.incomplete:
        message = "no model: neither in the file nor as first word of vllm serve"
        reading.report("refused", message, config.words)
    head = 1 if model_first else 0
    return [*config.rest[:head], *from_file, *config.rest[head:]]


def _entry_tokens(entry: Entry, reading: Reading) -> Iterator[Token]:
    option = entry.option(f"--{entry.key}")
    value = entry.value
    if value is True:
        yield option
    elif value is False:
        negative = f"--no-{entry.key}"
        # The command `vllm serve` looks the negative up in a parser that hasn't got it.
        if negative in reading.table.exact and _reads_negatives(reading):
            yield entry.option(negative)
        else:
            hint = (
                f"; write {negative} on the command line" if negative.replace("_", "-") in reading.table.exact else ""
            )
            reading.report("ignored", f"{entry.key}: false has no effect in a config file{hint}", [option])
    elif isinstance(value, list):
        if value:
            yield option
            yield from (entry.argument(str(item)) for item in value)
    elif isinstance(value, dict) and reading.catalogue.release >= _MAPPINGS_IN_CONFIG:
        yield from (option, entry.argument(json.dumps(value, ensure_ascii=False, default=str)))
    else:
        yield from (option, entry.argument(str(value)))


def _reads_negatives(reading: Reading) -> bool:
    return not reading.serve and reading.catalogue.release >= _NEGATIVES_IN_CONFIG


def _normalised(tokens: list[Token], reading: Reading) -> Iterator[Token]:
    """Dashes for underscores in `--` names, and the short forms of `-O`."""
    for index, token in enumerate(tokens):
        text = token.text
        if text.startswith("--"):
            name, equals, value = text.partition("=")
            head, dot, tail = name.partition(".")
            yield _rewritten(token, head.replace("_", "-") + dot + tail + equals + value)
        elif text.startswith("-O"):
            follower = tokens[index + 1].text if index + 1 < len(tokens) else None
            yield from _optimisation(token, follower, reading)
        else:
            yield token


def _optimisation(token: Token, follower: str | None, reading: Reading) -> Iterator[Token]:
    text = token.text
    if reading.catalogue.release >= _O_IS_OPTIMIZATION_LEVEL:
        option, glued = "--optimization-level", text != "-O"
    else:
        fields = reading.catalogue.config_classes.get("CompilationConfig", {})
        option = "-O.mode" if "mode" in fields else "-O.level"
        glued = text != "-O" and text[2] != "."
    if glued:
        name = "-O=" if text[2] == "=" else "-O"
        yield Token(option, token.place, token.source, token.words, name.rstrip("="), token.origin)
        value = token.cut(len(name))
        yield Token(value.text, value.place, value.source, value.words, value.text, token.origin)
    elif text == "-O" and follower in ("0", "1", "2", "3"):
        yield _rewritten(token, option)
    else:
        yield token


def _rewritten(token: Token, text: str) -> Token:
    if text == token.text:
        return token
    return Token(text, token.place, token.source, token.words, token.spelled, token.origin, token.splits)


@dataclass
class _Gathered:
    """The dotted keys under one spelling of a flag: values by key, and the tokens they came from."""

    value: dict[str, Any] = field(default_factory=dict)
    tokens: list[Token] = field(default_factory=list)
    indices: list[int] = field(default_factory=list)


def _gathered(tokens: list[Token], reading: Reading) -> list[Token]:
    """`--flag.a.b v` of each spelling made one JSON object at the end of the command line."""
    kept: list[Token] = []
    objects: dict[str, _Gathered] = {}
    human = reading.catalogue.release >= _DOTTED_HUMAN_INTS
    rest = iter(enumerate(tokens))
    for index, token in rest:
        name, equals, text = token.text.partition("=")
        if not token.text.startswith("-") or "." not in name:
            kept.append(token)
            continue
        pieces = [token]
        if not equals:
            follower = next(rest, None)
            if follower is None:
                reading.report("missing_value", f"{token.spelled} needs a value", [token])
                continue
            pieces.append(follower[1])
            text = follower[1].text
        flag, *keys = name.removesuffix("+").split(".")
        if len(keys) > MAX_DEPTH:
            reading.report("invalid_value", f"{flag}: keys nested more than {MAX_DEPTH} levels deep", pieces)
            continue
        value = text.split(",") if name.endswith("+") else _dotted_value(text, human)
        gathered = objects.setdefault(flag, _Gathered())
        for key in reversed(keys[1:]):
            value = {key: value}
        _merge(gathered.value, {keys[0]: value})
        gathered.tokens += pieces
        gathered.indices += range(index, index + len(pieces))
    for flag, gathered in objects.items():
        kept += _json_tokens(flag, gathered, reading.stand_ins)
    return kept


def _dotted_value(text: str, human: bool) -> Any:
    try:
        return parse_json(text)
    except BadValue:
        pass
    if human and not STAND_IN.search(text):
        try:
            return vllm_human_int(text)
        except BadValue:
            pass
    return text


def _merge(into: dict[str, Any], update: dict[str, Any]) -> None:
    for key, value in update.items():
        present = into.get(key)
        if isinstance(value, dict) and isinstance(present, dict):
            _merge(present, value)
        elif isinstance(value, list) and isinstance(present, list):
            present += value
        else:
            into[key] = value


def _json_tokens(flag: str, gathered: _Gathered, stand_ins: StandIns) -> Iterator[Token]:
    """The option and its object. Pieces that don't stand together are placed at the first of them."""
    first, *others = gathered.tokens
    together = gathered.indices == list(range(gathered.indices[0], gathered.indices[0] + len(gathered.indices)))
    last = others[-1] if together and others else first
    spelled = first.spelled.partition(".")[0]
    yield Token(flag, first.place, first.source, spelled=spelled, origin=first.origin)
    text = json.dumps(gathered.value, ensure_ascii=False)
    words = all_words(gathered.tokens)
    yield Token(text, last.place, last.source, words, spelled=stand_ins.show(text), origin=first.origin)

"""Resolution held against Python's own argparse, on parsers built from the same catalogues."""

from __future__ import annotations

import argparse
from functools import cache
from typing import Any, NoReturn

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from portkit.catalogue.argparse_rules import arity
from portkit.catalogue.config_objects import unknown_keys
from portkit.catalogue.model import Catalogue, Flag
from portkit.catalogue.resolve import accepts, resolve
from portkit.catalogue.tokens import StandIns
from portkit.catalogue.values import convert, lora_modules, lora_paths
from tests.catalogue.resolving import SGLANG, VLLM, catalogue, launch

CASES = [("api_server", VLLM[0]), ("api_server", VLLM[1]), ("sglang", SGLANG[0]), ("sglang", SGLANG[1])]
VALUES = [
    "m", "1", "2", "-1", "-.5", "0.5", "8k", "auto", "None", "", "a b", "-x y", "[1]", '{"a": 1}', "a=b", "true", "-",
]  # fmt: skip
FITTING = {"int": ["1", "-1", "007"], "float": ["0.5", "-1"], "human_int": ["8k", "1"], "json": ["{}", "[1]"]}
ITEMS = {"LoRAPathAction": lora_paths, "LoRAParserAction": lora_modules}


class Refused(Exception):
    """What argparse would end the program with."""


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise Refused(message)


class Switch(argparse.Action):
    """An option without a value: True, or False under one of its negatives, or its constant."""

    def __init__(self, negatives: tuple[str, ...], **options: Any) -> None:
        super().__init__(nargs=0, **options)
        self.negatives = negatives

    def __call__(self, parser: object, namespace: object, values: object, option_string: str | None = None) -> None:
        setattr(namespace, self.dest, self.const if self.const is not None else option_string not in self.negatives)


class Help(argparse.Action):
    def __call__(self, parser: object, namespace: object, values: object, option_string: str | None = None) -> None:
        raise Refused("help")


class Constant(argparse.Action):
    def __call__(self, parser: object, namespace: object, values: object, option_string: str | None = None) -> None:
        setattr(namespace, self.dest, self.const)


@cache
def parser(entry: str, release: str) -> Parser:
    known = catalogue_of(entry, release)
    made = Parser(add_help=False)
    made.add_argument("-h", "--help", action=Help, nargs=0)
    for flag in known.flags:
        add(made, flag, known)
    return made


def catalogue_of(entry: str, release: str) -> Catalogue:
    return catalogue("vllm" if entry == "api_server" else "sglang", release)


def add(made: Parser, flag: Flag, known: Catalogue) -> None:
    def typed(text: str) -> Any:
        if flag.action in ITEMS:
            return ITEMS[flag.action](text)
        value = convert(flag, text, known, StandIns())
        for wrong in unknown_keys(value, flag.config_class or "", known, StandIns()):
            raise wrong
        return value

    if not flag.names:
        made.add_argument(flag.dest, nargs=flag.nargs)
        return
    options: dict[str, Any] = {"dest": flag.dest, "required": flag.required}
    names = dict.fromkeys((*flag.names, *flag.negatives, *flag.hidden))
    if arity(flag) == (0, 0):
        negatives = flag.negatives if flag.action == "boolean_optional" else ()
        made.add_argument(*names, action=Switch, negatives=negatives, const=flag.const, **options)
        return
    actions: dict[str, Any] = {"DeprecatedStoreConstAction": Constant, "append": "append"}
    action = actions.get(flag.action, "store")
    made.add_argument(*names, action=action, nargs=flag.nargs, const=flag.const, type=typed, **options)


@st.composite
def command_lines(draw: st.DrawFn) -> tuple[str, str, list[str]]:
    """Options of a release in full or cut short, with one value, several, or none; some of them wrong."""
    entry, release = draw(st.sampled_from(CASES))
    known = catalogue_of(entry, release)
    words = [] if entry == "api_server" or draw(st.booleans()) else ["--model-path", "m"]
    for _ in range(draw(st.integers(0, 4))):
        flag = draw(st.sampled_from(known.flags))
        legal = [str(choice) for choice in flag.choices or FITTING.get(flag.type, ["x", "y z"])]
        fewest, most = arity(flag)
        fits = draw(st.integers(0, 5)) > 0
        value = st.sampled_from(legal if fits else VALUES)
        values = draw(st.lists(value, min_size=fewest if fits else 0, max_size=int(min(most, 3)) + (not fits)))
        if not flag.names:
            words += values
            continue
        name = draw(st.sampled_from((*flag.names, *flag.negatives, *flag.hidden)))
        if name.startswith("--") and draw(st.integers(0, 3)) == 0:
            name = name[: max(3, len(name) - draw(st.integers(0, 12)))]
        if values and name.startswith("--") and draw(st.integers(0, 4)) == 0:
            words += [f"{name}={values[0]}", *values[1:]]
        else:
            words += [name, *values]
    assume("--config" not in words)  # two words that are replaced before argparse sees them
    assume(entry == "sglang" or not any(word.startswith("-") and "." in word.partition("=")[0] for word in words))
    return entry, release, words


@settings(max_examples=400, deadline=None)
@given(command_lines())
def test_same_as_argparse(case: tuple[str, str, list[str]]) -> None:
    entry, release, words = case
    resolution = resolve(launch(entry, [f'"{word}"' for word in words]), catalogue_of(entry, release))
    try:
        expected = vars(parser(entry, release).parse_args(words))
    except Refused as refusal:
        assert not accepts(resolution), refusal
        return
    assert accepts(resolution), [problem.message for problem in resolution.problems]
    for dest, argument in resolution.arguments.items():
        assert argument.value == expected[dest] and type(argument.value) is type(expected[dest]), dest
    assert {dest for dest, value in expected.items() if value is not None} <= set(resolution.arguments)

"""The YAML file behind `--config`, with the place of every key and value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from portkit.catalogue.tokens import Token, plain
from portkit.catalogue.values import MAX_DEPTH
from portkit.errors import PortkitError
from portkit.source import SourceText, Span

# What ruamel.yaml reads as more than text and the engines' PyYAML doesn't, by tag.
_TEXTS = {
    "tag:yaml.org,2002:bool": re.compile("[yYnN]"),
    "tag:yaml.org,2002:float": re.compile(r"[^.:]*\d[eE][-+]?\d+|.*[eE]\d+"),
}
_MAX_CHARACTERS = 200_000
_MAX_NODES = 20_000  # counted after aliases are followed, so that they can't multiply


@dataclass(frozen=True, slots=True)
class Entry:
    """A key of the file and its value as YAML 1.1 (which the engines read) understands it."""

    key: str
    value: Any
    key_place: Span
    value_place: Span
    source: SourceText

    def option(self, text: str) -> Token:
        """An option that the engine makes of the key."""
        return Token(text, self.key_place, self.source, spelled=self.key, origin="config file")

    def argument(self, text: str) -> Token:
        """A value that the engine makes of the value."""
        text = plain(text)
        return Token(text, self.value_place, self.source, spelled=text, origin="config file")


def read_entries(name: str, text: str) -> list[Entry]:
    """The file's keys in order, a repeated one with its last value.

    Raises PortkitError for text that is no YAML mapping of names, or out of proportion.
    """
    source = SourceText(name, text)
    if len(text) > _MAX_CHARACTERS:
        raise PortkitError(f"more than {_MAX_CHARACTERS} characters", source=source)
    entries: dict[str, Entry] = {}
    for key, value, key_place, value_place in _pairs(source):
        if not isinstance(key, str):
            raise PortkitError(f"the key {key!r} is no name of an option", source=source, span=key_place)
        entries[key] = Entry(key, value, key_place, value_place, source)
    return list(entries.values())


def _pairs(source: SourceText) -> Iterator[tuple[Any, Any, Span, Span]]:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError
    from ruamel.yaml.nodes import MappingNode, ScalarNode

    yaml = YAML(typ="safe", pure=True)
    yaml.version = (1, 1)
    yaml.allow_duplicate_keys = True
    try:
        root = yaml.compose(source.text)
        if root is None or (isinstance(root, ScalarNode) and not root.value):
            return
        if not isinstance(root, MappingNode):
            raise PortkitError("not a mapping of option names to values", source=source)
        _settle(root)
        yaml.constructor.flatten_mapping(root)
        for key_node, value_node in root.value:
            key = yaml.constructor.construct_object(key_node, deep=True)
            value = yaml.constructor.construct_object(value_node, deep=True)
            yield key, value, _place(key_node), _place(value_node)
    except (YAMLError, ValueError, RecursionError, TypeError) as error:
        raise PortkitError(f"no YAML that the engine could read: {_first_line(error)}", source=source) from None


def _settle(root: Any) -> None:
    """Give every scalar the type that PyYAML gives it.

    Raises ValueError where nesting or aliases make more of the file than a configuration needs.
    """
    from ruamel.yaml.nodes import ScalarNode

    count, level = 1, [root]
    for _ in range(MAX_DEPTH):
        following: list[Any] = []
        for node in level:
            if isinstance(node, ScalarNode):
                if (texts := _TEXTS.get(str(node.tag))) and texts.fullmatch(node.value):
                    node.tag = "tag:yaml.org,2002:str"
            else:
                following += [child for item in node.value for child in (item if isinstance(item, tuple) else (item,))]
            count += 1
            if count + len(following) > _MAX_NODES:
                raise ValueError(f"more than {_MAX_NODES} values")
        if not following:
            return
        level = following
    raise ValueError(f"nested more than {MAX_DEPTH} levels deep")


def _place(node: Any) -> Span:
    start, end = node.start_mark.index, node.end_mark.index
    return Span(start, max(start, end))


def _first_line(error: Exception) -> str:
    problem = getattr(error, "problem", None)
    mark = getattr(error, "problem_mark", None)
    if problem and mark is not None:
        return f"{problem} in line {mark.line + 1}"
    return str(problem or error).partition("\n")[0]

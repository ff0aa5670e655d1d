"""`--config FILE`, which both engines look for as two words and replace by the file's settings."""

from __future__ import annotations

from dataclasses import dataclass

from portkit.catalogue.config_file import Entry, read_entries
from portkit.catalogue.reading import Reading
from portkit.catalogue.tokens import STAND_IN, Token
from portkit.errors import PortkitError


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """The option, where it stood, what the file says, and the command line without the option."""

    words: tuple[Token, Token]
    index: int
    entries: list[Entry]
    rest: list[Token]


def take_config(tokens: list[Token], reading: Reading) -> ConfigFile | list[Token]:
    """The config file of a command line, or the command line that parses without one.

    What's wrong with the option or the file is reported; a file that can't be read has no entries.
    """
    found = [index for index, token in enumerate(tokens) if token.text == "--config"]
    flag = reading.catalogue.by_name.get("--config")
    if flag is None or not found:
        return tokens
    if len(found) > 1:
        extra = {index for first in found[1:] for index in (first, first + 1)}
        surplus = [token for index, token in enumerate(tokens) if index in extra]
        reading.report("refused", "only one --config is allowed", surplus)
        tokens = [token for index, token in enumerate(tokens) if index not in extra]
    index = found[0]
    if index + 1 >= len(tokens):
        reading.report("missing_value", "--config needs the path of a YAML file", tokens[index:])
        return tokens[:index]
    option, path = tokens[index : index + 2]
    reading.keep(flag, reading.stand_ins.reveal(path.text), option, [path])
    entries = _entries(option, path, reading)
    return ConfigFile((option, path), index, entries, [*tokens[:index], *tokens[index + 2 :]])


def _entries(option: Token, path: Token, reading: Reading) -> list[Entry]:
    name = reading.stand_ins.show(path.text)
    text = None if STAND_IN.search(path.text) else reading.file_text(name)
    if not STAND_IN.search(path.text) and not name.lower().endswith((".yaml", ".yml")):
        reading.report("refused", f"--config takes a .yaml or .yml file, not {name}", [option, path])
    elif text is None:
        message = f"the settings in {name} are missing here: make it readable at that path"
        reading.report("opaque", message, [option, path])
    else:
        try:
            return read_entries(name, text)
        except PortkitError as error:
            reading.report("invalid_value", f"--config {name}: {error.message}", [option, path])
    reading.incomplete = True
    return []

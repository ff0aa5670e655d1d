"""Command lines made at random from a catalogue: most of them valid, some with one thing wrong.

The same seed makes the same lines, so that a failure can be repeated.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from portkit.catalogue.model import Catalogue, Flag

# Settings of config objects that hold on their own; a release gets those whose keys it has.
OBJECTS: dict[str, dict[str, object]] = {
    "CompilationConfig": {"cudagraph_capture_sizes": [1, 2, 4], "mode": 3, "cudagraph_num_of_warmups": 1},
    "SpeculativeConfig": {"method": "ngram", "num_speculative_tokens": 3, "prompt_lookup_max": 4},
    "KVTransferConfig": {"kv_connector": "NixlConnector", "kv_role": "kv_both", "kv_port": 14579},
    "EPLBConfig": {"window_size": 500, "step_interval": 1500, "num_redundant_experts": 32},
    "StructuredOutputsConfig": {"backend": "xgrammar", "reasoning_parser": "qwen3"},
    "AttentionConfig": {"flash_attn_version": 3, "use_prefill_decode_attention": True},
    "PoolerConfig": {"dimensions": 256},
    "ProfilerConfig": {"delay_iterations": 2},
}
# Flags whose values have a form of their own.
VALUES: dict[str, list[str]] = {
    "cuda_graph_config": ['{"decode": {"max_bs": 8}}', '{"prefill": {"backend": "disabled"}}'],
    "reasoning_effort_map": ['{"high": "max"}'],
    "chat_template": ["{{ messages }}"],
    "lora_paths": ["a=/some/path", '{"lora_name": "a", "lora_path": "p", "pinned": true}'],
    "lora_modules": ["a=/some/path", '{"name": "a", "path": "p"}'],
    "log_level": ["debug", "warning"],
}
_SWITCHES = ("store_true", "store_false", "boolean_optional")


@dataclass(frozen=True)
class Command:
    """Words for an engine, and what was done to them (for the message of a failure)."""

    argv: tuple[str, ...]
    kind: str
    config: str | None = None  # the text of the file that `--config` names


def commands(catalogue: Catalogue, count: int, seed: int) -> list[Command]:
    """`count` command lines for a release."""
    random = Random(f"{catalogue.engine} {catalogue.release} {seed}")
    return [_Maker(catalogue, random).command() for _ in range(count)]


class _Maker:
    def __init__(self, catalogue: Catalogue, random: Random) -> None:
        self.catalogue = catalogue
        self.random = random
        self.flags = [f for f in catalogue.flags if f.names and usable(f)]

    def command(self) -> Command:
        mistakes: list[Callable[[], list[str]]] = [
            self.unknown_option,
            self.bad_number,
            self.bad_choice,
            self.missing_value,
            self.value_of_switch,
            self.bad_json,
            self.unknown_key,
            self.short_prefix,
            self.stray_word,
        ]
        settings = [self.setting() for _ in range(self.random.randint(1, 6))]
        kind, config = "valid", None
        roll = self.random.random()
        if roll < 0.3:
            mistake = self.random.choice(mistakes)
            kind = mistake.__name__
            settings.insert(self.random.randint(0, len(settings)), mistake())
        elif roll < 0.4:
            kind, config = "config file", self.config_file()
            settings.append(["--config", "CONFIG"])
        words = [word for setting in settings for word in setting]
        model = ["m"] if self.catalogue.engine == "vllm" else ["--model-path", "m"]
        return Command((*model, *words), kind, config)

    def setting(self) -> list[str]:
        """A flag with a legal value, spelled in one of the ways the parser takes."""
        flag = self.random.choice(self.flags)
        name = self.spelling(flag)
        if flag.action in _SWITCHES or flag.nargs == 0:
            return [name]
        values = self.values(flag)
        if flag.config_class in OBJECTS and self.random.random() < 0.5 and name.startswith("--"):
            return [w for k, v in json.loads(values[0]).items() for w in (f"{name}.{k}", json.dumps(v).strip('"'))]
        if len(values) == 1 and name.startswith("--") and self.random.random() < 0.3:
            return [f"{name}={values[0]}"]
        return [name, *values]

    def spelling(self, flag: Flag) -> str:
        name = self.random.choice([*flag.names, *flag.negatives, *flag.hidden])
        roll = self.random.random()
        if name.startswith("--") and roll < 0.15 and self.catalogue.engine == "vllm":
            return "--" + name[2:].replace("-", "_")
        if name.startswith("--") and roll > 0.9:
            return self.abbreviation(name)
        return name

    def abbreviation(self, name: str) -> str:
        """The shortest beginning that no other option has, within a few characters."""
        names = list(self.catalogue.by_name)
        for length in range(4, len(name)):
            if sum(other.startswith(name[:length]) for other in names) == 1:
                return name[:length]
        return name

    def values(self, flag: Flag) -> list[str]:
        if isinstance(flag.nargs, int):
            count = flag.nargs
        else:
            count = self.random.randint(1, 3) if flag.nargs in ("*", "+") else 1
        return [self.value(flag) for _ in range(count)]

    def value(self, flag: Flag) -> str:
        if flag.choices:
            return str(self.random.choice([c for c in flag.choices if c is not None]))
        if flag.dest in VALUES:
            return self.random.choice(VALUES[flag.dest])
        if flag.type == "json":
            return json.dumps(self.object(flag))
        samples = {
            "int": ["0", "1", "8", "-1", "4096"],
            "float": ["0.5", "1", "0.85", "1e-3", "-1.5"],
            "human_int": ["8192", "8k", "1M", "1.5k"],
            "human_int_or_auto": ["8k", "auto", "-1", "4096", "2K"],
            "bool": ["true"],
        }.get(flag.type, ["text", "/some/path", "a-b", "x=y", "None"])
        return self.random.choice(samples)

    def object(self, flag: Flag) -> dict[str, object]:
        if flag.config_class is None:
            return {"a": {"b": [1, "c"]}}
        fields = self.catalogue.config_classes.get(flag.config_class, {})
        return {key: v for key, v in OBJECTS[flag.config_class].items() if key in fields}

    def config_file(self) -> str:
        """A file of plain settings, named by their canonical spelling."""
        chosen = [f for f in self.random.sample(self.flags, 5) if f.action in ("store", "store_true")]
        lines = []
        for flag in chosen:
            value = "true" if flag.action == "store_true" else json.dumps(self.values(flag))
            lines.append(f"{flag.name[2:]}: {value if flag.nargs in ('+', '*') else value.strip('[]')}")
        return "\n".join(lines) + "\n"

    def some(self, wanted: Callable[[Flag], bool]) -> Flag:
        return self.random.choice([flag for flag in self.flags if wanted(flag)])

    def unknown_option(self) -> list[str]:
        return [self.random.choice(["--no-such-option", "--tpx", "-Z"]), "1"]

    def bad_number(self) -> list[str]:
        flag = self.some(lambda f: f.type in ("int", "float", "human_int") and f.nargs is None)
        return [flag.name, self.random.choice(["many", "1,5", "0x10", ""])]

    def bad_choice(self) -> list[str]:
        return [self.some(lambda f: f.choices is not None and f.nargs is None).name, "no-such-choice"]

    def missing_value(self) -> list[str]:
        return [self.some(lambda f: f.nargs in (None, "+") and f.action == "store").name]

    def value_of_switch(self) -> list[str]:
        return [self.some(lambda f: f.action in _SWITCHES).name + "=true"]

    def bad_json(self) -> list[str]:
        return [self.some(lambda f: f.type == "json").name, self.random.choice(["{a: 1}", "{", "{'a': 1}"])]

    def unknown_key(self) -> list[str]:
        flag = self.random.choice([f for f in self.flags if f.config_class] or self.flags)
        return [flag.name, '{"no_such_key": 1}']

    def short_prefix(self) -> list[str]:
        return [self.random.choice(self.flags).name[:5], "1"]

    def stray_word(self) -> list[str]:
        return ["stray", "word"]


def usable(flag: Flag) -> bool:
    """Whether a legal value of the flag can be made up from the catalogue alone."""
    if flag.dest in ("model_path", "config", "help"):
        return False
    if flag.config_class is not None:
        return flag.config_class in OBJECTS
    return True

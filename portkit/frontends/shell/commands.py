"""Which words start an engine's server, and what stands in front of them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from portkit.frontends.shell.values import after
from portkit.launch import EngineName, Word

PYTHON = re.compile(r"(?:python|pypy)(?:\d+(?:\.\d+)*)?\Z")
_MODULES: dict[str, tuple[EngineName, str]] = {
    "sglang.launch_server": ("sglang", "sglang.launch_server"),
    "vllm.entrypoints.openai.api_server": ("vllm", "vllm.entrypoints.openai.api_server"),
}
_VALUED = re.compile(r"-[A-Za-ln-zA-Z?]*?([mcXWQ])(.*)\Z", re.DOTALL)
"""A cluster of the interpreter's short options up to one that takes a value."""
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")

_DROPPED = {
    "nohup": (), "exec": ("-a",), "command": (), "builtin": (), "time": ("-f", "-o"), "setsid": (),
    "sudo": ("-u", "-g"), "env": ("-u", "-C", "-S"),
}  # fmt: skip
"""Commands in front of a launch that don't change it, with their options that take a word."""

_CARRIED = {
    "numactl": ("-C", "-N", "-m", "-i", "-p", "--physcpubind", "--cpunodebind", "--membind", "--interleave"),
    "taskset": (), "stdbuf": ("-i", "-o", "-e"), "nice": ("-n",), "ionice": ("-c", "-n", "-p"), "chrt": (),
    "timeout": ("-s", "-k"), "srun": None, "mpirun": None, "mpiexec": None, "nsys": None, "ncu": None,
    "strace": None, "gosu": None, "runuser": None, "systemd-run": None, "xvfb-run": None,
}  # fmt: skip
"""Commands that are part of how the launch runs and are carried; None: everything up to the launch."""

_SHELLS = ("bash", "sh", "zsh", "dash")
_RUNNERS = ("uv", "conda", "mamba", "micromamba", "poetry", "pixi", "hatch", "rye", "pdm")
_RUNNER_OPTIONS = ("-n", "--name", "-p", "--prefix", "--with", "--extra", "--group", "--project", "--package", "-e")
_POSITIONALS = {"taskset": 1, "timeout": 1, "chrt": 1}

OTHERS = (
    ("lmdeploy", "LMDeploy"), ("trtllm-serve", "TensorRT-LLM"), ("text-generation-launcher", "TGI"),
    ("llama-server", "llama.cpp"), ("llama_cpp.server", "llama.cpp"), ("ollama", "Ollama"), ("tritonserver", "Triton"),
    ("mlc_llm", "MLC LLM"), ("aphrodite", "Aphrodite"), ("tabbyapi", "TabbyAPI"), ("xinference", "Xinference"),
    ("ktransformers", "KTransformers"), ("lightllm.server.api_server", "LightLLM"), ("fastdeploy", "FastDeploy"),
    ("mistralrs-server", "mistral.rs"), ("infinity_emb", "Infinity"), ("tokenspeed", "TokenSpeed"),
)  # fmt: skip
"""Other servers, by the word that starts them."""


@dataclass
class Found:
    """An engine's launch among the words of a command."""

    engine: EngineName
    entrypoint: str
    argv: list[Word]
    wrappers: list[Word] = field(default_factory=list)
    environment: dict[str, Word] = field(default_factory=dict)
    removed: list[str] = field(default_factory=list)
    runner: str = ""
    replaces_shell: bool = False
    cleared: bool = False


def base_name(word: Word) -> str:
    """The last part of a command's path; empty for a word that isn't known."""
    return word.text.rsplit("/", 1)[-1] if word.known else ""


def entry_at(words: list[Word]) -> tuple[EngineName, str, int] | None:
    """The engine, its entry point and where its arguments begin, if these words start a server."""
    if len(words) < 2:
        return None
    head = base_name(words[0])
    if head in ("vllm", "sglang") and words[1].text == "serve":
        return ("vllm", "vllm serve", 2) if head == "vllm" else ("sglang", "sglang serve", 2)
    if head and not PYTHON.match(head):
        return None
    module, first = _module([word.text for word in words])
    if module not in _MODULES:
        return None
    return *_MODULES[module], first


def _module(texts: list[str]) -> tuple[str, int]:
    """What an interpreter's `-m` names, past options in front of it, and where its arguments begin."""
    at = 1
    while at < len(texts) and texts[at].startswith("-"):
        option = _VALUED.match(texts[at])
        value = option[2] if option else ""
        if option and option[1] == "m":
            return (value, at + 1) if value else ("".join(texts[at + 1 : at + 2]), at + 2)
        at += 2 if texts[at] == "--check-hash-based-pycs" or (option and not value) else 1
    return "", at


def recognize(words: list[Word]) -> Found | None:
    """The launch in a command's words, past wrappers, runners and `env`; None where there is none."""
    environment: dict[str, Word] = {}
    removed: list[str] = []
    wrappers: list[Word] = []
    runner, replaces, cleared = "", False, False
    at = 0
    while at < len(words):
        entry = entry_at(words[at:])
        if entry is not None:
            engine, entrypoint, first = entry
            argv = words[at + first :]
            return Found(engine, entrypoint, argv, wrappers, environment, removed, runner, replaces, cleared)
        head = base_name(words[at])
        replaces = replaces or head == "exec"
        if head in _DROPPED:
            if head == "env":
                cleared = cleared or any(
                    word.text in ("-i", "-", "--ignore-environment") for word in words[at + 1 : at + 4]
                )
            at = _past_dropped(words, at, _DROPPED[head], environment, removed)
        elif head in _RUNNERS and "run" in [word.text for word in words[at + 1 : at + 4]]:
            runner, at = _past_runner(words, at)
        elif head in _CARRIED:
            stop = _past_carried(words, at, head)
            if stop is None:
                return None
            wrappers.extend(words[at:stop])
            at = stop
        else:
            return None
    return None


def _past_dropped(
    words: list[Word], at: int, with_word: tuple[str, ...], environment: dict[str, Word], removed: list[str]
) -> int:
    at += 1
    while at < len(words):
        text = words[at].text
        if text == "-u" and "-C" in with_word and at + 1 < len(words):
            removed.append(words[at + 1].text)
            at += 2
        elif text.startswith("--unset="):
            removed.append(text.removeprefix("--unset="))
            at += 1
        elif text in with_word:
            at += 2
        elif text.startswith("-") and (len(text) > 1 or "-C" in with_word):
            at += 1
        elif match := _ASSIGNMENT.match(text):
            environment[match[0][:-1]] = after(words[at], match.end())
            at += 1
        else:
            break
    return at


def _past_runner(words: list[Word], at: int) -> tuple[str, int]:
    """Past `uv run --extra x`, `conda run -n env`: to the first word that starts a launch, or the next command."""
    start = at
    while at < len(words):
        names_something = words[at - 1].text in _RUNNER_OPTIONS
        if entry_at(words[at:]) or (not names_something and base_name(words[at]) in (*_DROPPED, *_CARRIED)):
            break
        at += 1
    return " ".join(word.text for word in words[start:at]), at


def _past_carried(words: list[Word], at: int, head: str) -> int | None:
    with_word = _CARRIED[head]
    if with_word is None:
        return next((i for i in range(at + 1, len(words)) if entry_at(words[i:])), None)
    at += 1
    positionals = _POSITIONALS.get(head, 0)
    while at < len(words):
        text = words[at].text
        if head == "taskset" and text in ("-c", "--cpu-list", "-pc"):
            at += 1
        elif text in with_word:
            at += 2
        elif text.startswith("-"):
            at += 1
        elif positionals:
            positionals -= 1
            at += 1
        else:
            break
    return at


def other_server(words: list[Word]) -> tuple[str, Word] | None:
    """Another engine's server among the words, by name, and the word that says so."""
    for index, word in enumerate(words):
        name = base_name(word)
        for start, title in OTHERS:
            after_m = index > 0 and words[index - 1].text == "-m" and name.split(".")[0] == start.split(".")[0]
            if (name == start and index == 0) or after_m:
                return title, word
    return None


@dataclass(frozen=True)
class InnerScript:
    """The text of `bash -c TEXT` and the words after it, or of a shell that reads its standard input."""

    text: Word | None
    arguments: list[Word]


def inner_script(words: list[Word]) -> InnerScript | None:
    """The script that a shell among the words reads, past `env`, `nohup` and the like."""
    for index, word in enumerate(words):
        if base_name(word) in _SHELLS:
            return _shell_script(words[index + 1 :])
    return None


def inner_environment(words: list[Word]) -> dict[str, Word]:
    """What `env X=Y` in front of a shell sets for it."""
    before = next((index for index, word in enumerate(words) if base_name(word) in _SHELLS), 0)
    found = ((word, _ASSIGNMENT.match(word.text)) for word in words[:before])
    return {match[0][:-1]: after(word, match.end()) for word, match in found if match is not None}


def _shell_script(words: list[Word]) -> InnerScript | None:
    at, from_text = 0, False
    while at < len(words) and re.match(r"[-+]\w|--\w", words[at].text):
        option = words[at].text
        from_text = from_text or re.fullmatch(r"-\w*c\w*", option) is not None
        if option == "-s":
            return InnerScript(None, words[at + 1 :])
        at += 2 if re.fullmatch(r"[-+]\w*[oO]|--rcfile|--init-file", option) else 1
    if from_text:
        return InnerScript(words[at], words[at + 1 :]) if at < len(words) else None
    return InnerScript(None, []) if at == len(words) else None

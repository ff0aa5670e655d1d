"""What a script's own text says of the release of an engine: images, packages, checkouts, words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from portkit.launch import EngineName

_RELEASE = r"\d+\.\d+(?:\.\d+)*(?:\.?(?:post|rc|dev|a|b)\d+)?"
_LONGEST_LINE = 4000
_ASSIGNED = re.compile(
    r"^\s*(?:export\s+|readonly\s+|local\s+|ENV\s+|ARG\s+|-\s+)?([A-Za-z_]\w*)=(['\"]?)([\w./:@-]+)\2\s*(?:[;#].*)?$",
    re.M,
)
_READ = re.compile(r"\$(?:\{(\w+)(?::?[-=]([\w./:@-]+))?\}|(\w+))")
_REQUIREMENTS = re.compile(r"pip3?\s+install\b[^#;|&]*?\s(?:-r|--requirement)[ =]?\s*(['\"]?)([\w./-]+)\1")

ReadFile = Callable[[str], "str | None"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """One mention of an engine's release.

    `kind`: image, package, checkout, variable or text. `said` is the mention as written, at `place`
    (a line, or a line of a requirements file). `releases` holds what it allows, None where it names
    none (`latest`, `nightly`, a digest). `commented` says that it stands in a comment.
    """

    kind: str
    said: str
    place: str
    releases: SpecifierSet | None
    commented: bool = False

    @property
    def exact(self) -> str | None:
        """The one release that is named, as text."""
        for specifier in self.releases or ():
            if specifier.operator in ("==", "===") and not specifier.version.endswith(".*"):
                return specifier.version
        return None

    @property
    def text(self) -> str:
        """The mention for people, with its place."""
        return f"{self.said} in {self.place}"


def evidence(text: str, engine: EngineName, read_file: ReadFile | None = None) -> list[Evidence]:
    """Every mention of a release of an engine in a script, and in the requirements files it installs."""
    values = _assigned_once(text)
    found: list[Evidence] = []
    for number, line in enumerate(text.splitlines(), 1):
        found.extend(_of_line(line[:_LONGEST_LINE], engine, f"line {number}", values))
        required = _REQUIREMENTS.search(line[:_LONGEST_LINE])
        content = read_file(required[2]) if required is not None and read_file is not None else None
        for row, package in enumerate((content or "").splitlines(), 1):
            place = f"{required[2] if required else ''} line {row}"
            found.extend(_packages(package[:_LONGEST_LINE].partition("#")[0], engine, place, commented=False))
    return found


def _of_line(line: str, engine: EngineName, place: str, values: dict[str, str]) -> Iterator[Evidence]:
    if engine not in line.lower() and not ("$" in line and values):
        return
    filled = _READ.sub(lambda m: values.get(m[1] or m[3]) or m[2] or m[0], line)
    if engine not in filled.lower():
        return
    commented = filled.lstrip().startswith("#")
    taken: list[Evidence] = []
    for reader in (_images, _packages, _checkouts, _variables, _words):
        for item in reader(filled, engine, place, commented=commented):
            if not any(item.said in other.said for other in taken):
                taken.append(item)
    yield from taken


def _images(line: str, engine: str, place: str, *, commented: bool) -> Iterator[Evidence]:
    """`lmsysorg/sglang:v0.5.12-cu130`, `vllm/vllm-openai:v0.20.1@sha256:...`, `rocm/vllm:rocm6.4_vllm_0.9.1`."""
    pattern = rf"(?<![\w/.])((?:[\w.-]+(?::\d+)?/)+{engine}[\w.-]*)(?::([\w][\w.-]*))?(@sha256:[0-9a-f]+)?"
    for found in re.finditer(pattern, line, re.IGNORECASE):
        repository, tag, digest = found[1], found[2] or "", found[3]
        if not tag and not digest:
            continue
        release = re.match(rf"v?({_RELEASE})(?![\w])", tag) or re.search(rf"{engine}[_-]v?({_RELEASE})", tag)
        if release is not None and not _months(release[1]):
            yield Evidence("image", f"image {repository}:{tag}", place, _exactly(release[1]), commented)
        elif digest or re.match(r"latest|nightly|dev|main|blackwell|deepseek|glm", tag):
            name = f"{repository}:{tag}" if tag else f"{repository}{digest[:15]}..."
            yield Evidence("image", f"image {name}", place, None, commented)


def _packages(line: str, engine: str, place: str, *, commented: bool) -> Iterator[Evidence]:
    """`vllm==0.20.1`, `sglang[all]>=0.5.3,<0.5.10`, `vllm-0.11.0+cu129-cp38-abi3-...whl`."""
    operators = r"(?:===|==|~=|!=|>=|<=|>|<)\s*v?[\w.*+!]+"
    pattern = rf"(?<![\w./-]){engine}(?:-cpu)?(?:\[[^\]]*\])?\s*({operators}(?:\s*,\s*{operators})*)"
    for found in re.finditer(pattern, line, re.IGNORECASE):
        try:
            yield Evidence("package", found[0].strip(), place, SpecifierSet(found[1].replace("v", "")), commented)
        except InvalidSpecifier:
            continue
    for found in re.finditer(rf"\b{engine}(?:_cpu)?-({_RELEASE})(?:%2B|\+)?[\w.]*-[\w.]+-[\w.]+-[\w.]+\.whl", line):
        yield Evidence("package", found[0], place, _exactly(found[1]), commented)


def _checkouts(line: str, engine: str, place: str, *, commented: bool) -> Iterator[Evidence]:
    """`git clone -b v0.5.12 .../sglang`, `pip install git+https://.../vllm@v0.11.0`."""
    after = rf"(?:-b|--branch)[ =]v?({_RELEASE})\b.*\b{engine}\b"
    before = rf"\b{engine}(?:\.git)?(?:@|.*?(?:\bcheckout\s+(?:tags/)?|--branch[ =]|\s-b\s+))v?({_RELEASE})(?![\w.])"
    for pattern in (after, before):
        for found in re.finditer(pattern, line, re.IGNORECASE):
            yield Evidence("checkout", found[0].strip(), place, _exactly(found[1]), commented)


def _variables(line: str, engine: str, place: str, *, commented: bool) -> Iterator[Evidence]:
    """`VLLM_VERSION=0.11.0`, `SGLANG_TAG: v0.5.12`."""
    pattern = rf"\b{engine}_\w*(?:VERSION|TAG|RELEASE)\s*[:=]\s*['\"]?v?({_RELEASE})(?![\w.])"
    for found in re.finditer(pattern, line, re.IGNORECASE):
        yield Evidence("variable", found[0], place, _exactly(found[1]), commented)


def _words(line: str, engine: str, place: str, *, commented: bool) -> Iterator[Evidence]:
    """`# SGLang 0.5.12`, `/opt/venvs/vllm-0.11.0/bin/vllm`, `vLLM version: v0.11.0`."""
    pattern = rf"\b{engine}(?:[ _@=-]{{1,2}}|\s+(?:version|release):?\s*)v?({_RELEASE})(?!\w|\.\d)"
    for found in re.finditer(pattern, line, re.IGNORECASE):
        yield Evidence("text", found[0], place, _exactly(found[1]), commented)


def _assigned_once(text: str) -> dict[str, str]:
    """Variables that the text gives one literal value, by plain lines."""
    values: dict[str, str | None] = {}
    for found in _ASSIGNED.finditer(text):
        name, value = found[1], found[3]
        values[name] = value if values.get(name, value) == value else None
    return {name: value for name, value in values.items() if value is not None}


def _exactly(release: str) -> SpecifierSet | None:
    try:
        return SpecifierSet(f"=={Version(release)}", prereleases=True)
    except InvalidVersion:
        return None


def _months(release: str) -> bool:
    """Whether it is a vendor's year and month (25.09), which says nothing of the engine's release."""
    return Version(release).major >= 20

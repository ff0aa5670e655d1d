"""Ports between releases of one engine: tests/porting/upgrades.txt says what each launch becomes.

    vllm 0.11.0 -> 0.33.0$ vllm serve /m/t --task generate
      --runner generate
      differs: --async-scheduling

Under each launch stand the new environment and arguments, one a line and without the model, then
what isn't carried as written: verdict and name.
"""

from __future__ import annotations

import itertools
import re
import subprocess
from pathlib import Path

import pytest

from portkit.catalogue.load import find, known_releases, load
from portkit.catalogue.resolve import accepts
from portkit.conversions.writing import PortOptions
from portkit.mapping.load import table
from portkit.pipeline import Request, load_deployment, load_resolutions
from portkit.porting.port import port
from portkit.porting.render import argument_groups, environment_groups, render_script

TEXT = Path(__file__).with_name("upgrades.txt").read_text(encoding="utf-8")
CASES = [block.split("\n") for block in TEXT.strip().split("\n\n") if not block.startswith("#")]
_COMMENT = re.compile(r"\s{2}# .*$")


def upgraded(script: Path, case: str) -> tuple[list[str], str]:
    """The lines that the file gives for a case, and the new script."""
    engine, before, _, after = case.partition("$ ")[0].split()
    script.write_text(case.partition("$ ")[2] + "\n", encoding="utf-8")
    loaded = load_deployment(Request(str(script), release=f"{engine}@{before}"))
    result = port(loaded.deployment, load(engine, find(engine, after)[0]), PortOptions())
    groups = [*environment_groups(result), *argument_groups(result)]
    lines = [_COMMENT.sub("", line) for group in groups for line in group.lines if not line.startswith("#")]
    told = [e for e in result.entries if e.carry.verdict not in ("carried", "built-in") and e.default != "quiet"]
    lines += [f"{e.carry.verdict}: {e.name}" for e in told]
    return [f"  {line}" for line in lines if not line.startswith("--model-path")], render_script(result, loaded.launch)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0][:90])
def test_upgrade(case: list[str], tmp_path: Path) -> None:
    lines, text = upgraded(tmp_path / "launch.sh", case[0])
    assert lines == case[1:]
    script = tmp_path / "new.sh"
    script.write_text(text, encoding="utf-8")
    engine, _, _, after = case[0].partition("$ ")[0].split()
    (resolved,) = load_resolutions(Request(str(script), release=f"{engine}@{after}"))
    assert accepts(resolved.resolution), resolved.resolution.problems
    subprocess.run(["bash", "-n", str(script)], check=True)


def test_there_are_many_cases_of_both_engines() -> None:
    assert len(CASES) >= 75
    assert {case[0].split()[0] for case in CASES} == {"sglang", "vllm"}


@pytest.mark.parametrize("engine", ["sglang", "vllm"])
def test_every_default_that_a_parser_changed_is_in_the_table(engine: str) -> None:
    known = {(e.get("flag"), e["at"]) for e in table("changed_defaults") if e["engine"] == engine}
    releases = known_releases(engine)
    changed = set()
    for before, after in itertools.pairwise(releases):
        old, new = load(engine, before), load(engine, after)  # type: ignore[arg-type]
        for flag in new.flags:
            same = old.by_name.get(flag.name)
            if same is not None and not flag.deprecated and same.default != flag.default:
                changed.add((flag.name, str(after)))
    assert changed <= known


def test_every_entry_of_the_table_is_complete() -> None:
    for entry in table("changed_defaults"):
        assert entry["keep"] in ("write", "say", "same")
        if entry["keep"] == "same":
            continue
        assert entry["why"].endswith(".") and entry["evidence"].startswith(f"{entry['engine']} ") and entry["effect"]
        assert str(find(entry["engine"], entry["at"])[0]) == entry["at"]

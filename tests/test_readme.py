"""The README's example is what the commands really print."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "examples/qwen3.6-27b-a6000"
SHOWN_LINES = 24


def blocks():
    diff = (EXAMPLE / "diff.txt").read_text().splitlines()
    summary = diff[-1]
    shown = [*diff[:SHOWN_LINES], "...", summary]
    script = (EXAMPLE / "port.vllm-0.20.1.sh").read_text().splitlines()
    return {"diff": shown, "port": script}


def test_readme_shows_real_output(golden):
    text = (ROOT / "README.md").read_text()
    for name, lines in blocks().items():
        block = "".join(f"    {line}".rstrip() + "\n" for line in lines)
        text = re.sub(
            rf"<!-- {name} -->\n.*?(?=\n    \$ |\nThe graph)",
            lambda _, n=name, b=block: f"<!-- {n} -->\n\n{b}",
            text,
            flags=re.DOTALL,
        )
    golden(ROOT / "README.md", text)

#!/usr/bin/env python
"""Answers what a release of SGLang makes of command lines: its own parser, under stubs.

    .cache/sglang-venv/bin/python tools/oracle/sglang_parse.py 0.5.23 < questions > answers

Questions are the words after `python -m sglang.launch_server`. Needs `tools/engines.py sources` and
`tools/engines.py sglang`; see answering.py for the form of questions and answers.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import answering
from catalogues.eras import ENGINES
from catalogues.fakes import install_torch
from catalogues.stubs import install
from catalogues.wheels import fetch
from engines import wheels


def _prepare(release: str) -> answering.Parse:
    sources = fetch("sglang", release, wheels())
    engine = ENGINES["sglang"]
    install("sglang", replace(engine, real=engine.real | {"orjson"}), sources.root)
    install_torch(sources.torch_version(), cuda=False)
    from sglang.srt import server_args  # type: ignore[import-not-found]

    # The parser and the config file alone: what it resolves from there on needs a GPU and a model.
    server_args.ServerArgs.from_cli_args = staticmethod(lambda namespace: namespace)
    prepare: answering.Parse = server_args.prepare_server_args
    return prepare


if __name__ == "__main__":
    sys.exit(answering.main(__doc__, _prepare))

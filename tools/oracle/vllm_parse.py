#!/usr/bin/env python
"""Answers what a release of vLLM makes of command lines: its own parser, on a real torch.

    .cache/vllm-venv/bin/python tools/oracle/vllm_parse.py 0.33.0 < questions > answers

Questions are the words after `vllm serve`. Needs `tools/engines.py sources` and `tools/engines.py vllm`;
see answering.py for the form of questions and answers.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import answering
from catalogues.eras import VLLM_ARGPARSE_MODULES, VLLM_PARSER_MODULES
from catalogues.wheels import fetch
from engines import INSTALLED_VLLM, wheels


def _prepare(release: str) -> answering.Parse:
    if release != INSTALLED_VLLM:
        _put_first(release)
    flexible = _first(VLLM_ARGPARSE_MODULES, "FlexibleArgumentParser")
    make = _first(VLLM_PARSER_MODULES, "make_arg_parser")
    validate = _first(VLLM_PARSER_MODULES, "validate_parsed_serve_args")
    # As `vllm serve` nests them: the rules for --model and --config belong to the outer parser.
    outer = flexible()
    make(outer.add_subparsers(dest="subparser").add_parser("serve"))

    def parse(argv: list[str]) -> argparse.Namespace:
        sys.argv = ["vllm", "serve", *argv]
        values: argparse.Namespace = outer.parse_args(sys.argv[1:])
        validate(values)
        return values

    return parse


def _put_first(release: str) -> None:
    """Import this release's Python files, and let it find itself installed."""
    sys.path.insert(0, str(fetch("vllm", release, wheels()).root))
    installed = importlib.metadata.version
    importlib.metadata.version = lambda distribution_name: (
        f"{release}+cpu" if distribution_name == "vllm" else installed(distribution_name)
    )


def _first(modules: tuple[str, ...], name: str) -> Any:
    for module in modules:
        try:
            return getattr(importlib.import_module(module), name)
        except (ModuleNotFoundError, AttributeError):
            continue
    raise SystemExit(f"none of {', '.join(modules)} has {name}")


if __name__ == "__main__":
    sys.exit(answering.main(__doc__, _prepare))

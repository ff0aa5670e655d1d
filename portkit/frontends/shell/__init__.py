"""Bash scripts: a partial evaluator over the syntax tree that never executes anything."""

from portkit.frontends.shell.read import read_script

__all__ = ["read_script"]

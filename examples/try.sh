#!/bin/sh
# Sets portkit up in .venv, compares the two launches of an example and writes the port.
#     sh examples/try.sh
set -eu
cd "$(dirname "$0")/.."
example=examples/qwen3.6-27b-a6000

[ -x .venv/bin/python ] || python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check .

echo "== What vllm.sh lacks of sglang.sh"
.venv/bin/portkit diff "$example/sglang.sh" "$example/vllm.sh" || [ $? -eq 1 ]

echo
echo "== The port of sglang.sh, and what became of every setting"
.venv/bin/portkit port "$example/sglang.sh" --to vllm@0.20.1

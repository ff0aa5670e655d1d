#!/usr/bin/env bash
# Serve Llama on one node.   vllm serve not-this-one
set -euo pipefail
vllm serve meta-llama/Llama-3.1-8B-Instruct \
  --tensor-parallel-size 2 \
  --served-model-name 'llama "8b"' \
  --max-model-len 8192   # it's the longest prompt
# trailing

#!/usr/bin/env bash
# sglang 0.5.23, ported by portkit from examples/llama-3.1-8b/vllm.sh line 10 (vllm 0.33.0).
set -euo pipefail

args=(
  # Model
  --model-path meta-llama/Llama-3.1-8B-Instruct
  --context-length 16384
  # CUDA graphs and compilation
  # --disable-cuda-graph  # only if needed
  # Server and parsers
  --host 0.0.0.0
  --port "${1:-30000}"
  --api-key "${API_KEY:?set API_KEY}"
)

exec python3 -m sglang.launch_server "${args[@]}"

#!/usr/bin/env bash
# Llama-3.1-8B the plain way, vLLM 0.33.0.
set -eu
args=(
  --max-model-len 16384
  --enforce-eager              # left over from a debugging session
  --api-key "${API_KEY:?set API_KEY}"
  --port "${1:-30000}"
)
exec vllm serve meta-llama/Llama-3.1-8B-Instruct "${args[@]}"

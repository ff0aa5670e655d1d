#!/usr/bin/env bash
# sglang 0.5.23, ported by portkit from examples/upgrades/sglang-0.5.12.sh line 7 (sglang 0.5.12).
# Left behind: overlap with speculation (spec v2) 1 (lost)
set -euo pipefail

args=(
  # Model
  --model-path Qwen/Qwen3-Next-80B-A3B-Instruct
  # Parallelism
  --tp-size 2
  # CUDA graphs and compilation
  --cuda-graph-max-bs-decode 64
  --cuda-graph-backend-prefill disabled
  # Speculative decoding
  --speculative-algorithm NEXTN
  --speculative-num-steps 3
  --speculative-num-draft-tokens 4
  --speculative-eagle-topk 1
  # Memory and KV cache
  --enable-hierarchical-cache
  --mamba-radix-cache-strategy extra_buffer
  --hicache-mem-layout layer_first  # the source release's default
  --hicache-ratio 2.0  # the source release's default
  --mamba-full-memory-ratio 0.9  # the source release's default
  # Server and parsers
  --port "${PORT:-30000}"
)

exec python3 -m sglang.launch_server "${args[@]}"

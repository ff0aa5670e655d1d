#!/usr/bin/env bash
# sglang 0.5.12.post1, ported by portkit from examples/qwen3.6-27b-a6000/vllm.sh line 10 (vllm 0.20.1).
set -euo pipefail

# Communication
export CUDA_VISIBLE_DEVICES=0,1

args=(
  # Model
  --model-path "${MODEL:-Qwen/Qwen3.6-27B}"
  --dtype bfloat16
  --context-length 32768
  # Parallelism
  --tp-size "${TP:-2}"
  # Speculative decoding
  --speculative-algorithm DFLASH  # dflash in vllm
  --speculative-draft-model-path "${DRAFT:-z-lab/Qwen3.6-27B-DFlash}"
  --speculative-num-draft-tokens 16  # k = 15: 16 tokens with the root
  # Memory and KV cache
  --disable-radix-cache
  # Scheduling
  --max-running-requests 32
  --chunked-prefill-size 3584  # 4096 tokens - 32 sequences x 16 decode tokens
  # Server and parsers
  --host 0.0.0.0
  --port "${PORT:-30000}"
  --served-model-name qwen3.6-27b
  --reasoning-parser qwen3
)

exec python3 -m sglang.launch_server "${args[@]}"

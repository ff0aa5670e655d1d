#!/usr/bin/env bash
# The same model and cards on vLLM 0.20.1 with a DFlash draft: 17.7 tok/s at concurrency 1, 30.4 at 2.
set -euo pipefail

MODEL=${MODEL:-Qwen/Qwen3.6-27B}
DRAFT=${DRAFT:-z-lab/Qwen3.6-27B-DFlash}

export CUDA_VISIBLE_DEVICES=0,1

exec vllm serve "$MODEL" \
  --served-model-name qwen3.6-27b \
  --port "${PORT:-30000}" \
  --tensor-parallel-size "${TP:-2}" \
  --dtype bfloat16 \
  --max-model-len 32768 \
  --attention-backend FLASH_ATTN \
  --gpu-memory-utilization 0.85 \
  --max-num-seqs 32 \
  --max-num-batched-tokens 4096 \
  --cudagraph-capture-sizes 1 2 4 8 12 16 24 32 \
  --speculative-config '{"method": "dflash", "model": "'"$DRAFT"'", "num_speculative_tokens": 15}' \
  --reasoning-parser qwen3

#!/usr/bin/env bash
# Qwen3-Next with MTP on vllm/vllm-openai:v0.11.0, two H100s
set -euo pipefail

export VLLM_ATTENTION_BACKEND=FLASH_ATTN
export VLLM_USE_V1=1

vllm serve Qwen/Qwen3-Next-80B-A3B-Instruct \
  --tensor-parallel-size 2 \
  --max-num-seqs 64 \
  --task generate \
  --swap-space 8 \
  --guided-decoding-backend xgrammar \
  --compilation-config '{"level": 3, "cudagraph_mode": "FULL_AND_PIECEWISE"}' \
  --speculative-config '{"method": "qwen3_next_mtp", "num_speculative_tokens": 2}' \
  --disable-log-requests \
  --port "${PORT:-8000}"

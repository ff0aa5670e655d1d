#!/usr/bin/env bash
# Qwen3-Next with MTP on lmsysorg/sglang:v0.5.12-cu130, two H100s
set -euo pipefail

export SGLANG_ENABLE_SPEC_V2=1

python3 -m sglang.launch_server \
  --model-path Qwen/Qwen3-Next-80B-A3B-Instruct \
  --tp 2 \
  --cuda-graph-max-bs 64 \
  --mamba-scheduler-strategy extra_buffer \
  --speculative-algorithm NEXTN \
  --speculative-num-steps 3 --speculative-eagle-topk 1 --speculative-num-draft-tokens 4 \
  --enable-hierarchical-cache \
  --disable-piecewise-cuda-graph \
  --port "${PORT:-30000}"

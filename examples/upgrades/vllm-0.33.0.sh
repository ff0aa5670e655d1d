#!/usr/bin/env bash
# vllm 0.33.0, ported by portkit from examples/upgrades/vllm-0.11.0.sh line 8 (vllm 0.11.0).
# Left behind: VLLM_USE_V1 1 (lost)
# Left behind: --swap-space 8.0 (lost)
set -euo pipefail

args=(
  # Model
  --runner generate
  # Parallelism
  --tensor-parallel-size 2
  # CUDA graphs and compilation
  --compilation-config '{"cudagraph_mode": "FULL_AND_PIECEWISE", "mode": 3}'
  # Speculative decoding
  # method: qwen3_next_mtp in vllm 0.11.0
  --speculative-config '{"method": "mtp", "num_speculative_tokens": 2}'
  # Attention
  --attention-backend FLASH_ATTN
  # Memory and KV cache
  --gpu-memory-utilization 0.9  # the source release's default
  --no-enable-prefix-caching  # the source release's default
  # Scheduling
  --max-num-seqs 64
  # Server and parsers
  --port "${PORT:-8000}"
  --structured-outputs-config '{"backend": "xgrammar"}'
  # As in the source
  --disable-log-requests
  --allowed-origins '["*"]'  # the source release's default
)

exec vllm serve Qwen/Qwen3-Next-80B-A3B-Instruct "${args[@]}"

#!/usr/bin/env bash
# sglang 0.5.12.post1, ported by portkit from examples/deepseek-v3-8xh200/vllm.sh line 4 (vllm 0.33.0).
set -euo pipefail

# Communication
export NCCL_NVLS_ENABLE=1

args=(
  # Model
  --model-path /models/DeepSeek-V3-0324
  --trust-remote-code
  # Parallelism
  --tp-size 8  # 1 GPUs x 8 attention DP ranks: SGLang's tp counts them all
  --dp-size 8
  --enable-dp-attention
  --ep-size 8  # vLLM's expert parallelism spans all ranks
  --moe-a2a-backend deepep
  --deepep-mode normal
  # Speculative decoding
  --speculative-algorithm EAGLE  # mtp in vllm
  --speculative-num-steps 1
  --speculative-eagle-topk 1  # a chain, as vLLM drafts
  --speculative-num-draft-tokens 2  # k = 1: 2 tokens with the root
  # Memory and KV cache
  --disable-radix-cache
  # Scheduling
  --max-running-requests 8192  # 1024 per rank x 8 attention DP ranks
  # Server and parsers
  --host 0.0.0.0
  --port 30000
  --tool-call-parser deepseekv3  # deepseek_v3 in vllm
  --reasoning-parser deepseek-v3  # deepseek_v3 in vllm
)

exec python3 -m sglang.launch_server "${args[@]}"

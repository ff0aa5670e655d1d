#!/usr/bin/env bash
# vllm 0.33.0, ported by portkit from examples/deepseek-v3-8xh200/sglang.sh line 16 (sglang 0.5.12.post1).
# Left behind: SGLang's second custom all-reduce 1 (lost)
# Left behind: scheduling policy lpm (lost)
set -euo pipefail

# Communication
export NCCL_CUMEM_ENABLE=1
export NCCL_NVLS_ENABLE=1
# export CUDA_DEVICE_MAX_CONNECTIONS=8  # SGLang sets it to 8 whatever the environment says
export GLOO_SOCKET_IFNAME=eth0

args=(
  # Model
  --trust-remote-code
  # Parallelism
  --tensor-parallel-size 1  # 8 GPUs in all / 8 attention DP ranks
  --data-parallel-size 8
  --enable-expert-parallel  # ep 8 = all 8 ranks
  --all2all-backend deepep_low_latency  # deepep low_latency in sglang
  --moe-backend deep_gemm
  --enable-eplb
  --eplb-config '{"num_redundant_experts": 32}'
  # Speculative decoding
  # method: EAGLE in sglang
  # num_speculative_tokens: 1 steps; SGLang's 2 draft tokens count the root too
  --speculative-config '{"method": "mtp", "num_speculative_tokens": 1}'
  # Memory and KV cache
  # SGLang's 0.85 counts weights and KV only, vLLM's share activations, graphs and the draft too
  --gpu-memory-utilization 0.92
  --kv-cache-dtype auto
  --no-enable-prefix-caching
  # Scheduling
  --max-num-seqs 128  # 1024 over 8 attention DP ranks
  # chunk 4096 + 128 sequences x 2 decode tokens; 32768 over 8 attention DP ranks
  --max-num-batched-tokens 4352
  # Server and parsers
  --host 0.0.0.0
  --port 30000
  --enable-auto-tool-choice  # vLLM refuses tool_choice auto without it
  --tool-call-parser deepseek_v3  # deepseekv3 in sglang
  --reasoning-parser deepseek_v3  # deepseek-v3 in sglang
)

exec vllm serve /models/DeepSeek-V3-0324 "${args[@]}"

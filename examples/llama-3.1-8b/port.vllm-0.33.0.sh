#!/usr/bin/env bash
# vllm 0.33.0, ported by portkit from examples/llama-3.1-8b/sglang.sh line 24 (sglang 0.5.23).
set -euo pipefail

# Communication
# export NCCL_CUMEM_ENABLE=0  # SGLang 0.5.23 sets it where nobody does
# export NCCL_NVLS_ENABLE=0  # SGLang 0.5.23 sets it where nobody does
# export CUDA_DEVICE_MAX_CONNECTIONS=8  # SGLang sets it to 8 whatever the environment says

args=(
  # Model
  --max-model-len 16384
  # Parallelism
  --tensor-parallel-size 1
  # Memory and KV cache
  --kv-cache-dtype fp8_e4m3
  --enable-prefix-caching
  # Scheduling
  --max-num-seqs 128
  # chunk 4096 + 128 sequences x 1 decode tokens; default of sglang 0.5.23, 45 GiB
  --max-num-batched-tokens 4224
  --stream-interval 2
  # Server and parsers
  --host 127.0.0.1
  --port "${1:-30000}"
  --api-key "${API_KEY:?set API_KEY}"
  --enable-auto-tool-choice  # vLLM refuses tool_choice auto without it
  --tool-call-parser llama3_json  # llama3 in sglang
)

exec numactl --cpunodebind=0 --membind=0 vllm serve meta-llama/Llama-3.1-8B-Instruct "${args[@]}"

#!/usr/bin/env bash
# vllm 0.20.1, ported by portkit from examples/qwen3.6-27b-a6000/sglang.sh line 25 (sglang 0.5.12.post1).
# Left behind: attention backend flashinfer (unsafe)
# Left behind: schedule conservativeness 0.8 (lost)
set -euo pipefail

# Communication
# export NCCL_CUMEM_ENABLE=0  # SGLang 0.5.12.post1 sets it where nobody does
# export NCCL_NVLS_ENABLE=0  # SGLang 0.5.12.post1 sets it where nobody does
# export CUDA_DEVICE_MAX_CONNECTIONS=8  # SGLang sets it to 8 whatever the environment says
export CUDA_VISIBLE_DEVICES=0,1
export NCCL_P2P_LEVEL=PHB
export NCCL_IB_DISABLE=1
export NCCL_MIN_NCHANNELS=4
export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
export OMP_NUM_THREADS=8

args=(
  # Model
  --dtype bfloat16
  --max-model-len 32768
  # Parallelism
  --tensor-parallel-size "${TP:-2}"
  # Speculative decoding
  # method: NEXTN in sglang
  # num_speculative_tokens: 3 steps; SGLang's 4 draft tokens count the root too
  --speculative-config '{"method": "mtp", "num_speculative_tokens": 3}'
  # Memory and KV cache
  # SGLang's 0.85 counts weights and KV only, vLLM's share activations, graphs and the draft too
  --gpu-memory-utilization 0.92
  --enable-prefix-caching  # off by default on hybrid models before 0.26.0; this model is one
  # Scheduling
  --max-num-seqs 32
  --max-num-batched-tokens 4224  # chunk 4096 + 32 sequences x 4 decode tokens
  # Server and parsers
  --host 0.0.0.0
  --port "${PORT:-30000}"
  --served-model-name qwen3.6-27b
  --enable-auto-tool-choice  # vLLM refuses tool_choice auto without it
  --tool-call-parser qwen3_coder
  --reasoning-parser qwen3
)

exec vllm serve "${MODEL:-Qwen/Qwen3.6-27B}" "${args[@]}"

#!/bin/bash
# What a rename of the SGLang script gives: DeepSeek-V3 on 8x H200, vLLM 0.33.0.
export NCCL_NVLS_ENABLE=1
vllm serve /models/DeepSeek-V3-0324 --trust-remote-code \
  -tp 1 -dp 8 --enable-expert-parallel --all2all-backend deepep_high_throughput \
  --gpu-memory-utilization 0.85 --max-num-seqs 1024 --max-cudagraph-capture-size 128 \
  -sc '{"method":"mtp","num_speculative_tokens":1}' \
  --no-enable-prefix-caching \
  --tool-call-parser deepseek_v3 --enable-auto-tool-choice --reasoning-parser deepseek_v3 \
  --host 0.0.0.0 --port 30000

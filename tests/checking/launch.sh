#!/bin/bash
# vllm/vllm-openai:v0.27.1
export VLLM_ATTENTION_BACKEND=FLASHINFER VLLM_PORT=tcp://10.0.0.1:8000 VLLM_FOO=1
vllm serve /m/t --enable-reasoning --reasoning-parser deepseek-r1 --swap-space 4 \
  --max-num-partial-prefills 2 --tensor-paralel-size 2 --tp 4 \
  --max-num-seqs 6 --max-cudagraph-capture-size 6 --kv-cache-dtype fp9 \
  --speculative-config '{"method":"dflash","model":"/m/d","num_speculative_tokens":15, "draft_tokenz": 2, "rejection_sample_method":"strict"}'

python3 -m sglang.launch_server --model-path Qwen/Qwen3.6-27B --cuda-graph-max-bs 64 \
  --speculative-algorithm EAGLE --speculative-num-draft-tokens 4 --api-key sk-123

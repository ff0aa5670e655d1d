#!/bin/bash
# DeepSeek-V3 on one node of 8x H200 with DP attention, SGLang 0.5.12.post1.
MODEL_PATH=/models/DeepSeek-V3-0324
LOG_DIR=${LOG_DIR:-/var/log/sglang}

export NCCL_NVLS_ENABLE=1 NCCL_CUMEM_ENABLE=1
export SGLANG_OPT_USE_CUSTOM_ALL_REDUCE_V2=1
export GLOO_SOCKET_IFNAME=eth0

PARALLEL_ARGS="--tp 8 --dp 8 --enable-dp-attention --ep-size 8"
EXTRA=(--moe-a2a-backend deepep --deepep-mode low_latency --moe-runner-backend deep_gemm)
if [[ "${ENABLE_EPLB:-1}" == 1 ]]; then
  EXTRA+=(--enable-eplb --ep-num-redundant-experts 32)
fi

nohup python -m sglang.launch_server --model-path $MODEL_PATH --trust-remote-code \
  $PARALLEL_ARGS "${EXTRA[@]}" \
  --mem-fraction-static 0.85 --max-running-requests 1024 --cuda-graph-max-bs 128 \
  --chunked-prefill-size 32768 --kv-cache-dtype auto \
  --speculative-algorithm EAGLE --speculative-num-steps 1 --speculative-eagle-topk 1 --speculative-num-draft-tokens 2 \
  --schedule-policy lpm --disable-radix-cache \
  --tool-call-parser deepseekv3 --reasoning-parser deepseek-v3 \
  --host 0.0.0.0 --port 30000 > "$LOG_DIR/server.log" 2>&1 &
echo "started $!"

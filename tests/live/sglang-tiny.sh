#!/usr/bin/env bash
# A tuned SGLang 0.5.12.post1 launch of a tiny model, with flags whose vLLM counterparts a CPU takes too.
set -eu

exec python -m sglang.launch_server \
  --model-path "${MODEL:?set MODEL}" \
  --served-model-name tiny \
  --load-format dummy \
  --dtype bfloat16 \
  --context-length 512 \
  --max-running-requests 8 \
  --chunked-prefill-size 256 \
  --cuda-graph-bs 1 2 4 8 \
  --port "${PORT:-30000}"

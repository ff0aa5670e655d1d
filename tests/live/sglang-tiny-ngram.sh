#!/usr/bin/env bash
# The same tiny model on SGLang 0.5.12.post1 with n-gram speculation and without prefix caching.
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
  --speculative-algorithm NGRAM \
  --speculative-num-draft-tokens 4 \
  --disable-radix-cache \
  --stream-interval 2 \
  --port "${PORT:-30000}"

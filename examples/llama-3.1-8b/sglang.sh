#!/usr/bin/env bash
# Llama-3.1-8B on a single card; CHAT=1 adds parsers, LONG=1 doubles the context. SGLang 0.5.23.
set -eu

MODEL=meta-llama/Llama-3.1-8B-Instruct
CTX=16384
ARGS=(--model-path "$MODEL" --tp-size 1)

if [ "${LONG:-0}" = 1 ]; then
  CTX=$((CTX * 2))
fi
ARGS+=(--context-length "$CTX" --max-running-requests 128)

case "${KV:-fp8}" in
  fp8) ARGS+=(--kv-cache-dtype fp8_e4m3) ;;
  *) ARGS+=(--kv-cache-dtype auto) ;;
esac

[[ ${CHAT:-1} -eq 1 ]] && ARGS+=(--tool-call-parser llama3)
ARGS+=(--cuda-graph-bs-decode 1 2 4 8 16 32 64 128 --cuda-graph-backend-prefill disabled)
ARGS+=(--enable-mixed-chunk --num-continuous-decode-steps 4 --stream-interval 2)
ARGS+=(--api-key "${API_KEY:?set API_KEY}" --port "${1:-30000}")

exec numactl --cpunodebind=0 --membind=0 sglang serve "${ARGS[@]}"

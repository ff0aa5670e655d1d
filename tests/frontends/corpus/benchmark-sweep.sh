#!/usr/bin/env bash
#SBATCH --job-name=bench
#SBATCH --output=bench-%j.out
# Sweep concurrency for one model on both engines.
#
#   ./benchmark-sweep.sh -m deepseek-ai/DeepSeek-V3 -t 8
#
set -euo pipefail
source "$(dirname "$0")/common.sh"

usage() {
  cat <<USAGE
usage: $0 [options]
  -m MODEL    the model, don't forget the org
  -t TP       GPUs per replica
  -e ENGINE   sglang or vllm
example:
  python -m sglang.launch_server --not-a-launch
USAGE
  exit "${1:-0}"
}

MODEL="deepseek-ai/DeepSeek-V3"
TP=8
PORT=8000
OUT=results
while getopts "m:t:p:o:h" opt; do
  case $opt in
    m) MODEL=$OPTARG ;;
    t) TP=$OPTARG ;;
    p) PORT=$OPTARG ;;
    o) OUT=$OPTARG ;;
    h) usage ;;
    *) usage 1 ;;
  esac
done
shift $((OPTIND - 1))

if [[ -z "${HF_TOKEN:-x}" ]]; then
  echo "HF_TOKEN is empty" >&2
  exit 1
fi

declare -A MAX_LEN=(
  ["deepseek-ai/DeepSeek-V3"]=32768   # as served
  ["Qwen/Qwen3-32B"]=16384
)
declare -A PARSERS
PARSERS[DeepSeek-V3]=deepseek_v3
PARSERS[Qwen3-32B]=hermes

MODEL_NAME=${MODEL##*/}
SAFE_NAME=$(echo "$MODEL_NAME" | tr 'A-Z.' 'a-z_')
LEN=${MAX_LEN[$MODEL]}
CONCURRENCIES=(1 8 64)
export NCCL_NVLS_ENABLE=1
export NCCL_DEBUG=${NCCL_DEBUG:-WARN}

case "$MODEL_NAME" in
  DeepSeek*) COMMON=(--trust-remote-code) ;;
  Qwen*) COMMON=() ;;
  *) echo "unknown model"; exit 1 ;;
esac

mkdir -p "$OUT"
cat > "$OUT/extra.yaml" <<EOF
# written by $0's sweep
max-num-seqs: ${CONCURRENCIES[-1]}
served-model-name: ${SAFE_NAME}
EOF

log() { echo "[$(date +%T)] $*" >&2; }

wait_ready() {
  local port=$1 tries=0
  until curl -sf "http://localhost:${port}/health" > /dev/null; do
    tries=$((tries + 1))
    if ((tries > 100)); then
      log "server on $port didn't come up"
      return 1
    fi
    sleep 5
  done
}

stop() {
  [[ -n "${PID:-}" ]] && kill "$PID" 2> /dev/null || true
  PID=""
}
trap stop EXIT

start_sglang() {
  local concurrency=$1 port=$2
  shift 2
  local sizes
  sizes=$(seq -s ' ' 1 "$concurrency" | tr -s ' ')
  SGLANG_ENABLE_SPEC_V2=1 python3 -m sglang.launch_server \
    --model-path "$MODEL" \
    --served-model-name "$SAFE_NAME" \
    --tp "$TP" \
    --port "$port" \
    --context-length "$LEN" \
    --max-running-requests "$concurrency" \
    --cuda-graph-max-bs "$concurrency" \
    "${COMMON[@]}" "$@" \
    > "$OUT/sglang_${concurrency}.log" 2>&1 &
  PID=$!
}

start_vllm() {
  local concurrency=$1 port=$2
  nohup vllm serve "$MODEL" --config "$OUT/extra.yaml" \
    --tensor-parallel-size "$TP" --port "$port" --max-model-len "$LEN" \
    --tool-call-parser "${PARSERS[$MODEL_NAME]}" --enable-auto-tool-choice \
    "${COMMON[@]}" > "$OUT/vllm_${concurrency}.log" 2>&1 &
  PID=$!
}

for c in "${CONCURRENCIES[@]}"; do
  log "sglang at $c"
  if [[ $c -ge 64 ]]; then
    EXTRA=(--disable-radix-cache)
  else
    EXTRA=()
  fi
  start_sglang "$c" "$PORT" ${EXTRA[@]+"${EXTRA[@]}"}
  wait_ready "$PORT"
  python3 -m sglang.bench_serving --backend sglang --port "$PORT" --max-concurrency "$c" \
    --num-prompts $((c * 10)) --output-file "$OUT/sglang_${c}.jsonl"
  stop
done

PORT=$((PORT + 1))
for c in "${CONCURRENCIES[@]:0:1}"; do
  start_vllm "$c" "$PORT"
  wait_ready "$PORT"
  vllm bench serve --model "$MODEL" --port "$PORT" --max-concurrency "$c"
  stop
done
log "done: $OUT"

start() {
  local model=$1 port=${2:-8000}
  shift 2
  vllm serve "$model" --port "$port" "$@" &
}
wait_ready() { until curl -s "localhost:$1/health"; do sleep 1; done; }
start org/a 8001 --max-num-seqs 16
wait_ready 8001
start "org/b c" 8002 --served-model-name "b c" --n 2

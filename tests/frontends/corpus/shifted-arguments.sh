MODEL=$1; shift
PORT=${1:-8000}
shift
vllm serve "$MODEL" --port "$PORT" --n $# "$@"

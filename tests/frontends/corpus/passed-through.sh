MODEL=${1:?usage: serve.sh MODEL [ARGS]}
shift
vllm serve "$MODEL" --port 8000 "$@"

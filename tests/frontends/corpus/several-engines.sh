python3 -m sglang.launch_server --model-path m --port 30000 &
SGL=$!
vllm serve m --port 8000 &
VLLM=$!
trap 'kill $SGL $VLLM' EXIT
wait

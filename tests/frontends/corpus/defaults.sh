MODEL=${MODEL:-Qwen/Qwen3-32B}
TP=${TP:-4}
: "${PORT:=30000}"
python -m sglang.launch_server --model-path "$MODEL" --tp "$TP" --port "$PORT" --host "${HOST:-0.0.0.0}" --api-key "${API_KEY:?set API_KEY}"

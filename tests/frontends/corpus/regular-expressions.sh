MODEL=Qwen3-32B
if [[ $MODEL =~ ^Qwen([0-9.]+)-([0-9]+)B$ ]]; then
  SIZE=${BASH_REMATCH[2]}
fi
vllm serve $MODEL -tp $((SIZE > 30 ? 4 : 1)) --generation "${BASH_REMATCH[1]}"

ARGS=(
  --tensor-parallel-size 8   # all GPUs
  --gpu-memory-utilization 0.9
  # --enforce-eager
  --served-model-name "my model"
)
ARGS+=(--max-num-seqs 256)
EMPTY=()
vllm serve m "${ARGS[@]}" "${EMPTY[@]}" --first "${ARGS[0]}" --count ${#ARGS[@]} --last "${ARGS[-1]}" "${ARGS[@]:0:2}"

vllm serve m ${EXTRA_ARGS:-} $MORE --port 8000

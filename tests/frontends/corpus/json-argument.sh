TOKENS=3
vllm serve Qwen/Qwen3-8B --speculative-config "{\"method\": \"mtp\", \"num_speculative_tokens\": $TOKENS}" \
  --hf-overrides '{"rope_scaling": {"factor": 4.0}}' --compilation-config '{"cudagraph_capture_sizes": [1, 2, 4]}'

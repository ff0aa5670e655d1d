uv run --with vllm vllm serve a
conda run -n env --no-capture-output python -m sglang.launch_server --model-path b
/usr/bin/env python3 -m vllm.entrypoints.openai.api_server --model c

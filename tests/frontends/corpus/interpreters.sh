PYTHON=python3
$PYTHON -u -X dev -W ignore -m sglang.launch_server --model-path a
"$PYTHON" -O -m vllm.entrypoints.openai.api_server --model=b

source .venv/bin/activate
/opt/venv/bin/python3.11 -m sglang.launch_server --model-path m

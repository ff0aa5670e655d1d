set -a
VLLM_USE_V1=1
HF_HOME=/data/hf
set +a
PORT=8000
vllm serve m --port $PORT

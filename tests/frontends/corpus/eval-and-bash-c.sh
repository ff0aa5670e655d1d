CMD="vllm serve m --served-model-name 'a b'"
eval "$CMD --port 1"
export PORT=2
bash -c 'vllm serve n --port $PORT'
RUN=(vllm serve o)
RUN+=(--port 3)
"${RUN[@]}"

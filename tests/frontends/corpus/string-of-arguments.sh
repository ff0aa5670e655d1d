ARGS="--tp 8 --ep 8"
ARGS="$ARGS --enable-dp-attention"
ARGS+=" --dp 8"
python -m sglang.launch_server --model-path m $ARGS

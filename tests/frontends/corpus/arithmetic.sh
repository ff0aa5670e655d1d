GPUS=8
DP=2
TP=$((GPUS / DP))
PORT=$((8000 + 10 * DP))
((PORT++))
let PORT+=100
LEN=$(( 1 << 15 ))
vllm serve m -tp $TP -dp ${DP} --port $PORT --max-model-len $LEN --x $((TP > 2 ? 1 : 0))

TP=2 DP=4 # parallel
EP=8 PORT=8000
export A=1 B="$TP"
[[ $EP -eq 8 ]] && F=--enable-expert-parallel
vllm serve m -tp $TP -dp $DP $F --port $PORT

declare -A PATHS=([small]="Qwen/Qwen3-8B" [big]="Qwen/Qwen3-235B-A22B")
declare -A TPS
TPS[small]=1
TPS[big]=8
SIZE=big
python3 -m sglang.launch_server --model-path "${PATHS[$SIZE]}" --tp ${TPS[$SIZE]}

declare -A TPS=([a]=1 [b]=8)
vllm serve m -tp "${TPS[$1]}"

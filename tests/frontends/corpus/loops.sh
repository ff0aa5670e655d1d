PORT=9000
for tp in 1 2; do
  for len in 4096 8192; do
    vllm serve m -tp $tp --max-model-len $len --port $PORT &
    PORT=$((PORT + 1))
  done
done
for ((i = 0; i < 2; i++)); do vllm serve n --port $((9100 + i)); done
for b in {1..3}; do SIZES="$SIZES $b"; done

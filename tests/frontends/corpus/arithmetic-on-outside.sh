TP=${TP:-2}
vllm serve m -tp $TP --max-num-seqs $((TP * 64)) --port $((BASE_PORT + 1))

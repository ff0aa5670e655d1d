printf -v NAME '%s-%02d' node 7
for r in 0 1; do
  vllm serve m --name "$NAME" --node-rank $r --log "$(printf 'rank_%d.log' $r)" &
done

MODEL=/models/org/Some-Model.d/
NAME=$(basename "$MODEL")
UPPER=$(echo "$NAME" | tr 'a-z' 'A-Z')
SIZES=$(seq -s ' ' 1 2 8)
port() { echo $((8000 + $1)); }
vllm serve "$MODEL" --a "$NAME" --b "$UPPER" --c $SIZES --d "$(dirname "$MODEL")" --e `echo x` --port "$(port 5)" --s $(seq 1 3)

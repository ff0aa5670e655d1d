HOST_IP=$(hostname -I | awk '{print $1}')
DIR=/models
LATEST=$(ls -t $DIR | head -1)
vllm serve "$DIR/$LATEST" --host "$HOST_IP" --port $(shuf -i 8000-9000 -n 1)

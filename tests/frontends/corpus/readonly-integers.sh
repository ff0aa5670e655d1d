readonly PORT=8000
declare -i N=3
N+=4
N=N*2
declare -r NAME=m
vllm serve $NAME --port $PORT --n $N

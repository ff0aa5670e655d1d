A=([3]=d [1]=b)
A[7]=h
unset 'A[3]'
A+=(i)
vllm serve "${A[@]}" --idx "${!A[@]}" --n ${#A[@]} --seven "${A[7]}"

GPUS=0,2,4,6
IFS=',' read -ra LIST <<< "$GPUS"
export CUDA_VISIBLE_DEVICES=$GPUS
vllm serve m -tp ${#LIST[@]} --first "${LIST[0]}" --joined "$(IFS=-; echo "${LIST[*]}")"

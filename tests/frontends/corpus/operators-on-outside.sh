MODEL=${MODEL:-org/Some-Model}
vllm serve "$MODEL" --served-model-name "${MODEL##*/}" --download-dir "/cache/${USER_DIR%/}"

MODEL=deepseek-ai/DeepSeek-V3.1
BASE=${MODEL##*/}
ORG=${MODEL%%/*}
LOWER=${BASE,,}
SAFE=${MODEL//\//--}
vllm serve "$MODEL" --served-model-name "$LOWER" --x "$ORG" --y "$SAFE" --z "${BASE:0:8}" --w "${BASE%.*}" --v "${BASE^^}" --n ${#ORG}

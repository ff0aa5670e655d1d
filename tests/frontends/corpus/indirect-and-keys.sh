MODEL_A=org/a
WHICH=MODEL_A
LIST=(x y z)
vllm serve "${!WHICH}" --keys "${!LIST[@]}" --slice "${LIST[@]: -2}" --prefixed "${LIST[@]/#/p-}"

LORA=adapters
NONE=
vllm serve m ${LORA:+--enable-lora --lora-modules "a=$LORA"} ${NONE:+--never} ${NONE+--set} --k "${LORA:+yes}"

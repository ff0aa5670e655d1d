# Größe: 模型 → наилучшая
NAME="模型-α β"
vllm	serve	"$NAME"	--chat-template	'{{ "é" }}' --len ${#NAME}	--last "${NAME: -1}"

TP=$1
: "${TP:=8}"
NAME=${2:-org/m}
vllm serve "$NAME" -tp "$TP" ${NAME:+--served-model-name "${NAME%%/*}"}

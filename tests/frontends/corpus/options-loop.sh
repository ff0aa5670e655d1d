TP=8
MODEL=org/m
while [[ $# -gt 0 ]]; do
  case "$1" in
    --tp) TP="$2"; shift 2 ;;
    --model) MODEL="$2"; shift 2 ;;
    *) echo "unknown: $1"; exit 1 ;;
  esac
done
for arg in "$@"; do
  case $arg in --debug) DEBUG=1 ;; esac
done
vllm serve $MODEL -tp $TP

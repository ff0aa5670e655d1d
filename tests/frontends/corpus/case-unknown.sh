case "$1" in
  small) MODEL=Qwen/Qwen3-8B ;;
  big) MODEL=Qwen/Qwen3-32B ;;
  *) echo "usage: $0 small|big" >&2; exit 1 ;;
esac
vllm serve "$MODEL"

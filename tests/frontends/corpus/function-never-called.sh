serve() {
  vllm serve "$1" --port "${2:-8000}"
}

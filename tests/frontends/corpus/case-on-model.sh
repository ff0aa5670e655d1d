MODEL=Qwen/Qwen3-Coder-480B
case "$MODEL" in
  *DeepSeek*|*deepseek*) PARSER=deepseek_v3 ;;
  *[Qq]wen3-[Cc]oder*)
    PARSER=qwen3_coder
    ;;
  "Qwen/*") PARSER=literal ;;
  *) PARSER=hermes ;;
esac
vllm serve "$MODEL" --enable-auto-tool-choice --tool-call-parser $PARSER

GPU=H200
if [ "$GPU" = H100 ]; then
  MEM=0.85
elif [[ $GPU == H2* && ${#GPU} -eq 4 ]]; then
  MEM=0.92
else
  MEM=0.8
fi
[ -n "$MEM" ] && EXTRA=(--mem-fraction-static "$MEM") || EXTRA=()
sglang serve --model-path m "${EXTRA[@]}"

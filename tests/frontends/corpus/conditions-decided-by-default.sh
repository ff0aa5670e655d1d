if [[ "${SPEC:-1}" == 1 ]]; then
  EXTRA=(--speculative-algorithm EAGLE3)
fi
python3 -m sglang.launch_server --model-path m "${EXTRA[@]}"

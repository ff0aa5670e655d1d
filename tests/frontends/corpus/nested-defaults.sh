vllm serve "${MODEL:-${BASE_MODEL:-org/m}}" --dtype "${DTYPE:-"bfloat16"}" --name "${NAME:-a b}" --x "${X:-\$5}" --j "${J:-{\}}"

set -u
command -v vllm > /dev/null || { echo "no vllm"; exit 1; }
if ! true; then exit 1; fi
[[ -d /nonexistent ]] && echo there
mkdir -p out || exit 1
vllm serve m ${UNSET+--never} --x "${UNSET-}" "${UNSET:+y}"

usage() {
  cat <<EOF
usage: $0 [-m model]   don't panic
  vllm serve not-a-launch
EOF
  exit 1
}
while getopts "m:h" opt; do
  case $opt in m) MODEL=$OPTARG ;; h) usage ;; esac
done
vllm serve "${MODEL:-org/m}"

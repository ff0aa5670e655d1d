set -- small --flag "a b"
SIZE=$1; shift
vllm serve "m-$SIZE" "$@" --count $# --all "$*"

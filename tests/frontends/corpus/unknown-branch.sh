if [ "$1" = "fast" ]; then
  EXTRA="--speculative-algorithm NEXTN --speculative-num-steps 3"
else
  EXTRA="--disable-cuda-graph"
fi
python3 -m sglang.launch_server --model-path m $EXTRA

numactl --cpunodebind=0 --membind=0 vllm serve a
numactl -C 0-7 -m 0 python3 -m sglang.launch_server --model-path b
time -p vllm serve c
timeout 60 nice -n 5 vllm serve d
exec vllm serve e --last

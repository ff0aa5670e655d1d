exec 2> err.log
mkdir -p logs
vllm serve a --port 1 > logs/a.log 2>&1 < /dev/null
vllm serve b --port 2 2>&1 | tee logs/b.log
{ vllm serve c --port 3; } &> logs/c.log
(cd logs && vllm serve d --port 4)

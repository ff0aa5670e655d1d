export CUDA_VISIBLE_DEVICES=0,1 NCCL_P2P_LEVEL=PHB
declare -x OMP_NUM_THREADS=8
LOCAL_ONLY=1
TMP=1; export TMP; unset TMP
NCCL_DEBUG=WARN SGLANG_X="a b" nohup python3 -u -m sglang.launch_server --model-path m --tp 2 > server.log 2>&1 &

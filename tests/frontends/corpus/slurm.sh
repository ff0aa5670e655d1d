#!/bin/bash
#SBATCH --job-name=sglang
#SBATCH --nodes=2
#SBATCH --gres=gpu:8
module load cuda/12.4
MASTER=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
export NCCL_SOCKET_IFNAME=ib0
srun --ntasks=2 python3 -m sglang.launch_server --model-path m --tp 16 --nnodes 2 \
  --node-rank $SLURM_PROCID --dist-init-addr "$MASTER:5000"

#!/bin/bash
TP=4
if [ "$TP" = 4 ]; then
  EXTRA="--a 1"
fi
vllm serve m \
  --tensor-parallel-size $TP \
  $EXTRA

i=0
while true; do
  i=$((i + 1))
  [ $i -eq 2 ] && continue
  if [ $i -gt 4 ]; then break; fi
  vllm serve m --i $i
done
until [ $i -le 3 ]; do i=$((i - 1)); done
vllm serve n --i $i

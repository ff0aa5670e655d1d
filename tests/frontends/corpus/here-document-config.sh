TP=4
mkdir -p conf
cat > conf/serve.yaml <<EOF
model: org/m   # it's ours
tensor-parallel-size: ${TP}
EOF
cat <<'EOF' > conf/raw.txt
keep $TP "as it is"
EOF
vllm serve --config conf/serve.yaml

NAME="it's"
vllm serve m --a 'single $NAME' --b "double $NAME \$NAME \"q\"" --c $'tab\there' --d back\ slash --e ""'' --f="$NAME"'x'"y"

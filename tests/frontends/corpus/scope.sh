TP=1
set_tp() { TP=4; local TP2=9; }
try() { local TP=16; show; }
show() { vllm serve m -tp $TP --x "${TP2:-none}"; }
set_tp; show; try; show
( TP=32; show ); show

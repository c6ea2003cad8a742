# explain: the cost of a kernel. The assembler's figures depend on the machine: here there is none on PATH.
mkdir bin
for tool in sed grep head; do ln -s "$(command -v $tool)" bin/$tool; done
cp "$ROOT/examples/column_sum.py" .
PATH=$PWD/bin
add='x=randn:fp32[70001] y=randn:fp32[70001] out=empty:fp32[70001] n=70001'
t "tilec explain add.tile $add"
t "tilec explain add.tile $add --format=json -o add.json && grep -o '\"counts\": {[^}]*}' add.json"
t "tilec explain add.tile $add --arch sm_80 | sed -n '/^occupancy/,/^time/p'"
t "tilec explain add.tile $add --card H100 | grep '^time'"
t "tilec explain add.tile $add --card A100"
t "tilec explain add.tile $add --registers 168 | grep -A2 '^registers'"
t "tilec explain add.tile $add --registers 0"
t "tilec explain add.tile $add --color=always | sed 's/\x1b/<ESC>/g' | head -n 4"
# A dot with TMA copies.
size='M=4096 N=4096 K=4096'
t "tilec explain matmul.tile --kernel block_matmul -D BLOCK_M=128 -D BLOCK_N=128 a_ptr=randn:fp16[4096,4096] b_ptr=randn:fp16[4096,4096] c_ptr=empty:fp16[4096,4096] $size"
# A loss of a line with two loads is the time down to the next bound. Without a clock it is a part of the sectors.
sums='x=randn:fp32[4096,4096] y=empty:fp32[4096] rows=4096 cols=4096 R=1024 --grid cols'
t "tilec explain column_sum.py $sums --arch sm_90a | sed -n '/^ share/,/^share/p; /^time/,/^ *try/p'"
t "tilec explain column_sum.py $sums --arch sm_80 | sed -n '/^time/,/^ *try/p'"
t "tilec explain add.tile $add --arch sm_80 | sed -n '/^time/,/^what/p'"
t "tilec explain column_sum.py $sums --arch sm_80 --format=json -o sums.json && grep -o '\"seconds\": 0, \"counted.*sectors\"' sums.json"
# Errors.
t "tilec explain add.tile $add --format=html"
t "tilec explain add.tile n=1"
t "tilec explain add.ptx"
t "tilec explain add.tile $add --device cuda"
t "tilec add.tile --format=json"
t 'tilec explain "$ROOT/examples/how-to/numpy_long_rows.py" --quick --grid 2048 x_ptr=randn:fp32[2048,30001] out_ptr=empty:fp32[2048,30001] columns=30001 BLOCK=1024 | grep -o "Try one tile.*num-warps 16"'

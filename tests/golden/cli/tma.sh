# TMA copies: the compiles that have them, the maps that --emit=meta lists, and arguments that no map can describe.
types='a=*fp16:16,b=*fp16:16,c=*fp32:16,M=i32,N=i32:16,K=i32:16'
arguments='a=randn:fp16[64,128] b=randn:fp16[128,64] c=zeros:fp32[64,64] N=64 K=128'
shown='remark: load .* iterations? ahead|check: passed'
for mode in auto on off; do t "tilec product.py --signature \$types --tma=$mode -o - | grep -c cp.async.bulk.tensor"; done
t 'tilec product.py --signature $types --tma=on --emit=meta -o - | grep -o "\"maps\": \[{[^{]*{[^{]*}\]"'
t 'tilec product.py --signature $types --tma=on --emit=header -o product.h && grep -c cuTensorMapEncodeTiled product.c'
t 'tilec product.py --tma=yes'
for more in M=64 'M=64 --tma=off' M=0; do t "tilec run product.py --device sim --grid 1 --remarks --check \$arguments $more 2>&1 | grep -oE \"\$shown\""; done
for mode in auto on off; do t "tilec pointers.py --signature \$types --tma=$mode -o - | grep -c cp.async.bulk.tensor"; done
t 'tilec pointers.py --signature $types --tma=on --emit=meta -o - | grep -o "\"guard\": .*" | grep -oE "num_programs [^:]*: i32|yield"'
t 'tilec run pointers.py --device sim --tma=on --remarks --check --grid 1 $arguments M=64 2>&1 | grep -oE "$shown"'

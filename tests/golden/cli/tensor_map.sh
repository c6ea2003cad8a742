# A parameter of PTX that is a tensor map: desc() makes it. The evaluator has the right result.
cat >want.py <<'END'
@triton.jit
def want(a, b, c, K: tl.constexpr, ROW: tl.constexpr):
    row, k, column = tl.arange(0, 128)[:, None], tl.arange(0, ROW), tl.arange(0, 128)[None, :]
    left = tl.load(a + row * K + k[None, :], k[None, :] < K, 0)
    right = tl.load(b + column * K + k[:, None], k[:, None] < K, 0)
    tl.store(c + row * 128 + column, tl.dot(left, right))
END
map='desc(randn:bf16[128,192],block=[128,64],swizzle=128)'
t "tilec run want.py --device eval a=randn:bf16[128,192] b=randn:bf16[128,192] c=empty:fp32[128,128] K=192 ROW=256 --grid 1 --save c=c.npy >/dev/null"
cp "$ROOT/tests/golden/sim/tcgen05.ptx" gemm.ptx
gemm='gemm.ptx --threads 128 --grid 1'
t "tilec run $gemm --device sim '$map' '$map' empty:fp32[128,128] 192 --expect 2=@c.npy"
t "tilec check $gemm '$map' '$map' empty:fp32[128,128] 192 --expect 2=@c.npy"
# Only two of three steps along k, and a tensor with fewer rows than the tile: the others are zero.
t "tilec run want.py --device eval a=randn:bf16[128,192] b=randn:bf16[128,192] c=empty:fp32[128,128] K=192 ROW=128 --grid 1 --save c=c.npy >/dev/null"
t "tilec run $gemm --device sim '$map' '$map' empty:fp32[128,128] 128 --expect 2=@c.npy"
rows='desc(randn:bf16[128,192],block=[128,64],shape=[100,192],strides=[192,1],swizzle=128)'
t "tilec run $gemm --device sim '$rows' '$map' 'full(1):fp32[128,128]' 192 | sed 's/ \[.*//'"
# Without the swizzle the result is wrong.
flat=$(printf %s "$map" | sed s/,swizzle=128//)
t "tilec run $gemm --device sim '$flat' '$map' empty:fp32[128,128] 128 --expect 2=@c.npy >/dev/null 2>&1 || echo wrong"
# What a tensor map cannot be.
wrong() { t "tilec run $gemm --device sim '$1' '$map' empty:fp32[128,128] 192"; }
wrong 'desc(randn:bf16[128,192],block=[128,64],swizzle=64)'
wrong 'desc(randn:bf16[128,192],block=[128,64],swizzle=48)'
wrong 'desc(randn:bf16[128,192],block=[512,64],swizzle=128)'
wrong 'desc(randn:bf16[128,190],block=[128,64],swizzle=128)'
wrong 'desc(randn:bf16[128,192],block=[128,64],strides=[1,128])'
wrong 'desc(randn:bf16[128,192],block=[128,64],round=tf32)'
wrong '(desc(randn:bf16[128,192],block=[128,64]),1)'
wrong 'zeros:bf16[128,192]'
t "tilec run $gemm --device sim '$map' '$map' '$map' 192"
t "tilec run want.py --device eval 'a=desc(randn:bf16[128,192],block=[128,64],swizzle=128)' b=randn:bf16[128,192] c=empty:fp32[128,128] K=192 ROW=256 --grid 1"

# explain counts equal instructions of an unrolled loop.
cat >copies.py <<'END'
import triton
import triton.language as tl

@triton.jit
def copies(x, out, K: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    for k in tl.static_range(K):
        tl.store(out + i * K + k, tl.load(x + i * K + k))
END
t 'tilec explain copies.py --grid 10 -D K=3 -D BLOCK=128 x=ones:fp32[3840] out=empty:fp32[3840] | grep -E "sectors \("'
t 'tilec explain copies.py --grid 10 -D K=1 -D BLOCK=128 x=ones:fp32[3840] out=empty:fp32[3840] | grep -E "sectors \("'

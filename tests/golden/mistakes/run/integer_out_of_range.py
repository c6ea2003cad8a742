# An integer argument that its parameter's type does not hold
# run: run --device sim --grid 1 x=randn:fp32[64] out=empty:fp32[64] shift=300 n=64 -D BLOCK=64
# run: check --grid 1 x=randn:fp32[64] out=empty:fp32[64] shift=300 n=64 -D BLOCK=64
# run: run --device eval --diagnostics=json --grid 1 x=randn:fp32[64] out=empty:fp32[64] shift=3 n=-1 -D BLOCK=64
# run: run --device eval --diagnostics=json --grid 1 x=randn:fp32[64] out=empty:fp32[64] n=64 -D BLOCK=64
# run: run --device eval --grid 1 x=randn:fp32[64] out=empty:fp32[64] shift=99999999999999999999 n=64 -D BLOCK=64
import triton
import triton.language as tl


@triton.jit
def scale(x, out, shift: tl.int8, n: tl.uint32, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n, other=0.0) + shift, mask=i < n)

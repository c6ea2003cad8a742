# The stride is in bytes, as NumPy has it.
# run: check --grid 64 x=randn:fp32[64,200] out=empty:fp32[64] n=200 stride=800 -D BLOCK=256
# run: run --device eval --grid 64 x=randn:fp32[64,200] out=empty:fp32[64] n=200 stride=800 -D BLOCK=256
import triton
import triton.language as tl


@triton.jit
def row_sum(x, out, n, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + row * stride + c, mask=c < n, other=0.0)
    tl.store(out + row, tl.sum(v, axis=0))

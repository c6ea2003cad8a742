# Input and output are swapped in the call.
# run: check --grid 8 x=empty:fp32[8] out=randn:fp32[8,100] n=100 -D BLOCK=128
# run: run --device eval --grid 8 x=empty:fp32[8] out=randn:fp32[8,100] n=100 -D BLOCK=128
import triton
import triton.language as tl


@triton.jit
def row_sum(x, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    tl.store(out + row, tl.sum(tl.load(x + row * n + c, mask=c < n, other=0.0), axis=0))

# The row stride given for x is the output's.
# run: check --grid 64 x=randn:fp32[64,100] out=empty:fp32[64,200] n=100 stride_x=200 stride_out=200 -D BLOCK=128
# run: run --device eval --grid 64 x=randn:fp32[64,100] out=empty:fp32[64,200] n=100 stride_x=200 stride_out=200 -D BLOCK=128
import triton
import triton.language as tl


@triton.jit
def pad(x, out, n, stride_x, stride_out, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + row * stride_x + c, mask=c < n, other=0.0)
    tl.store(out + row * stride_out + c, v, mask=c < n)

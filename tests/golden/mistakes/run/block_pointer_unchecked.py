# A block pointer without boundary_check.
# run: check --grid 2 x=randn:fp32[100] out=empty:fp32[128] n=100 -D BLOCK=64
# run: run --device eval --grid 2 x=randn:fp32[100] out=empty:fp32[128] n=100 -D BLOCK=64
import triton
import triton.language as tl


@triton.jit
def copy(x, out, n, BLOCK: tl.constexpr):
    start = tl.program_id(0) * BLOCK
    p = tl.make_block_ptr(x, shape=(n,), strides=(1,), offsets=(start,), block_shape=(BLOCK,), order=(0,))
    v = tl.load(p)
    tl.store(out + start + tl.arange(0, BLOCK), v)

# A tile goes through memory without tl.debug_barrier().
# run: check --grid 1 x=randn:fp32[256] scratch=empty:fp32[256] out=empty:fp32[256] -D BLOCK=256
# run: run --device sim --check --grid 1 x=randn:fp32[256] scratch=empty:fp32[256] out=empty:fp32[256] -D BLOCK=256
import triton
import triton.language as tl


@triton.jit
def reverse(x, scratch, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(scratch + i, tl.load(x + i))
    tl.store(out + i, tl.load(scratch + BLOCK - 1 - i))

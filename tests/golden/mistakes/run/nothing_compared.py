# --check has nothing to compare, because the kernel stores nothing.
# run: run --device eval --check --grid 2 x=zeros:fp32[100] n=100 BLOCK=64
import triton
import triton.language as tl


@triton.jit
def kernel(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    y = i * 2.0

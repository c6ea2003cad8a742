# Inline assembly ends the kernel.
# run: run --device sim --grid 1 x=zeros:fp32[64] n=64 BLOCK=64
import triton
import triton.language as tl


@triton.jit
def kernel(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    y = tl.inline_asm_elementwise("trap; mov.b32 $0, $1;", "=r,r", [i], dtype=tl.int32, is_pure=False, pack=1)
    tl.store(x + i, y, mask=i < n)

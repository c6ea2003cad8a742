# A histogram counts up from torch.empty instead of torch.zeros.
# run: run --device eval --grid 4 x=arange:i32[1024] counts=empty:i32[16] -D BLOCK=256
# run: check --grid 4 x=arange:i32[1024] counts=empty:i32[16] -D BLOCK=256
import triton
import triton.language as tl


@triton.jit
def histogram(x, counts, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(counts + tl.load(x + i) % 16, 1)

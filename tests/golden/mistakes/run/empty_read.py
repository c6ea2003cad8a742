# The accumulator is read before anything was written: torch.empty instead of torch.zeros.
# run: run --device eval --grid 4 x=randn:fp32[1024] acc=empty:fp32[1024] -D BLOCK=256
# run: run --device sim --check --grid 4 x=randn:fp32[1024] acc=empty:fp32[1024] -D BLOCK=256
import triton
import triton.language as tl


@triton.jit
def accumulate(x, acc, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(acc + i, tl.load(acc + i) + tl.load(x + i))

# Every program writes the first row: the row is missing in the address of the store.
# run: check --grid 4 x=randn:fp32[4,256] out=empty:fp32[4,256] -D BLOCK=256
import triton
import triton.language as tl


@triton.jit
def double_rows(x, out, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    v = tl.load(x + tl.program_id(0) * BLOCK + c)
    tl.store(out + c, v * 2)

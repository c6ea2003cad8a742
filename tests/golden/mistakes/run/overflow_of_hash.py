# A multiplication in 32 bits wraps, and its remainder is negative.
# run: check --grid 1 table=randn:fp32[1000] out=empty:fp32[256] -D BLOCK=256
# run: run --device eval --grid 1 table=randn:fp32[1000] out=empty:fp32[256] -D BLOCK=256
import triton
import triton.language as tl


@triton.jit
def lookup(table, out, BLOCK: tl.constexpr):
    key = tl.arange(0, BLOCK) + 50000
    slot = key * 48271 % 1000
    tl.store(out + key - 50000, tl.load(table + slot))

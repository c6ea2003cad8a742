# Strides and a base of a descriptor that are not multiples of 16 bytes.
# run: run --check --grid 1 x=randn:fp16[16,40] 'lds=full(20):i32[1]' out=empty:fp16[16,16]
# run: run --check --grid 1 x=randn:fp16[16,40] 'lds=full(40):i32[1]' out=empty:fp16[16,16] -D FIRST=4
import triton
import triton.language as tl


@triton.jit
def kernel(x, lds, out, FIRST: tl.constexpr = 0):
    ld = tl.load(lds)
    d = tl.make_tensor_descriptor(x + FIRST * ld // 40, [8, 16], [ld, 1], [16, 16])
    i, j = tl.arange(0, 16)[:, None], tl.arange(0, 16)[None, :]
    tl.store(out + i * 16 + j, d.load([0, 0]))

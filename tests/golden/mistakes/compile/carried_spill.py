# compile: --num-warps 1 --signature x=*fp32:16,out=*fp32:16,n=i32
# mistake: a loop that carries more tiles than a thread has registers
# instead: smaller tiles, or more warps
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n):
    i = tl.arange(0, 8192)
    low, high = tl.full((8192,), float("inf"), tl.float32), tl.full((8192,), float("-inf"), tl.float32)
    for k in range(n):
        v = tl.load(x + k * 8192 + i)
        low, high = tl.minimum(low, v), tl.maximum(high, v)
    tl.store(out + i, high - low)

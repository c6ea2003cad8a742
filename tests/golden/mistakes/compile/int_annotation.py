# compile: --signature x=*fp32
# mistake: a parameter is annotated with Python's int
# instead: `n: tl.int32`, or its type in `--signature`
import triton
import triton.language as tl


@triton.jit
def kernel(x, n: int):
    tl.store(x, n.to(tl.float32))

import triton
@triton.jit
def broken(x):
    with x: pass

import triton
@triton.jit
def wanted_by_none(x):
    yield x

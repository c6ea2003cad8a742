# compile: --signature out=*i32
# mistake: an element of a list of the file is assigned again
# instead: assign the list once, or give its value with `-D`
import triton
import triton.language as tl

SIZES = [1, 2]
SIZES[0] = 9


@triton.jit
def kernel(out):
    tl.store(out, SIZES[0])

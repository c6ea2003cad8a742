# Functions that make jit functions: what is made sees its factory's names, and a kernel may be made so.
import triton
import triton.language as tl


@triton.jit
def add(x, y):
    return x + y


def twice(op):
    @triton.jit
    def body(x, y):
        return op(op(x, y), y)

    return body


def make_kernel(op, offset, name="unused"):
    amount = tl.constexpr(offset)
    if offset > 1:
        @triton.jit
        def kernel_of(x, n, BLOCK: tl.constexpr):
            i = tl.arange(0, BLOCK)
            tl.store(x + i, op(tl.load(x + i), amount), mask=i < n)
    else:
        kernel_of = None
    return kernel_of


add_twice = twice(add)
alias = add_twice
kernel = make_kernel(alias, offset=3)

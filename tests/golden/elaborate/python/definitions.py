"""The parts of a .py file that tilec reads, and how its definitions are chosen."""
import torch
import triton
import triton.language as tl

try:
    import flash_attn
    HAS_FLASH = True
except ImportError:
    HAS_FLASH = False

if (n := 3) > 2:
    WALRUS = 1
else:
    WALRUS = 2


def plain(x):
    return x


class Model:
    @triton.jit
    def kernel(x):
        tl.store(x, 1.0)


def test_one():
    @triton.jit
    def inner(x):
        return x + 1.0

    @triton.jit
    def kernel(x):
        tl.store(x, inner(tl.load(x)))


def test_two():
    for dtype in [torch.float32]:
        @triton.jit
        def inner(x):
            return x + 2.0

    @triton.jit
    def kernel(x):
        tl.store(x, inner(tl.load(x)))


with torch.no_grad():
    WITHIN = 5


@triton.jit
def main(x):
    tl.static_assert(WITHIN == 5)
    tl.store(x, 2.0)


@triton.jit
def errors(x):
    tl.store(x, plain(tl.load(x)) + Model(x))
    tl.store(x, HAS_FLASH + WALRUS)


if __name__ == "__main__":
    kernel = main
    x = torch.zeros(1, device="cuda")
    main[(1,)](x)

import triton
import triton.language as tl


@triton.aggregate
class Pair:
    first: tl.tensor
    second: tl.tensor

    @triton.jit
    def total(self):
        return self.first + self.second


@triton.aggregate
class Made:
    first: tl.tensor

    def __init__(self, first):
        self.first = first


@triton.aggregate
class Base(Pair):
    third: tl.tensor


@triton.jit
def kernel(x, n):
    p = Pair(1.0)
    q = Pair(1.0, 2.0, third=3.0)
    r = Pair(1.0, 2.0)
    tl.aggregate_replace(r, third=3.0)
    tl.aggregate_replace(r, 3.0)
    tl.aggregate_replace(n, first=3.0)
    tl.aggregate_replace(first=3.0)
    r.product()
    tl.map_elementwise(tl.aggregate_replace, tl.arange(0, 8))
    Made(1.0)
    Base(1.0, 2.0, 3.0)

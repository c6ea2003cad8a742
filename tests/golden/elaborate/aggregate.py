# Classes with methods: fields with defaults, methods that make others, copies with other fields, in a loop.
import triton
import triton.language as tl


@triton.jit
def twice(v):
    return v * 2


@triton.aggregate
class Pair:
    first: tl.tensor
    second: tl.tensor
    scale: tl.constexpr = 2

    @triton.jit
    def total(self, by=1.0):
        return twice(self.first + self.second) * self.scale * by

    @triton.jit
    def moved(self, by):
        return tl.aggregate_replace(self, first=self.first + by)

    @triton.jit
    def __getitem__(self, i: tl.constexpr):
        return self.first if i == 0 else self.second


@tl.core._aggregate
class Outer:
    inner: Pair
    size: tl.constexpr

    @triton.jit
    def total(self):
        return self.inner.total(by=self.size)


@triton.jit
def kernel(x, out, n, B: tl.constexpr = 8):
    i = tl.arange(0, B)
    p = Pair(tl.load(x + i), second=1.0)
    for k in range(n):
        p = p.moved(2.0)
        if k == 3:
            p = Pair(p.first, p[1] + 1.0)
    tl.store(out + i, Outer(p, B).total() + p[0])

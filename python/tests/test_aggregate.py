# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Aggregates of Triton's: classes of values with fields, a constructor and methods, in kernels."""

import array
import unittest

try:
    import triton
    import triton.language as tl
except ImportError:
    raise unittest.SkipTest("Triton is not installed") from None

import tilec


@tl.core._aggregate
class Pair:
    first: tl.tensor
    second: tl.tensor

    def __init__(self, first, second=7.0):
        self.first = first
        self.second = second

    @triton.jit
    def get_first(self):
        return self.first

    def get_second(self, _semantic=None):
        return self.second

    @triton.jit
    def unpack(self):
        return self.get_first(), self.get_second()

    @triton.jit
    def plus(self, by, twice: tl.constexpr = False):
        if twice:
            by = 2 * by
        return Pair(self.first + by, second=self.second)

    @triton.jit
    def __getitem__(self, i: tl.constexpr):
        return self.second if i == 0 else self.first


@tl.core._aggregate
class Range:
    values: tl.tensor
    size: tl.constexpr
    shape: tl.tuple

    @triton.constexpr_function
    def __init__(self, size, _semantic=None):
        self.values = tl.arange(0, size.value, _semantic=_semantic)
        # The size is known.
        self.size = size
        self.shape = (self.size, 1)

    @staticmethod
    @triton.jit
    def create(size: tl.constexpr):
        return Range(size)


@tl.core._aggregate
class Added:
    value: tl.tensor

    def __init__(self, value):
        self.value = value

    def __add__(self, other):
        return self


@tl.core._aggregate
class Forgotten:
    value: tl.tensor
    other: tl.tensor

    def __init__(self, value):
        self.value = value


@tilec.jit
def add(a, b):
    return Pair(a.first + b.first, a.second + b.second)


if hasattr(triton, "aggregate"):  # from Triton 3.8 on

    @triton.aggregate
    class Plain:
        first: tl.tensor
        second: tl.tensor
        scale: tl.constexpr = tl.constexpr(3)

        @triton.jit
        def total(self):
            return (self.first + self.second) * self.scale

    @triton.aggregate
    class Longer(Plain):
        third: tl.tensor = 0.5

        @triton.jit
        def all(self):
            return self.total() + self.third


class Aggregates(unittest.TestCase):
    def run_on(self, kernel, *args):
        x = array.array("f", range(4))
        kernel[(1,)](x, *args)
        return list(x)

    def test_fields_and_methods(self):
        @tilec.jit
        def kernel(x):
            i = tl.arange(0, 4)
            p = Pair(tl.load(x + i), 11.0)
            a, b = p.plus(0.5, twice=True).unpack()
            tl.store(x + i, a + 100 * b + Pair(1.0).second)

        self.assertEqual(self.run_on(kernel), [1108.0, 1109.0, 1110.0, 1111.0])

    @unittest.skipUnless(hasattr(triton, "aggregate"), "Triton has no aggregates without constructors before 3.8")
    def test_without_a_constructor(self):
        @tilec.jit
        def kernel(x):
            i = tl.arange(0, 4)
            p = Plain(tl.load(x + i), second=1.0)
            p = tl.aggregate_replace(p, first=p.first + 1.0)
            q = Longer(p.first, p.second, third=100.0)
            tl.store(x + i, q.all() + Longer(1.0, 2.0).third + Plain(1.0, 2.0, 4).total())

        self.assertEqual(self.run_on(kernel), [118.5, 121.5, 124.5, 127.5])

    def test_in_loops_branches_and_calls(self):
        @tilec.jit
        def kernel(x, n):
            i = tl.arange(0, 4)
            p = Pair(tl.load(x + i), 11.0)
            for k in range(n):
                p = add(p, Pair(1.0, p.second))
                if k == 2:
                    p = p.plus(100)
            tl.store(x + i, p.first + p.second)

        self.assertEqual(self.run_on(kernel, 2), [46.0, 47.0, 48.0, 49.0])
        self.assertEqual(self.run_on(kernel, 3), [191.0, 192.0, 193.0, 194.0])

    def test_items(self):
        @tilec.jit
        def kernel(x):
            i = tl.arange(0, 4)
            p = Pair(tl.load(x + i), 11.0)
            tl.store(x + i, p[0] * 10 + p[1])

        self.assertEqual(self.run_on(kernel), [110.0, 111.0, 112.0, 113.0])

    def test_constexprs_and_tuples(self):
        @tilec.jit
        def kernel(x):
            r = Range.create(4)
            tl.static_assert(r.size == 4)
            tl.store(x + r.values, tl.full(r.shape, 2.5, tl.float32).reshape(4) + r.values)

        self.assertEqual(self.run_on(kernel), [2.5, 3.5, 4.5, 5.5])

    def test_what_is_refused(self):
        @tilec.jit
        def assigns(x):
            p = Pair(tl.load(x), 1.0)
            p.first = 2.0

        @tilec.jit
        def adds(x):
            tl.store(x, (Added(1.0) + Added(2.0)).value)

        @tilec.jit
        def forgets(x):
            tl.store(x, Forgotten(1.0).value)

        @tilec.jit
        def lacks(x):
            tl.store(x, Pair(1.0).third)

        for kernel, text in (
            (assigns, "an attribute cannot be assigned"), (adds, "'Added' has '__add__', which a kernel cannot call"),
            (forgets, "the constructor of 'Forgotten' does not set 'other'"), (lacks, "has no attribute 'third'"),
        ):  # fmt: skip
            with self.subTest(kernel=kernel), self.assertRaisesRegex(tilec.CompilationError, text):
                self.run_on(kernel)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tuples, named tuples, constants and tensor descriptors as arguments."""

import collections
import unittest

import tilec
import tilec.language as tl
from kernels import floats, scale
from tilec.tools.tensor_descriptor import TensorDescriptor

try:
    import numpy as np
except ImportError:
    np = None

Pair = collections.namedtuple("Pair", ["source", "size"])


@tilec.jit
def sum_all(out, parts, n):
    i = tl.arange(0, 16)
    total = tl.zeros([16], tl.float32)
    for part in tl.static_range(len(parts)):
        total += tl.load(parts[part] + i, mask=i < n, other=0.0)
    tl.store(out + i, total, mask=i < n)


@tilec.jit
def nested(out, given):
    i = tl.arange(0, 16)
    x = tl.load(given[0].source + i, mask=i < given[0].size, other=0.0)
    if given[1] is None:
        x += 1
    tl.store(out + i, x * given[2][0])


@tilec.jit
def as_type(out, dtype):
    tl.store(out, tl.full([1], 1.75, tl.float32).to(dtype).to(tl.float32).sum())


@tilec.jit
def by_descriptor(source, target, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    row = tl.program_id(0) * ROWS
    block = source.load([row, 0])
    target.store([row, 0], block * 2)


class Wide(unittest.TestCase):
    def test_tuples(self):
        x, y, out = floats(range(16)), floats([1] * 16), floats([0] * 16)
        sum_all[1](out, (x,), 16)
        self.assertEqual(list(out), list(x))
        handle = sum_all[1](out, (x, y, x), 16)
        self.assertEqual(list(out), [2 * i + 1 for i in range(16)])
        self.assertIn(".entry sum_all", handle.asm["ptx"])
        with self.assertRaises(tilec.TilecError):
            sum_all[1](out, (1, "x"), 16)

    def test_named_and_nested(self):
        x, out = floats(range(16)), floats([0] * 16)
        handle = nested[1](out, (Pair(x, 4), None, (3.0,)))
        self.assertEqual(list(out), [3.0 * ((i if i < 4 else 0) + 1) for i in range(16)])
        self.assertIn("nested", handle.name)
        nested[1](out, (Pair(x, 16), 7, (2.0,)))
        self.assertEqual(list(out), [2.0 * i for i in range(16)])

    def test_constants(self):
        out = floats([0])
        as_type[1](out, tl.float32)
        self.assertEqual(out[0], 1.75)
        as_type[1](out, tl.int32)
        self.assertEqual(out[0], 1)
        with self.assertRaisesRegex(TypeError, "tl.constexpr"):
            as_type[1](out, floats)

    def test_a_tuple_where_none_is_wanted(self):
        with self.assertRaises(tilec.CompilationError):
            scale[1](floats([1] * 16), (1, 2), 16)


@unittest.skipIf(np is None, "NumPy is not installed")
class Descriptors(unittest.TestCase):
    def arrays(self):
        x = np.arange(64 * 32, dtype=np.float32).reshape(64, 32)
        return x, np.zeros_like(x)

    def test_blocks(self):
        x, out = self.arrays()
        made = [TensorDescriptor.from_tensor(array, [16, 32]) for array in (x, out)]
        handle = by_descriptor[4](*made, 16, 32)
        np.testing.assert_array_equal(out, 2 * x)
        self.assertIn("by_descriptor", handle.asm["ptx"])

    def test_outside(self):
        x, out = self.arrays()
        source = TensorDescriptor(x, [10, 32], [32, 1], [16, 32])
        by_descriptor[1](source, TensorDescriptor.from_tensor(out, [16, 32]), 16, 32)
        np.testing.assert_array_equal(out[:10], 2 * x[:10])
        np.testing.assert_array_equal(out[10:], 0 * x[10:])
        source.padding = "nan"
        by_descriptor[1](source, TensorDescriptor.from_tensor(out, [16, 32]), 16, 32)
        self.assertTrue(np.isnan(out[10:16]).all())

    def test_wrong(self):
        x, _ = self.arrays()
        for wrong in ([[64, 32], [32], [16, 32]], [[1] * 6, [1] * 6, [1] * 6]):
            with self.assertRaises(ValueError):
                TensorDescriptor(x, *wrong)
        with self.assertRaises(ValueError):
            TensorDescriptor.from_tensor(x, [16, 32], padding="ones")
        transposed = TensorDescriptor.from_tensor(x.T, [32, 16])
        with self.assertRaises(tilec.ArgumentError):
            by_descriptor[1](transposed, transposed, 32, 16)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of other libraries as arguments, on the simulator."""

import array
import ctypes
import random
import unittest

import tilec
import tilec.language as tl
from kernels import add, scale

try:
    import numpy as np
except ImportError:
    np = None


@tilec.jit
def transpose(x, out, n, stride, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i * stride, mask=i < n), mask=i < n)


@tilec.jit
def convert(x, DTYPE: tl.constexpr):
    tl.store(x, tl.load(x).to(DTYPE))


@tilec.jit
def add_constant(x, VALUE: tl.constexpr):
    tl.store(x, tl.load(x) + VALUE)


@tilec.jit
def mean(x):
    tl.store(x, np.mean(tl.load(x)))


class OwnInterface:
    """Has NumPy's interface, and is not NumPy's."""

    def __init__(self, values):
        self.data = (ctypes.c_float * len(values))(*values)

    @property
    def __array_interface__(self):
        return {"shape": (len(self.data),), "typestr": "<f4", "data": (ctypes.addressof(self.data), False), "version": 3}


@tilec.jit
def add_random(x):
    tl.store(x, tl.load(x) + np.random.rand(1))


@tilec.jit
def add_throw(x):
    tl.store(x, tl.load(x) + random.random())


class Buffers(unittest.TestCase):
    @unittest.skipIf(np is None, "NumPy is not here")
    def test_constants_of_numpy(self):
        x = np.ones(1, np.float32)
        for dtype, meant in ((np.float16, "float16"), (np.dtype("int32"), "int32"), (np.bool_, "int1")):
            with self.assertRaisesRegex(tilec.CompilationError, rf"T0306.* needs a type such as tl\.{meant}, not np\.\w+\b"):
                convert[1](x, dtype)
        with self.assertRaisesRegex(tilec.CompilationError, r"'np\.mean' cannot be used in a kernel; write tl\.sum"):
            mean[1](x)
        with self.assertRaisesRegex(tilec.CompilationError, r"'np\.random\.rand' cannot be used in a kernel; write tl\.rand\(seed, i\)"):
            add_random[1](x)
        with self.assertRaisesRegex(tilec.CompilationError, r"'random\.random' cannot be used in a kernel; write tl\.rand\(seed, offsets\)"):
            add_throw[1](x)
        with self.assertRaisesRegex(tilec.CompilationError, "a NumPy array made at compile time; pass the array as an argument\n"):
            add_constant[1](x, np.arange(3))

    def test_types(self):
        for code in "bBhHiIqQfd":
            x, out = array.array(code, range(20)), array.array(code, [0] * 20)
            add[2](x, x, out, 20, 16)
            self.assertEqual(list(out), [2 * i for i in range(20)], code)

    def test_other_buffers(self):
        x = bytearray(range(16))
        scale[1](x, 2, 16)
        self.assertEqual(list(x), [2 * i for i in range(16)])
        scale[1](memoryview(x)[4:8], 2, 4)
        self.assertEqual(list(x[3:9]), [6, 16, 20, 24, 28, 16])
        with self.assertRaises(TypeError):
            scale[1](bytes(16), 2, 16)

    def test_own_interface(self):
        x = OwnInterface(range(16))
        scale[1](x, 3, 16)
        self.assertEqual(list(x.data), [3 * i for i in range(16)])

    def test_what_is_none(self):
        for value in (object(), "x", {}, [1, 2], 1j):
            with self.assertRaises((TypeError, tilec.TilecError)):
                scale[1](value, 2, 16)

    def test_bounds_are_the_arrays(self):
        x = array.array("f", [1] * 100)
        with self.assertRaisesRegex(tilec.LaunchError, r"out of bounds: x\[16\] of 16"):
            scale[2](memoryview(x)[:16], 2, 32)


@unittest.skipIf(np is None, "NumPy is not installed")
class NumPy(unittest.TestCase):
    def test_types(self):
        for dtype in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"):
            x = np.arange(50).astype(dtype)
            out = np.zeros_like(x)
            add[4](x, x, out, 50, 16)
            np.testing.assert_array_equal(out, x + x)
        with self.assertRaises(TypeError):
            scale[1](np.zeros(16, "complex64"), 2, 16)
        with self.assertRaises(TypeError):
            scale[1](np.zeros(16, ">f4"), 2, 16)

    def test_strides(self):
        x = np.arange(48, dtype=np.float32).reshape(6, 8)
        out = np.zeros(6, np.float32)
        transpose[1](x[:, 3], out, 6, 8, 8)
        np.testing.assert_array_equal(out, x[:, 3])
        transpose[1](x[::-1, 3], out, 6, -8, 8)
        np.testing.assert_array_equal(out, x[::-1, 3])

    def test_scalars_of_its_own(self):
        x = np.ones(16, np.float32)
        scale[1](x, np.float32(2), np.int64(16))
        scale[1](x, np.float64(2), np.uint8(16))
        scale[1](x, np.int32(2), np.int32(16))
        np.testing.assert_array_equal(x, np.full(16, 8, np.float32))

    def test_read_only(self):
        x = np.ones(16, np.float32)
        out = np.zeros(16, np.float32)
        x.flags.writeable = False
        add[1](x, x, out, 16, 16)
        np.testing.assert_array_equal(out, 2 * x)
        with self.assertRaisesRegex(tilec.TilecError, "read-only"):
            add[1](out, out, x, 16, 16)
        np.testing.assert_array_equal(x, np.ones(16, np.float32))

    def test_empty(self):
        x = np.zeros(0, np.float32)
        scale[1](x, 2, 0)

    def test_in_place_and_overlapping(self):
        x = np.arange(32, dtype=np.float32)
        add[1](x[:16], x[8:24], x[16:], 16, 16)
        np.testing.assert_array_equal(x[16:], [i + (i + 8) for i in range(16)])

    def test_a_check_of_views_that_overlap_in_part(self):
        x, out = np.arange(32, dtype=np.float32), np.zeros(16, np.float32)
        tilec.set_check(True)
        self.addCleanup(tilec.set_check, False)
        add[1](x[:16], x[8:24], out, 16, 16)
        np.testing.assert_array_equal(out, [i + (i + 8) for i in range(16)])
        with self.assertRaisesRegex(tilec.LaunchError, r"y\[8\] of 8"):
            add[1](x[:16], x[8:16], out, 16, 16)


if __name__ == "__main__":
    unittest.main()

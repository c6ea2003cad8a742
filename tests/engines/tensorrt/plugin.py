# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TensorRT's tensorrt.plugin as far as examples/engines and --emit=tensorrt use it, with numbers in place of shape
expressions. As there, an expression has no operators with a number on the left, and cdiv takes no two numbers."""


class SymExprs(tuple):
    pass


class SymInt32:
    def __init__(self, value):
        self.value = getattr(value, "value", value)

    def __add__(self, other):
        return SymInt32(self.value + SymInt32(other).value)

    def __sub__(self, other):
        return SymInt32(self.value - SymInt32(other).value)

    def __mul__(self, other):
        return SymInt32(self.value * SymInt32(other).value)

    def __floordiv__(self, other):
        return SymInt32(self.value // SymInt32(other).value)


class SymIntExprs(SymExprs):
    @classmethod
    def from_tuple(cls, values):
        return cls(values)


class KernelLaunchParams:
    def __init__(self, grid_x=1, grid_y=1, grid_z=1, block_x=1, block_y=1, block_z=1, shared_mem=0):
        self.grid = [SymInt32(size).value for size in (grid_x, grid_y, grid_z)]
        self.threads, self.shared = SymInt32(block_x).value, SymInt32(shared_mem).value


class TensorDesc:
    def __init__(self, *shape):
        self.shape, self.shape_expr = shape, self

    def numel(self):
        result = SymInt32(1)
        for size in self.shape:
            result = result * size
        return result

    def like(self):
        return TensorDesc(*self.shape)


def cdiv(first, second):
    assert isinstance(first, SymInt32) or isinstance(second, SymInt32)
    return SymInt32(-(-SymInt32(first).value // SymInt32(second).value))


def max(first, second):
    return first if first.value > SymInt32(second).value else SymInt32(second)


def min(first, second):
    return first if first.value < SymInt32(second).value else SymInt32(second)


def register(name):
    return lambda function: function


aot_impl = register

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Operations of NumPy in kernels, each compared with NumPy.
import numpy as np
import tilec
import tilec.language as tl


@tilec.jit
def roll(x_ptr, out_ptr, n, shift, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + (i - shift + n) % n, mask=i < n), mask=i < n)


@tilec.jit
def take(x_ptr, index_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + tl.load(index_ptr + i, mask=i < n), mask=i < n), mask=i < n)


@tilec.jit
def of_rows(x_ptr, out_ptr, first_ptr, argmax_ptr, COLUMNS: tl.constexpr):
    row, j = tl.program_id(0), tl.arange(0, COLUMNS)
    x = tl.load(x_ptr + row * COLUMNS + j)
    tl.store(out_ptr + row * COLUMNS + j, tl.cumsum(x, axis=0).to(tl.float16))
    tl.store(first_ptr + row, tl.sum(tl.where(j == 0, x, 0.0)))
    tl.store(argmax_ptr + row, tl.argmax(x, axis=0))


@tilec.jit
def share(x_ptr, out_ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    at = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    x = tl.load(x_ptr + at)
    tl.store(out_ptr + at, x / tl.sum(x, axis=1, keep_dims=True))


@tilec.jit
def order_of(x_ptr, order_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    place = tl.sum((x[None, :] < x[:, None]).to(tl.int32), axis=1)
    tl.store(order_ptr + place, i)


@tilec.jit
def lower_of_outer(a_ptr, out_ptr, any_ptr, n, left, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(a_ptr + i - left, mask=(i >= left) & (i < left + n), other=0.0)
    outer = a[:, None] * a[None, :]
    tl.store(out_ptr + i[:, None] * N + i[None, :], tl.where(i[:, None] >= i[None, :], outer, 0.0))
    tl.store(any_ptr, tl.max((a > 0.5).to(tl.int32), axis=0))


tilec.set_check(True)
x = np.random.default_rng(0).random((4, 32), dtype=np.float32)
flat, index = x.ravel(), np.array([5, 3, 5, 127], np.int32)
rolled, taken, shares = np.empty_like(flat), np.empty(4, np.float32), np.empty_like(x)
sums, first, argmax = np.empty((4, 32), np.float16), np.empty(4, np.float32), np.empty(4, np.int32)
roll[(2,)](flat, rolled, 128, 3, BLOCK=64)
take[(1,)](flat, index, taken, 4, BLOCK=4)
of_rows[(4,)](x, sums, first, argmax, COLUMNS=32)
share[(1,)](x, shares, ROWS=4, COLUMNS=32)
print("roll:", np.array_equal(rolled, np.roll(flat, 3)), "a[index]:", np.array_equal(taken, flat[index]))
print("cumsum:", np.allclose(sums, x.cumsum(axis=1), rtol=1e-3), "x[:, 0]:", np.array_equal(first, x[:, 0]))
print("argmax:", np.array_equal(argmax, x.argmax(axis=1)))
print("keepdims:", np.allclose(shares, x / x.sum(axis=1, keepdims=True)))
order, lower, some = np.empty(32, np.int32), np.empty((8, 8), np.float32), np.empty(1, np.int32)
order_of[(1,)](x[0], order, N=32)
lower_of_outer[(1,)](flat, lower, some, 5, 2, N=8)
padded = np.pad(flat[:5], (2, 1))
print("argsort:", np.array_equal(order, np.argsort(x[0])), "any:", some[0] == np.any(padded > 0.5))
print("pad, outer, tril:", np.array_equal(lower, np.tril(np.outer(padded, padded))))

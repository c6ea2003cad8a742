# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import tilec
import tilec.language as tl


@tilec.jit
def lost(x_ptr, count_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    bin = count_ptr + tl.load(x_ptr + i, mask=mask, other=0)
    count = tl.load(bin, mask=mask, other=0)
    tl.store(bin, count + 1, mask=mask)


@tilec.jit
def histogram(x_ptr, count_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    bin = count_ptr + tl.load(x_ptr + i, mask=mask, other=0)
    tl.atomic_add(bin, 1, mask=mask)


def launch(kernel, x):
    count = np.zeros(4, np.int32)
    kernel[(tilec.cdiv(x.size, 64),)](x, count, x.size, BLOCK=64)
    return count


x = np.random.default_rng(0).integers(0, 4, 100, dtype=np.int32)
print("NumPy:    ", np.bincount(x))
print("lost:     ", launch(lost, x))
print("histogram:", launch(histogram, x))

tilec.set_check(True)
np.testing.assert_array_equal(launch(histogram, x), np.bincount(x))
try:
    launch(lost, x)
except tilec.LaunchError as error:
    for found in error.diagnostics:
        print(f"line {found.line}: {found.text}")

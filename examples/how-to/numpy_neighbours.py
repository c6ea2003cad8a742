# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# np.convolve in its three modes, and a moving average, of float32 and float64.
import numpy as np
import tilec
import tilec.language as tl


@tilec.jit
def convolve(x_ptr, w_ptr, out_ptr, n, taps, first, outputs, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    at = first + i
    total = tl.zeros((BLOCK,), x_ptr.dtype.element_ty)  # fp32 or fp64, as the array
    for k in range(taps):
        inside = (at >= k) & (at < n + k)
        total += tl.load(w_ptr + k) * tl.load(x_ptr + at - k, mask=inside, other=0.0)
    tl.store(out_ptr + i, total, mask=i < outputs)


def convolved(x, w, mode):
    first = {"full": 0, "same": (w.size - 1) // 2, "valid": w.size - 1}[mode]
    outputs = {"full": x.size + w.size - 1, "same": x.size, "valid": x.size - w.size + 1}[mode]
    out = np.empty(outputs, x.dtype)
    convolve[(-(-outputs // 256),)](x, w, out, x.size, w.size, first, outputs, BLOCK=256)
    return out


for dtype in (np.float32, np.float64):
    x, w = np.random.default_rng(0).random(1000).astype(dtype), np.array([0.2, 0.5, 0.3], dtype)
    for mode in ("full", "same", "valid"):
        print(np.dtype(dtype), mode, np.allclose(convolved(x, w, mode), np.convolve(x, w, mode)))

# A moving average of 3 numbers. At the ends it has 2.
ones = np.ones(3)
average = convolved(x, ones, "same") / convolved(np.ones(x.size), ones, "same")
print(average[0] == (x[0] + x[1]) / 2, np.allclose(average[1:-1], (x[:-2] + x[1:-1] + x[2:]) / 3))

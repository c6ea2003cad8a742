# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import triton
import triton.language as tl


@triton.jit
def quantize(x_ptr, out_ptr, scale_ptr, K: tl.constexpr):
    row = tl.program_id(0)
    k = tl.arange(0, K)
    x = tl.load(x_ptr + row * K + k)
    scale = tl.max(tl.abs(x), axis=0) / 448.0  # the largest number of float8e4nv
    tl.store(scale_ptr + row, scale)
    tl.store(out_ptr + row * K + k, (x / scale).to(tl.float8e4nv).to(tl.uint8, bitcast=True))


@triton.autotune(
    [
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 64}, num_warps=4),
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 64, "BLOCK_K": 64}, num_warps=4),
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64}, num_warps=8),
    ],
    key=["M", "N", "K"],
)
@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, a_scale, b_scale, M, N, K, DTYPE: tl.constexpr,
           BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    a_desc = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BLOCK_M, BLOCK_K])
    b_desc = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BLOCK_N, BLOCK_K])
    c_desc = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BLOCK_M, BLOCK_N])
    first_m = tl.program_id(0) * BLOCK_M
    first_n = tl.program_id(1) * BLOCK_N
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        a = a_desc.load([first_m, k]).to(DTYPE, bitcast=True)
        b = b_desc.load([first_n, k]).to(DTYPE, bitcast=True)
        acc = tl.dot(a, b.T, acc)
    m = first_m + tl.arange(0, BLOCK_M)
    n = first_n + tl.arange(0, BLOCK_N)
    row_scale = tl.load(a_scale + m, mask=m < M, other=0.0)
    column_scale = tl.load(b_scale + n, mask=n < N, other=0.0)
    acc *= row_scale[:, None] * column_scale[None, :]
    c_desc.store([first_m, first_n], acc.to(tl.float16))


def quantized(x):
    out, scale = np.empty(x.shape, np.uint8), np.empty(len(x), np.float32)
    quantize[(len(x),)](x, out, scale, K=x.shape[1])
    return out, scale


def decoded(x):  # bytes of float8e4nv: a sign, 4 bits of exponent, 3 of mantissa
    exponent, mantissa = (x >> 3 & 15).astype(np.float32), x & 7
    value = np.where(exponent, (8 + mantissa) * 2 ** (exponent - 10), mantissa / 512)
    return np.where(x & 128, -value, value)


def launch(kernel, a, b, a_scale, b_scale, dtype, **options):
    (M, K), N = a.shape, len(b)
    c = np.empty((M, N), np.float16)
    grid = lambda meta: (triton.cdiv(M, meta["BLOCK_M"]), triton.cdiv(N, meta["BLOCK_N"]))
    kernel[grid](a, b, c, a_scale, b_scale, M, N, K, dtype, **options)
    return c


random = np.random.default_rng(0)
a = random.standard_normal((200, 256), dtype=np.float32)
b = random.standard_normal((136, 256), dtype=np.float32)
a16, b16 = a.astype(np.float16), b.astype(np.float16)
ones = np.ones(200, np.float32)
c = launch(matmul, a16, b16, ones, ones[:136], tl.float16)
np.testing.assert_allclose(c, a16.astype(np.float32) @ b16.T.astype(np.float32), rtol=1e-3, atol=1e-2)
print("fp16: equal to NumPy, by", matmul.best_config.kwargs)

(a8, a_scale), (b8, b_scale) = quantized(a), quantized(b)
expected = decoded(a8) @ decoded(b8).T * a_scale[:, None] * b_scale
for config in matmul.configs:
    c = launch(matmul.fn, a8, b8, a_scale, b_scale, tl.float8e4nv, **config.all_kwargs())
    np.testing.assert_allclose(c, expected, rtol=1e-3, atol=1e-2)
    print("fp8: equal to NumPy, by", config.kwargs)
print(f"rounding to fp8: {np.linalg.norm(c - a @ b.T) / np.linalg.norm(a @ b.T):.1%} of the result")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import triton
import triton.language as tl


@triton.jit
def quantize_groups(x_ptr, out_ptr, scale_ptr, K: tl.constexpr, GROUP: tl.constexpr):
    row = tl.program_id(0)
    groups = tl.arange(0, K // GROUP)
    k = groups[:, None] * GROUP + tl.arange(0, GROUP)[None, :]
    x = tl.load(x_ptr + row * K + k)
    largest = tl.maximum(tl.max(tl.abs(x), axis=1), 1e-30)
    exponent = tl.ceil(tl.log2(largest / 448.0))  # the scale is 2 ** exponent
    tl.store(scale_ptr + row * (K // GROUP) + groups, (exponent + 127).to(tl.uint8))
    scaled = x * tl.exp2(-exponent)[:, None]
    tl.store(out_ptr + row * K + k, scaled.to(tl.float8e4nv).to(tl.uint8, bitcast=True))


@triton.jit
def matmul_scaled(a_ptr, a_scale, b_ptr, b_scale, c_ptr, M, N, K,
                  BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        g = start // 32 + tl.arange(0, BLOCK_K // 32)  # the groups of these k
        a = tl.load(a_ptr + m[:, None] * K + k[None, :], mask=m[:, None] < M, other=0)
        b = tl.load(b_ptr + n[None, :] * K + k[:, None], mask=n[None, :] < N, other=0)
        sa = tl.load(a_scale + m[:, None] * (K // 32) + g[None, :], mask=m[:, None] < M, other=127)
        sb = tl.load(b_scale + n[:, None] * (K // 32) + g[None, :], mask=n[:, None] < N, other=127)
        acc = tl.dot_scaled(a, sa, "e4m3", b, sb, "e4m3", acc)
    inside = (m[:, None] < M) & (n[None, :] < N)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc, mask=inside)


def quantized(x, group):
    out, scale = np.empty(x.shape, np.uint8), np.empty((len(x), x.shape[1] // group), np.uint8)
    quantize_groups[(len(x),)](x, out, scale, K=x.shape[1], GROUP=group)
    return out, scale


def decoded(x, scale):  # bytes of float8e4nv, times the scale of their group
    exponent, mantissa = (x >> 3 & 15).astype(np.float32), x & 7
    value = np.where(exponent, (8 + mantissa) * 2 ** (exponent - 10), mantissa / 512)
    factors = np.repeat(2.0 ** (scale.astype(np.float32) - 127), x.shape[1] // scale.shape[1], axis=1)
    return np.where(x & 128, -value, value) * factors


def error(c):
    return f"{np.linalg.norm(c - a @ b.T) / np.linalg.norm(a @ b.T):.1%} of the result"


random = np.random.default_rng(0)
a = random.standard_normal((200, 256), dtype=np.float32)
b = random.standard_normal((136, 256), dtype=np.float32)
a[:, 32:64] *= 1e5  # one group of large numbers in each row
b[:, 32:64] *= 1e-5
(a8, a_scale), (b8, b_scale) = quantized(a, 32), quantized(b, 32)
print("scales of row 0:", a_scale[0])

c = np.empty((200, 136), np.float32)
grid = (triton.cdiv(200, 64), triton.cdiv(136, 64))
matmul_scaled[grid](a8, a_scale, b8, b_scale, c, 200, 136, 256, BLOCK_M=64, BLOCK_N=64, BLOCK_K=128)
np.testing.assert_allclose(c, decoded(a8, a_scale) @ decoded(b8, b_scale).T, rtol=1e-4, atol=1e-3)
print("equal to NumPy")
print("rounding, a scale for 32 numbers:", error(c))
print("rounding, a scale for a row:", error(decoded(*quantized(a, 256)) @ decoded(*quantized(b, 256)).T))

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matmuls: tilec and Triton compile this same file."""
import triton
import triton.language as tl


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn,
           BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
           ACC: tl.constexpr, PRECISION: tl.constexpr):
    """Pointer tiles; programs in groups of GROUP_M rows of tiles. c is row-major."""
    pid = tl.program_id(0)
    num_m = tl.cdiv(M, BLOCK_M)
    num_n = tl.cdiv(N, BLOCK_N)
    first = pid // (GROUP_M * num_n) * GROUP_M
    size = min(num_m - first, GROUP_M)
    pm = first + (pid % (GROUP_M * num_n)) % size
    pn = (pid % (GROUP_M * num_n)) // size
    om = (pm * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    on = (pn * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    ok = tl.arange(0, BLOCK_K)
    a = a_ptr + (om[:, None] * stride_am + ok[None, :] * stride_ak)
    b = b_ptr + (ok[:, None] * stride_bk + on[None, :] * stride_bn)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=ACC)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        x = tl.load(a, mask=ok[None, :] < K - k * BLOCK_K, other=0.0)
        y = tl.load(b, mask=ok[:, None] < K - k * BLOCK_K, other=0.0)
        acc = tl.dot(x, y, acc, input_precision=PRECISION, out_dtype=ACC)
        a += BLOCK_K * stride_ak
        b += BLOCK_K * stride_bk
    cm = pm * BLOCK_M + tl.arange(0, BLOCK_M)
    cn = pn * BLOCK_N + tl.arange(0, BLOCK_N)
    c = c_ptr + cm[:, None] * N + cn[None, :]
    tl.store(c, acc.to(c_ptr.dtype.element_ty), mask=(cm[:, None] < M) & (cn[None, :] < N))


@triton.jit
def matmul_descriptor(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                      BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr, TRANSPOSED: tl.constexpr):
    """The same through tensor descriptors; b is (N, K) where TRANSPOSED, else (K, N)."""
    pid = tl.program_id(0)
    num_m = tl.cdiv(M, BLOCK_M)
    num_n = tl.cdiv(N, BLOCK_N)
    first = pid // (GROUP_M * num_n) * GROUP_M
    size = min(num_m - first, GROUP_M)
    om = (first + (pid % (GROUP_M * num_n)) % size) * BLOCK_M
    on = (pid % (GROUP_M * num_n)) // size * BLOCK_N
    a = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[K, 1], block_shape=[BLOCK_M, BLOCK_K])
    if TRANSPOSED:
        b = tl.make_tensor_descriptor(b_ptr, shape=[N, K], strides=[K, 1], block_shape=[BLOCK_N, BLOCK_K])
    else:
        b = tl.make_tensor_descriptor(b_ptr, shape=[K, N], strides=[N, 1], block_shape=[BLOCK_K, BLOCK_N])
    c = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[N, 1], block_shape=[BLOCK_M, BLOCK_N])
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        x = a.load([om, k])
        if TRANSPOSED:
            acc = tl.dot(x, b.load([on, k]).T, acc)
        else:
            acc = tl.dot(x, b.load([k, on]), acc)
    c.store([om, on], acc.to(c_ptr.dtype.element_ty))


@triton.jit
def block_matmul(x_ptr, y_ptr, z_ptr, M, N, K, BLOCK: tl.constexpr, PRECISION: tl.constexpr):
    """z (M, K) = x (M, N) times y (N, K), by block pointers."""
    m = tl.program_id(0)
    k = tl.program_id(1)
    x_block = tl.make_block_ptr(x_ptr, shape=(M, N), strides=(N, 1), offsets=(m * BLOCK, 0),
                                block_shape=(BLOCK, BLOCK), order=(1, 0))
    y_block = tl.make_block_ptr(y_ptr, shape=(N, K), strides=(K, 1), offsets=(0, k * BLOCK),
                                block_shape=(BLOCK, BLOCK), order=(1, 0))
    acc = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for _ in range(0, N, BLOCK):
        x = tl.load(x_block, boundary_check=(0, 1), padding_option="zero")
        y = tl.load(y_block, boundary_check=(0, 1), padding_option="zero")
        acc += tl.dot(x, y, input_precision=PRECISION)
        x_block = tl.advance(x_block, (0, BLOCK))
        y_block = tl.advance(y_block, (BLOCK, 0))
    z_block = tl.make_block_ptr(z_ptr, shape=(M, K), strides=(K, 1), offsets=(m * BLOCK, k * BLOCK),
                                block_shape=(BLOCK, BLOCK), order=(1, 0))
    tl.store(z_block, acc.to(z_ptr.dtype.element_ty), boundary_check=(0, 1))


@triton.jit
def coalesced_block_matmul(x_ptr, y_ptr, z_ptr, M, N, K, BLOCK: tl.constexpr, PRECISION: tl.constexpr):
    """The same with y stored (K, N): its tiles are read along n and transposed for the dot."""
    m = tl.program_id(0)
    k = tl.program_id(1)
    x_block = tl.make_block_ptr(x_ptr, shape=(M, N), strides=(N, 1), offsets=(m * BLOCK, 0),
                                block_shape=(BLOCK, BLOCK), order=(1, 0))
    y_block = tl.make_block_ptr(y_ptr, shape=(K, N), strides=(N, 1), offsets=(k * BLOCK, 0),
                                block_shape=(BLOCK, BLOCK), order=(1, 0))
    acc = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for _ in range(0, N, BLOCK):
        x = tl.load(x_block, boundary_check=(0, 1), padding_option="zero")
        y = tl.load(y_block, boundary_check=(0, 1), padding_option="zero")
        acc += tl.dot(x, y.T, input_precision=PRECISION)
        x_block = tl.advance(x_block, (0, BLOCK))
        y_block = tl.advance(y_block, (0, BLOCK))
    z_block = tl.make_block_ptr(z_ptr, shape=(M, K), strides=(K, 1), offsets=(m * BLOCK, k * BLOCK),
                                block_shape=(BLOCK, BLOCK), order=(1, 0))
    tl.store(z_block, acc.to(z_ptr.dtype.element_ty), boundary_check=(0, 1))

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One dot in ten spellings: masks or none, strides as arguments or constants, pointers that loops advance or compute
again, remainders, block pointers, descriptors. With --tma=on all become TMA copies, and a launch checks this."""
import triton
import triton.language as tl


@triton.jit
def tile_of(M, N, BM: tl.constexpr, BN: tl.constexpr, GROUP: tl.constexpr):
    """Programs run down GROUP rows of tiles before the next column."""
    pid = tl.program_id(0)
    num_m, num_n = tl.cdiv(M, BM), tl.cdiv(N, BN)
    first = pid // (GROUP * num_n) * GROUP
    size = min(num_m - first, GROUP)
    return first + (pid % (GROUP * num_n)) % size, (pid % (GROUP * num_n)) // size


@triton.jit
def put(out, acc, m, n, M, N, BM: tl.constexpr, BN: tl.constexpr):
    i = m * BM + tl.arange(0, BM)[:, None]
    j = n * BN + tl.arange(0, BN)[None, :]
    tl.store(out + i * N + j, acc.to(out.dtype.element_ty), mask=(i < M) & (j < N))


# Trip counts of 0, 1, 2, 3, 4 and 7 of 3 stages; strides that are not multiples of 16; rows that are none of the tiles'.
# check: --tma on --grid 4 --num-stages 3 -D BM=64 -D BN=64 -D BK=32 -D GROUP=8 x=randn:fp16[128,32] y=randn:fp16[32,128] out=empty:fp32[128,128] M=128 N=128 K=0 sx=32 sy=128
# check: --tma on --grid 4 --num-stages 3 -D BM=64 -D BN=64 -D BK=32 -D GROUP=8 x=randn:fp16[128,32] y=randn:fp16[32,128] out=empty:fp32[128,128] M=128 N=128 K=32 sx=32 sy=128
# check: --tma on --grid 4 --num-stages 3 -D BM=64 -D BN=64 -D BK=32 -D GROUP=1 x=randn:bf16[128,64] y=randn:bf16[64,128] out=empty:fp32[128,128] M=128 N=128 K=64 sx=64 sy=128
# check: --tma on --grid 4 --num-stages 3 -D BM=64 -D BN=64 -D BK=32 -D GROUP=8 x=randn:fp16[128,96] y=randn:fp16[96,128] out=empty:fp32[128,128] M=128 N=128 K=90 sx=96 sy=128
# check: --tma on --grid 6 --num-stages 3 -D BM=64 -D BN=64 -D BK=32 -D GROUP=2 x=randn:fp16[192,128] y=randn:fp16[128,128] out=empty:fp32[192,128] M=192 N=128 K=128 sx=128 sy=128
# check: --tma on --grid 4 --num-stages 3 -D BM=64 -D BN=64 -D BK=32 -D GROUP=8 x=randn:fp16[128,224] y=randn:fp16[224,128] out=empty:fp32[128,128] M=128 N=128 K=217 sx=224 sy=128
# check: --tma on --grid 4 --num-stages 3 -D BM=64 -D BN=64 -D BK=32 -D GROUP=8 x=randn:fp16[80,64] y=randn:fp16[64,112] out=empty:fp32[80,112] M=80 N=112 K=64 sx=64 sy=112
# check: --tma on --grid 4 --num-stages 3 -D BM=64 -D BN=64 -D BK=32 -D GROUP=8 x=randn:fp16[128,67] y=randn:fp16[67,128] out=empty:fp32[128,128] M=128 N=128 K=67 sx=67 sy=128
@triton.jit
def remainders(x, y, out, M, N, K, sx, sy, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    m, n = tile_of(M, N, BM, BN, GROUP)
    i = (m * BM + tl.arange(0, BM)) % M
    j = (n * BN + tl.arange(0, BN)) % N
    k = tl.arange(0, BK)
    xs = x + i[:, None] * sx + k[None, :]
    ys = y + k[:, None] * sy + j[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for s in range(0, tl.cdiv(K, BK)):
        a = tl.load(xs, mask=k[None, :] < K - s * BK, other=0.0)
        b = tl.load(ys, mask=k[:, None] < K - s * BK, other=0.0)
        acc = tl.dot(a, b, acc)
        xs += BK
        ys += BK * sy
    put(out, acc, m, n, M, N, BM, BN)


# check: --tma on --grid 4 --num-stages 3 -D BM=64 -D BN=64 -D BK=32 x=randn:fp16[88,96] y=randn:fp16[96,112] out=empty:fp32[88,112] M=88 N=112 K=90 sx=96 sy=112
# check: --tma on --grid 4 --num-stages 3 -D BM=64 -D BN=64 -D BK=32 x=randn:fp16[88,224] y=randn:fp16[224,112] out=empty:fp32[88,112] M=88 N=112 K=224 sx=224 sy=112
# check: --tma on --grid 9 --num-stages 3 -D BM=64 -D BN=64 -D BK=32 x=randn:fp16[88,96] y=randn:fp16[96,112] out=empty:fp32[88,112] M=88 N=112 K=96 sx=96 sy=112
@triton.jit
def masks(x, y, out, M, N, K, sx, sy, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n = tile_of(M, N, BM, BN, 8)
    i = m * BM + tl.arange(0, BM)
    j = n * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    xs = x + i[:, None] * sx + k[None, :]
    ys = y + k[:, None] * sy + j[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for s in range(0, K, BK):
        a = tl.load(xs, mask=(i[:, None] < M) & (k[None, :] + s < K), other=0.0)
        b = tl.load(ys, mask=(k[:, None] <= K - 1 - s) & (N > j[None, :]), other=0.0)
        acc = tl.dot(a, b, acc)
        xs += BK
        ys += BK * sy
    put(out, acc, m, n, M, N, BM, BN)


# check: --tma on --grid 4 --num-stages 3 -D BM=64 -D BN=64 -D BK=32 x=randn:fp16[128,96] y=randn:fp16[96,128] out=empty:fp32[128,128] M=128 N=128 K=96 sx=96 sy=128
@triton.jit
def no_masks(x, y, out, M, N, K, sx, sy, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n = tile_of(M, N, BM, BN, 8)
    i = m * BM + tl.arange(0, BM)
    j = n * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    xs = x + (i[:, None] * sx + k[None, :])
    ys = y + (k[:, None] * sy + j[None, :])
    acc = tl.zeros((BM, BN), tl.float32)
    for s in range(0, K // BK):
        acc = tl.dot(tl.load(xs), tl.load(ys), acc)
        xs += BK
        ys += BK * sy
    put(out, acc, m, n, M, N, BM, BN)


# check: --tma on --grid 4 --num-stages 3 -D BM=64 -D BN=64 -D BK=32 x=randn:fp16[88,96] y=randn:fp16[96,112] out=empty:fp32[88,112] M=88 N=112 K=90 sx=96 sy=112
@triton.jit
def computed_anew(x, y, out, M, N, K, sx, sy, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n = tile_of(M, N, BM, BN, 8)
    i = m * BM + tl.arange(0, BM)
    j = n * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for s in range(0, K, BK):
        k = s + tl.arange(0, BK)
        a = tl.load(x + i[:, None] * sx + k[None, :], mask=(i[:, None] < M) & (k[None, :] < K), other=0.0)
        b = tl.load(y + k[:, None] * sy + j[None, :], mask=(k[:, None] < K) & (j[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc)
    put(out, acc, m, n, M, N, BM, BN)


# check: --tma on --grid 4 --num-stages 3 -D BM=64 -D BN=64 -D BK=32 x=randn:fp16[88,96] y=randn:fp16[96,112] out=empty:fp32[88,112] M=88 N=112 K=90 sx=96 sy=112
@triton.jit
def offsets_advanced(x, y, out, M, N, K, sx, sy, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n = tile_of(M, N, BM, BN, 8)
    i = m * BM + tl.arange(0, BM)
    j = n * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, tl.cdiv(K, BK)):
        a = tl.load(x + i[:, None] * sx + k[None, :], mask=(i[:, None] < M) & (k[None, :] < K), other=0.0)
        b = tl.load(y + k[:, None] * sy + j[None, :], mask=(k[:, None] < K) & (j[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc)
        k += BK
    put(out, acc, m, n, M, N, BM, BN)


# check: --tma on --grid 4 --num-stages 3 -D BM=64 -D BN=64 -D BK=32 -D SX=96 -D SY=112 x=randn:fp16[88,96] y=randn:fp16[96,112] out=empty:fp32[88,112] M=88 N=112 K=90
# check: --tma on --grid 4 --num-stages 3 -D BM=64 -D BN=64 -D BK=32 -D SX=99 -D SY=112 x=randn:fp16[88,99] y=randn:fp16[99,112] out=empty:fp32[88,112] M=88 N=112 K=90
@triton.jit
def constant_strides(x, y, out, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SX: tl.constexpr, SY: tl.constexpr):
    m, n = tile_of(M, N, BM, BN, 8)
    i = m * BM + tl.arange(0, BM)
    j = n * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    xs = x + i[:, None] * SX + k[None, :]
    ys = y + k[:, None] * SY + j[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for s in range(0, K, BK):
        a = tl.load(xs, mask=(i[:, None] < M) & (k[None, :] < K - s), other=0.0)
        b = tl.load(ys, mask=(k[:, None] < K - s) & (j[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc)
        xs += BK
        ys += BK * SY
    put(out, acc, m, n, M, N, BM, BN)


# check: --tma on --grid 4 --num-stages 3 -D BM=64 -D BN=64 -D BK=32 x=randn:fp16[88,96] y=randn:fp16[112,96] out=empty:fp32[88,112] M=88 N=112 K=90 sx=96 sy=96
@triton.jit
def transposed(x, y, out, M, N, K, sx, sy, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n = tile_of(M, N, BM, BN, 8)
    i = m * BM + tl.arange(0, BM)
    j = n * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    xs = x + i[:, None] * sx + k[None, :]
    ys = y + j[None, :] * sy + k[:, None]
    acc = tl.zeros((BM, BN), tl.float32)
    for s in range(0, K, BK):
        a = tl.load(xs, mask=(i[:, None] < M) & (k[None, :] < K - s), other=0.0)
        b = tl.load(ys, mask=(k[:, None] < K - s) & (j[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc)
        xs += BK
        ys += BK
    put(out, acc, m, n, M, N, BM, BN)


# check: --tma on --grid 4 --num-stages 3 -D BM=64 -D BN=64 -D BK=32 x=randn:fp16[88,96] y=randn:fp16[96,112] out=empty:fp32[88,112] M=88 N=112 K=90 sx=96 sy=112
@triton.jit
def wide_offsets(x, y, out, M, N, K, sx, sy, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n = tile_of(M, N, BM, BN, 8)
    i = m.to(tl.int64) * BM + tl.arange(0, BM)
    j = n.to(tl.int64) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for s in range(0, tl.cdiv(K, BK)):
        k = s * BK + tl.arange(0, BK).to(tl.int64)
        a = tl.load(x + i[:, None] * sx + k[None, :], mask=(i[:, None] < M) & (k[None, :] < K), other=0.0)
        b = tl.load(y + k[:, None] * sy + j[None, :], mask=(k[:, None] < K) & (j[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc)
    put(out, acc, m, n, M, N, BM, BN)


# check: --tma on --grid 4 --num-stages 3 -D BM=64 -D BN=64 -D BK=32 x=randn:fp16[88,96] y=randn:fp16[96,112] out=empty:fp32[88,112] M=88 N=112 K=90 sx=96 sy=112
@triton.jit
def block_pointers(x, y, out, M, N, K, sx, sy, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n = tile_of(M, N, BM, BN, 8)
    xs = tl.make_block_ptr(x, shape=(M, K), strides=(sx, 1), offsets=(m * BM, 0), block_shape=(BM, BK), order=(1, 0))
    ys = tl.make_block_ptr(y, shape=(K, N), strides=(sy, 1), offsets=(0, n * BN), block_shape=(BK, BN), order=(1, 0))
    acc = tl.zeros((BM, BN), tl.float32)
    for s in range(0, K, BK):
        a = tl.load(xs, boundary_check=(0, 1), padding_option="zero")
        b = tl.load(ys, boundary_check=(0, 1), padding_option="zero")
        acc = tl.dot(a, b, acc)
        xs = tl.advance(xs, (0, BK))
        ys = tl.advance(ys, (BK, 0))
    put(out, acc, m, n, M, N, BM, BN)


# check: --tma on --grid 4 --num-stages 3 -D BM=64 -D BN=64 -D BK=32 x=randn:fp16[88,96] y=randn:fp16[96,112] out=empty:fp32[88,112] M=88 N=112 K=90 sx=96 sy=112
@triton.jit
def descriptors(x, y, out, M, N, K, sx, sy, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n = tile_of(M, N, BM, BN, 8)
    xs = tl.make_tensor_descriptor(x, shape=[M, K], strides=[sx, 1], block_shape=[BM, BK])
    ys = tl.make_tensor_descriptor(y, shape=[K, N], strides=[sy, 1], block_shape=[BK, BN])
    acc = tl.zeros((BM, BN), tl.float32)
    for s in range(0, K, BK):
        acc = tl.dot(xs.load([m * BM, s]), ys.load([s, n * BN]), acc)
    put(out, acc, m, n, M, N, BM, BN)


# A loop that begins after the first rows of y, while x is advanced from its first columns on.
# check: --tma on --grid 4 --num-stages 3 -D BM=64 -D BN=64 -D BK=32 x=randn:fp16[128,224] y=randn:fp16[224,128] out=empty:fp32[128,128] M=128 N=128 K=217 sx=224 sy=128 start=64
# check: --tma on --grid 4 --num-stages 3 -D BM=64 -D BN=64 -D BK=32 x=randn:fp16[128,224] y=randn:fp16[224,128] out=empty:fp32[128,128] M=128 N=128 K=64 sx=224 sy=128 start=64
@triton.jit
def beginning_later(x, y, out, M, N, K, sx, sy, start, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n = tile_of(M, N, BM, BN, 8)
    i = m * BM + tl.arange(0, BM)
    j = n * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    xs = x + i[:, None] * sx + k[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for s in range(start, K, BK):
        a = tl.load(xs, mask=k[None, :] < K - s, other=0.0)
        b = tl.load(y + (s + k)[:, None] * sy + j[None, :], mask=(s + k)[:, None] < K, other=0.0)
        acc = tl.dot(a, b, acc)
        xs += BK
    put(out, acc, m, n, M, N, BM, BN)


# No boxes, and as right: ones outside of the mask; remainders of blocks that begin within one.
# check: --tma on --grid 4 --num-stages 3 -D BM=64 -D BN=64 -D BK=32 x=randn:fp16[128,96] y=randn:fp16[96,128] out=empty:fp32[128,128] M=128 N=128 K=90 sx=96 sy=128
@triton.jit
def no_boxes(x, y, out, M, N, K, sx, sy, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n = tile_of(M, N, BM, BN, 8)
    i = (m * BM + 16 + tl.arange(0, BM)) % M
    j = n * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for s in range(0, K, BK):
        a = tl.load(x + i[:, None] * sx + (s + k)[None, :], mask=k[None, :] < K - s, other=1.0)
        b = tl.load(y + (s + k)[:, None] * sy + j[None, :], mask=k[:, None] < K - s, other=1.0)
        c = tl.load(x + i[:, None] * sx + (s + k)[None, :], mask=k[None, :] < K - s, other=0.0)
        acc = tl.dot(a, b, acc)
        acc = tl.dot(c, b, acc)
    put(out, acc, m, n, M, N, BM, BN)


# Masks of rows and columns before they are those of tiles.
# check: --tma on --grid 4 --num-stages 3 -D BM=64 -D BN=64 -D BK=32 x=randn:fp16[88,96] y=randn:fp16[96,112] out=empty:fp32[88,112] M=88 N=112 K=90 sx=96 sy=112
@triton.jit
def masks_of_rows(x, y, out, M, N, K, sx, sy, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n = tile_of(M, N, BM, BN, 8)
    i = m * BM + tl.arange(0, BM)
    j = n * BN + tl.arange(0, BN)
    rows, columns = i < M, j < N
    acc = tl.zeros((BM, BN), tl.float32)
    for s in range(0, K, BK):
        k = s + tl.arange(0, BK)
        inside = k < K
        a = tl.load(x + i[:, None] * sx + k[None, :], mask=rows[:, None] & inside[None, :], other=0.0)
        b = tl.load(y + k[:, None] * sy + j[None, :], mask=inside[:, None] & columns[None, :], other=0.0)
        acc = tl.dot(a, b, acc)
    put(out, acc, m, n, M, N, BM, BN)


# A sum that wraps before it is widened is not a sum of what it is made of: the plain kernel.
# check: --tma on --grid 4 --num-stages 3 -D BM=64 -D BN=64 -D BK=32 x=randn:fp16[128,96] y=randn:fp16[96,128] out=empty:fp32[128,128] M=128 N=128 K=96 sx=96 sy=128 far=2147483632 back=2147483664
@triton.jit
def wrapping_sums(x, y, out, M, N, K, sx, sy, far, back: tl.int64, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n = tile_of(M, N, BM, BN, 8)
    i = m * BM + tl.arange(0, BM)
    j = n * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    wrapped = (far + K).to(tl.int64) + (back - 96)
    acc = tl.zeros((BM, BN), tl.float32)
    for s in range(0, K, BK):
        a = tl.load(x + i[:, None] * sx + ((s + k)[None, :] + wrapped), mask=k[None, :] < K - s, other=0.0)
        b = tl.load(y + (s + k)[:, None] * sy + j[None, :], mask=k[:, None] < K - s, other=0.0)
        acc = tl.dot(a, b, acc)
    put(out, acc, m, n, M, N, BM, BN)


# Elements outside count as ones, which no tensor map fills in: the plain kernel.
# check: --tma on --grid 4 --num-stages 3 -D BM=64 -D BN=64 -D BK=32 x=randn:fp16[128,96] y=randn:fp16[96,128] out=empty:fp32[128,128] M=128 N=128 K=90 sx=96 sy=128
@triton.jit
def filled_with_ones(x, y, out, M, N, K, sx, sy, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n = tile_of(M, N, BM, BN, 8)
    i = m * BM + tl.arange(0, BM)
    j = n * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for s in range(0, K, BK):
        a = tl.load(x + i[:, None] * sx + (s + k)[None, :], mask=k[None, :] < K - s, other=1.0)
        b = tl.load(y + (s + k)[:, None] * sy + j[None, :], mask=k[:, None] < K - s, other=1.0)
        acc = tl.dot(a, b, acc)
    put(out, acc, m, n, M, N, BM, BN)


# One of several matmuls: which one is a dimension of the map, and its masks bound the one matrix (in the first and third launch they leave
# some out).
# check: --tma on --grid 4,3 --num-stages 3 -D BM=64 -D BN=64 -D BK=32 x=randn:fp16[3,128,96] y=randn:fp16[3,96,128] out=zeros:fp32[3,128,128] M=128 N=128 K=90 sx=96 sy=128
# check: --tma on --grid 4,3 --num-stages 3 -D BM=64 -D BN=64 -D BK=32 x=randn:fp16[3,128,96] y=randn:fp16[3,96,128] out=zeros:fp32[3,128,128] M=128 N=128 K=96 sx=96 sy=128
# check: --tma on --grid 4,3 --num-stages 3 -D BM=64 -D BN=64 -D BK=32 x=randn:fp16[3,120,96] y=randn:fp16[3,96,112] out=zeros:fp32[3,120,112] M=120 N=112 K=96 sx=96 sy=112
# check: --tma on --grid 4,3 --num-stages 3 -D BM=64 -D BN=64 -D BK=32 x=randn:fp16[3,128,32] y=randn:fp16[3,32,128] out=zeros:fp32[3,128,128] M=128 N=128 K=0 sx=32 sy=128
@triton.jit
def one_of_several(x, y, out, M, N, K, sx, sy, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n = tile_of(M, N, BM, BN, 8)
    x += tl.program_id(1) * M * sx
    y += tl.program_id(1) * sx * sy
    i = m * BM + tl.arange(0, BM)
    j = n * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for s in range(0, K, BK):
        k = s + tl.arange(0, BK)
        a = tl.load(x + i[:, None] * sx + k[None, :], mask=(i[:, None] < M) & (k[None, :] < K), other=0.0)
        b = tl.load(y + k[:, None] * sy + j[None, :], mask=(k[:, None] < K) & (j[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc)
    put(out + tl.program_id(1) * M * N, acc, m, n, M, N, BM, BN)

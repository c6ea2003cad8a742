# Tensor descriptors: atomics, rows gathered and scattered, elements outside of the tensor.
import triton
import triton.language as tl


# check: --grid 3,2 x=randn:fp32[24,64] out=randn:fp32[21,50] M=21 N=50 -D BLOCK_M=8 -D BLOCK_N=32
# check: --grid 3,2 x=randn:fp16[24,64] out=randn:fp16[21,50] M=21 N=50 -D BLOCK_M=8 -D BLOCK_N=32
# check: --grid 3,2 x=rand:i32[24,64] out=rand:i32[21,50] M=21 N=50 -D BLOCK_M=8 -D BLOCK_N=32
# check: --grid 3,2 x=rand:u64[24,64] out=rand:u64[21,50] M=21 N=50 -D BLOCK_M=8 -D BLOCK_N=32
@triton.jit
def add_blocks(x, out, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    row, column = tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N
    desc = tl.make_tensor_descriptor(out, shape=[M, N], strides=[N, 1], block_shape=[BLOCK_M, BLOCK_N])
    at = (row + tl.arange(0, BLOCK_M))[:, None] * 64 + column + tl.arange(0, BLOCK_N)[None, :]
    desc.atomic_add([row, column], tl.load(x + at))


# Every program on the same block; the block begins above and left of the tensor.
# check: --grid 4 x=randn:fp16[4,8,16] least=randn:fp16[5,19] most=randn:fp16[5,19] M=5 N=19 -D BM=8 -D BN=16
# check: --grid 4 x=randn:bf16[4,8,16] least=randn:bf16[5,19] most=randn:bf16[5,19] M=5 N=19 -D BM=8 -D BN=16
# check: --grid 4 x=rand:i64[4,8,16] least=rand:i64[5,19] most=rand:i64[5,19] M=5 N=19 -D BM=8 -D BN=16
# check: --grid 4 x=rand:u32[4,8,16] least=rand:u32[5,19] most=rand:u32[5,19] M=5 N=19 -D BM=8 -D BN=16
@triton.jit
def extremes(x, least, most, M, N, BM: tl.constexpr, BN: tl.constexpr):
    at = tl.arange(0, BM)[:, None] * BN + tl.arange(0, BN)[None, :]
    value = tl.load(x + tl.program_id(0) * BM * BN + at)
    low = tl.make_tensor_descriptor(least, [M, N], [N, 1], [BM, BN])
    high = tl.make_tensor_descriptor(most, [M, N], [N, 1], [BM, BN])
    low.atomic_min([-3, 7], value)
    high.atomic_max([2, -2], value)


# check: --grid 4 x=rand:i32[4,32] a=rand:i32[29] b=rand:i32[29] c=rand:i32[29] N=29 -D BLOCK=32
# check: --grid 4 x=rand:u64[4,32] a=rand:u64[29] b=rand:u64[29] c=rand:u64[29] N=29 -D BLOCK=32
@triton.jit
def bitwise(x, a, b, c, N, BLOCK: tl.constexpr):
    value = tl.load(x + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK))
    tl.make_tensor_descriptor(a, [N], [1], [BLOCK]).atomic_and([0], value)
    tl.make_tensor_descriptor(b, [N], [1], [BLOCK]).atomic_or([1], value)
    tl.make_tensor_descriptor(c, [N], [1], [BLOCK]).atomic_xor(offsets=[-1], value=value)


# Rows that are none of the tensor's, above and below, and columns beyond its last.
# check: --grid 1 x=randn:fp32[20,48] rows=arange:i32[16] out=empty:fp32[16,32] M=20 N=48 y=24 -D R=16 -D C=32 -D PAD="zero"
# check: --grid 1 x=randn:fp32[20,48] rows=arange:i32[16] out=empty:fp32[16,32] M=20 N=48 y=-8 -D R=16 -D C=32 -D PAD="nan"
# check: --grid 1 x=randn:fp16[20,48] rows=arange:i32[16] out=empty:fp16[16,16] M=20 N=48 y=16 -D R=16 -D C=16 -D PAD="zero"
# check: --grid 1 x=rand:i8[20,48] rows=arange:i32[16] out=empty:i8[16,32] M=20 N=48 y=0 -D R=16 -D C=32 -D PAD="zero"
@triton.jit
def gather_rows(x, rows, out, M, N, y, R: tl.constexpr, C: tl.constexpr, PAD: tl.constexpr):
    desc = tl.make_tensor_descriptor(x, [M, N], [N, 1], [1, C], padding_option=PAD)
    index = tl.load(rows + tl.arange(0, R)) - 4
    tile = desc.gather(index, y)
    tl.store(out + tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :], tile)


# check: --grid 1 x=randn:fp32[16,32] rows=arange:i32[16] out=randn:fp32[20,48] M=10 N=48 y=24 -D R=16 -D C=32
# check: --grid 1 x=rand:i8[16,32] rows=arange:i32[16] out=rand:i8[20,48] M=10 N=48 y=-5 -D R=16 -D C=32
@triton.jit
def scatter_rows(x, rows, out, M, N, y, R: tl.constexpr, C: tl.constexpr):
    desc = tl.make_tensor_descriptor(out, [M, N], [N, 1], [1, C])
    tile = tl.load(x + tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :])
    desc.scatter(tile, 12 - tl.load(rows + tl.arange(0, R)), y)


# Dots of gathered rows, in a loop.
# check: --grid 1 a=randn:fp16[40,64] rows=arange:i32[16] b=randn:fp16[64,32] out=empty:fp32[16,32] K=64 -D BK=32
@triton.jit
def gathered_product(a, rows, b, out, K, BK: tl.constexpr):
    a_desc = tl.make_tensor_descriptor(a, [40, K], [K, 1], [1, BK])
    b_desc = tl.make_tensor_descriptor(b, [K, 32], [32, 1], [BK, 32])
    index = tl.load(rows + tl.arange(0, 16)) * 3 % 40
    acc = tl.zeros((16, 32), tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(a_desc.gather(index, k), b_desc.load([k, 0]), acc)
    tl.store(out + tl.arange(0, 16)[:, None] * 32 + tl.arange(0, 32)[None, :], acc)

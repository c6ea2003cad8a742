# Vectors that tensors' edges cut short: sizes that are not a multiple of a vector, rows that are. Tensors end where memory does.
import triton
import triton.language as tl


# check: --grid 2,2 a=randn:fp16[4395] b=randn:fp16[7287] c=randn:fp16[4383] out=zeros:fp16[4383] lds=full(88):i32[1] M=50 N=71 K=83 -D BM=32 -D BN=64 -D BK=32
# check: --grid 1,1 a=randn:bf16[6312] b=randn:bf16[7481] c=randn:bf16[6337] out=zeros:bf16[6337] lds=full(104):i32[1] M=61 N=97 K=72 -D BM=64 -D BN=128 -D BK=64
# check: --grid 2,1 a=randn:fp32[2063] b=randn:fp32[1819] c=randn:fp32[2079] out=zeros:fp32[2079] lds=full(52):i32[1] M=40 N=51 K=35 -D BM=32 -D BN=64 -D BK=32
# check: --grid 2,1 a=rand:i8[3081] b=rand:i8[3270] c=rand:i8[3110] out=zeros:i8[3110] lds=full(80):i32[1] M=39 N=70 K=41 -D BM=32 -D BN=128 -D BK=32
@triton.jit
def edges(a, b, c, out, lds, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    ld = tl.load(lds)
    a_desc = tl.make_tensor_descriptor(a, [M, K], [ld, 1], [BM, BK])
    b_desc = tl.make_tensor_descriptor(b, [K, N], [ld, 1], [BK, BN])
    c_desc = tl.make_tensor_descriptor(c, [M, N], [ld, 1], [BM, BN])
    out_desc = tl.make_tensor_descriptor(out, [M, N], [ld, 1], [BM, BN])
    row, column = tl.program_id(0) * BM, tl.program_id(1) * BN
    kind: tl.constexpr = tl.int32 if c.dtype.element_ty == tl.int8 else tl.float32
    acc = tl.zeros((BM, BN), kind)
    for k in range(0, K, BK):
        acc = tl.dot(a_desc.load([row, k]), b_desc.load([k, column]), acc, out_dtype=kind)
    out_desc.store([row, column], (acc + c_desc.load([row, column])).to(c.dtype.element_ty))


# Masks of pointers; elements outside are not zero.
# check: --grid 2,2 a=randn:fp16[4787] b=randn:fp16[6631] c=randn:fp16[3991] out=zeros:fp16[3991] M=50 N=71 K=83 lda=96 ldb=80 ldc=80 -D BM=32 -D BN=64 -D BK=32
# check: --grid 2,2 a=randn:fp16[4785] b=randn:fp16[6471] c=randn:fp16[3991] out=zeros:fp16[3991] M=50 N=71 K=81 lda=96 ldb=80 ldc=80 -D BM=32 -D BN=64 -D BK=32 --num-stages 1
@triton.jit
def masked_edges(a, b, c, out, M, N, K, lda, ldb, ldc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    k = 0
    while k < K:
        x = tl.load(a + rows[:, None] * lda + (k + inner)[None, :], mask=(rows[:, None] < M) & ((k + inner)[None, :] <= K - 1), other=0.0)
        y = tl.load(b + (k + inner)[:, None] * ldb + columns[None, :], mask=(K > (k + inner)[:, None]) & (N > columns[None, :]), other=0.0)
        acc = tl.dot(x, y, acc)
        k += BK
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    at = rows[:, None] * ldc + columns[None, :]
    acc += tl.load(c + at, mask=inside, other=float("inf")).to(tl.float32)
    tl.store(out + at, acc.to(tl.float16), mask=inside)

# Accesses whose neighbours nobody names: offsets by // and % of sizes known at run time, indices that were loaded,
# pictures whose channels are planes.
import triton
import triton.language as tl


# check: --grid 3,1 x=randn:fp16[2,16,8,9] w=randn:fp16[24,16,3,3] y=empty:fp16[2,24,8,9] C=16 H=8 W=9 O=24 N=2 -D P=64 -D CI=16 -D CO=32 -D R=3 -D S=3 -D PAD=1
# check: --grid 2,1 --num-warps 8 x=randn:bf16[1,40,16,16] w=randn:bf16[16,40,3,3] y=empty:bf16[1,16,16,16] C=40 H=16 W=16 O=16 N=1 -D P=128 -D CI=32 -D CO=16 -D R=3 -D S=3 -D PAD=1
# check: --grid 2,1 x=randn:fp16[1,32,8,16] w=randn:fp16[64,32,1,1] y=empty:fp16[1,64,8,16] C=32 H=8 W=16 O=64 N=1 -D P=64 -D CI=32 -D CO=64 -D R=1 -D S=1 -D PAD=0
@triton.jit
def conv2d_planes(x, w, y, C, H, W, O, N, P: tl.constexpr, CI: tl.constexpr, CO: tl.constexpr, R: tl.constexpr,
                  S: tl.constexpr, PAD: tl.constexpr):
    pixel = tl.program_id(0) * P + tl.arange(0, P)
    n, row, column = pixel // W // H, pixel // W % H, pixel % W
    o = tl.program_id(1) * CO + tl.arange(0, CO)
    blocks = tl.cdiv(C, CI)
    acc = tl.zeros((P, CO), tl.float32)
    for step in range(R * S * blocks):
        c = step % blocks * CI + tl.arange(0, CI)
        r, s = step // blocks // S, step // blocks % S
        i, j = row + r - PAD, column + s - PAD
        inside = (n < N) & (0 <= i) & (i < H) & (0 <= j) & (j < W)
        a = tl.load(x + (n * C * H * W + i * W + j)[:, None] + (c * H * W)[None, :], mask=inside[:, None] & (c < C)[None, :], other=0.0)
        b = tl.load(w + (c * R * S + r * S + s)[:, None] + (o * C * R * S)[None, :], mask=(c < C)[:, None] & (o < O)[None, :], other=0.0)
        acc = tl.dot(a, b, acc)
    at = (n * O * H * W + row * W + column)[:, None] + (o * H * W)[None, :]
    tl.store(y + at, acc, mask=(n < N)[:, None] & (o < O)[None, :])


# check: --grid 4,2 a=randn:bf16[16,48] b=randn:bf16[16,32] y=empty:bf16[16,80] wa=48 wb=32 wide=80 total_a=768 total_b=512 -D BLOCK=256
# check: --grid 3,2 a=randn:bf16[16,33] b=randn:bf16[16,31] y=empty:bf16[16,64] wa=33 wb=31 wide=64 total_a=528 total_b=496 -D BLOCK=256
# check: --grid 1,2 --num-warps 1 a=randn:bf16[16,48] b=randn:bf16[16,32] y=empty:bf16[16,80] wa=48 wb=32 wide=80 total_a=768 total_b=512 -D BLOCK=1024
@triton.jit
def side_by_side(a, b, y, wa, wb, wide, total_a, total_b, BLOCK: tl.constexpr):
    if tl.program_id(1) == 0:
        x, width, total, first = a, wa, total_a, 0
    else:
        x, width, total, first = b, wb, total_b, wa
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i // width * wide + i % width + first, tl.load(x + i, mask=i < total), mask=i < total)


# check: --grid 2,2 x=randn:bf16[3,16,16] y=empty:bf16[3,32,32] planes=3 H=16 W=16 OH=32 OW=32 sh=0.5 sw=0.5 -D BLOCK=512
# check: --grid 2,1 x=randn:fp32[2,7,5] y=empty:fp32[2,16,32] planes=2 H=7 W=5 OH=16 OW=32 sh=0.4375 sw=0.15625 -D BLOCK=256
@triton.jit
def nearest(x, y, planes, H, W, OH, OW, sh, sw, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    row, column = i // OW % OH, i % OW
    source_row = tl.minimum((row * sh).to(tl.int32), H - 1)
    source_column = tl.minimum((column * sw).to(tl.int32), W - 1)
    plane = tl.program_id(1)
    while plane < planes:
        v = tl.load(x + plane * H * W + source_row * W + source_column)
        tl.store(y + (plane * OH + row) * OW + column, v)
        plane += tl.num_programs(1)


# check: --grid 4 x=randn:bf16[16,64] index=randint(0,64):i64[16,32] y=empty:bf16[16,32] rows=16 columns=32 wide=64 total=512 -D BLOCK=128
# check: --grid 3 x=randn:fp16[9,40] index=randint(0,40):i64[9,33] y=empty:fp16[9,33] rows=9 columns=33 wide=40 total=297 -D BLOCK=128
# check: --grid 1 --num-warps 1 x=randn:bf16[16,64] index=randint(0,64):i64[16,32] y=empty:bf16[16,32] rows=16 columns=32 wide=64 total=512 -D BLOCK=1024
@triton.jit
def take_along_rows(x, index, y, rows, columns, wide, total, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK).to(tl.int64)
    column, row = at % columns, at // columns % rows
    inside = at < total
    picked = tl.load(index + row * columns + column, mask=inside, other=0)
    v = tl.load(x + row * wide + picked, mask=inside, other=0)
    tl.store(y + row * columns + column, v, mask=inside)


# Columns from HALF on repeat the addresses of those before: those of stores and of loads without masks are in registers.
# check: --grid 2 --num-warps 2 x=randn:fp32[50,128] w=randn:fp32[50,64] y=empty:fp32[50,64] v=empty:fp32[50,64] z=zeros:fp32[50,64] n=50 stride=1 -D R=32 -D C=128 -D HALF=64
# check: --grid 2 --num-warps 1 x=randn:fp16[50,512] w=randn:fp16[50,64] y=empty:fp16[50,64] v=empty:fp16[50,64] z=zeros:fp32[50,64] n=50 stride=4 -D R=32 -D C=128 -D HALF=64
# check: --grid 4 --num-warps 4 x=randn:fp32[50,32] w=randn:fp32[50,8] y=empty:fp32[50,8] v=empty:fp32[50,8] z=zeros:fp32[50,8] n=50 stride=1 -D R=16 -D C=32 -D HALF=8
@triton.jit
def repeated(x, w, y, v, z, n, stride, R: tl.constexpr, C: tl.constexpr, HALF: tl.constexpr):
    r = tl.program_id(0) * R + tl.arange(0, R)
    c = tl.arange(0, C)
    rows = (r < n)[:, None]
    at = r[:, None] * HALF + (c % HALF)[None, :]
    a = tl.load(x + (r[:, None] * C + (c % HALF)[None, :]) * stride, mask=rows, other=0.0)
    b = tl.load(w + at, mask=rows, other=0.0)
    tl.store(y + at, a - b, mask=rows & (c < HALF)[None, :])
    whole = tl.load(w + (r[:, None] % n) * HALF + (c % HALF)[None, :])
    tl.store(v + at, whole * 2, mask=rows & (c < HALF)[None, :])
    tl.atomic_add(z + at, 1.0, mask=rows)

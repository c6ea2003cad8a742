"""Numbers that are scaled by the maximum of a group or a row and stored as bytes, and rows that change in place."""
import triton
import triton.language as tl


# check: --grid 2 -D G=128 -D B=4096 x=randn:bf16[8192] y=empty:fp8e4nv[8192] s=empty:fp32[64]
# check: --grid 2 -D G=32 -D B=1024 x=randn:fp32[2048] y=empty:fp8e5[2048] s=empty:fp32[64]
# check: --grid 1 --num-warps 1 -D G=64 -D B=512 x=randn:fp16[512] y=empty:fp8e4nv[512] s=empty:fp32[8]
@triton.jit
def groups_to_fp8(x, y, s, G: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.reshape(tl.load(x + i).to(tl.float32), [B // G, G])
    scale = tl.maximum(tl.max(tl.abs(v), 1), 1e-10) / 448.0
    q = tl.reshape(v / scale[:, None], [B])
    tl.store(y + i, q.to(y.dtype.element_ty))
    tl.store(s + tl.program_id(0) * (B // G) + tl.arange(0, B // G), scale)


# check: --grid 2 -D B=512 x=randn:bf16[2,512] y=zeros:fp8e4nv[2,512] s=empty:fp32[2] n=0 stride=512
# check: --grid 2 -D B=512 x=randn:bf16[2,512] y=empty:fp8e4nv[2,512] s=empty:fp32[2] n=512 stride=512
# check: --grid 2 -D B=512 x=randn:bf16[2,1024] y=empty:fp8e4nv[2,1024] s=empty:fp32[2] n=1008 stride=1024
# check: --grid 2 -D B=512 x=randn:fp16[2,1536] y=empty:fp8e5[2,1536] s=empty:fp32[2] n=1536 stride=1536
# check: --grid 1 -D B=512 x=randn:bf16[1,2048] y=zeros:fp8e4nv[1,2048] s=empty:fp32[1] n=2000 stride=2048
# check: --grid 1 -D B=512 x=randn:bf16[1,4096] y=zeros:fp8e4nv[1,4096] s=empty:fp32[1] n=3585 stride=4096
# check: --grid 1 -D B=256 x=randn:bf16[1,2304] y=empty:fp8e4nv[1,2304] s=empty:fp32[1] n=2304 stride=2304
@triton.jit
def row_to_fp8(x, y, s, n, stride, B: tl.constexpr):
    """Iterations that are not a multiple of the unrolled ones, down to none."""
    row = tl.program_id(0) * stride
    i = tl.arange(0, B)
    m = 0.0
    for k in range(0, n, B):
        v = tl.load(x + row + k + i, mask=k + i < n, other=0.0)
        m = tl.maximum(m, tl.max(tl.abs(v)))
    scale = 448.0 / tl.clamp(m.to(tl.float32), 1e-12, 1e30)
    tl.store(s + tl.program_id(0), scale)
    for k in range(0, n, B):
        v = tl.load(x + row + k + i, mask=k + i < n, other=0.0)
        q = tl.clamp(v * scale, -448.0, 448.0)
        tl.store(y + row + k + i, q.to(y.dtype.element_ty), mask=k + i < n)


# check: --grid 3,2 -D H=6 -D D=128 q=randn:bf16[3,6,128] cos=randn:bf16[3,128] sin=randn:bf16[3,128]
# check: --grid 2,1 --num-warps 8 -D H=4 -D D=64 q=randn:fp32[2,4,64] cos=randn:fp32[2,64] sin=randn:fp32[2,64]
@triton.jit
def rotate_in_place(q, cos, sin, H: tl.constexpr, D: tl.constexpr):
    """Several warps hold an element: the first one loads and stores it, without a barrier."""
    row = tl.program_id(0)
    first = tl.program_id(1) * 4
    i = tl.arange(0, D // 2)
    s = tl.load(sin + row * D + i)
    c = tl.load(cos + row * D + i)
    for h in range(first, min(first + 4, H)):
        at = q + row * H * D + h * D + i
        a = tl.load(at)
        b = tl.load(at + D // 2)
        tl.store(at, a * c - b * s)
        tl.store(at + D // 2, b * c + a * s)


# check: --grid 2 -D B=1024 -D D=64 x=randn:fp16[2048] y=empty:fp16[2048]
# check: --grid 1 --num-warps 2 -D B=512 -D D=32 x=randn:fp32[512] y=empty:fp32[512]
@triton.jit
def rotated_halves(x, y, B: tl.constexpr, D: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i)
    halves = tl.reshape(v, (B // D, 2, D // 2))
    a, b = tl.split(tl.permute(halves, (0, 2, 1)))
    z = tl.permute(tl.join(-b, a), (0, 2, 1))
    tl.store(y + i, v + tl.reshape(z, (B,)))
